"""Weights: bars sorted by weight, before against after, with a filter for large programs."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from app import charts
from app.choices import choose_run
from app.show import draw, header, short_labels, standing
from app.state import workspace
from app.tabular import table
from app.watching import start, watch
from app.work import Work
from workbench.workspace import names_of_rules

SHOWN = 60
RENAMED = {
    "initial": "before",
    "open": "groundings",
    **{"support": "labels", "rate": "with", "rate_of_others": "without"},
}
ORDERS = ("by weight", "by magnitude", "by change", "by rule")
RATES = {
    "labels": "Labelled atoms of which the rule's body was true.",
    "with": "How often such an atom is true, whatever the weight.",
    "without": "How often the others of its predicates are.",
}
RATES_OF_STUDY = {"support": "support", "rate": "rate_with", "rate_of_others": "rate_without"}
COLUMNS = {
    "rule": "What stands above it in the program, else the formula.",
    "before": "The weight that the program gave.",
    "fixed": "Not learned.",
    "low": "Lower end of the 95 % interval.",
    "high": "Upper end of the 95 % interval.",
    "groundings": "Ground rules with an open atom.",
    "satisfied": "Groundings that evidence alone satisfies.",
    "violated": "Groundings that evidence alone violates.",
    **RATES,
}


def filtered(frame: pd.DataFrame) -> tuple[pd.DataFrame, bool]:
    """The weights that the reader wants, in the order asked for; whether to mark those before."""
    left, middle, right = st.columns([3, 2, 2], vertical_alignment="bottom")
    search = left.text_input(
        "Filter",
        key="weights-filter",
        placeholder="words of a formula",
        help="Keeps formulas with every word.",
        persist_state="session",
    )
    order = middle.selectbox("Order", ORDERS, key="weights-order", persist_state="session")
    learned = (
        frame["initial"].notna().any() and (frame["initial"] - frame["weight"]).abs().max() > 0
    )
    before = right.checkbox(
        "Mark weights before",
        value=bool(learned),
        disabled=not learned,
        key=f"weights-before-{learned}",
        persist_state="session",
    )
    for word in search.split():
        texts = frame["description"] + " " + frame["formula"]
        frame = frame[texts.str.contains(word, case=False, regex=False)]
    keys = {
        "by weight": -frame["weight"],
        "by magnitude": -frame["weight"].abs(),
        "by change": -(frame["weight"] - frame["initial"]).abs(),
        "by rule": frame.index.to_series(),
    }
    return frame.loc[keys[order].sort_values(kind="stable").index], before


def rules_of(run: Any) -> pd.DataFrame:
    """A run's rules with their weights; those of a study with what its labels say of each."""
    frame = workspace().models.rules(run.id)
    if frame.empty or run.kind != "study":
        return frame[frame["weight"].notna()] if len(frame) else frame
    found = workspace().runs.study(run.id).record["rules"]
    told = {rule["words"].rsplit(":", 1)[0]: rule for rule in found}
    # Of a number a study's words may speak of steps of ten; the weight is that of the program.
    weighing = {f"{rule['weight']:.9g}": rule for rule in found}
    of_rule = [
        told.get(words) or weighing.get(f"{weight:.9g}") or {}
        for words, weight in zip(frame["description"], frame["weight"])
    ]
    return frame.assign(
        **{name: [rule.get(said) for rule in of_rule] for name, said in RATES_OF_STUDY.items()}
    )


def bars(frame: pd.DataFrame, *, before: bool) -> None:
    """The weights drawn: those of each unit of some number share an axis with no others."""
    alike, each = frame[~frame["each"]], frame[frame["each"]]
    if len(alike):
        drawn = alike.head(SHOWN).assign(order=range(min(SHOWN, len(alike))))
        draw(
            charts.weight_bars(
                drawn, before=before, description="Weights of the formulas, largest first"
            )
        )
    notes = [
        f"{len(frame):,} weight{'' if len(frame) == 1 else 's'}"
        + (f", the first {SHOWN} are drawn" if len(alike) > SHOWN else "")
    ]
    if len(alike):
        notes.append("A bar to the right supports its formula, one to the left opposes it")
    if len(each):
        notes.append(
            f"{len(each):,} of them {'is' if len(each) == 1 else 'are'} of each unit of a number, "
            "each of its own scale: only in the table"
        )
    if before:
        notes.append("Grey ticks are weights before")
    if frame["low"].notna().any():
        notes.append("Whiskers are 95 % intervals")
    st.caption(". ".join(notes) + ".")


def show(run: Any) -> None:
    """Bars and table of a run's weights."""
    frame = rules_of(run)
    if frame.empty:
        st.info("This run has no weights.")
        return
    words = pd.Series(names_of_rules(frame["description"], frame["formula"]), frame.index)
    frame, before = filtered(frame)
    if frame.empty:
        st.info("No formula contains these words.")
        return
    words = words[frame.index]
    bars(frame.assign(label=short_labels(words)), before=before)
    if run.kind == "learn":
        intervals(run, bool(frame["low"].notna().any()))
    shown = frame.rename(columns=RENAMED)
    described = ["description"] if frame["description"].any() else []
    figures = ["weight", "low", "high", "before", *RATES, "groundings", "satisfied", "violated"]
    columns = [*described, "formula", *figures]
    if shown["fixed"].any():
        columns.append("fixed")
    shown = shown[columns].dropna(axis="columns", how="all")
    for name in ("groundings", "satisfied", "violated"):
        if name in shown:
            shown[name] = shown[name].astype("int64")
    if "labels" in shown:
        shown["labels"] = shown["labels"].astype("Int64")
    # The weight stands before the words, so that a narrow screen shows both; the formula, which
    # may be long, behind all figures.
    beside = [name for name in shown if name not in ("description", "formula", "weight")]
    drawn = pd.concat([shown["weight"], words.rename("rule"), shown[beside]], axis="columns")
    if described:
        drawn["formula"] = shown["formula"]
    file = f"weights-{run.id}"
    table(drawn, file, help=COLUMNS, weights=("weight", "low", "high", "before"), whole=shown)
    if run.kind != "study":
        with st.expander("Clausal form"):
            st.caption(
                "What each formula became before grounding: one weight a clause, of the clause's "
                "own sense."
            )
            st.code("\n".join(frame["clauses"]), language="text")


def intervals(run: Any, there: bool) -> None:
    """Intervals for a learned run, on request."""
    method = None
    with st.container(horizontal=True, vertical_alignment="center"):
        st.text("Find them anew:" if there else "How sure are these weights?")
        if st.button(
            "Laplace intervals",
            key="laplace",
            help="From the curvature of the pseudo-likelihood; quick.",
        ):
            method = "laplace"
        if st.button(
            "Bootstrap intervals",
            key="bootstrap",
            help="From 200 refits to resampled data; MLN only.",
        ):
            method = "bootstrap"
    if method is not None:
        title = f"{method.capitalize()} intervals of run {run.id}"
        start(Work("intervals", title, {"number": run.id, "method": method}, copied="all"))
    watch(("intervals",))


header(
    "Weights",
    "What each rule weighs: the more to the right, the more it says its formula holds.",
    "rule",
    "weight",
    "ground rule",
)
run = choose_run((("learn", "study"), ("infer",)), "weights-run")
if run is None:
    st.info("No run has weights yet. Learn some on the page Learn and infer.")
    st.page_link("views/learn.py", label="Learn weights", icon=":material/play_circle:")
else:
    standing(run, scores=False)
    show(run)
