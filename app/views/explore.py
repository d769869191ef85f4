"""Explore: facts with their facets, counts, one thing with its links and predictions,
and a read-only console.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from app import charts
from app.downloads import csv_text
from app.fact_editing import PARTITIONS, edit
from app.show import draw, header, metrics, plain, show_error, table
from app.state import workspace
from app.things import THING, thing, to_things
from workbench.errors import WorkbenchError

PAGE = 50
FACETS = 8


def facts(name: str) -> None:
    """A page of facts, searched and paged in the database."""
    ws = workspace()
    worlds = ws.data.worlds()
    first, *places, third, fourth = st.columns([3, 2, 2, 2] if len(worlds) > 1 else [4, 2, 2])
    search = first.text_input(
        "Search",
        key="facts-search",
        placeholder="part of a constant",
        help="Keeps facts with an argument like this.",
    )
    world = "all"
    if places:
        world = places[0].selectbox("World", ["all", *worlds], key="facts-world")
    partition = third.selectbox("Partition", ["all", *PARTITIONS], key="facts-partition")
    number = int(st.session_state.get("facts-page", 1))
    options = {
        "world": None if world == "all" else world,
        "partition": None if partition == "all" else partition,
    }
    with st.spinner("Reading ..."):
        page = ws.data.facts_page(
            name, search=search, offset=(number - 1) * PAGE, limit=PAGE, **options
        )
        pages = max(1, -(-page.total // PAGE))
        if number > pages:
            page = ws.data.facts_page(name, search=search, limit=PAGE, **options)
    fourth.number_input(f"Page, of {pages:,}", 1, pages, min(number, pages), key="facts-page")
    frame = pd.DataFrame(page.rows, columns=list(page.columns))
    shown = frame if places else frame.drop(columns="world")
    ticked = table(
        shown, digits=None, selection="single-row", key=f"facts-table-{name}"
    ).selection.rows
    st.caption(
        f"{page.total:,} facts, {PAGE} a page. The value is 1 where a fact is true, 0 where it is "
        "false. Tick a row to look at its things, or to correct it."
    )
    row = page.rows[ticked[0]] if ticked and ticked[0] < len(page.rows) else None
    if row is not None:
        things_of(name, row[1:-2])
    facets(name)
    edit(name, row)


def distribution(name: str) -> None:
    """Counts, distinct values, top values and degrees of a predicate."""
    ws = workspace()
    summary = next(item for item in ws.data.catalog() if item.predicate.name == name)
    predicate = summary.predicate
    openness = {
        True: "closed world: what is not listed is false",
        False: "open: what is not listed is unknown",
    }
    st.caption(
        f"A {predicate.kind}; "
        f"{openness.get(predicate.closed, 'open or closed as the data and the query decide')}."
    )
    if not summary.facts:
        st.info(
            "No facts of this predicate are loaded. Import some on the Data page, or let it be "
            "inferred."
        )
        return
    fields = ("world", "partition", "true", "false", "between", "unknown")
    table(
        pd.DataFrame(
            [{field: getattr(count, field) for field in fields} for count in summary.counts]
        )
    )
    if not predicate.arity:
        return
    with st.spinner("Counting ..."):
        possible, distinct = ws.data.combinations(name), ws.data.distinct_values(name)
    # Numbers and texts are no things, and have no combinations.
    combined = (
        ("Combinations", possible, "Of constants of these types within each world."),
        ("Without a fact", max(0, possible - summary.facts), None),
    )
    metrics(
        [
            *(
                (plain(f"Distinct, {place}: {kind}"), number, None)
                for place, (kind, number) in enumerate(zip(predicate.argument_types, distinct), 1)
            ),
            *(combined if all(kind is None for kind in predicate.kinds) else ()),
        ]
    )
    position = st.selectbox(
        "Argument",
        range(predicate.arity),
        format_func=lambda at: f"{at + 1}: {predicate.argument_types[at]}",
        key=f"counts-argument-{name}",
    )
    left, right = st.columns(2)
    top = pd.DataFrame(ws.data.top_values(name, position, limit=15), columns=["value", "facts"])
    left.caption("Commonest values")
    draw(charts.bars(top, "value", "facts", description=f"Commonest values of {name}"), left)
    degree = pd.DataFrame(ws.data.degrees(name, position), columns=["facts", "constants"]).head(40)
    right.caption("Degrees: how many constants occur in how many facts")
    draw(charts.degree_chart(degree, description=f"Degrees of {name}"), right)


def things_of(name: str, cells: Sequence[Any]) -> None:
    """A button for each thing that a fact names."""
    predicate = predicate_of(name)
    named = zip(predicate.argument_types, predicate.kinds, cells)
    to_things((kind, str(cell)) for kind, value, cell in named if value is None)


def predicate_of(name: str) -> Any:
    """A predicate as it is stored."""
    return next(
        item.predicate for item in workspace().data.catalog() if item.predicate.name == name
    )


def facets(name: str) -> None:
    """The commonest values of each argument, each keeping the facts that have it."""
    if not st.toggle(
        "Facets",
        key="facts-facets",
        help="The commonest values; one that is chosen keeps its facts.",
    ):
        return
    types = predicate_of(name).argument_types
    for position, column in enumerate(st.columns(max(1, len(types)))[: len(types)]):
        with column:
            st.caption(plain(f"{position + 1}: {types[position]}"))
            for value, count in workspace().data.top_values(name, position, limit=FACETS):
                st.button(
                    f"{plain(value)}: {count:,}",
                    key=f"facet-{name}-{position}-{value}",
                    type="tertiary",
                    on_click=st.session_state.update,
                    args=({"facts-search": value, "facts-page": 1},),
                )


def console() -> None:
    """One SELECT at a time, read only, limited in rows and time;
    the query is part of the address.
    """
    ws = workspace()
    start = st.query_params.get(
        "sql", 'SELECT world, count(*) AS facts FROM facts."..." GROUP BY world'
    )
    if "..." in start:
        held = [item.predicate for item in ws.data.catalog() if item.facts]
        start = start.replace("...", held[0].view_name.replace('"', '""') if held else "...")
    sql = st.text_area(
        "SQL",
        value=start,
        height=140,
        key="sql",
        help="Facts with names are views in the schema facts.",
    )
    left, right, _ = st.columns([1, 1, 2])
    limit = int(left.number_input("Rows at most", 1, 100_000, 1000, key="sql-rows"))
    seconds = float(right.number_input("Seconds at most", 1, 120, 10, key="sql-seconds"))
    try:
        names = ws.data.query_parameters(sql) if sql.strip() else ()
    except WorkbenchError as error:
        show_error(error)
        return
    values = {name: st.text_input(f"${name}", key=f"sql-parameter-{name}") for name in names}
    if st.button("Run", type="primary", key="sql-run", disabled=not sql.strip()):
        try:
            with st.spinner("Running ..."):
                result = ws.data.query(sql, values or None, max_rows=limit, seconds=seconds)
        except WorkbenchError as error:
            show_error(error)
            return
        st.query_params["sql"] = sql
        history = st.session_state.setdefault("sql-history", [])
        if sql not in history:
            history.insert(0, sql)
        frame = pd.DataFrame(result.rows, columns=list(result.columns))
        cut = f"; only the first {limit:,} are shown" if result.truncated else ""
        st.caption(f"{len(frame):,} rows in {result.seconds:.2f} s{cut}")
        table(frame, digits=None)
        st.download_button("Download as CSV", csv_text(frame), "query.csv", "text/csv")
    else:
        st.caption(
            "One SELECT or EXPLAIN; $name makes a field. The query becomes part of this page's "
            "address."
        )
    if st.session_state.get("sql-history"):
        with st.expander("History"):
            for text in st.session_state["sql-history"][:20]:
                st.code(text, language="sql")


header(
    "Explore",
    "The facts as they are: pages of them, counts and degrees, what is near a thing, and SQL.",
    "fact",
    "predicate",
    "world",
)
predicates = [
    item.predicate.name
    for item in sorted(workspace().data.catalog(), key=lambda item: not item.facts)
]
if not predicates:
    st.info("There is nothing to explore yet. Open an example or import a file on the Data page.")
    st.page_link("views/data.py", label="To the data", icon=":material/database:")
else:
    views = ["Facts", "Counts and degrees", THING, "SQL"]
    opened = "SQL" if "sql" in st.query_params else "Facts"
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    view = left.segmented_control(
        "View", views, default=opened, key="view", label_visibility="collapsed", required=True
    )
    if view in ("Facts", "Counts and degrees"):
        name = right.selectbox(
            "Predicate", predicates, key="predicate", label_visibility="collapsed"
        )
        show = facts if view == "Facts" else distribution
        show(name)
    elif view == THING:
        thing()
    else:
        console()
