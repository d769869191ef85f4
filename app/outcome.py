"""How a finished job ended, and where to go on from it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from app.figures import several
from app.show import metrics, plain, standing, warnings, with_cure
from app.state import facts_token, run_token, workspace
from app.tabular import table
from app.versions import take
from app.work import Outcome
from workbench.service.jobs import Job

LISTED = 200
STEPS = 100
THRESHOLDS = tuple(step / STEPS for step in range(STEPS + 1))
METRICS = ("F1", "precision", "recall", "AUC-ROC", "AUC-PR", "CLL", "accuracy")
STATUS = {
    "optimal": "Proven: no state has less energy.",
    "exact": "Computed, not estimated.",
    "feasible": "An answer without proof that it is the best; for samplers an estimate.",
    "limit": "The time was up; this is the best until then.",
    "converged": "Further steps would change nothing that matters.",
    "iterations": "All iterations were used; more might change the weights.",
}


def outcome(job: Job) -> None:
    """The result's figures, the first predictions, weights or folds, and links."""
    assert job.about.outcome is not None
    summary = job.about.outcome.summary
    if job.asked_to_stop:
        ended = "The time was up" if job.about.out_of_time else "Cancelled"
        said = (
            f"{ended} after {job.seconds:.1f} s. What was found until then is below, and kept "
            "as a run."
        )
        st.warning(said, icon=":material/cancel:")
    else:
        st.success(f"{plain(job.title)}: Done in {job.seconds:.1f} s.", icon=":material/check:")
    if job.about.outcome.run_id is not None:
        standing(workspace().runs.get(job.about.outcome.run_id))
    warnings(with_cure(one["message"], one["help"]) for one in summary.get("warnings", ()))
    if "engine" in summary:
        inferred(job.about.outcome, summary)
    elif "learner" in summary:
        learned(job.about.outcome, summary)
    else:
        folds(job.about.outcome, summary)


def inferred(result: Outcome, summary: Mapping[str, Any]) -> None:
    """An inference: status and gap as they are, and the likeliest predictions."""
    figures = [
        ("Status", summary["status"], STATUS.get(summary["status"])),
        ("Engine", summary["engine"], None),
        ("Open atoms", summary["atoms"], "What was inferred."),
        ("Ground rules", summary["ground_rows"], "Rows of the network that was solved."),
    ]
    if summary.get("energy") is not None:
        bound, gap = summary.get("bound"), summary.get("gap")
        figures += [
            (
                "Energy",
                f"{summary['energy']:.6g}",
                "Weight of what the state violates; less is better.",
            ),
            (
                "Lower bound",
                "none" if bound is None else f"{bound:.6g}",
                "No state has less energy than this.",
            ),
            (
                "Gap",
                "unknown" if gap is None else f"{gap:.2%}",
                "Between the energy and the bound.",
            ),
        ]
    metrics(figures)
    if summary["reason"]:
        st.caption(plain(summary["reason"]))
    shown, total = workspace().runs.find_predictions(result.run_id or 0, limit=LISTED)
    named = shown.assign(atom=workspace().data.shown(list(shown["atom"])))
    table(named[["atom", "value"]], "predictions", most=300)
    cut = f", the {LISTED} likeliest. Runs exports them all." if total > LISTED else "."
    st.caption(f"{several(total, 'prediction')}{cut}")
    st.page_link(
        "views/why.py", label="Why is a prediction what it is?", icon=":material/help_center:"
    )


def learned(result: Outcome, summary: Mapping[str, Any]) -> None:
    """Learned weights: the program with them, to be taken into the editor."""
    metrics(
        [
            ("Status", summary["status"], STATUS.get(summary["status"])),
            ("Learner", summary["learner"], None),
            (
                "Weights",
                summary["templates"],
                "One a clause, and one a combination of + constants.",
            ),
            ("Open atoms", summary["atoms"], "Whose labels the weights explain."),
        ]
    )
    text = result.text
    st.code(text, language=None, height=260)
    with st.container(horizontal=True):
        if st.button("Take these rules into the editor", key="take", type="primary"):
            take(text, result.language)
            st.toast("The learned rules are in the editor; Infer uses them now.")
        st.page_link("views/weights.py", label="Look at the weights", icon=":material/balance:")


def folds(result: Outcome, summary: Mapping[str, Any]) -> None:
    """A cross-validation: scores by fold, and their mean."""
    rows = [*summary["folds"], {"fold": "mean", **summary["mean"]}]
    frame = pd.DataFrame(rows)
    table(frame[["fold", *(name for name in METRICS if name in frame)]], "scores")
    threshold_of_f1(summary, result.run_id)
    st.page_link(
        "views/evaluation.py", label="Evaluate fold by fold", icon=":material/query_stats:"
    )


def threshold_of_f1(summary: Mapping[str, Any], number: int | None) -> None:
    """At which threshold F1 stands, and what another would make of it.

    `number` is the run's here; a summary has that of the copy which the job worked on.
    """
    if number is not None and summary["mean"].get("F1") is not None:
        run = workspace().runs.get(number)
        threshold, f1 = _best(run.id, run_token(run), facts_token())
        st.caption(
            f"F1 is at threshold 0.5. The best over all these predictions, {f1:.3f}, is at "
            f"{threshold:.2f}."
        )


@st.cache_data(max_entries=8, show_spinner=False)
def _best(number: int, run: str, facts: str) -> tuple[float, float]:
    return best_threshold(workspace().runs.confusion(number, THRESHOLDS))


def best_threshold(confusion: pd.DataFrame) -> tuple[float, float]:
    """The threshold of the best F1, and that F1."""
    hits = 2 * confusion["tp"]
    f1 = hits / (hits + confusion["fp"] + confusion["fn"]).clip(lower=1)
    return float(confusion["threshold"].iloc[int(f1.argmax())]), float(f1.max())
