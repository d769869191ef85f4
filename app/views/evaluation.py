"""Evaluation: metrics by fold, curves with a threshold, calibration, the worst errors."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from app import charts
from app.state import numbers, show_error, workspace
from workbench.errors import WorkbenchError

METRICS = ("F1", "precision", "recall", "accuracy", "AUC-ROC", "AUC-PR", "CLL")


def by_fold(number: int) -> None:
    """The table of metrics with mean, deviation and interval."""
    ws = workspace()
    table = ws.scores_by_fold(number)
    if table.empty:
        st.info("No prediction of this run has a label. Load truth for its query predicates on the Data page.")
        return
    shown = table[["fold", *(name for name in METRICS if name in table)]]
    if len(table) > 1:
        summary = ws.metric_summary(shown).set_index("metric").T
        names = {"mean": "mean", "sd": "standard deviation", "low": "95 % interval, from", "high": "95 % interval, to"}
        if len(table) < 3:
            names = {"mean": "mean", "sd": "standard deviation"}
        rows = summary.loc[list(names)].assign(fold=list(names.values()))
        shown = pd.concat([shown, rows], ignore_index=True)
    st.dataframe(shown, column_config=numbers(shown), hide_index=True, width="stretch")


def curves(number: int, predictions: pd.DataFrame) -> None:
    """PR and ROC curves, the threshold's point on both, and its confusion table."""
    points = workspace().curves(number)
    points["order"] = range(len(points))
    threshold = st.slider("Threshold: predicted true at or above", 0.0, 1.0, 0.5, 0.01, key="threshold")
    said = predictions["value"] >= threshold
    true = predictions["truth"] == 1
    tp, fp = int((said & true).sum()), int((said & ~true).sum())
    fn, tn = int((~said & true).sum()), int((~said & ~true).sum())
    at = pd.DataFrame(
        {
            "recall": [tp / max(1, tp + fn)],
            "precision": [tp / (tp + fp) if tp + fp else 1.0],
            "false positive rate": [fp / max(1, fp + tn)],
        }
    )
    left, middle, right = st.columns([5, 5, 4])
    left.caption("Precision and recall")
    left.altair_chart(charts.curve(points, "recall", "precision", at, description="Precision-recall curve"))
    middle.caption("ROC")
    middle.altair_chart(charts.curve(points, "false positive rate", "recall", at, description="ROC curve"))
    right.caption("At the threshold")
    right.dataframe(pd.DataFrame({"said true": [tp, fp], "said false": [fn, tn]}, index=["is true", "is false"]))
    precision, recall = at["precision"][0], at["recall"][0]
    right.metric("F1", f"{2 * precision * recall / (precision + recall) if precision + recall else 0:.3f}")
    right.metric("Precision", f"{precision:.3f}")
    right.metric("Recall", f"{recall:.3f}")


def worst(number: int, predictions: pd.DataFrame) -> None:
    """The predictions furthest from their labels; a selected one leads to Why."""
    frame = predictions.assign(error=(predictions["value"] - predictions["truth"]).abs())
    frame = frame.sort_values("error", ascending=False, kind="stable").head(50)
    columns = [name for name in ("fold", "atom", "value", "truth", "error") if frame[name].notna().any()]
    event = st.dataframe(
        frame[columns].round(4),
        hide_index=True,
        on_select="rerun",
        selection_mode="single-row",
        key="worst",
        width="stretch",
    )
    rows = event.selection.rows
    if rows:
        row = frame.iloc[rows[0]]
        st.session_state["why-run"] = number
        st.session_state["why-fold"] = None if pd.isna(row["fold"]) else int(row["fold"])
        st.session_state["why-atom"] = row["atom"]
        if st.button(f"Why {row['atom']}?", key="to-why", type="primary"):
            st.switch_page("views/why.py")
    else:
        st.caption("Select a row to see why it was predicted so.")


st.title("Evaluation")
runs = [run for run in workspace().all_runs() if run.kind in ("crossval", "infer")]
if not runs:
    st.info("There is nothing to evaluate yet. Cross-validate, or infer, on the page Learn and infer.")
else:
    runs.sort(key=lambda run: (run.kind != "crossval", -run.id))
    labels = {run.id: f"{run.id}: {run.kind}, {run.engine}, {run.created:%Y-%m-%d %H:%M}" for run in runs}
    number = st.selectbox("Run", list(labels), format_func=labels.get, key="evaluation-run")
    try:
        by_fold(number)
        predictions = workspace().scored_predictions(number)
        labelled = predictions[predictions["truth"].isin([0.0, 1.0])]
        if not labelled.empty:
            curves(number, labelled)
            left, right = st.columns(2)
            with left:
                st.subheader("Calibration")
                st.altair_chart(charts.calibration(workspace().calibration(number), description="Calibration"))
            with right:
                st.subheader("Worst errors")
                worst(number, labelled)
    except WorkbenchError as error:
        show_error(error)
