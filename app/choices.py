"""What people choose stays while they look at other views, until something newer is to be shown."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import streamlit as st

from app.show import run_label
from app.state import workspace
from app.tabular import table

if TYPE_CHECKING:
    import pandas as pd

T = TypeVar("T")


def preset(key: str, value: T) -> T:
    """What a box begins with; what is chosen there is forgotten where that becomes another."""
    if st.session_state.get(f"{key}-preset", value) != value:
        st.session_state.pop(key, None)
    st.session_state[f"{key}-preset"] = value
    return value


def choose_run(
    ranks: Sequence[Sequence[str]],
    key: str,
    *,
    where: Any = st,
    fits: Callable[[Any], bool] = lambda run: True,
) -> Any | None:
    """The newest run of the first of these kinds, those of one rank alike; None without any.

    Another that is chosen stays until one is recorded that is newer than all there were then.
    """
    rank = {kind: place for place, kinds in enumerate(ranks) for kind in kinds}
    runs = [
        run
        for run in workspace().runs.all()
        if run.kind in rank and fits(run) and "ended" not in run.parameters
    ]
    runs.sort(key=lambda run: (rank[run.kind], -run.id))
    by_id = {run.id: run for run in runs}
    if not by_id:
        return None
    newest, shown = max(by_id), st.session_state.get(f"{key}-shown", (None, None))
    if key not in st.session_state and shown[0] in by_id and shown[1] == newest:
        st.session_state[key] = shown[0]
    number = where.selectbox(
        "Run", list(by_id), format_func=lambda at: run_label(by_id[at]), key=key
    )
    if number != shown[0]:
        st.session_state[f"{key}-shown"] = (number, newest)
    return by_id[number]


def ticked(
    frame: pd.DataFrame, names: Sequence[Hashable], key: str, *, many: bool = False, **options: Any
) -> list[int]:
    """A table whose rows can be ticked, one or many of them; the places of those that are.

    Ticks stay with what a row is called wherever it comes to stand, and while one looks at another
    view; `options` are those of `table`.
    """
    remembered = st.session_state.setdefault(f"{key}-ticked", set())
    event = table(
        frame,
        key=f"{key}-{hash(tuple(names))}",
        selection="multi-row" if many else "single-row",
        ticked=[place for place, name in enumerate(names) if name in remembered],
        **options,
    )
    rows = [row for row in event.selection.rows if row < len(names)]
    st.session_state[f"{key}-ticked"] = {names[row] for row in rows}
    return rows
