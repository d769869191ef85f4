"""Runs: all with their settings; filter, overlay curves, compare two, rename, delete, export."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from app.choices import ticked
from app.downloads import csv_text, download
from app.figures import several
from app.overlaid import AT_ONCE, METRICS, filtered, mean_scores, overlaid
from app.show import KINDS, header, metrics, plain, run_label, show_error, standing
from app.state import role, workspace
from app.tabular import table
from workbench.errors import WorkbenchError
from workbench.workspace import as_words

MOST = 200
HASH = 16
COLUMNS = {
    "data": "Hash of the facts: runs of equal hash saw the same data.",
    "program": "Hash of the rules.",
    "F1": "Mean over folds; of an inference beside the labels there are now, where it and newer "
    f"ones have at most {AT_ONCE:,} predictions.",
}


TESTS = {
    "p (paired t)": "Student's t-test over folds: small where the difference is no accident of "
    "the folds.",
    "p (corrected t)": "Nadeau and Bengio's: allows for training sets that overlap, as those of "
    "folds do.",
    "p (Wilcoxon)": "By ranks, for few folds or values far from normal.",
}


def overview(runs: tuple[Any, ...]) -> list[int]:
    """All runs; the ticked ones' numbers."""
    means = mean_scores(runs)
    frame = pd.DataFrame(
        [
            {
                "run": run.id,
                "name": run.name or None,
                "kind": KINDS.get(run.kind, run.kind),
                "method": run.engine,
                "status": run.status,
                **{
                    name: means[name].get(run.id) if name in means else None
                    for name in (*METRICS, "R2", "MAE")
                },
                "seconds": run.seconds or 0.0,
                "created (UTC)": run.created.strftime("%Y-%m-%d %H:%M"),
                "program": run.program_hash[:6] if run.program_text else "",
                "data": (run.data_hash or "")[:6],
                "note": run.note or None,
            }
            for run in runs
        ]
    ).dropna(axis="columns", how="all")
    frame = filtered(frame)
    if frame.empty:
        st.info("No run has these words.")
        return []
    st.caption(
        "Tick one run to see or export it, two to compare them, more to lay their curves over one "
        "another."
    )
    numbers = [int(number) for number in frame["run"]]
    chosen = ticked(frame, numbers, "runs", file="runs", many=True, help=COLUMNS)
    return [numbers[row] for row in chosen]


def settings(run: Any) -> dict[str, str]:
    """What a run was started with, and on what."""
    shown = {
        name: value
        for name, value in run.parameters.items()
        if name not in ("figures", "folds") and value
    }
    if folds := workspace().runs.fold_names(run.id):
        shown["folds"] = list(folds)
    shown |= {"seed": run.seed, "status": run.status, "seconds": round(run.seconds or 0.0, 2)}
    shown |= {
        "program hash": run.program_hash[:HASH],
        "data hash": (run.data_hash or "none")[:HASH],
    }
    shown |= {
        f"{name} version": version
        for name, version in run.versions.items()
        if name in ("workbench", "duckdb")
    }
    return {name.replace("_", " "): as_words(value) for name, value in shown.items()}


def one(number: int) -> None:
    """One run: settings, names, export, deletion."""
    ws = workspace()
    run = ws.runs.get(number)
    st.subheader(f"Run {plain(run_label(run))}", anchor=False)
    standing(run)
    scored(run)
    exports(run)
    left, right = st.columns(2)
    with left:
        name = st.text_input(
            "Name", value=run.name or "", key=f"name-{number}", placeholder="to find it by"
        )
        note = st.text_area("Note", value=run.note or "", key=f"note-{number}", height=80)
        if (name, note) != (run.name or "", run.note or ""):
            ws.runs.label(number, name=name, note=note)
            st.rerun()
        found = settings(run)
        frame = pd.DataFrame({"setting": list(found), "value": list(found.values())})
        table(frame, f"run-{number}-settings")
    with right:
        st.caption("Program")
        st.code(run.program_text, language=None, height=420)
    if role() == "admin":
        with st.popover("Delete this run"):
            st.text("The run and all its tables go for good.")
            if st.button("Delete", key=f"delete-{number}", type="primary"):
                ws.runs.delete(number)
                st.rerun()


def scored(run: Any) -> None:
    """A run's scores, mean over folds; of an inference beside the labels there are."""
    if run.kind not in ("infer", "crossval"):
        return
    found = workspace().runs.scores_by_fold(run.id)
    named = [name for name in METRICS if name in found]
    metrics(
        [(name, f"{found[name].mean():.3f}", None) for name in named if found[name].notna().any()]
    )


def exports(run: Any) -> None:
    """Downloads, made when they are asked for: predictions, program, report."""
    ws, number = workspace(), run.id
    language = run.language
    with st.container(horizontal=True):
        if run.kind in ("infer", "crossval"):
            download(
                "Predictions (CSV)",
                lambda: csv_text(ws.runs.predictions(number)),
                f"run-{number}.csv",
                "text/csv",
                key=f"csv-{number}",
            )
            download(
                "Predictions (Parquet)",
                lambda: ws.runs.parquet(number),
                f"run-{number}.parquet",
                key=f"parquet-{number}",
            )
        download(
            f"Program (.{language})",
            run.program_text,
            f"run-{number}.{language}",
            key=f"program-{number}",
        )
        download(
            "Report (HTML)",
            lambda: ws.runs.report(number),
            f"run-{number}.html",
            "text/html",
            key=f"report-{number}",
        )


def compare(first: int, second: int) -> None:
    """Only what differs, with paired tests where both have folds."""
    ws = workspace()
    st.subheader(f"Run {first} against run {second}", anchor=False)
    with st.spinner("Comparing ..."):
        found, paired = (
            ws.runs.compare(first, second, most=MOST),
            ws.runs.paired_comparison(first, second),
        )
    settings_that_differ(found["settings"], first, second)
    if not paired.empty:
        how = "; not tested, for want of equal folds"
        if "p (paired t)" in paired:
            how = " and paired tests over the folds"
        st.caption("Mean metrics" + how)
        table(paired.dropna(axis="columns", how="all"), "tests", help=TESTS)
    ends = (("first", first), ("second", second))
    weights = {f"weight_{end}": f"run {run}" for end, run in ends}
    values = {f"value_{end}": f"run {run}" for end, run in ends}
    rows_that_differ(found["weights"], "weight", "Weights that differ", weights)
    title = "Predictions that differ, largest first"
    rows_that_differ(found["predictions"], "prediction", title, values)
    program_difference(first, second)
    download(
        "Download the comparison (CSV)",
        lambda: comparison_csv(first, second),
        f"runs-{first}-{second}.csv",
        "text/csv",
        key="compare-csv",
    )


def settings_that_differ(settings: Sequence[dict[str, Any]], first: int, second: int) -> None:
    """What was asked of the two otherwise; folds are told with the metrics."""
    differing = [item for item in settings if item["setting"] != "folds"]
    if not differing:
        return
    st.caption("Settings that differ")
    rows = [
        {
            "setting": item["setting"].replace("_", " "),
            f"run {first}": shown(item, "first"),
            f"run {second}": shown(item, "second"),
        }
        for item in differing
    ]
    table(pd.DataFrame(rows).drop_duplicates(), "settings-that-differ")


def rows_that_differ(
    rows: Sequence[dict[str, Any]], what: str, title: str, names: dict[str, str]
) -> None:
    """Weights or predictions of the two beside each other; `names` are what columns are called."""
    if not rows:
        return
    frame = pd.DataFrame(rows).dropna(axis="columns", how="all")
    if not names.keys() <= set(frame):
        (alone,) = (name for column, name in names.items() if column in frame)
        said = several(len(rows), f"{what} is", f"{what}s are")
        least = "At least " if len(rows) == MOST else ""
        st.caption(f"{least}{said} of {alone} alone, and none that both have differs.")
        return
    st.caption(title + (f", the first {MOST}" if len(rows) == MOST else f": {len(rows):,}"))
    if "world" in frame and len(set(frame["world"])) == 1:
        frame = frame.drop(columns="world")
    if "atom" in frame:
        frame["atom"] = workspace().data.shown(list(frame["atom"]))
    table(frame.rename(columns=names), f"{what}s-that-differ", most=300)


def shown(item: dict[str, Any], end: str) -> str:
    """A setting in words; of a hash as much as tells two apart."""
    if item[end] is None:
        return ""
    text = f"{item[end]:.3g}" if item["setting"] == "seconds" else as_words(item[end])
    return text[:HASH] if item["setting"].endswith("hash") else text


def comparison_csv(first: int, second: int) -> str:
    """Everything that differs, one table after the other."""
    found = workspace().runs.compare(first, second)
    parts = [key for key in ("settings", "metrics", "weights", "predictions") if found[key]]
    return "".join(f"# {key}\n{csv_text(pd.DataFrame(found[key]))}" for key in parts)


def program_difference(first: int, second: int) -> None:
    """The two programs line by line, where they differ."""
    one_text, two_text = (workspace().runs.get(number).program_text for number in (first, second))
    if one_text != two_text:
        st.caption("Programs")
        lines = difflib.unified_diff(
            one_text.splitlines(),
            two_text.splitlines(),
            f"run {first}",
            f"run {second}",
            "",
            "",
            2,
            "",
        )
        st.code("\n".join(lines), language="diff")


header("Runs", "Every run with what it was run on; kept in the workspace until you delete it.")
recorded = workspace().runs.all()
if not recorded:
    st.info(
        "No run is recorded yet. Learn or infer on the page Learn and infer; every run is kept "
        "here."
    )
    st.page_link("views/learn.py", label="Learn and infer", icon=":material/play_circle:")
else:
    chosen = overview(recorded)
    try:
        if len(chosen) == 1:
            one(chosen[0])
        elif len(chosen) > 1:
            overlaid(sorted(chosen))
            if len(chosen) == 2:
                compare(*sorted(chosen))
    except WorkbenchError as error:
        show_error(error)
