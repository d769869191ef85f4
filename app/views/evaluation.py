"""Evaluation: metrics by fold, curves with a threshold, calibration, the worst errors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st

from app import charts
from app.choices import choose_run, ticked
from app.outcome import STEPS, THRESHOLDS, best_threshold
from app.show import draw, header, lead_to, metrics, plain, show_error, standing
from app.state import facts_token, run_token, workspace
from app.study_scores import held_out_numbers, scores
from app.tabular import small_table, table
from workbench.errors import WorkbenchError

METRICS = {
    "F1": "Harmonic mean of precision and recall{}.",
    "precision": "Of what is predicted true{}, the share that is.",
    "recall": "Of what is true, the share that is predicted{}.",
    "accuracy": "Share predicted rightly at threshold 0.5, true and false alike.",
    "AUC-ROC": "Probability that a true atom is ranked above a false one.",
    "AUC-PR": "Area under the precision-recall curve; better than "
    "AUC-ROC where few atoms are true.",
    "AUC-PR(-)": "The same for the false atoms, ranked from the lowest value.",
    "CLL": "Mean log of the probability given to what is the case; 0 is perfect.",
    "MAE": "Mean distance between what is predicted and the label.",
    "RMSE": "Root of the mean squared distance.",
}
AT_HALF = " at threshold 0.5"
OF_OTHER_FOLDS = " at the threshold of the best F1 on the other folds"
HEADLINE = ("F1", "AUC-ROC", "AUC-PR", "CLL", "MAE", "RMSE")


@dataclass(frozen=True)
class Figures:
    """What the page shows of a run: scores by fold, their summary, curves, confusion, the worst."""

    scores: pd.DataFrame
    summary: pd.DataFrame
    curves: pd.DataFrame
    confusion: pd.DataFrame
    calibration: pd.DataFrame
    worst: pd.DataFrame


@st.cache_resource(max_entries=8, show_spinner="Scoring the run ...")
def figures(number: int, run: str, facts: str) -> Figures | None:
    """A run scored once for all visits until facts change; None where no prediction has a label."""
    ws = workspace()
    scores = ws.runs.scores_by_fold(number)
    if scores.empty:
        return None
    scores = scores[["fold", *(name for name in METRICS if name in scores)]]
    summary = ws.runs.metric_summary(scores).set_index("metric").T
    worst, none = ws.runs.worst_errors(number), pd.DataFrame()
    if "F1" not in scores:
        return Figures(scores, summary, none, none, none, worst)
    return Figures(
        scores,
        summary,
        ws.runs.curves(number),
        ws.runs.confusion(number, THRESHOLDS),
        ws.runs.calibration(number),
        worst,
    )


def by_fold(scores: pd.DataFrame, summary: pd.DataFrame, *, chosen: bool) -> None:
    """The headline figures and metrics by fold; `chosen`: at thresholds that other folds chose."""
    several = len(scores) > 1
    meanings = {
        name: text.format(OF_OTHER_FOLDS if chosen else AT_HALF) for name, text in METRICS.items()
    }
    metrics(
        [
            (
                name,
                f"{summary.loc['mean', name]:.3f}"
                + (f" ± {summary.loc['sd', name]:.3f}" if several else ""),
                meanings[name],
            )
            for name in HEADLINE
            if name in summary
        ]
    )
    shown = scores if several else scores.drop(columns="fold")
    if several:
        names = {
            "mean": "mean",
            "sd": "standard deviation",
            "low": "95 % interval, from",
            "high": "95 % interval, to",
        }
        if len(scores) < 3:
            names = {"mean": "mean", "sd": "standard deviation"}
        rows = summary.loc[list(names)].assign(fold=list(names.values()))
        shown = pd.concat([scores, rows], ignore_index=True)
    table(shown, "scores", help=meanings)


def curves(points: pd.DataFrame, confusion: pd.DataFrame, run: Any) -> None:
    """PR and ROC curves, the threshold's point on both, and its confusion table."""
    st.subheader("At a threshold", anchor=False)
    points = points.assign(order=range(len(points)))
    best, best_f1 = best_threshold(confusion)
    left, right = st.columns([4, 1], vertical_alignment="bottom")
    key = f"threshold-{run.id}"
    right.button(
        "Use the best", key="threshold-best", on_click=st.session_state.update, args=({key: best},)
    )
    st.session_state.setdefault(key, best if run.kind == "study" else 0.5)
    threshold = left.slider(
        "Predicted true at or above", 0.0, 1.0, step=1 / STEPS, key=key, persist_state="session"
    )
    st.caption(
        f"In use: {threshold:.2f}. The best F1 over all these predictions, {best_f1:.3f}, is at "
        f"{best:.2f}."
    )
    found = {
        name: int(count)
        for name, count in confusion.iloc[round(threshold * STEPS)].items()
        if name != "threshold"
    }
    precision = found["tp"] / (found["tp"] + found["fp"]) if found["tp"] + found["fp"] else 1.0
    recall = found["tp"] / max(1, found["tp"] + found["fn"])
    false_positives = found["fp"] / max(1, found["fp"] + found["tn"])
    at = pd.DataFrame(
        {"recall": [recall], "precision": [precision], "false positive rate": [false_positives]}
    )
    left, middle, right = st.columns([5, 5, 4])
    with left:
        st.caption("Precision and recall")
        draw(charts.curve(points, "recall", "precision", at, description="Precision-recall curve"))
    with middle:
        st.caption("ROC")
        draw(charts.curve(points, "false positive rate", "recall", at, description="ROC curve"))
    with right:
        st.caption("At the threshold")
        small_table(
            ("", "Said true", "Said false"),
            [["is true", found["tp"], found["fn"]], ["is false", found["fp"], found["tn"]]],
            "at-the-threshold",
        )
        f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
        metrics(
            [
                ("Precision", f"{precision:.3f}", None),
                ("Recall", f"{recall:.3f}", None),
                ("F1", f"{f1:.3f}", None),
            ]
        )


def calibration(points: pd.DataFrame) -> None:
    """How often what is predicted with a probability is the case."""
    st.subheader("Calibration", anchor=False)
    draw(charts.calibration(points, description="Calibration"))
    st.caption(
        "On the dashed line predictions are right: of those with 0.7 seven in ten come true."
    )


def worst(run: Any, frame: pd.DataFrame) -> None:
    """The predictions furthest from their labels; a selected one leads to Why."""
    st.subheader("Worst errors", anchor=False)
    names = dict(enumerate(workspace().runs.fold_names(run.id)))
    named = workspace().data.shown(list(frame["atom"]))
    shown = frame[["atom", "value", "truth"]].assign(atom=named)
    if frame["truth"].isin((0, 1)).all():
        shown["truth"] = shown["truth"].astype("int64")
    if names:
        shown.insert(0, "fold", frame["fold"].map(names))
    told = [f"{run.id} {fold} {atom}" for fold, atom in zip(frame["fold"], frame["atom"])]
    rows = ticked(shown, told, "worst", file="worst-errors", most=300)
    if not rows:
        st.caption("Tick a row to see why it was predicted so.")
        return
    row = frame.iloc[rows[0]]
    stated = workspace().data.shown([row["atom"]], as_statements=True)[0]
    if st.button(f"Why? {plain(stated)}", key="to-why", type="primary"):
        fold = None if pd.isna(row["fold"]) else int(row["fold"])
        atom = named[rows[0]] if run.kind == "study" else row["atom"]
        st.session_state["why-wanted"] = (run.id, fold, atom)
        st.switch_page("views/why.py")


def has_no_atoms(run: Any) -> bool:
    """Whether it is a study of numbers or categories, whose rows are no atoms."""
    return run.kind == "study" and not run.parameters.get("folds")


def of_study(run: Any) -> None:
    """A study whose rows are no atoms: its scores and, of numbers, row by row."""
    study = workspace().runs.study(run.id)
    scores(study.record)
    if study.record["kind"] == "number":
        held_out_numbers(study.record["target"], study.predictions)


def scored(run: Any) -> None:
    """All figures of a run."""
    if has_no_atoms(run):
        of_study(run)
        return
    found = figures(run.id, run_token(run), facts_token())
    if found is None:
        st.info(
            "No prediction of this run has a label. Load truth for its query predicates on "
            "the Data page."
        )
        return
    by_fold(found.scores, found.summary, chosen=run.kind == "study")
    if "F1" not in found.scores:
        st.info("The labels lie between 0 and 1, so there is no threshold to choose.")
        worst(run, found.worst)
        return
    curves(found.curves, found.confusion, run)
    left, right = st.columns([2, 3])
    with left:
        calibration(found.calibration)
    with right:
        worst(run, found.worst)


header(
    "Evaluation",
    "How well a run's predictions agree with the labels.",
    "label",
    "held out",
    "in-sample",
    "fold",
    "calibration",
)
run = choose_run((("crossval", "study"), ("infer",)), "evaluation-run")
if run is None:
    st.info(
        "There is nothing to evaluate yet. Cross-validate, or infer, on the page Learn and infer."
    )
    lead_to("learn", "Learn and infer", ":material/play_circle:")
else:
    try:
        standing(run, scores=not has_no_atoms(run))  # its scores say so themselves
        scored(run)
    except WorkbenchError as error:
        show_error(error)
