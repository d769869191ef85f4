"""Who writes the rules: a name for this browser, others' edits told and kept, earlier versions."""

from __future__ import annotations

import difflib
from datetime import datetime
from typing import Any

import streamlit as st

from app.show import plain
from app.state import named_by_token, server, visitor, workspace

NOBODY = "somebody"


def author() -> str:
    """What the person at this browser is called."""
    if name := named_by_token():
        return name
    if "author-number" not in st.session_state:
        server().visitors += 1
        st.session_state["author-number"] = server().visitors
    called = visitor(st.session_state["author-number"])
    return str(st.session_state.get("author-name") or called)


def ask_name(shown: str, where: Any = st, **box: str) -> None:
    """Ask what the person is called, unless their token says it; kept for all views, while
    Streamlit forgets what a box of another view held.
    """
    name = named_by_token()
    written = where.text_input("Your name", name or shown, disabled=bool(name), **box)
    st.session_state["author-name"] = written.strip()


def take(text: str, language: str) -> None:
    """Put other rules into the editor, which shows them when it is drawn anew."""
    workspace().rules.keep(text, language, author=author())  # type: ignore[arg-type]


def clashed() -> bool:
    """Whether others wrote since this browser last saw the rules: they are not overwritten."""
    return workspace().rules.at_hand() != st.session_state.get("rules-kept")


def clash() -> None:
    """Two wrote at once: choose which to keep."""
    mine = st.session_state.get("rules-clash")
    if mine is None:
        return
    theirs, language = workspace().rules.at_hand()
    st.warning(
        f"{_last_to_write()} changed the rules while you were writing. Nothing is overwritten: "
        "theirs are the rules at hand, yours are kept in Versions.",
        icon=":material/group:",
    )
    st.code(_difference(theirs, mine[0], "theirs", "yours"), language="diff")
    with st.container(horizontal=True):
        if st.button("Keep theirs", key="clash-theirs"):
            st.session_state.update(
                {"rules-text": theirs, "rules-kept": (theirs, language), "rules-clash": None}
            )
            st.rerun()
        if st.button("Write mine over theirs", key="clash-mine"):
            workspace().rules.keep(*mine, author=author())
            st.session_state.update(
                {"rules-text": mine[0], "rules-kept": mine, "rules-clash": None}
            )
            st.rerun()


def others_write() -> None:
    """What others wrote while this browser did nothing: told where it is drawn by a timer, and
    taken when one asks for it, so that nothing changes under somebody who writes.
    """
    if st.session_state.get("rules-clash") is not None or not clashed():
        return
    st.info(f"{_last_to_write()} has just changed the rules.", icon=":material/group:")
    if st.button("Show them as they are now", key="rules-newer"):
        st.rerun()


def _of_hand() -> Any | None:
    """The newest version of what is at hand: what waits for a choice is newer."""
    text, _ = workspace().rules.at_hand()
    return next((one for one in workspace().rules.versions() if one.text == text), None)


def _last_to_write() -> str:
    newest = _of_hand()
    return plain(newest.author) if newest is not None and newest.author else "Somebody else"


def told_of_others() -> None:
    """That what is shown was written elsewhere a moment ago."""
    newest = _of_hand()
    others = newest is not None and newest.author not in ("", author())
    if st.session_state.pop("rules-others", False) and newest is not None and others:
        st.info(
            f"{plain(newest.author)} changed the rules; this is how they stand now. Earlier ones "
            "are in Versions."
        )


def versions() -> None:
    """Earlier versions: who, when, what differs, and back."""
    with st.expander("Versions"):
        ask_name(
            st.session_state.get("author-name", ""),
            key="author",
            placeholder=NOBODY,
            help="Stands beside the versions you write.",
        )
        found = workspace().rules.versions()
        text, _ = workspace().rules.at_hand()
        if len(found) < 2:
            st.caption(
                "There are no earlier versions yet. What you write is kept here, and so is what "
                "others write."
            )
            return
        now = next((one.number for one in found if one.text == text), None)
        picked = st.selectbox(
            "Version",
            found,
            format_func=_label,
            index=next((place for place, one in enumerate(found) if one.text != text), 0),
            key=f"version-{found[0].number}-{len(found)}-{now}",
        )
        difference = _difference(picked.text, text, f"version {picked.number}", "now")
        st.code(difference or "It is what stands above.", language="diff")
        st.button(
            "Go back to this version",
            key="version-back",
            disabled=not difference,
            on_click=take,
            args=(picked.text, "psl" if picked.language == "psl" else "mln"),
        )


def _label(version: Any) -> str:
    when = datetime.fromisoformat(version.written)
    return f"{version.number}: {version.author or NOBODY}, {when:%Y-%m-%d %H:%M} UTC"


def _difference(before: str, after: str, one: str, other: str) -> str:
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), one, other, "", "", 2, "")
    return "\n".join(lines)
