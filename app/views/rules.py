"""Rules: an editor with diagnostics, and what each rule grounds to."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from app.state import plain, show_error, workspace
from workbench.errors import WorkbenchError

EXPLOSION = 5_000_000
STARTERS = {
    "mln": "// Predicates with the types of their arguments, then weighted formulas.\nFriends(person, person)\n"
    "Smokes(person)\n\n1.5 Friends(x, y) ^ Smokes(x) => Smokes(y)\n",
    "psl": "# Weight, colon, rule.\n2: Friends(X, Y) & Smokes(X) -> Smokes(Y) ^2\n",
}


def editor() -> tuple[str, str]:
    """The rules at hand, edited; remembered in the workspace at every change."""
    ws = workspace()
    kept, kept_language = ws.rules_at_hand()
    language = st.radio(
        "Language",
        ["mln", "psl"],
        index=["mln", "psl"].index(kept_language),
        format_func={"mln": "Markov logic (MLN)", "psl": "Probabilistic soft logic (PSL)"}.get,
        horizontal=True,
        key="language",
    )
    if "rules-text" not in st.session_state or st.session_state.get("rules-kept") != kept:
        st.session_state["rules-text"] = kept
    text = st.text_area(
        "Rules", key="rules-text", height=340, help="Ctrl+Enter or a click elsewhere checks the rules and counts again."
    )
    if text != kept or language != kept_language:
        ws.remember_rules(text, language)
    st.session_state["rules-kept"] = text
    return text, language


def predicate_list() -> None:
    """The predicates at hand, with argument types and numbers of facts."""
    rows = [
        {"predicate": f"{item.predicate.name}({', '.join(item.predicate.argument_types)})", "facts": item.facts}
        for item in workspace().catalog()
    ]
    st.caption("Predicates at hand")
    frame = pd.DataFrame(rows, columns=["predicate", "facts"])
    st.dataframe(frame, hide_index=True, height=min(390, 38 + 35 * max(1, len(rows))), width="stretch")


def diagnostics(checked: object) -> None:
    """Every diagnostic with its line and caret."""
    found = checked.diagnostics  # type: ignore[attr-defined]
    errors = sum(item.severity == "error" for item in found)
    if not found:
        st.success("The rules are in order.", icon=":material/check:")
        return
    title = f"{errors} errors, {len(found) - errors} warnings" if errors != 1 else "1 error"
    (st.error if errors else st.warning)(title, icon=":material/error:" if errors else ":material/warning:")
    for item in found:
        st.code(item.render(), language=None)


def query_fields() -> dict[str, object]:
    """Query, closed and hidden predicates; remembered in the workspace."""
    ws = workspace()
    names = [item.predicate.name for item in ws.catalog()]
    chosen: dict[str, object] = {}
    columns = st.columns(3)
    explanations = {
        "query": "What is asked for. Empty: predicates without facts (MLN) or with targets (PSL).",
        "closed": "Taken as evidence: what is not listed is false.",
        "hidden": "Open, but not asked for.",
    }
    for column, (key, explanation) in zip(columns, explanations.items()):
        kept = [name for name in (ws.recall(key) or "").split(",") if name in names]
        picked = column.multiselect(key.capitalize(), names, default=kept, key=f"rules-{key}", help=explanation)
        if picked != kept:
            ws.remember(key, ",".join(picked) or None)
        chosen[key] = picked or None
    return chosen


def groundings(text: str) -> None:
    """Counts of ground rules, with SQL, plan and samples; a warning before an explosion."""
    request = query_fields()
    learning = st.toggle("As for learning", value=True, help="Facts of query predicates are labels, not evidence.")
    try:
        with st.spinner("Counting groundings ..."):
            preview = workspace().preview(text, learning=learning, **request)
    except WorkbenchError as error:
        show_error(error)
        return
    largest = max(preview.rules, key=lambda rule: rule.ground_rows, default=None)
    if largest is not None and largest.ground_rows > EXPLOSION:
        st.warning(
            f"The rule {plain(largest.rule)} alone makes {largest.ground_rows:,} ground rules. Bind its variables by "
            "more evidence, or split the data into worlds.",
            icon=":material/warning:",
        )
    st.caption(f"{preview.atoms:,} open atoms, {preview.ground_rows:,} ground rows")
    frame = pd.DataFrame(
        [
            {
                "rule": rule.rule,
                "ground rows": rule.ground_rows,
                "unit groundings": rule.unit_groundings,
                "satisfied by evidence": rule.satisfied,
                "violated by evidence": rule.violated,
            }
            for rule in preview.rules
        ]
    )
    st.dataframe(frame, hide_index=True, width="stretch")
    for number, rule in enumerate(preview.rules, 1):
        with st.expander(f"Rule {number}: {plain(rule.rule)}"):
            st.caption("Sample ground rules")
            st.code("\n".join(rule.samples) or "none", language=None)
            st.caption("SQL")
            st.code(rule.sql, language="sql")
            st.caption("Plan")
            st.code(rule.plan, language=None)


def reformat() -> None:
    """The format button's work."""
    text, language = st.session_state["rules-text"], st.session_state["language"]
    try:
        st.session_state["rules-text"] = workspace().format_rules(text, language)
    except WorkbenchError:
        st.session_state["rules-unformatted"] = True


def starter() -> None:
    """A few rules to begin with."""
    st.session_state["rules-text"] = STARTERS[st.session_state["language"]]


st.title("Rules")
left, right = st.columns([3, 2])
with left:
    text, language = editor()
    one, two, three = st.columns(3)
    one.button("Check and count", type="primary", key="rules-check")
    two.button("Format", on_click=reformat, key="rules-format", help="Canonical form; comments stay where they can.")
    suffix = "psl" if language == "psl" else "mln"
    three.download_button("Download", text, f"rules.{suffix}", "text/plain", key="rules-download")
checked = workspace().check_rules(text, language)
with right:
    if text.strip():
        if st.session_state.pop("rules-unformatted", False):
            st.warning("Rules with errors cannot be formatted.")
        diagnostics(checked)
    predicate_list()
if not text.strip():
    st.info(
        "There are no rules yet. Write some above, begin with a small example, or open a bundled one on the Data page."
    )
    st.button("Begin with a small example", on_click=starter, key="rules-starter")
elif not checked.has_errors:
    st.subheader("Groundings")
    groundings(text)
