"""Many runs at once: found by words, their metrics side by side and their curves overlaid."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from app import charts
from app.show import draw
from app.state import facts_token, run_token, workspace
from app.tabular import table

METRICS = ("F1", "AUC-ROC", "AUC-PR", "CLL")
AT_ONCE = 200_000
"""Predictions of inferences that the list of runs scores at one visit."""
FEW = 6  # so many are found without a filter
MOST = 6


def mean_scores(runs: Sequence[Any]) -> pd.DataFrame:
    """Means over folds as they were recorded, and the scores of inferences beside the labels there
    are now, newest first while their predictions are few together; a row a run (the index).
    """
    found, scored = [workspace().runs.mean_metrics()], 0
    facts = facts_token()
    for run in runs:
        if run.kind == "infer" and scored < AT_ONCE:
            count, scores = inference_scores(run.id, run_token(run), facts)
            scored += count
            found.append(pd.DataFrame([scores], index=[run.id]))
    return pd.concat(found)


@st.cache_resource(max_entries=200, show_spinner="Scoring the runs ...")
def inference_scores(number: int, run: str, facts: str) -> tuple[int, dict[str, float]]:
    """How many predictions an inference has, and their scores where few enough have labels."""
    count = workspace().runs.find_predictions(number, limit=1)[1]
    table = workspace().runs.scores_by_fold(number) if count <= AT_ONCE else pd.DataFrame()
    return count, {} if table.empty else table.drop(columns="fold").iloc[0].to_dict()


def filtered(frame: pd.DataFrame) -> pd.DataFrame:
    """The runs of some kinds whose row has every word that is asked for."""
    if len(frame) < FEW:
        return frame
    left, right = st.columns(2)
    words = left.text_input(
        "Filter",
        key="runs-filter",
        placeholder="words of a name, method, status, note, hash",
        persist_state="session",
    )
    kinds = right.multiselect(
        "Kinds",
        sorted(set(frame["kind"])),
        key="runs-kinds",
        placeholder="all",
        persist_state="session",
    )
    wanted = words.lower().split()
    rows = [
        " ".join(str(cell).lower() for cell in row if pd.notna(cell))
        for row in frame.itertuples(index=False)
    ]
    kept = pd.Series([all(word in row for word in wanted) for row in rows], frame.index)
    return frame[kept & frame["kind"].isin(kinds or set(frame["kind"]))]


def overlaid(numbers: list[int]) -> None:
    """The metrics of several runs side by side, and their curves over one another."""
    ws = workspace()
    rows, points = [], []
    for number in numbers[:MOST]:
        scores = ws.runs.scores_by_fold(number)
        if scores.empty:
            continue
        name = ws.runs.get(number).name
        label = f"run {number}" + (f" {name}" if name else "")
        rows.append(
            {"run": label, **{name: scores[name].mean() for name in METRICS if name in scores}}
        )
        if "AUC-ROC" in scores:
            found = ws.runs.curves(number, most=400)
            points.append(found.assign(run=label, order=range(len(found))))
    if not rows:
        if len(numbers) > 2:
            st.info("None of these runs has a prediction with a label.")
        return
    st.caption("Mean metrics" + (f", of the first {MOST} runs" if len(numbers) > MOST else ""))
    table(pd.DataFrame(rows), "mean-metrics")
    if not points:
        return
    frame = pd.concat(points, ignore_index=True)
    left, right = st.columns(2)
    for place, title, x, y in (
        (left, "Precision and recall", "recall", "precision"),
        (right, "ROC", "false positive rate", "recall"),
    ):
        place.caption(title)
        draw(charts.curves(frame, x, y, description=f"{title} of {len(points)} runs"), place)
