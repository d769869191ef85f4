"""How good a study is on rows that it held out: beside guesses, and of numbers row by row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from app import charts
from app.figures import spread
from app.show import draw, metrics, plain
from app.state import workspace
from app.tabular import table

HEADLINES = {
    "yes/no": ("AUC-ROC", "AUC-PR", "F1", "accuracy"),
    "category": ("accuracy", "AUC-ROC", "CLL"),
    "number": ("MAE", "RMSE", "R2"),
}
ERRORS = ("MAE", "RMSE")
DRAWN = 2000
LISTED = 100


def scores(record: Mapping[str, Any]) -> None:
    """Held-out scores, beside the simple ways to guess."""
    shown = [name for name in HEADLINES[record["kind"]] if name in record["metrics"]]
    metrics([(name, spread(record["metrics"][name]), None) for name in shown])
    st.badge(
        "Held out: every score is of rows that were not learned from",
        color="green",
        icon=":material/verified:",
    )
    systems = {"these rules": record["metrics"], **record["baselines"]}
    rows = [
        {"": name, **{metric: found[metric]["mean"] for metric in shown if metric in found}}
        for name, found in systems.items()
    ]
    table(pd.DataFrame(rows), "scores")
    if shown and not _says_more_than_guessing(record, shown[0]):
        st.warning(
            "The base rate guesses about as well, so these tables hardly tell "
            f"{plain(record['target'])}.",
            icon=":material/warning:",
        )
    if record["threshold"] is not None:
        st.caption(
            f"A probability from {record['threshold']:.3f} on is said to be a yes: the threshold "
            "of the best F1 on the held-out rows. F1 above is at one that other folds chose, of "
            "each system its own; accuracy is at 1/2."
        )
    if record["calibration"]:
        with st.expander("What was said, and what came true"):
            table(pd.DataFrame(record["calibration"]), "calibration")


def _says_more_than_guessing(record: Mapping[str, Any], metric: str) -> bool:
    """Whether the rules are better than the base rate by more than they vary between folds."""
    ours, base = record["metrics"][metric], record["baselines"].get("base rate", {}).get(metric)
    if base is None or base["mean"] is None or ours["mean"] is None:
        return True
    gain = ours["mean"] - base["mean"]
    return bool((-gain if metric in ERRORS else gain) > (ours["sd"] or 0.0))


def held_out_numbers(target: str, predictions: pd.DataFrame) -> None:
    """Known numbers against what the folds that held them out said, and the worst of these."""
    known = predictions[predictions["known"] & predictions["held_out"].notna()]
    error = (known["held_out"] - known["value"]).abs()
    keys = [name for name in known if name not in ("value", "known", "low", "high", "held_out")]
    frame = with_names(target, known[[*keys, "held_out", "value"]])
    frame = frame.assign(error=error).rename(columns={"held_out": "predicted", "value": "known"})
    left, right = st.columns(2)
    with left:
        st.subheader("Predicted and known", anchor=False)
        draw(
            charts.against(
                frame.iloc[:DRAWN],
                description=f"Held-out predictions of {target} against what is known",
            )
        )
        st.caption("On the dashed line what was predicted is what is known.")
    with right:
        st.subheader("Worst errors", anchor=False)
        worst = frame.sort_values("error", ascending=False, kind="stable")
        table(worst.iloc[:LISTED], "worst-errors", most=360, whole=worst)


def with_names(target: str, rows: pd.DataFrame) -> pd.DataFrame:
    """Rows of a study with what people call their things, where the tables at hand say it."""
    mapping = workspace().data.tables_at_hand()
    asked = mapping and mapping.by_name.get(mapping.place(target)[0])
    if asked is None or asked.key not in rows or asked.type is None:
        return rows
    keys = list(rows[asked.key].astype(str))
    names = workspace().data.called([(asked.type, key) for key in keys])
    return rows if names == keys else rows.assign(**{asked.key: names})
