"""Facts added, corrected and removed by hand, who did so before, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from app.show import plain, show_error
from app.state import workspace
from app.tabular import small_table
from app.versions import author
from workbench.errors import WorkbenchError
from workbench.workspace import atom_text, value_text

SHOWN = 20
PARTITIONS = ("evidence", "truth", "target")
PURPOSES = {
    "evidence": "known (evidence)",
    "truth": "a label (truth)",
    "target": "to be predicted (target)",
}
EDITS = {"Is true": "true", "Is false": "false", "Remove it": "removed"}


def edit(name: str, row: Sequence[Any] | None) -> None:
    """Add, correct or remove a fact by hand; who did so before."""
    ws = workspace()
    worlds = list(ws.data.worlds())
    opened = row is not None or st.session_state.get("fact-edited", False)
    with st.expander("Add or correct a fact", expanded=opened):
        start, world, partition = f"{name}(", 0, 0
        if row is not None:
            start = atom_text(name, map(value_text, row[1:-2]))
            world, partition = worlds.index(row[0]), PARTITIONS.index(row[-1])
        left, middle, right = st.columns([4, 2, 2])
        fact = left.text_input(
            "Fact", value=start, key=f"edit-fact-{start}", help="As a rule would write it."
        )
        purpose = middle.selectbox(
            "It is",
            PARTITIONS,
            index=partition,
            format_func=PURPOSES.__getitem__,
            key=f"edit-for-{start}",
        )
        where = right.selectbox("World", worlds or [None], index=world, key=f"edit-world-{start}")
        with st.container(horizontal=True):
            pressed = [how for label, how in EDITS.items() if st.button(label, key=f"edit-{how}")]
        for how in pressed:
            edited(fact.strip(), how, purpose, where)
        st.caption("Predictions made before do not know of it: learn or infer again.")
        history()


def edited(fact: str, how: Any, purpose: Any, world: str | None) -> None:
    """Change one fact, and say whether anything was otherwise before."""
    try:
        made = workspace().data.edit(fact, how, author=author(), world=world, partition=purpose)
    except WorkbenchError as error:
        show_error(error)
        return
    st.session_state["fact-edited"] = True
    st.toast(plain(f"{fact}: {how}." if made.changed else "Nothing was otherwise before."))
    st.rerun()


def history() -> None:
    """What was changed by hand, the newest first, and any of it taken back."""
    found = [one for one in workspace().data.edits() if one.changed][:SHOWN]
    if not found:
        return
    facts = workspace().data.shown([one.fact for one in found])
    rows = [
        [
            f"{one.written[:10]} {one.written[11:16]}",
            one.author,
            fact,
            f"{one.how}, undone by {one.undone}" if one.undone else one.how,
        ]
        for one, fact in zip(found, facts)
    ]
    small_table(("When (UTC)", "Who", "Fact", "Made"), rows, "edits")
    offered = [place for place, one in enumerate(found) if one.can_be_undone]
    if not offered:
        return
    left, right = st.columns([3, 1], vertical_alignment="bottom")
    picked = left.selectbox(
        "Take back",
        offered,
        format_func=lambda place: f"{rows[place][2]}: {found[place].how} by {rows[place][1]}",
        key=f"edit-which-{found[0].written}-{len(offered)}",
    )
    right.button(
        "Undo",
        key="edit-undo",
        help="What stood there before stands there again.",
        on_click=undo,
        args=(found[picked], author()),
    )


def undo(edit: Any, name: str) -> None:
    """Take back the edit that was seen, also where somebody has made a newer one meanwhile."""
    try:
        workspace().data.undo_edit(edit, author=name)
    except WorkbenchError as error:
        show_error(error)
        return
    st.toast("What stood there before stands there again.")
