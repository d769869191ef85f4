"""What if a fact or a weight were otherwise: inferred again on a copy, nothing kept."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd
import streamlit as st

from app.show import plain, show_error
from app.state import workspace
from app.tabular import table
from workbench.errors import WorkbenchError

LISTED = 200
ABOUT = 20
LEAST = 1e-9
"""Change of a prediction that is no rounding."""
CHANGED = ("a fact", "a weight")
TAKEN = {"true": True, "false": False, "unknown": None}


def what_if(result: Any, atom: str, world: str | None) -> None:
    """Change a fact or a weight on a copy, and see the predictions move; nothing is kept."""
    st.subheader("What if?", anchor=False)
    st.caption("Infers again on a copy of the data with one thing changed. Nothing is saved.")
    found = result.explain(atom, world=world)
    kind = st.segmented_control(
        "Change",
        CHANGED,
        default=CHANGED[0],
        key="what-if-kind",
        required=True,
        label_visibility="collapsed",
        persist_state="session",
    )
    change = other_fact(found, atom) if kind == CHANGED[0] else other_weight(result, found)
    if (
        not st.button("Try it", key="what-if-run", type="primary", disabled=change is None)
        or change is None
    ):
        return
    try:
        with st.spinner("Inferring again ..."):
            changed = workspace().what_if(result, **change)
    except WorkbenchError as error:
        show_error(error)
        return
    is_it = changed["atom"] == atom
    if "world" in changed and world is not None:
        is_it &= changed["world"] == world
    row = changed[is_it].iloc[0]
    now = "became a fact" if pd.isna(row["after"]) else f"{row['after']:.3f}"
    st.metric(
        plain(found.shown or atom),
        now,
        None if pd.isna(row["change"]) else f"{row['change']:+.3f}",
        delta_color="off",
    )
    moved = changed[changed["change"].isna() | (changed["change"].abs() > LEAST)]
    if moved.empty:
        st.info("No prediction moves: it is so already, or no rule that reads it has a part.")
        return
    st.caption("Predictions that moved most")
    most = moved[["atom", "before", "after", "change"]].head(30)
    table(most.assign(atom=workspace().data.shown(list(most["atom"]))), "what-if")


def other_fact(found: Any, atom: str) -> dict[str, Any] | None:
    """A fact to take otherwise: of the prediction, about its things, or written by hand."""
    # What definitions make follows from other facts, and is none to change.
    stored = {item.predicate.name for item in workspace().data.catalog()}
    parts = (name for item in found.contributions for name in (*item.given, *item.others))
    near = [name for name in parts if name.partition("(")[0] in stored]
    about = workspace().data.facts_about(atom, limit=ABOUT)
    left, right = st.columns([5, 3], vertical_alignment="bottom")
    fact = left.selectbox(
        "Fact",
        list(dict.fromkeys([*near[:LISTED], *about])),
        index=None,
        key=f"what-if-fact-{atom}",
        placeholder="pick one, or write Predicate(Constant, Constant)",
        accept_new_options=True,
        persist_state="session",
    )
    said = right.segmented_control(
        "Take it as",
        list(TAKEN),
        default="false",
        key="what-if-value",
        required=True,
        persist_state="session",
    )
    return {"changes": {fact.strip(): TAKEN[said]}} if fact and fact.strip() else None


def other_weight(result: Any, found: Any) -> dict[str, Any] | None:
    """Another weight for a rule that has a part in the prediction."""
    from workbench.verbs.written_rules import written_rules

    written = written_rules(result.grounding.templates, result.weights)
    now = {one.text: one.weight for one in written if one.rule >= 0 and math.isfinite(one.weight)}
    words = found.words()
    rules = [rule for rule, _, _ in found.by_rule() if rule in now]
    if not rules:
        st.info("No rule with a weight has a part in this prediction.")
        return None
    left, right = st.columns([5, 3], vertical_alignment="bottom")
    rule = left.selectbox(
        "Rule",
        rules,
        format_func=lambda one: words[one],
        key=f"what-if-rule-{found.atom}",
        persist_state="session",
    )
    weight = right.number_input(
        "Weight",
        value=float(now[rule]),
        format="%g",
        key=f"what-if-weight-{rule}",
        persist_state="session",
    )
    return {"weights": {rule: float(weight)}} if weight != now[rule] else None
