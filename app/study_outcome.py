"""A study: how good it is on unseen rows, what it learned in words, why each row is as it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from app.downloads import csv_text, download
from app.figures import several
from app.files import beside_uploads
from app.show import plain, warnings
from app.state import workspace
from app.study_cases import cases
from app.study_scores import scores, with_names
from app.tabular import read_in_full, table
from app.versions import take

COLUMNS = {
    "weight": "how much the rule says, for (above 0) or against (below 0)",
    "rows": "known rows where it holds",
    "with": "how often the answer is yes there (of a number: its mean)",
    "without": "the same elsewhere",
    "lift": "with over without: above 1 the rule raises the answer by itself, whatever its weight "
    "beside other rules",
}


def study_outcome(run: Any) -> None:
    """All that a recorded study found."""
    study = workspace().runs.study(run.id)
    record = study.record
    st.subheader(f"{plain(record['target'])}: how good it is", anchor=False)
    st.text(record["sentence"])
    warnings(notes(record))
    scores(record)
    rules(record)
    st.subheader("Why", anchor=False)
    cases(record)
    predictions(record, study.predictions)
    downloads(run, record, study)


def notes(record: Mapping[str, Any]) -> list[str]:
    """What is to be known of a study before its scores are read."""
    ended = [] if record["status"] == "done" else ["the time was up: this is the best until then"]
    return [*ended, *(one["message"] for one in record["warnings"])]


def rules(record: Mapping[str, Any]) -> None:
    """What was learned, in plain words."""
    found = record["rules"]
    st.subheader(several(len(found), "rule"), anchor=False)
    if not found:
        st.info("No rule says more than what every row begins with.")
        return
    frame = pd.DataFrame(
        {
            "rule": [rule["words"].rsplit(":", 1)[0] for rule in found],
            "weight": [rule["weight"] * rule.get("step", 1.0) for rule in found],
            "rows": [rule["support"] for rule in found],
            "with": [rule["rate_with"] for rule in found],
            "without": [rule["rate_without"] for rule in found],
            "lift": [rule["lift"] for rule in found],
        }
    )
    frame = frame.dropna(axis="columns", how="all")
    read_in_full(frame, "rules", weights=("weight",))
    explained = (f"{name}: {about}" for name, about in COLUMNS.items() if name in frame)
    st.caption(f"{'; '.join(explained)}.".capitalize())
    with st.expander("As they are written"):
        st.code(record["program"], language=None, height=300)
        if can_be_taken(record) and st.button("Take these rules into the editor", key="study-take"):
            take(record["program"], "mln")
            st.toast("The rules are in the editor; Learn and infer uses them now.")


def can_be_taken(record: Mapping[str, Any]) -> bool:
    """Whether a study's rules can be learned and inferred by hand: those of a yes/no column."""
    return bool(record["kind"] == "yes/no")


def found_by_study() -> str | None:
    """The rules of the newest study, where there is one whose rules can go into the editor."""
    run = workspace().runs.latest("study")
    if run is None or not run.program_text:
        return None
    record = workspace().runs.study(run.id).record
    return str(record["program"]) if can_be_taken(record) else None


def offer_rules() -> None:
    """Where no rules are at hand: those that the newest study found."""
    if (text := found_by_study()) is not None:
        st.button(
            "Take the rules that the study found",
            key="rules-of-study",
            on_click=take,
            args=(text, "mln"),
        )


def predictions(record: Mapping[str, Any], frame: pd.DataFrame) -> None:
    """What was asked for, the likeliest first; known rows are in the download."""
    asked = frame[~frame["known"]].drop(columns=["known", "held_out"], errors="ignore")
    if asked.empty:
        st.info(
            "Every row of the column is known, so nothing was asked; the download has what the "
            "folds said of each."
        )
        return
    st.subheader(several(len(asked), "prediction"), anchor=False)
    by = "probability" if "probability" in asked else "value"
    likeliest = asked.sort_values(by, ascending=False, kind="stable")
    table(with_names(record["target"], likeliest), "predictions", most=300)
    st.caption(
        ("Low and high: an interval of 90 %. " if "low" in asked else "")
        + f"The {record['labelled']:,} known rows are in the download."
    )


def downloads(run: Any, record: Mapping[str, Any], study: Any) -> None:
    """Everything, to be taken along."""
    with st.container(horizontal=True):
        download(
            "Predictions (CSV)",
            lambda: csv_text(study.predictions),
            f"study-{run.id}.csv",
            "text/csv",
            key="study-csv",
        )
        download(
            "Report (HTML)",
            lambda: study.report,
            f"study-{run.id}.html",
            "text/html",
            key="study-report",
        )
        download(
            "What the columns mean (TOML)",
            beside_uploads(record["mapping"]),
            "dataset.toml",
            "text/plain",
            key="study-mapping",
        )
