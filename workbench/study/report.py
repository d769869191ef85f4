"""A study as one HTML page that needs nothing beside it, and as files in a directory."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from math import isfinite
from pathlib import Path
from typing import Any

from workbench.study.result import StudyResult
from workbench.study.words import number_text, weight_text

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; color: #1c2430;
  max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin-top: 2.2rem; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; padding: .3rem .6rem;
  vertical-align: top; }
th { border-bottom: 2px solid #c8d0da; font-weight: 600; } td { border-bottom: 1px solid #e6eaf0; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
code { font-size: .85rem; color: #44546a; overflow-wrap: anywhere; }
.for { color: #0b6e4f; } .against { color: #a23b2a; }
.bar { background: #3b73b9; height: .7rem; display: inline-block; } .note { color: #5b6778; }
"""


def write_study(result: StudyResult, directory: Path) -> None:
    """`predictions.csv`, `program.mln`, `dataset.toml`,
    `report.html` and `study.json` in a directory.
    """
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "predictions.csv").write_text(result.predictions_csv(), encoding="utf-8")
    (directory / "program.mln").write_text(result.program, encoding="utf-8")
    (directory / "dataset.toml").write_text(result.mapping, encoding="utf-8")
    (directory / "report.html").write_text(html_report(result), encoding="utf-8")
    text = json.dumps(
        _with_null(result.as_record()), indent=2, ensure_ascii=False, default=str, allow_nan=False
    )
    (directory / "study.json").write_text(text + "\n", encoding="utf-8")


def _with_null(value: Any) -> Any:
    """A record with None where a number is not one, as JSON has no other word for it."""
    if isinstance(value, dict):
        return {name: _with_null(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_with_null(item) for item in value]
    return None if isinstance(value, float) and not isfinite(value) else value


def html_report(result: StudyResult) -> str:
    """The report: what was learned and how good it is, the rules, the reasons, what to do next."""
    parts = [
        f"<h1>{escape(result.target)}</h1>",
        f"<p>{escape(result.sentence)}</p>",
        *(f'<p class="note">{escape(warning.message)}</p>' for warning in result.warnings),
        "<h2>How good it is</h2>",
        _scores(result),
        *_threshold(result),
        f"<h2>{len(result.rules):,} rules</h2>",
        _rules(result),
        *_calibration(result),
        *_explanations(result),
        "<h2>To go on</h2>",
        *(f"<p><code>{escape(command)}</code></p>" for command in result.commands),
    ]
    head = f'<meta charset="utf-8"><title>{escape(result.target)}</title><style>{_STYLE}</style>'
    return (
        f'<!doctype html><html lang="en"><head>{head}</head><body>{"".join(parts)}</body></html>\n'
    )


def _table(
    columns: Sequence[str], rows: Iterable[Sequence[str]], numbers: Sequence[int] = ()
) -> str:
    """A table of cells that are HTML already; columns in `numbers` stand to the right."""
    mark = ['class="n"' if place in numbers else "" for place in range(len(columns))]
    head = "".join(f"<th {mark[place]}>{escape(name)}</th>" for place, name in enumerate(columns))
    body = "".join(
        "<tr>"
        + "".join(f"<td {mark[place]}>{cell}</td>" for place, cell in enumerate(row))
        + "</tr>"
        for row in rows
    )
    return f"<table><tr>{head}</tr>{body}</table>"


_SHOWN = {
    "yes/no": ("AUC-ROC", "AUC-PR", "F1", "accuracy", "Brier"),
    "category": ("accuracy", "AUC-ROC", "CLL"),
    "number": ("MAE", "RMSE", "R2"),
}


def _scores(result: StudyResult) -> str:
    metrics = [name for name in _SHOWN[result.kind] if name in result.metrics]
    systems = {f"our {result.learner.replace('_', ' ')}": result.metrics, **result.baselines}
    rows = [
        [escape(name), *(_score(found.get(metric)) for metric in metrics)]
        for name, found in systems.items()
    ]
    note = (
        f'<p class="note">Mean and spread over {result.folds} held-out folds, the same for '
        "every line.</p>"
    )
    return _table(["", *metrics], rows, range(1, len(metrics) + 1)) + note


def _score(value: Mapping[str, float | None] | None) -> str:
    if value is None or value["mean"] is None:
        return "–"
    spread = value["sd"]
    return f"{value['mean']:.3f}" + (f" ± {spread:.3f}" if spread is not None else "")


def _threshold(result: StudyResult) -> list[str]:
    if result.threshold is None:
        return []
    return [
        f"<p>A probability from {result.threshold:.3f} on is said to be a yes: best on the "
        "held-out rows by F1.</p>"
    ]


def _rules(result: StudyResult) -> str:
    rows = []
    for rule in result.rules:
        side = "for" if rule.weight > 0 else "against"
        said, weight = rule.words.rsplit(": ", 1)
        rate = (
            "–"
            if rule.rate_with is None or rule.rate_without is None
            else (
                f"{number_text(round(rule.rate_with, 3))} / "
                f"{number_text(round(rule.rate_without, 3))}"
            )
        )
        rows.append(
            [
                f"{escape(said)}<br><code>{escape(rule.text)}</code>",
                f'<span class="{side}">{escape(weight)}</span>',
                f"{rule.support:,}",
                rate,
                "–" if rule.lift is None else f"{rule.lift:.2f}",
            ]
        )
    return _table(["rule", "weight", "rows", "with / without", "lift"], rows, (1, 2, 3, 4))


def _calibration(result: StudyResult) -> list[str]:
    if not result.calibration:
        return []
    rows = [
        [
            f"{row['from']:.1f} to {row['to']:.1f}",
            f"{row['rows']:,}",
            f"{row['predicted']:.3f}",
            f'{row["came true"]:.3f} <span class="bar" '
            f'style="width:{6 * row["came true"]:.2f}rem"></span>',
        ]
        for row in result.calibration
    ]
    return [
        "<h2>What was said, and what came true</h2>",
        _table(["said", "rows", "mean said", "came true"], rows, (1, 2)),
    ]


def _explanations(result: StudyResult) -> list[str]:
    if not result.explanations:
        return []
    found = ["<h2>The ten most telling cases</h2>"]
    for one in result.explanations[:10]:
        known = ", known" if one.known else ""
        reasons = "".join(
            f"<li>{escape(words)}: {weight_text(adds)}</li>" for words, adds in one.parts()
        )
        found.append(
            f"<p><b>{escape(one.name)}</b>: "
            f"{number_text(round(one.value, 4))}{known}</p><ul>{reasons}</ul>"
        )
    return found
