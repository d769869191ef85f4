"""Facts by page: searched, kept by facets, a fact's things and its correction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from app.choices import ticked
from app.fact_editing import PARTITIONS, PURPOSES, edit
from app.figures import several
from app.show import plain
from app.state import workspace
from app.things import to_things
from workbench.workspace import value_text

PAGE = 50
FACETS = 8


def facts(predicate: Any) -> None:
    """A page of facts, searched and paged in the database."""
    ws, name = workspace(), predicate.name
    worlds = ws.data.worlds()
    first, *places, third, fourth = st.columns([3, 2, 2, 2] if len(worlds) > 1 else [4, 2, 2])
    search = first.text_input(
        "Search",
        key="facts-search",
        placeholder="part of a constant",
        help="Keeps facts with an argument like this.",
        persist_state="session",
    )
    world = "all"
    if places:
        world = places[0].selectbox(
            "World", ["all", *worlds], key="facts-world", persist_state="session"
        )
    partition = third.selectbox(
        "Partition",
        ["all", *PARTITIONS],
        format_func=lambda one: PURPOSES.get(one, one),
        key="facts-partition",
        persist_state="session",
    )
    number = int(st.session_state.get("facts-page", 1))
    kept = chosen(name)
    options = {
        "search": search,
        "having": kept,
        "world": None if world == "all" else world,
        "partition": None if partition == "all" else partition,
    }
    with st.spinner("Reading ..."):
        page = ws.data.facts_page(name, offset=(number - 1) * PAGE, limit=PAGE, **options)
        pages = max(1, -(-page.total // PAGE))
        if number > pages:
            page = ws.data.facts_page(name, limit=PAGE, **options)
    fourth.number_input(
        f"Page, of {pages:,}",
        1,
        pages,
        min(number, pages),
        key="facts-page",
        persist_state="session",
    )
    removable(predicate, kept)
    frame = in_names(predicate, pd.DataFrame(page.rows, columns=list(page.columns)))
    shown = frame if places else frame.drop(columns="world")
    named = [f"{name} {row[:-2]}" for row in page.rows]
    rows = ticked(shown, named, "facts", file=f"{name}-page-{number}", digits=None)
    st.caption(
        f"{several(page.total, 'fact')}, {PAGE} a page. The value is 1 where a fact is true, 0 "
        "where it is false. Tick a row to look at its things, or to correct it."
    )
    row = page.rows[rows[0]] if rows else None
    if row is not None:
        things_of(predicate, row[1:-2])
    facets(predicate, kept)
    edit(name, row)


def in_names(predicate: Any, frame: pd.DataFrame) -> pd.DataFrame:
    """Facts with their things as people call them, dates as these are written."""
    for column, kind, value in zip(frame.columns[1:], predicate.argument_types, predicate.kinds):
        if value is None:
            cells = [str(cell) for cell in frame[column]]
            frame[column] = workspace().data.called([(kind, cell) for cell in cells])
        elif frame[column].dtype.kind == "M":
            frame[column] = frame[column].map(value_text)
    return frame.assign(partition=frame["partition"].map(PURPOSES))


def things_of(predicate: Any, cells: Sequence[Any]) -> None:
    """A button for each thing that a fact names."""
    named = zip(predicate.argument_types, predicate.kinds, cells)
    to_things((kind, str(cell)) for kind, value, cell in named if value is None)


def chosen(name: str) -> dict[int, str]:
    """The values by which a predicate's facts are kept, by place."""
    found: dict[int, str] = st.session_state.setdefault(f"facets-{name}", {})
    return found


def keep(name: str, position: int, value: str | None) -> None:
    """Keep facts with this value at a place, or with any again."""
    kept = chosen(name)
    kept.pop(position, None)
    if value is not None:
        kept[position] = value
    st.session_state["facts-page"] = 1


def called(kind: str, value_kind: Any, value: str) -> str:
    """A value as people call it."""
    named = value if value_kind is not None else workspace().data.called([(kind, value)])[0]
    return plain(named)


def removable(predicate: Any, kept: dict[int, str]) -> None:
    """What the facts are kept by, each to be taken away."""
    if not kept:
        return
    name = predicate.name
    with st.container(horizontal=True):
        for position, value in sorted(kept.items()):
            kind = predicate.argument_types[position]
            st.button(
                f"{plain(kind)}: {called(kind, predicate.kinds[position], value)}",
                key=f"kept-{name}-{position}",
                icon=":material/close:",
                help="Show facts with other values too.",
                on_click=keep,
                args=(name, position, None),
            )


def facets(predicate: Any, kept: dict[int, str]) -> None:
    """The commonest values of each argument among the facts kept; each keeps those that have it."""
    if not st.toggle(
        "Facets",
        key="facts-facets",
        help="The commonest values; one that is chosen keeps its facts.",
        persist_state="session",
    ):
        return
    name = predicate.name
    places = [place for place in range(predicate.arity) if place not in kept]
    for position, column in zip(places, st.columns(max(1, len(places)))):
        kind, value_kind = predicate.argument_types[position], predicate.kinds[position]
        found = workspace().data.top_values(name, position, having=kept, limit=FACETS)
        with column:
            st.caption(plain(f"{position + 1}: {kind}"))
            for value, count in found:
                st.button(
                    f"{called(kind, value_kind, value)}: {count:,}",
                    key=f"facet-{name}-{position}-{value}",
                    type="tertiary",
                    on_click=keep,
                    args=(name, position, value),
                )
