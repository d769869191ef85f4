"""Experiments: published tables beside ours."""

from __future__ import annotations

import json
from typing import Any

import pandas as pd
import streamlit as st

from app import charts
from app.show import header, plain, table
from app.state import workspace
from app.watching import start, watch
from workbench.errors import WorkbenchError
from workbench.experiments import EXPERIMENTS, reproduce
from workbench.progress import Progress
from workbench.resources import datasets_directory

COLUMNS = {
    "published": "The figure in the paper.",
    "ours": "Mean over the folds that were run.",
    "difference": "Ours less the published figure.",
    "sd": "Standard deviation over folds.",
}


def begin(name: str, folds: int | None) -> None:
    """Reproduce in the background; the table is kept in the workspace."""
    ws = workspace()

    def work(progress: Progress) -> object:
        reproduced = reproduce(name, folds=folds, progress=progress)
        ws.remember(f"experiment:{name}", json.dumps(reproduced.as_record()))
        return reproduced

    start("experiment", f"Reproduce {name}", work)


def show(name: str) -> None:
    """The table that was reproduced last."""
    kept = workspace().recall(f"experiment:{name}")
    if kept is None:
        st.info("Not reproduced in this workspace yet. Press Reproduce; fewer folds are quicker.")
        return
    record: dict[str, Any] = json.loads(kept)
    st.subheader(plain(record["title"]), anchor=False)
    frame = pd.DataFrame(record["rows"])
    for column in ("published", "ours", "sd"):
        frame[column] = frame[column].astype("float64")
    frame.insert(5, "difference", frame["ours"] - frame["published"])
    both = frame.dropna(subset=["published", "ours"]).head(40)
    if not both.empty:
        label = both["system"] + ", " + both["column"]
        chart = both.assign(label=label, order=range(len(both)))[["label", "order", "published", "ours"]]
        for metric, part in chart.groupby(both["metric"], sort=False):
            st.caption(plain(str(metric)))
            st.altair_chart(charts.published_and_ours(part, description=f"{name}: {metric}, published and ours"))
    table(frame, help=COLUMNS, digits=3)
    for note in record["notes"]:
        st.text(f"• {note}")
    if record["folds_detail"]:
        with st.expander("Fold by fold"):
            table(pd.DataFrame(record["folds_detail"]), digits=3)


header("Experiments", "Published experiments run again on the real data, their figures beside ours.")
name = st.selectbox("Experiment", list(EXPERIMENTS), key="experiment")
st.caption(plain(EXPERIMENTS[name].__doc__ or ""))
try:
    datasets_directory()
    there = True
except WorkbenchError:
    there = False
    st.warning(
        "The real data sets are not on this machine, so nothing can be run here. `docs/experiments.md` of the source "
        "has the figures that were measured, and where the data come from.",
        icon=":material/folder_off:",
    )
left, right, _ = st.columns([1, 1, 2], vertical_alignment="bottom")
folds = left.number_input("Folds", 1, 20, None, placeholder="all", key="experiment-folds", help="The first so many.")
if right.button("Reproduce", type="primary", disabled=not there, key="experiment-run"):
    begin(name, folds)
watch(("experiment",))
show(name)
