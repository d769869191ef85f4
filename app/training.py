"""The one button: train and score what is at hand, as one job."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from app.show import plain
from app.state import workspace
from app.watching import start, watch
from app.work import GRACE, Work
from workbench.workspace import TablesMapping

__all__ = ["train_and_score"]

SECONDS = 120.0


def train_and_score(mapping: TablesMapping | None) -> None:
    """Offer what can be done with what is at hand, and show what came out."""
    if mapping is not None:
        tables(mapping)
    study = workspace().latest_run("study")
    job = watch(("study",))
    if study is not None and (job is not None or not _is_running()):
        from app.study_outcome import study_outcome

        study_outcome(study)


def tables(mapping: TablesMapping) -> None:
    """Study the tables that were loaded."""
    if mapping.predict is None:
        st.info("No column is to be predicted yet. Choose one, and the button to train and score appears here.")
        if st.button("Choose what to predict", type="primary", key="train-choose"):
            st.session_state["tables-sources"] = [table.source.path for table in mapping.tables]
            st.switch_page("views/tables.py")
        return
    absent = [table.source.path for table in mapping.tables if not _is_there(table.source.path)]
    if absent:
        st.warning(
            f"{plain(', '.join(Path(path).name for path in absent))} is no longer where it was read from. Bring the "
            "tables again to train on them.",
            icon=":material/folder_off:",
        )
        return
    left, right = st.columns([3, 1], vertical_alignment="bottom")
    pressed = left.button(
        f"Train and score {mapping.predict}", type="primary", key="train", icon=":material/play_arrow:"
    )
    seconds = float(
        right.number_input(
            "Seconds at most", 5.0, 36_000.0, SECONDS, step=30.0, format="%g", key="train-seconds",
            help="When they are over, the best until then is kept and says so.",
        )
    )  # fmt: skip
    if pressed:
        begin(mapping, seconds)


def begin(mapping: TablesMapping, seconds: float) -> None:
    """The study as a job; it is kept as a run."""
    arguments = {
        "sources": list(dict.fromkeys(table.source.path for table in mapping.tables)),
        "predict": mapping.predict,
        "mapping": mapping,
        "time_limit": seconds,
    }
    title = f"Train and score {mapping.predict}"
    start(Work("study", title, arguments, seconds=seconds + 3 * GRACE, copied="nothing"))


def _is_there(path: str) -> bool:
    return "://" in path or "dbname=" in path or Path(path).exists()


def _is_running() -> bool:
    from app.watching import latest_of

    job = latest_of(("study",))
    return job is not None and not job.is_finished
