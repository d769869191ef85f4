"""A run as one self-contained HTML file: settings, metrics, weights, predictions; all escaped."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from workbench.verbs.common import as_words

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pandas as pd

    from workbench.database import Run

MOST_ROWS = 500
STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem }
:root { color-scheme: light dark }
table { border-collapse: collapse; margin: .5rem 0 1.5rem }
td, th { padding: .2rem .7rem; text-align: left }
th { border-bottom: 1px solid #888 } td.n { text-align: right; font-variant-numeric: tabular-nums }
pre { padding: .8rem; border: 1px solid #8886; overflow-x: auto }
.bar { height: .7rem } .up { background: #0072B2 }
.down { background: #D55E00 }
"""


def html_report(
    run: Run,
    scores: pd.DataFrame | None,
    weights: pd.DataFrame,
    predictions: pd.DataFrame,
    named: Callable[[Sequence[str]], Sequence[str]],
) -> str:
    """The report's text, atoms as they are `named`; tables are cut after 500 rows."""
    title = f"Run {run.id}: {run.kind}" + (f", {run.name}" if run.name else "")
    parts = [f"<h1>{escape(title)}</h1>"]
    if run.note:
        parts.append(f"<p>{escape(run.note)}</p>")
    parts += ["<h2>Settings</h2>", _settings(run)]
    if scores is not None and not scores.empty:
        parts += ["<h2>Metrics</h2>", _table(scores)]
    if not weights.empty:
        shown = _filled(weights, "fold formula weight low high initial").sort_values(
            "weight", ascending=False
        )
        parts += ["<h2>Weights</h2>", _bars(shown), _table(shown)]
    if not predictions.empty:
        ranked = _filled(predictions, "fold atom value truth").sort_values("value", ascending=False)
        atoms = list(ranked["atom"])
        ranked["atom"] = [*named(atoms[:MOST_ROWS]), *atoms[MOST_ROWS:]]
        parts += ["<h2>Predictions</h2>", _table(ranked)]
    parts += ["<h2>Program</h2>", f"<pre>{escape(run.program_text)}</pre>"]
    body = "\n".join(parts)
    return (
        '<!doctype html>\n<html lang="en"><head><meta '
        f'charset="utf-8"><title>{escape(title)}</title>'
        f"<style>{STYLE}</style></head>\n<body>{body}</body></html>\n"
    )


def _settings(run: Run) -> str:
    import pandas as pd

    settings = {
        "status": run.status,
        "method": run.engine,
        "seed": run.seed,
        "seconds": f"{run.seconds or 0:.2f}",
        "created (UTC)": f"{run.created:%Y-%m-%d %H:%M:%S}",
        "program hash": run.program_hash,
        "data hash": run.data_hash,
        **{
            key.replace("_", " "): as_words(value)
            for key, value in run.parameters.items()
            if key not in ("figures", "folds") and value is not None
        },
        **{f"version of {name}": value for name, value in run.versions.items()},
    }
    return _table(pd.DataFrame({"setting": list(settings), "value": list(settings.values())}))


def _filled(frame: pd.DataFrame, columns: str) -> pd.DataFrame:
    """Those of some columns that say anything."""
    return frame[[name for name in columns.split() if frame[name].notna().any()]]


def _table(frame: pd.DataFrame) -> str:
    head = "".join(f"<th>{escape(str(name))}</th>" for name in frame.columns)
    rows = "\n".join(
        "<tr>" + "".join(map(_cell, row)) + "</tr>"
        for row in frame.head(MOST_ROWS).itertuples(index=False)
    )
    cut = (
        f"<p>The first {MOST_ROWS:,} of {len(frame):,} rows.</p>" if len(frame) > MOST_ROWS else ""
    )
    return f"<table><tr>{head}</tr>\n{rows}</table>{cut}"


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f'<td class="n">{"" if value != value else f"{value:.4f}"}</td>'
    return f"<td>{escape('' if value is None else str(value))}</td>"


def _bars(weights: pd.DataFrame) -> str:
    shown = weights[weights["weight"].notna()].head(40)
    largest = max(1e-9, float(shown["weight"].abs().max())) if len(shown) else 1.0
    rows = [
        f'<tr><td>{escape(str(formula))}</td><td style="width:20rem"><div class="bar '
        f'{"up" if weight >= 0 else "down"}" '
        f'style="width:{100 * abs(weight) / largest:.1f}%"></div></td></tr>'
        for formula, weight in zip(shown["formula"], shown["weight"])
    ]
    return f"<table>{''.join(rows)}</table>"
