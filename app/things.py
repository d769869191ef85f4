"""A thing's page: its columns, its links both ways, what is predicted of it, its neighbours."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from app.pictures import neighbourhood
from app.show import plain
from app.state import workspace
from app.tabular import small_table
from workbench.workspace import parse_atom

THING = "A thing"
NEAR = 40
ONWARD = 12
LISTED = 200
Link = tuple[str, str, list[tuple[str, str]]]


def to_things(named: Iterable[tuple[str, str]]) -> None:
    """Buttons that lead to things' pages."""
    things = list(dict.fromkeys(named))
    with st.container(horizontal=True):
        for (kind, constant), called in zip(things, workspace().data.called(things)):
            st.button(
                f"{plain(kind)} {plain(called)}",
                key=f"thing-{kind}-{constant}",
                icon=":material/arrow_forward:",
                on_click=st.session_state.update,
                args=(
                    {
                        "view": THING,
                        "near-type": kind,
                        "near-search": constant,
                        "near-constant": constant,
                    },
                ),
            )


def thing() -> None:
    """One thing: its columns, its links both ways, what is predicted of it, its neighbours."""
    ws = workspace()
    types = ws.data.types()
    if not types:
        st.info("There are no things yet. Import data first.")
        return
    left, middle, right = st.columns(3)
    kind = left.selectbox("Kind", types, key="near-type", persist_state="session")
    search = middle.text_input(
        "Find", key="near-search", placeholder="part of its name", persist_state="session"
    )
    found = ws.data.constants(kind, search=search, limit=100)
    names = dict(zip(found, ws.data.called([(kind, one) for one in found])))
    constant = right.selectbox(
        "Thing", found, format_func=names.__getitem__, key="near-constant", persist_state="session"
    )
    if constant is None:
        st.info("Nothing of that kind contains this text.")
        return
    near = as_in_their_files(ws.data.neighbours(kind, constant, limit=NEAR))
    columns, links = parted(near, ws.data.described_types())
    left, right = st.columns(2)
    with left:
        st.subheader("Its columns", anchor=False)
        if columns:
            small_table(("Column", "Value"), columns, "its-columns")
        else:
            st.caption("None: whatever is known of it is a link.")
    with right:
        st.subheader("What is predicted of it", anchor=False)
        predicted(constant)
    st.subheader("Its links", anchor=False)
    if not links:
        st.info("No true fact links it to another thing.")
        return
    small_table(
        ("Link", "Way", "Thing"),
        [[one, way, ", ".join(ws.data.called(rest))] for one, way, rest in links],
        "its-links",
    )
    to_things(list(dict.fromkeys(other for _, _, rest in links for other in rest))[:ONWARD])
    st.graphviz_chart(neighbourhood(names[constant], [called(one) for one in near]))
    st.caption(
        f"Boxes are things, ellipses facts of three arguments or more; at most {NEAR} facts."
    )


def as_in_their_files(facts: Iterable[Any]) -> list[Any]:
    """Facts under the names of their columns, without those that say only that a row is there."""
    names = workspace().data.column_names()
    renamed = [(one, names.get(one.predicate, one.predicate)) for one in facts]
    return [replace(one, predicate=name) for one, name in renamed if name is not None]


def called(fact: Any) -> Any:
    """A fact with its things as people call them."""
    things = list(zip(fact.types, fact.arguments))
    return replace(fact, arguments=tuple(workspace().data.called(things)))


def parted(near: Sequence[Any], types: Collection[str]) -> tuple[list[list[str]], list[Link]]:
    """A thing's facts as columns (name, value) and as links (name, way, the other things)."""
    columns: list[list[str]] = []
    links: list[Link] = []
    for one in near:
        rest = [pair for at, pair in enumerate(zip(one.types, one.arguments)) if at != one.position]
        if any(kind in types for kind, _ in rest):
            links.append((one.predicate, "from it" if one.position == 0 else "to it", rest))
        else:
            columns.append([one.predicate, ", ".join(name for _, name in rest) or "yes"])
    return columns, links


def predicted(constant: str) -> None:
    """What the newest inference says of a thing."""
    runs = workspace().runs
    run = runs.latest("infer")
    if run is None:
        st.caption("Nothing yet: nothing has been inferred.")
        return
    found, _ = runs.find_predictions(run.id, search=constant, limit=LISTED)
    mine = [row for row in found.itertuples() if constant in (parse_atom(row.atom) or ("", ()))[1]]
    if mine:
        shown = workspace().data.shown([row.atom for row in mine[:ONWARD]])
        values = [f"{row.value:.3f}" for row in mine]
        small_table(
            ("Prediction", "Value"), [list(row) for row in zip(shown, values)], "its-predictions"
        )
    st.caption(f"By run {run.id}." if mine else f"Nothing by run {run.id}.")
