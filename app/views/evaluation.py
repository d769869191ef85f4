"""Evaluation: metrics by fold, curves with a threshold, calibration, the worst errors."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from app import charts
from app.show import choose_run, header, metrics, show_error, small_table, table
from app.state import workspace
from workbench.errors import WorkbenchError

METRICS = {
    "F1": "Harmonic mean of precision and recall at threshold 0.5.",
    "precision": "Of what is predicted true, the share that is.",
    "recall": "Of what is true, the share that is predicted.",
    "accuracy": "Share predicted rightly, true and false alike.",
    "AUC-ROC": "Probability that a true atom is ranked above a false one.",
    "AUC-PR": "Area under the precision-recall curve; better than AUC-ROC where few atoms are true.",
    "AUC-PR(-)": "The same for the false atoms, ranked from the lowest value.",
    "CLL": "Mean log of the probability given to what is the case; 0 is perfect.",
}
HEADLINE = ("F1", "AUC-ROC", "AUC-PR", "CLL")


def by_fold(number: int) -> bool:
    """The headline figures and the table of metrics by fold; whether there is anything to score."""
    ws = workspace()
    scores = ws.scores_by_fold(number)
    if scores.empty:
        st.info("No prediction of this run has a label. Load truth for its query predicates on the Data page.")
        return False
    shown = scores[["fold", *(name for name in METRICS if name in scores)]]
    summary = ws.metric_summary(shown).set_index("metric").T
    several = len(scores) > 1
    metrics(
        [
            (
                name,
                f"{summary.loc['mean', name]:.3f}" + (f" ± {summary.loc['sd', name]:.3f}" if several else ""),
                METRICS[name],
            )
            for name in HEADLINE
            if name in summary
        ]
    )
    if several:
        names = {"mean": "mean", "sd": "standard deviation", "low": "95 % interval, from", "high": "95 % interval, to"}
        if len(scores) < 3:
            names = {"mean": "mean", "sd": "standard deviation"}
        rows = summary.loc[list(names)].assign(fold=list(names.values()))
        shown = pd.concat([shown, rows], ignore_index=True)
        table(shown, help=METRICS)
    return True


def confusion(predictions: pd.DataFrame, threshold: float) -> dict[str, int]:
    """How many are true or false, predicted so or otherwise."""
    said, true = predictions["value"] >= threshold, predictions["truth"] == 1
    return {
        "tp": int((said & true).sum()),
        "fp": int((said & ~true).sum()),
        "fn": int((~said & true).sum()),
        "tn": int((~said & ~true).sum()),
    }


def curves(number: int, predictions: pd.DataFrame) -> None:
    """PR and ROC curves, the threshold's point on both, and its confusion table."""
    st.subheader("At a threshold", anchor=False)
    points = workspace().curves(number)
    points["order"] = range(len(points))
    threshold = st.slider("Predicted true at or above", 0.0, 1.0, 0.5, 0.01, key="threshold")
    found = confusion(predictions, threshold)
    precision = found["tp"] / (found["tp"] + found["fp"]) if found["tp"] + found["fp"] else 1.0
    recall = found["tp"] / max(1, found["tp"] + found["fn"])
    false_positives = found["fp"] / max(1, found["fp"] + found["tn"])
    at = pd.DataFrame({"recall": [recall], "precision": [precision], "false positive rate": [false_positives]})
    left, middle, right = st.columns([5, 5, 4])
    with left:
        st.caption("Precision and recall")
        st.altair_chart(charts.curve(points, "recall", "precision", at, description="Precision-recall curve"))
    with middle:
        st.caption("ROC")
        st.altair_chart(charts.curve(points, "false positive rate", "recall", at, description="ROC curve"))
    with right:
        st.caption("At the threshold")
        small_table(
            ("", "Said true", "Said false"),
            [["is true", found["tp"], found["fn"]], ["is false", found["fp"], found["tn"]]],
        )
        f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
        metrics([("Precision", f"{precision:.3f}", None), ("Recall", f"{recall:.3f}", None), ("F1", f"{f1:.3f}", None)])


def calibration(number: int) -> None:
    """How often what is predicted with a probability is the case."""
    st.subheader("Calibration", anchor=False)
    st.altair_chart(charts.calibration(workspace().calibration(number), description="Calibration"))
    st.caption("Points on the dashed line: of atoms predicted with 0.7, seven in ten are true.")


def worst(run: Any, predictions: pd.DataFrame) -> None:
    """The predictions furthest from their labels; a selected one leads to Why."""
    st.subheader("Worst errors", anchor=False)
    frame = predictions.assign(error=(predictions["value"] - predictions["truth"]).abs())
    frame = frame.sort_values("error", ascending=False, kind="stable").head(50).reset_index(drop=True)
    names = dict(enumerate(workspace().fold_names(run.id)))
    shown = frame[["atom", "value", "truth"]].assign(truth=frame["truth"].astype("int64"))
    if names:
        shown.insert(0, "fold", frame["fold"].map(names))
    event = table(shown, digits=3, selection="single-row", key="worst", most=300)
    rows = event.selection.rows
    if not rows:
        st.caption("Tick a row to see why it was predicted so.")
        return
    row = frame.iloc[rows[0]]
    if st.button(f"Why {row['atom']}?", key="to-why", type="primary"):
        fold = None if pd.isna(row["fold"]) else int(row["fold"])
        st.session_state["why-wanted"] = (run.id, fold, row["atom"])
        st.switch_page("views/why.py")


header("Evaluation", "How well a run's predictions agree with the labels.")
run = choose_run(("crossval", "infer"), "evaluation-run")
if run is None:
    st.info("There is nothing to evaluate yet. Cross-validate, or infer, on the page Learn and infer.")
    st.page_link("views/learn.py", label="Learn and infer", icon=":material/play_circle:")
else:
    try:
        if by_fold(run.id):
            predictions = workspace().scored_predictions(run.id)
            labelled = predictions[predictions["truth"].isin([0.0, 1.0])]
            if labelled.empty:
                st.info("The labels lie between 0 and 1, so there is no threshold to choose.")
            else:
                curves(run.id, labelled)
                left, right = st.columns([2, 3])
                with left:
                    calibration(run.id)
                with right:
                    worst(run, labelled)
    except WorkbenchError as error:
        show_error(error)
