"""Runs: all of them with their settings; compare two, rename, note, delete, export."""

from __future__ import annotations

import difflib
import io

import pandas as pd
import streamlit as st

from app.state import numbers, plain, show_error, workspace
from workbench.errors import WorkbenchError


def table() -> list[int]:
    """All runs; the selected ones' numbers."""
    runs = workspace().all_runs()
    frame = pd.DataFrame(
        [
            {
                "run": run.id,
                "kind": run.kind,
                "name": run.name or "",
                "method": run.engine,
                "status": run.status,
                "seconds": round(run.seconds or 0.0, 2),
                "seed": run.seed,
                "created (UTC)": run.created,
                "program": run.program_hash[:8],
                "data": (run.data_hash or "")[:8],
                "note": run.note or "",
            }
            for run in runs
        ]
    )
    st.caption("Tick one run to see or export it, two to compare them.")
    event = st.dataframe(
        frame, hide_index=True, on_select="rerun", selection_mode="multi-row", key="runs-table", width="stretch"
    )
    return [int(frame.iloc[row]["run"]) for row in event.selection.rows]


def one(number: int) -> None:
    """One run: settings, names, export, deletion."""
    ws = workspace()
    run = ws.run(number)
    st.subheader(f"Run {number}: {run.kind}, {run.engine}")
    left, right = st.columns(2)
    with left:
        name = st.text_input("Name", value=run.name or "", key=f"name-{number}")
        note = st.text_area("Note", value=run.note or "", key=f"note-{number}", height=80)
        if (name, note) != (run.name or "", run.note or ""):
            ws.label_run(number, name=name, note=note)
            st.rerun()
        st.json(dict(run.parameters), expanded=1)
    with right:
        st.code(run.program_text, language=None, height=260)
        st.caption(f"program {run.program_hash[:16]}, data {(run.data_hash or 'none')[:16]}")
    exports(number, run.program_text)
    with st.popover("Delete this run"):
        st.text("The run and all its tables go for good.")
        if st.button("Delete", key=f"delete-{number}", type="primary"):
            ws.delete_run(number)
            st.rerun()


def exports(number: int, program: str) -> None:
    """Downloads: predictions, program, report."""
    ws = workspace()
    language = "psl" if ("->" in program or ">>" in program) else "mln"
    predictions = ws.run_predictions(number)
    columns = st.columns(4)
    csv_text = predictions.to_csv(index=False)
    columns[0].download_button(
        "Predictions (CSV)", csv_text, f"run-{number}.csv", "text/csv", disabled=predictions.empty, key=f"csv-{number}"
    )
    columns[1].download_button(
        "Predictions (Parquet)",
        ws.parquet_of_run(number) if not predictions.empty else b"",
        f"run-{number}.parquet",
        disabled=predictions.empty,
        key=f"parquet-{number}",
    )
    columns[2].download_button(f"Program (.{language})", program, f"run-{number}.{language}", key=f"program-{number}")
    columns[3].download_button(
        "Report (HTML)", ws.report_of_run(number), f"run-{number}.html", "text/html", key=f"report-{number}"
    )


def compare(first: int, second: int) -> None:
    """Only what differs, with paired tests where both have folds."""
    ws = workspace()
    st.subheader(f"Run {first} against run {second}")
    found = ws.compare(first, second)
    settings = {item["setting"]: item for item in found["settings"] if item["setting"] != "figures"}
    if settings:
        st.caption("Settings that differ")
        st.dataframe(pd.DataFrame(list(settings.values())).astype(str), hide_index=True, width="stretch")
    paired = ws.paired_comparison(first, second)
    if not paired.empty:
        st.caption("Metrics on the same folds")
        st.dataframe(paired, column_config=numbers(paired), hide_index=True, width="stretch")
    for key, title in (("weights", "Weights that differ"), ("predictions", "Predictions that differ, largest first")):
        if found[key]:
            st.caption(f"{title}: {len(found[key]):,}")
            frame = pd.DataFrame(found[key]).head(200).dropna(axis="columns", how="all")
            st.dataframe(frame, column_config=numbers(frame), hide_index=True, width="stretch")
    one_text, two_text = ws.run(first).program_text, ws.run(second).program_text
    if one_text != two_text:
        st.caption("Programs")
        lines = difflib.unified_diff(
            one_text.splitlines(), two_text.splitlines(), f"run {first}", f"run {second}", "", "", 2, ""
        )
        st.code("\n".join(lines), language="diff")
    buffer = io.StringIO()
    for key in ("settings", "metrics", "weights", "predictions"):
        if found[key]:
            buffer.write(f"# {key}\n")
            pd.DataFrame(found[key]).to_csv(buffer, index=False)
    st.download_button(
        "Download the comparison (CSV)", buffer.getvalue(), f"runs-{first}-{second}.csv", key="compare-csv"
    )


st.title("Runs")
if not workspace().all_runs():
    st.info("No run is recorded yet. Learn or infer on the page Learn and infer; every run is kept here.")
else:
    chosen = table()
    try:
        if len(chosen) == 1:
            one(chosen[0])
        elif len(chosen) == 2:
            compare(*sorted(chosen))
        elif len(chosen) > 2:
            st.info(plain("Tick two runs to compare them."))
    except WorkbenchError as error:
        show_error(error)
