"""A study: how good it is on rows it had not seen, what it learned in plain words,
and why each row is as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from app import charts
from app.downloads import csv_text
from app.editor import take
from app.show import metrics, plain, short_labels, table
from app.state import workspace

__all__ = ["offer_rules", "study_outcome"]

HEADLINES = {
    "yes/no": ("AUC-ROC", "AUC-PR", "F1", "accuracy"),
    "category": ("accuracy", "AUC-ROC", "CLL"),
    "number": ("MAE", "RMSE", "R2"),
}
COLUMNS = {
    "weight": "How much the rule says, for (above 0) or against (below 0).",
    "rows": "Known rows where it holds.",
    "with": "How often the answer is yes where the rule holds (of a number: its mean).",
    "without": "The same where it does not hold.",
    "lift": "With over without: above 1 the rule raises the answer by itself, whatever its weight "
    "beside other rules.",
}


def study_outcome(run: Any) -> None:
    """All that a recorded study found."""
    study = workspace().runs.study(run.id)
    record = study.record
    st.subheader(f"{plain(record['target'])}: how good it is", anchor=False)
    if record["status"] != "done":
        st.warning("The time was up: this is the best until then.", icon=":material/timer_off:")
    st.text(record["sentence"])
    for warning in record["warnings"]:
        st.warning(plain(warning["message"]), icon=":material/warning:")
    scores(record)
    rules(record)
    cases(record)
    predictions(record, study.predictions)
    downloads(run, record, study)


def scores(record: Mapping[str, Any]) -> None:
    """Held-out scores, beside the simple ways to guess."""
    shown = [name for name in HEADLINES[record["kind"]] if name in record["metrics"]]
    metrics([(name, _spread(record["metrics"][name]), None) for name in shown])
    st.badge(
        "Held out: every score is of rows that were not learned from",
        color="green",
        icon=":material/verified:",
    )
    systems = {f"these rules ({record['learner']})": record["metrics"], **record["baselines"]}
    rows = [
        {"": name, **{metric: found[metric]["mean"] for metric in shown if metric in found}}
        for name, found in systems.items()
    ]
    table(pd.DataFrame(rows), digits=3)
    if record["threshold"] is not None:
        st.caption(
            f"A probability from {record['threshold']:.3f} on is said to be a yes: the threshold "
            "of the best F1 on the held-out rows. F1 above is at one that other folds chose, of "
            "each system its own; accuracy is at 1/2."
        )
    if record["calibration"]:
        with st.expander("What was said, and what came true"):
            table(pd.DataFrame(record["calibration"]), digits=3)


def rules(record: Mapping[str, Any]) -> None:
    """What was learned, in plain words."""
    found = record["rules"]
    st.subheader(f"{len(found):,} rules", anchor=False)
    frame = pd.DataFrame(
        {
            "rule": [rule["words"].rsplit(":", 1)[0] for rule in found],
            "weight": [rule["weight"] for rule in found],
            "rows": [rule["support"] for rule in found],
            "with": [rule["rate_with"] for rule in found],
            "without": [rule["rate_without"] for rule in found],
            "lift": [rule["lift"] for rule in found],
        }
    )
    table(
        frame.dropna(axis="columns", how="all"),
        help=COLUMNS,
        digits=3,
        weights=("weight",),
        most=360,
    )
    with st.expander("As they are written"):
        st.code(record["program"], language=None, height=300)
        if can_be_taken(record) and st.button("Take these rules into the editor", key="study-take"):
            take(record["program"], "mln")
            st.toast("The rules are in the editor; Learn and infer uses them now.")


def can_be_taken(record: Mapping[str, Any]) -> bool:
    """Whether a study's rules can be learned and inferred with by hand:
    those of a yes/no column.
    """
    return bool(record["kind"] == "yes/no")


def found_by_study() -> str | None:
    """The rules of the newest study,
    where there is one and its rules can be taken into the editor.
    """
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


def cases(record: Mapping[str, Any]) -> None:
    """One case's reasons at a time."""
    found = {one["name"]: one for one in record["explanations"]}
    if not found:
        return
    st.subheader("Why", anchor=False)
    name = st.selectbox(
        "The most telling cases", list(found), key="study-case",
        format_func=lambda key: (
            f"{_value(found[key], record)}  {key}" + (" (known)" if found[key]["known"] else "")
        ),
    )  # fmt: skip
    reasons = found[name]["reasons"]
    if not reasons:
        st.info("No rule speaks for or against it; it has the value that all have to begin with.")
        return
    largest = reasons[0]
    st.text(
        f"{name}: {_value(found[name], record)}, above all because {largest['words']} "
        f"({largest['adds']:+.3g})."
    )
    bars = [(part["words"], part["adds"]) for part in found[name].get("parts", reasons)]
    total = plain(record["target"]) if record["kind"] == "number" else "log-odds"
    labels = short_labels(words for words, _ in bars)
    drawn = [(label, adds) for label, (_, adds) in zip(labels, bars)]
    st.altair_chart(
        charts.waterfall(drawn, total=total, description=f"What each rule adds for {name}")
    )
    table(
        pd.DataFrame({"rule": [words for words, _ in bars], "adds": [adds for _, adds in bars]}),
        digits=3,
    )


def predictions(record: Mapping[str, Any], frame: pd.DataFrame) -> None:
    """What was asked for, the likeliest first; known rows are in the download."""
    asked = frame[~frame["known"]].drop(columns=["known", "held_out"], errors="ignore")
    st.subheader(f"{len(asked):,} predictions", anchor=False)
    if asked.empty:
        st.info(
            "Every row of the column is known, so nothing was asked; the download has what the "
            "folds said of each."
        )
        return
    likeliest = asked.sort_values("value", ascending=False)
    table(with_names(record["target"], likeliest), digits=3, most=300)
    st.caption(
        f"Low and high: an interval of 90 %. The {record['labelled']:,} known rows are in the "
        "download."
    )


def with_names(target: str, rows: pd.DataFrame) -> pd.DataFrame:
    """Predictions with what people call their things, where the tables at hand say it."""
    mapping = workspace().data.tables_at_hand()
    asked = mapping and mapping.by_name.get(target.partition(".")[0])
    if asked is None or asked.key not in rows or asked.type is None:
        return rows
    keys = list(rows[asked.key].astype(str))
    names = workspace().data.called([(asked.type, key) for key in keys])
    return rows if names == keys else rows.assign(**{asked.key: names})


def downloads(run: Any, record: Mapping[str, Any], study: Any) -> None:
    """Everything, to be taken along."""
    with st.container(horizontal=True):
        st.download_button(
            "Predictions (CSV)",
            lambda: csv_text(study.predictions),
            f"study-{run.id}.csv",
            "text/csv",
            key="study-csv",
        )
        st.download_button(
            "Report (HTML)",
            lambda: study.report,
            f"study-{run.id}.html",
            "text/html",
            key="study-report",
        )
        st.download_button(
            "What the columns mean (TOML)",
            record["mapping"],
            "dataset.toml",
            "text/plain",
            key="study-mapping",
        )


def _value(case: Mapping[str, Any], record: Mapping[str, Any]) -> str:
    """What is predicted of a case; probabilities with as many decimals as in the table."""
    return f"{case['value']:.3g}" if record["kind"] == "number" else f"{case['value']:.3f}"


def _spread(value: Mapping[str, float | None]) -> str:
    mean, spread = value["mean"], value["sd"]
    if mean is None:
        return "none"
    return f"{mean:.3f}" + (f" ± {spread:.3f}" if spread is not None else "")
