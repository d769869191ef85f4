"""Many runs at once: found by words, their metrics side by side and their curves overlaid."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from app import charts
from app.show import draw, table
from app.state import workspace

METRICS = ("F1", "AUC-ROC", "AUC-PR", "CLL")
FEW = 6  # so many are found without a filter
MOST = 6


def filtered(frame: pd.DataFrame) -> pd.DataFrame:
    """The runs of some kinds whose row has every word that is asked for."""
    if len(frame) < FEW:
        return frame
    left, right = st.columns(2)
    words = left.text_input(
        "Filter", key="runs-filter", placeholder="words of a name, method, status, note, hash"
    )
    kinds = right.multiselect(
        "Kinds", sorted(set(frame["kind"])), key="runs-kinds", placeholder="all"
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
    table(pd.DataFrame(rows))
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
