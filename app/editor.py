"""The rules editor: rules are remembered, checked and counted when one pauses in typing."""

from __future__ import annotations

import streamlit as st

from app.state import workspace
from app.versions import author, clash, clashed, told_of_others, versions
from workbench.errors import WorkbenchError

__all__ = ["editor", "take"]

PAUSE = 800
LANGUAGES = {"mln": "Markov logic (MLN)", "psl": "Probabilistic soft logic (PSL)"}
STARTERS = {
    "mln": "// Predicates with the types of their arguments, then weighted formulas.\nFriends(person, person)\n"
    "Smokes(person)\n\n1.5 Friends(x, y) ^ Smokes(x) => Smokes(y)\n",
    "psl": "# Weight, colon, rule.\n2: Friends(X, Y) & Smokes(X) -> Smokes(Y) ^2\n",
}

# Streamlit sends a text area's text at Ctrl+Enter or when the focus leaves it; this sends it after a pause as well.
# Installed once for all visits; without JavaScript of ours the area works as Streamlit made it.
COMMIT_AT_PAUSE = f"""<script>
if (!window.workbenchCommitsAtPause) {{
  window.workbenchCommitsAtPause = true;
  let timer = null;
  document.addEventListener("input", (event) => {{
    const area = event.target;
    if (area.tagName !== "TEXTAREA" || area.getAttribute("aria-label") !== "Rules") return;
    clearTimeout(timer);
    timer = setTimeout(() => area.dispatchEvent(
      new KeyboardEvent("keydown", {{ key: "Enter", code: "Enter", keyCode: 13, ctrlKey: true, bubbles: true }})
    ), {PAUSE});
  }});
}}
</script>"""


def editor() -> tuple[str, str]:
    """The rules at hand and their language, edited; what another browser wrote meanwhile comes in."""
    kept, language = workspace().rules.at_hand()
    clash()
    if st.session_state.get("rules-clash") is None and st.session_state.get("rules-kept") != (kept, language):
        st.session_state["rules-others"] = "rules-kept" in st.session_state
        st.session_state.update({"rules-kept": (kept, language), "rules-text": kept, "language": language})
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
        "Rules", key="rules-text", height=420, on_change=_remember, help="Checked and counted as you pause in typing."
    )
    st.html(COMMIT_AT_PAUSE, unsafe_allow_javascript=True)
    _buttons()
    versions()
    return st.session_state["rules-text"], st.session_state["language"]


def take(text: str, language: str) -> None:
    """Put other rules into the editor."""
    workspace().rules.keep(text, language, author=author())  # type: ignore[arg-type]
    st.session_state["rules-kept"] = (text, language)
    st.session_state["rules-text"] = text


def _remember() -> None:
    text, language = st.session_state["rules-text"], st.session_state["language"]
    if clashed():
        st.session_state["rules-clash"] = (text, language)
        return
    st.session_state["rules-clash"] = None
    take(text, language)


def _buttons() -> None:
    text, language = st.session_state["rules-text"], st.session_state["language"]
    with st.container(horizontal=True):
        st.button(
            "Format", on_click=_format, key="rules-format", help="Canonical form; comments stay.", disabled=not text
        )
        st.download_button("Download", text, f"rules.{language}", "text/plain", key="rules-download", disabled=not text)
        if not text.strip():
            st.button("Begin with a small example", on_click=_starter, key="rules-starter", type="primary")
    if st.session_state.pop("rules-unformatted", False):
        st.warning("Rules with errors cannot be formatted; mend them first.", icon=":material/warning:")


def _format() -> None:
    try:
        text = workspace().rules.format(st.session_state["rules-text"], st.session_state["language"])
    except WorkbenchError:
        st.session_state["rules-unformatted"] = True
        return
    st.session_state["rules-text"] = text
    _remember()


def _starter() -> None:
    st.session_state["rules-text"] = STARTERS[st.session_state["language"]]
    _remember()
