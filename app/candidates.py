"""Structure learning: rules found in the data and what supports them; chosen ones are edited."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from app.choices import preset, ticked
from app.editor import write
from app.figures import several
from app.state import workspace
from app.watching import start, watch
from app.work import GRACE, Outcome, Work

METHODS = {
    "beam": "Beam search: clauses that raise the pseudo-likelihood",
    "paths": "Relational paths: clauses along chains of facts",
    "mine": "Mining: frequent Horn rules with their confidence",
}
ENDED = {"limit": ", when the time was up", "cancelled": ", when it was cancelled"}
ALEPH = "The imported ILP problem, by its modes"
COLUMNS = {
    "support": "True atoms of the head that the rule predicts.",
    "negatives": "False atoms of the head that it predicts as well.",
    "precision": "Support over all that it predicts.",
    "gain": "What the search maximises: information gain, pseudo-log-likelihood, or confidence "
    "beyond chance.",
    "weight": "Learned with the rule; blank where none was.",
}


def find_rules(text: str, language: str, checked: Any) -> None:
    """Choose a search, run it in the background, and take what it found."""
    if language != "mln":
        st.info(
            "Rules are found as Markov logic clauses. Choose that language above to take some "
            "into the editor."
        )
        return
    ws = workspace()
    names = [item.predicate.name for item in ws.data.catalog() if item.facts]
    if not names:
        st.info(
            "There are no facts to find rules in. Import some, or open an example, on the Data "
            "page."
        )
        return
    problem = ws.data.ilp_at_hand()
    sources = [*([ALEPH] if problem is not None else []), *METHODS.values()]
    left, middle, right = st.columns([3, 3, 1])
    source = left.selectbox("Search", sources, key="find-method", persist_state="session")
    query = [name for name in (ws.recall("query") or "").split(",") if name in names]
    targets = middle.multiselect(
        "Rules for",
        names,
        default=preset("find-targets", query),
        key="find-targets",
        disabled=source == ALEPH,
        help="Empty: every predicate.",
        persist_state="session",
    )
    limit = float(
        right.number_input(
            "Seconds",
            1.0,
            3600.0,
            30.0,
            step=10.0,
            format="%g",
            key="find-limit",
            persist_state="session",
        )
    )
    if st.button("Find rules", type="primary", key="find-run"):
        method = next((key for key, about in METHODS.items() if about == source), None)

        arguments: dict[str, Any] = {"time_limit": limit}
        if method is not None:
            arguments |= {"targets": targets or None, "method": method}
        start(
            Work("structure", f"Find rules ({method or 'Aleph'})", arguments, seconds=limit + GRACE)
        )
    job = watch(("structure",))
    if job is not None and job.about.outcome is not None:
        candidates(job.about.outcome, text, checked)


def candidates(result: Outcome, text: str, checked: Any) -> None:
    """What was found, the best first, to be ticked and taken."""
    records = result.candidates
    if not records:
        st.info("No rule was found. Give the search more time, or another method.")
        return
    frame = pd.DataFrame(records)
    columns = [
        name
        for name in ("rule", "support", "negatives", "precision", "gain", "weight")
        if name in frame
    ]
    shown = frame[columns].dropna(axis="columns", how="all")
    chosen = int(frame["chosen"].sum())
    st.caption(
        f"{several(len(frame), 'candidate')} in {result.summary['seconds']:.1f} s"
        f"{ENDED.get(result.summary['status'], '')}; the search keeps {chosen} of them as its "
        "theory. Tick those you want."
    )
    found = [record["line"] for record in records]
    options = {"many": True, "help": COLUMNS, "most": 320}
    lines = [found[row] for row in ticked(shown, found, "find", file="rules-found", **options)]
    label = f"Add {len(lines)} to the editor" if lines else "Add to the editor"
    present = set(checked.program.predicates) if checked.program is not None else set()
    st.button(
        label,
        key="find-take",
        type="primary",
        disabled=not lines,
        on_click=_add,
        args=(with_rules(text, lines, result.text, present),),
    )


def _add(text: str) -> None:
    write(text, "mln")
    st.toast("They are in the editor; learn their weights on the page Learn and infer.")


def with_rules(text: str, lines: list[str], theory: str, present: set[str]) -> str:
    """The program `text` with more rules, and the declarations of `theory` that they need."""
    declared = [line for line in theory.partition("\n\n")[0].splitlines() if "(" in line]
    missing = [
        line
        for line in declared
        if (name := line.partition("(")[0]) not in present
        and any(f"{name}(" in rule for rule in lines)
    ]
    parts = [text.rstrip(), "\n".join(missing), "\n".join(lines)]
    return "\n\n".join(part for part in parts if part) + "\n"
