"""Why single rows of a study are as they are: what each rule adds, one row at a time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from app import charts
from app.figures import figure, most_telling
from app.show import draw, plain, short_labels, stands_on
from app.tabular import table

CASE, ASKED = "study-case", "study-case-asked"
"""Where a session keeps which row it looks at, and which another view asked for."""


def cases(record: Mapping[str, Any]) -> None:
    """One row's reasons, of those that the study explains."""
    reasoned = sorted(record["explanations"], key=lambda one: not one["reasons"])
    found = {one["name"]: one for one in reasoned}
    if not found:
        return
    asked = st.session_state.pop(ASKED, None)
    if asked is not None and asked not in found:
        st.info(f"{plain(asked)} is none of the {len(found):,} rows that this study explains.")
    if st.session_state.get(CASE) not in found:
        st.session_state.pop(CASE, None)
    name = st.selectbox(
        "Which row?",
        list(found),
        key=CASE,
        persist_state="session",
        format_func=lambda key: (
            f"{figure(found[key]['value'])}  {key}" + (" (known)" if found[key]["known"] else "")
        ),
    )
    case = found[name]
    if case["known"]:
        stands_on(held_out=False)
        st.caption("Its answer is known and was learned from, so this is no test of the rules.")
    if not case["reasons"]:
        st.info("No rule speaks for or against it; it has the value that all have to begin with.")
        return
    reasons = [(reason["words"], reason["adds"]) for reason in case["reasons"]]
    words, adds = most_telling(reasons, sum(adds for _, adds in reasons)) or reasons[0]
    st.text(
        f"{name}: {figure(case['value'])}, above all because {words} ({figure(adds, sign=True)})."
    )
    bars = [(part["words"], part["adds"]) for part in case["parts"]]
    total = str(record["target"]) if record["kind"] == "number" else "log-odds"
    labels = short_labels(words for words, _ in bars)
    drawn = [(label, adds) for label, (_, adds) in zip(labels, bars)]
    draw(charts.waterfall(drawn, total=total, description=f"What each rule adds for {name}"))
    table(
        pd.DataFrame({"rule": [words for words, _ in bars], "adds": [adds for _, adds in bars]}),
        "reasons",
    )
