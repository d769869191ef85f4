"""Rules: an editor with diagnostics, what each rule grounds to, and rules found in the data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import replace
from typing import Any

import pandas as pd
import streamlit as st

from app.candidates import find_rules
from app.editor import dress, editor, write
from app.figures import with_short_weight
from app.show import header, lead_to, plain, show_error
from app.state import facts_token, workspace
from app.study_outcome import offer_rules
from app.tabular import table
from app.wording import GLOSSARY, in_page_words
from workbench.errors import WorkbenchError

SHOWN = 10
EXPLOSION = 5_000_000
PATIENCE = 8.0
MANY_FACTS = 1_000_000
NO_FACTS = "Nothing grounds yet: the rules are in order, and there are no facts of them."
TITLES = {
    "query": "To predict (query)",
    "closed": "Known (closed)",
    "hidden": "Filled in on the way (hidden)",
}
ROLES = {
    "query": "What is asked for. Empty: predicates without facts (MLN) or with targets (PSL).",
    "closed": "Taken as evidence: what is not listed is false.",
    "hidden": "Open, but not asked for.",
}
COLUMNS = {
    "ground rules": "Ground rules with two open atoms or more, equal ones merged: the rows of the "
    "network.",
    "one open atom": "Groundings that evidence reduces to a single open atom; they cost next to "
    "nothing.",
    "already satisfied": "Groundings that evidence satisfies whatever the open atoms are.",
    "already violated": "Groundings that evidence violates whatever the open atoms are.",
}


def diagnostics(found: tuple[Any, ...]) -> None:
    """Every diagnostic with its place; the editor marks it, so the line is not written again."""
    errors = sum(item.severity == "error" for item in found)
    others = len(found) - errors
    if not found:
        st.success("The rules are in order.", icon=":material/check:")
        return
    counts = [
        f"{number} {word}{'s' * (number != 1)}"
        for number, word in ((errors, "error"), (others, "warning"))
    ]
    title = ", ".join(text for text in counts if not text.startswith("0 "))
    (st.error if errors else st.warning)(
        title, icon=":material/error:" if errors else ":material/warning:"
    )
    times = Counter(item.message for item in found)
    firsts = list({item.message: item for item in reversed(found)}.values())[::-1]
    for item in firsts[:SHOWN]:
        marked = item.span is not None and item.span.source is None
        said = replace(item, line_text=None) if marked else item
        st.code(in_page_words(said.render()), language=None, wrap_lines=True)
        if times[item.message] > 1:
            st.caption(f"{times[item.message]} times; this is the first.")
    if len(firsts) > SHOWN:
        st.caption(f"{len(firsts) - SHOWN} more")


def offer_declarations(text: str, language: str, lines: tuple[str, ...]) -> None:
    """One press for what the rules use and only the data declare."""
    if lines:
        names = ", ".join(line.partition("(")[0] for line in lines)
        st.button(
            f"Declare {plain(names)} as the data have them",
            key="rules-declare",
            type="primary",
            on_click=write,
            args=("\n".join((*lines, "", text)), language),
        )


def predicate_list(summaries: tuple[Any, ...]) -> None:
    """The predicates at hand, with argument types and numbers of facts."""
    rows = [
        {
            "predicate": f"{item.predicate.name}({', '.join(item.predicate.argument_types)})",
            "facts": item.facts,
        }
        for item in summaries
    ]
    if not rows:
        lead_to("data", "No facts are loaded yet: to the data", ":material/database:")
        return
    st.caption("Columns and links at hand (predicates)", help=GLOSSARY["predicate"])
    table(pd.DataFrame(rows), "predicates", most=390)


def roles(names: list[str]) -> dict[str, list[str] | None]:
    """Query, closed and hidden predicates; remembered in the workspace."""
    ws = workspace()
    chosen: dict[str, list[str] | None] = {}
    for column, (key, explanation) in zip(st.columns(3), ROLES.items()):
        kept = [name for name in (ws.recall(key) or "").split(",") if name in names]
        picked = column.multiselect(
            TITLES[key], names, default=kept, key=f"rules-{key}", help=explanation
        )
        if picked != kept:
            ws.remember(key, ",".join(picked) or None)
        chosen[key] = picked or None
    return chosen


def at_hand(named: Collection[str]) -> tuple[Any, ...]:
    """Columns and links at hand. Counting declares what rules name: what only a word declared that
    was half written, and of which there is no fact, goes once the rules no longer name it.
    """
    found = workspace().data.catalog()
    ours: set[str] = st.session_state.get("rules-declared", set())
    gone = ours & {item.predicate.name for item in found if not item.counts} - set(named)
    for name in gone:
        workspace().data.delete_predicate(name)
    there = {item.predicate.name for item in found}
    st.session_state["rules-declared"] = {one for one in named if one in ours or one not in there}
    return tuple(item for item in found if item.predicate.name not in gone)


@st.cache_resource(max_entries=20, show_spinner="Counting groundings ...")
def counted(text: str, learning: bool, request: dict[str, Any], facts: str) -> Any:
    """The preview of rules over the data as they are."""
    return workspace().preview(text, learning=learning, seconds=PATIENCE, **request)


def groundings(text: str, summaries: tuple[Any, ...]) -> None:
    """Counts of ground rules, with SQL, plan and samples; a warning before an explosion."""
    request = roles([item.predicate.name for item in summaries])
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    learning = left.toggle(
        "Count as for learning",
        value=True,
        key="rules-learning",
        help="Facts of what is to be predicted are then labels.",
        persist_state="session",
    )
    if sum(item.facts for item in summaries) > MANY_FACTS and not right.toggle(
        "Count these millions of facts", key="rules-count", persist_state="session"
    ):
        st.info("Counting joins large tables here, so it waits until you ask for it.")
        return
    try:
        preview = counted(text, learning, request, facts_token())
    except WorkbenchError as error:
        if not any(item.facts for item in summaries) and {"E0309"} == {
            one.code for one in error.diagnostics
        }:
            st.info(NO_FACTS)
        else:
            show_error(error)
        return
    if not (preview.atoms or any(item.facts for item in summaries)):
        st.info(NO_FACTS)
        return
    largest = max(preview.rules, key=lambda rule: rule.ground_rows, default=None)
    if largest is not None and largest.ground_rows > EXPLOSION:
        st.warning(
            f"The rule {plain(with_short_weight(largest.rule))} alone makes "
            f"{largest.ground_rows:,} ground rules. "
            "Bind its variables by more evidence, or split the data into worlds.",
            icon=":material/warning:",
        )
    frame = pd.DataFrame(
        [
            {
                "rule": with_short_weight(rule.rule),
                "ground rules": rule.ground_rows,
                "one open atom": rule.unit_groundings,
                "already satisfied": rule.satisfied,
                "already violated": rule.violated,
            }
            for rule in preview.rules
        ]
    )
    table(frame, "counts", help=COLUMNS)
    st.caption(
        f"{preview.atoms:,} open atoms (what is to be inferred); {preview.ground_rows:,} ground "
        f"rules join them, {sum(rule.unit_groundings for rule in preview.rules):,} groundings are "
        "of one alone."
    )
    if preview.rules:
        inside(preview.rules)


def inside(rules: tuple[Any, ...]) -> None:
    """One rule's ground rules, SQL and plan."""
    labels = [f"{number}: {with_short_weight(rule.rule)}" for number, rule in enumerate(rules, 1)]
    rule = rules[
        labels.index(
            st.selectbox(
                "Look inside a rule",
                labels,
                key=f"rules-inside-{hash(tuple(labels))}",
                persist_state="session",
            )
        )
    ]
    samples, sql, plan = st.tabs(["Ground rules, for example", "SQL", "Plan"])
    samples.code("\n".join(rule.samples) or "none", language=None, wrap_lines=True)
    sql.code(rule.sql, language="sql")
    plan.code(rule.plan, language=None)


header(
    "Rules",
    "Weighted rules about columns and links, checked and counted as you pause in typing.",
    "rule",
    "weight",
    "predicate",
)
left, right = st.columns([3, 2])
with left:
    text, language = editor()
checked = workspace().rules.check(text, language)
in_order = checked.program is not None and not checked.has_errors
summaries = at_hand(checked.program.predicates) if in_order else workspace().data.catalog()
with left:
    dress(text, checked.diagnostics)
with right:
    if text.strip():
        offer_declarations(text, language, checked.undeclared)
        diagnostics(checked.diagnostics)
    predicate_list(summaries)
if not text.strip():
    ways = (
        "find some in the data below"
        if summaries
        else "begin with a small example, or open a bundled one on the Data page"
    )
    st.info(f"There are no rules yet. Write some above, or {ways}.")
    offer_rules()
parts = ["Groundings", "Find rules in the data"]
part = st.segmented_control(
    "Below",
    parts,
    default=parts[0],
    key="rules-part",
    label_visibility="collapsed",
    required=True,
    persist_state="session",
)
if part == parts[1]:
    find_rules(text, language, checked)
elif text.strip() and not checked.has_errors:
    groundings(text, summaries)
elif checked.has_errors:
    st.info("Groundings are counted once the errors above are mended.")
