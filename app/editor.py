"""The rules editor: rules are remembered, checked and counted when one pauses in typing."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from app.downloads import download
from app.show import JOINER, show_error
from app.state import facts_token, server, workspace
from app.versions import author, clash, clashed, others_write, told_of_others, versions
from workbench.errors import Diagnostic, WorkbenchError
from workbench.service.tools import refuse_includes

HERE = Path(__file__).parent

LANGUAGES = {"mln": "Markov logic (MLN)", "psl": "Probabilistic soft logic (PSL)"}
STARTERS = {
    "mln": "// Predicates with the types of their arguments, then weighted "
    "formulas.\nFriends(person, person)\n"
    "Smokes(person)\n\n1.5 Friends(x, y) ^ Smokes(x) => Smokes(y)\n",
    "psl": "# Weight, colon, rule.\n2: Friends(X, Y) & Smokes(X) -> Smokes(Y) ^2\n",
}

CONSTANTS = 60
"""Constants of each type that are offered as one writes."""

OTHERS = 3.0
"""Seconds between two looks at what others wrote."""


def editor() -> tuple[str, str]:
    """The rules at hand and their language, edited; what another browser wrote comes in."""
    clash()
    _fill()
    told_of_others()
    st.radio(
        "Language",
        list(LANGUAGES),
        format_func=lambda name: LANGUAGES[name],
        horizontal=True,
        key="language",
        on_change=_remember,
        label_visibility="collapsed",
    )
    st.text_area(
        "Rules",
        key="rules-text",
        height=420,
        on_change=_remember,
        help="Checked and counted as you pause in typing.",
    )
    st.fragment(others_write, run_every=OTHERS)()
    if (refused := _refused()) is not None:
        show_error(refused)
        st.stop()
    _buttons()
    versions()
    return st.session_state["rules-text"], st.session_state["language"]


def _fill() -> None:
    """Show the rules at hand, or what waits for a choice where two wrote at once.

    Streamlit forgets what an area held once one looks at another view.
    """
    kept, language = workspace().rules.at_hand()
    waiting = st.session_state.get("rules-clash")
    others = waiting is None and st.session_state.get("rules-kept") != (kept, language)
    if others:
        st.session_state["rules-others"] = "rules-kept" in st.session_state
        st.session_state["rules-kept"] = kept, language
    if others or "rules-text" not in st.session_state:
        st.session_state["rules-text"], st.session_state["language"] = waiting or (kept, language)


def dress(text: str, diagnostics: Sequence[Diagnostic]) -> None:
    """Line numbers, colours, marks at faults, completion, over the area; it sends at a pause."""
    told = {"text": text, "marks": _marks(diagnostics), "names": _names(facts_token())}
    script = (
        (HERE / "rules_editor.js").read_text(encoding="utf-8").replace("TOLD", json.dumps(told), 1)
    )
    # Streamlit drops scripts with what looks like a tag; here that sign stands in texts and
    # patterns only.
    escaped = script.replace("<", "\\x3c")
    st.html(HERE / "rules_editor.css")
    st.html(f"<script>{escaped}</script>", unsafe_allow_javascript=True)


def _marks(diagnostics: Sequence[Diagnostic]) -> list[dict[str, Any]]:
    """Where the editor is marked: line from 1, columns from 0; the first of a line."""
    found: dict[int, dict[str, Any]] = {}
    for item in sorted(diagnostics, key=lambda one: one.severity != "error"):
        span = item.span
        if span is not None and span.source is None and span.line not in found:
            to = span.end_column - 1 if span.end_line == span.line else 10_000
            mark = {"line": span.line, "from": span.column - 1, "to": to, "severity": item.severity}
            found[span.line] = mark
    return list(found.values())


@st.cache_resource(max_entries=4, show_spinner=False)
def _names(facts: str) -> tuple[str, ...]:
    """What can be completed."""
    return workspace().data.words(most=CONSTANTS)


def write(text: str, language: str, *, typed: bool = False) -> None:
    """Keep what became of the rules in the editor; where others wrote meanwhile, beside theirs
    until one chooses. For callbacks, which alone may change what an area holds.
    """
    st.session_state["rules-text"] = text
    st.session_state["rules-clash"] = None
    rules: Any = workspace().rules
    if clashed():
        st.session_state["rules-clash"] = (text, language)
        rules.set_aside(text, language, author=author())
    else:
        rules.keep(text, language, author=author(), typed=typed)
        st.session_state["rules-kept"] = (text, language)


def _refused() -> WorkbenchError | None:
    """At a server rules name no files of its machine."""
    if server().served is not None:
        try:
            refuse_includes(st.session_state["rules-text"])
        except WorkbenchError as error:
            return error
    return None


def _remember() -> None:
    if _refused() is not None:
        return
    # Rules copied from elsewhere on the page bring it along.
    text = st.session_state["rules-text"].replace(JOINER, "")
    write(text, st.session_state["language"], typed=True)


def _buttons() -> None:
    text, language = st.session_state["rules-text"], st.session_state["language"]
    with st.container(horizontal=True):
        st.button(
            "Format",
            on_click=_format,
            key="rules-format",
            help="Canonical form; comments stay.",
            disabled=not text,
        )
        download(
            "Download",
            text,
            f"rules.{language}",
            "text/plain",
            key="rules-download",
            disabled=not text,
        )
        # About facts of one's own the example says nothing.
        if not text.strip() and not workspace().data.catalog():
            st.button(
                "Begin with a small example", on_click=_starter, key="rules-starter", type="primary"
            )
    if st.session_state.pop("rules-unformatted", False):
        st.warning(
            "Rules with errors cannot be formatted; mend them first.", icon=":material/warning:"
        )


def _format() -> None:
    try:
        text = workspace().rules.format(
            st.session_state["rules-text"], st.session_state["language"]
        )
    except WorkbenchError:
        st.session_state["rules-unformatted"] = True
        return
    st.session_state["rules-text"] = text
    _remember()


def _starter() -> None:
    st.session_state["rules-text"] = STARTERS[st.session_state["language"]]
    _remember()
