"""Experiments: published tables beside ours."""

from __future__ import annotations

import json

import pandas as pd
import streamlit as st

from app.state import server, show_error, workspace
from workbench.errors import WorkbenchError
from workbench.experiments import EXPERIMENTS, reproduce
from workbench.progress import Progress
from workbench.resources import datasets_directory


def begin(name: str, folds: int) -> None:
    """Reproduce in the background; the table is kept in the workspace."""
    ws = workspace()

    def work(progress: Progress) -> object:
        table = reproduce(name, folds=folds or None, progress=progress)
        ws.remember(f"experiment:{name}", json.dumps(table.as_record()))
        return table

    server().runner.submit(f"Reproduce {name}", work)


def show(name: str) -> None:
    """The table that was reproduced last."""
    kept = workspace().recall(f"experiment:{name}")
    if kept is None:
        st.info("Not reproduced in this workspace yet.")
        return
    record = json.loads(kept)
    st.caption(record["title"])
    frame = pd.DataFrame(record["rows"])
    st.dataframe(frame.round(4), hide_index=True, width="stretch")
    for note in record["notes"]:
        st.text(note)
    if record["folds_detail"]:
        with st.expander("Fold by fold"):
            st.dataframe(pd.DataFrame(record["folds_detail"]).round(4), hide_index=True, width="stretch")


@st.fragment(run_every=2.0)
def watch() -> None:
    """The job that is running."""
    job = server().runner.latest()
    if job is None or not job.title.startswith("Reproduce"):
        return
    if not job.is_finished:
        share = min(1.0, job.done / job.total) if job.total else 0.0
        st.progress(share, text=f"{job.title}: {job.stage} {job.message} ({job.seconds:.0f} s)")
        if st.button("Cancel", key=f"cancel-{job.number}"):
            job.cancel()
    elif job.status == "failed":
        show_error(job.error)
    elif st.session_state.get("experiment-seen") != job.number:
        st.session_state["experiment-seen"] = job.number
        st.rerun(scope="app")


st.title("Experiments")
name = st.selectbox("Experiment", list(EXPERIMENTS), key="experiment")
try:
    where = datasets_directory()
except WorkbenchError as error:
    where = None
    st.warning("The real data sets are not on this machine, so nothing can be reproduced here.")
    st.code(str(error), language=None)
left, right = st.columns([1, 3], vertical_alignment="bottom")
folds = int(left.number_input("Folds", 0, 20, 0, key="experiment-folds", help="0: all. Fewer is faster."))
if right.button("Reproduce", type="primary", disabled=where is None, key="experiment-run"):
    begin(name, folds)
watch()
show(name)
