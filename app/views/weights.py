"""Weights: bars sorted by weight, before against after, with a filter for programs of thousands of templates."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from app import charts
from app.state import server, workspace

SHOWN = 60


def run_label(run: object) -> str:
    """A run in a list."""
    name = f" {run.name}" if run.name else ""  # type: ignore[attr-defined]
    return f"{run.id}: {run.kind}{name}, {run.engine or ''}, {run.created:%Y-%m-%d %H:%M}"  # type: ignore[attr-defined]


def short(formula: str) -> str:
    """A formula that fits beside its bar."""
    return formula if len(formula) <= 70 else formula[:67] + "..."


def chosen_run() -> int | None:
    """A run that has weights."""
    runs = [run for run in workspace().all_runs() if run.kind in ("learn", "infer")]
    runs.sort(key=lambda run: (run.kind != "learn", -run.id))
    labels = {run.id: run_label(run) for run in runs}
    return st.selectbox("Run", list(labels), format_func=labels.get, key="weights-run") if labels else None


def show(number: int) -> None:
    """Bars and table of a run's weights."""
    frame = workspace().run_weights(number)
    frame = frame[frame["weight"].notna()]
    if frame.empty:
        st.info("This run has no weights.")
        return
    result = server().runner.result_of_run(number)
    if result is not None and hasattr(result, "table"):
        counts = pd.DataFrame(result.table())[["template", "open", "satisfied", "violated"]]
        frame = frame.merge(counts, on="template", how="left")
    left, middle, right = st.columns([3, 2, 2], vertical_alignment="bottom")
    search = left.text_input("Filter", key="weights-filter", help="Keeps formulas that contain every word.")
    order = middle.selectbox("Order", ["by weight", "by magnitude", "by change", "by rule"], key="weights-order")
    learned = frame["initial"].notna().any() and (frame["initial"] - frame["weight"]).abs().max() > 0
    before = right.checkbox("Mark weights before", value=bool(learned), disabled=not learned, key="weights-before")
    for word in search.split():
        frame = frame[frame["formula"].str.contains(word, case=False, regex=False)]
    if frame.empty:
        st.info("No formula contains these words.")
        return
    keys = {
        "by weight": -frame["weight"],
        "by magnitude": -frame["weight"].abs(),
        "by change": -(frame["weight"] - frame["initial"]).abs(),
        "by rule": frame["template"],
    }
    frame = frame.loc[keys[order].sort_values(kind="stable").index]
    st.caption(f"{len(frame):,} weights" + (f"; the first {SHOWN} are drawn" if len(frame) > SHOWN else ""))
    drawn = frame.head(SHOWN).assign(label=lambda part: part["formula"].map(short))
    st.altair_chart(charts.weight_bars(drawn, before=before, description="Weights of the formulas, largest first"))
    st.caption("A bar to the right supports the formula, one to the left opposes it; grey ticks are weights before.")
    columns = [
        name for name in ("formula", "weight", "initial", "fixed", "open", "satisfied", "violated") if name in frame
    ]
    st.dataframe(frame[columns].round(5), hide_index=True, width="stretch")
    st.download_button("Download as CSV", frame[columns].to_csv(index=False), f"weights-{number}.csv", "text/csv")


st.title("Weights")
number = chosen_run()
if number is None:
    st.info("No run has weights yet. Learn some on the page Learn and infer.")
else:
    show(number)
