"""Why: one prediction as a sum of what its ground rules contribute, and what if a fact were otherwise."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from app import charts
from app.state import plain, server, show_error, workspace
from workbench.errors import WorkbenchError

BARS = 12


@st.cache_resource(max_entries=3, show_spinner="Grounding the run again ...")
def reopened(number: int, fold: int | None, path: str | None, data_key: str) -> Any:
    """A recorded run's result, grounded again when this server has it no more."""
    held = server().runner.result_of_run(number) if fold is None else None
    return held if held is not None else workspace().reopen(number, fold=fold)


def choice() -> tuple[int, int | None] | None:
    """A run, and a fold of it where it has several."""
    runs = [run for run in workspace().all_runs() if run.kind in ("infer", "crossval")]
    if not runs:
        st.info("There is no prediction to explain yet. Infer on the page Learn and infer.")
        return None
    labels = {run.id: f"{run.id}: {run.kind}, {run.engine}, {run.created:%Y-%m-%d %H:%M}" for run in runs}
    wanted = st.session_state.pop("why-run", None)
    if wanted in labels:
        st.session_state["why-chosen"] = wanted
    left, right = st.columns(2)
    number = left.selectbox("Run", list(labels), format_func=labels.get, key="why-chosen")
    run = next(item for item in runs if item.id == number)
    if run.kind == "infer":
        return number, None
    worlds = workspace().fold_names(number)
    fold = st.session_state.pop("why-fold", None)
    if fold is not None:
        st.session_state["why-fold-chosen"] = fold
    chosen = right.selectbox("Fold", range(len(worlds)), format_func=lambda at: worlds[at], key="why-fold-chosen")
    return number, int(chosen)


def prediction(frame: pd.DataFrame) -> str | None:
    """The atom to explain."""
    wanted = st.session_state.pop("why-atom", None)
    if wanted is not None:
        st.session_state["why-search"] = wanted
    search = st.text_input("Find a prediction", key="why-search", placeholder="part of its text")
    found = frame[frame["atom"].str.contains(search, case=False, regex=False)] if search else frame
    found = found.sort_values("value", ascending=False, kind="stable").head(200)
    if found.empty:
        st.info("No prediction contains this text.")
        return None
    values = dict(zip(found["atom"], found["value"]))
    return st.selectbox(
        "Prediction", list(values), format_func=lambda atom: f"{values[atom]:.3f}  {atom}", key="why-which"
    )


def explanation(result: Any, atom: str) -> None:
    """The waterfall by rule, the sentence, and the ground rules behind each bar."""
    found = result.explain(atom)
    psl = found.language == "psl"
    columns = st.columns(3)
    if psl:
        columns[0].metric("Truth value", f"{found.value:.3f}")
        columns[1].metric(
            "Pressure up", f"{sum(i.contribution for i in found.contributions if i.contribution > 0):.3f}"
        )
        columns[2].metric(
            "Pressure down", f"{-sum(i.contribution for i in found.contributions if i.contribution < 0):.3f}"
        )
    else:
        columns[0].metric("Predicted", f"{found.value:.3f}")
        columns[1].metric(
            "Given all else",
            f"{found.probability:.3f}",
            help="Its probability with every other atom at its likeliest value.",
        )
        columns[2].metric("Log-odds given all else", f"{found.log_odds:+.3f}")
    st.text(found.sentence())
    parts = [(rule, total) for rule, total, _ in found.by_rule() if abs(total) > 1e-9 and abs(total) != float("inf")]
    if parts:
        shown = [(rule if len(rule) <= 60 else rule[:57] + "...", total) for rule, total in parts[:BARS]]
        rest = sum(total for _, total in parts[BARS:])
        if len(parts) > BARS:
            shown.append((f"{len(parts) - BARS} more", rest))
        title = "sum of pressures" if psl else "log-odds"
        st.altair_chart(charts.waterfall(shown, total=title, description=f"What each rule contributes to {atom}"))
    for rule, total, count in found.by_rule():
        with st.expander(f"{total:+.3f}  {plain(rule)}  ({count} ground)"):
            rows = [item for item in found.contributions if item.rule == rule]
            st.dataframe(
                pd.DataFrame(
                    {
                        "contribution": [item.contribution for item in rows],
                        "distance": [item.distance for item in rows],
                        "ground rule": [item.ground or "(evidence decides all but this atom)" for item in rows],
                    }
                ).round(4),
                hide_index=True,
                width="stretch",
            )


def what_if(result: Any, atom: str) -> None:
    """Change a fact on a copy, and see the predictions move; nothing is kept."""
    st.subheader("What if?")
    st.caption("Infers again on a copy of the data with one fact changed. Nothing is saved.")
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    fact = left.text_input("Fact", key="what-if-fact", placeholder="Predicate(Constant, Constant)")
    said = right.segmented_control("Take it as", ["true", "false", "unknown"], default="false", key="what-if-value")
    if st.button("Try it", key="what-if-run", disabled=not fact.strip()):
        try:
            with st.spinner("Inferring again ..."):
                changed = workspace().what_if(result, {fact.strip(): {"true": True, "false": False}.get(said)})
        except WorkbenchError as error:
            show_error(error)
            return
        row = changed[changed["atom"] == atom].iloc[0]
        now = "became a fact" if pd.isna(row["after"]) else f"{row['after']:.3f}"
        st.metric(atom, now, delta=None if pd.isna(row["change"]) else f"{row['change']:+.3f}", delta_color="off")
        st.caption("Predictions that moved most")
        st.dataframe(changed.head(30).round(4), hide_index=True, width="stretch")


st.title("Why")
chosen = choice()
if chosen is not None:
    number, fold = chosen
    try:
        result = reopened(number, fold, server().path, workspace().run(number).data_hash or "")
        atom = prediction(result.predictions())
        if atom is not None:
            explanation(result, atom)
            what_if(result, atom)
    except WorkbenchError as error:
        show_error(error)
