"""Explore: facts with their facets, counts, one thing with its links, and a read-only console."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from app import charts
from app.fact_pages import facts
from app.figures import several
from app.show import draw, header, lead_to, metrics, plain, show_error
from app.state import workspace
from app.tabular import table
from app.things import THING, thing
from workbench.errors import WorkbenchError


def distribution(summary: Any) -> None:
    """Counts, distinct values, top values and degrees of a predicate."""
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
        ),
        f"{predicate.name}-counts",
    )
    if not predicate.arity:
        return
    sizes(summary)
    spread(summary)


def sizes(summary: Any) -> None:
    """How many different values each argument has; of things, how many combinations have a fact."""
    ws, predicate, name = workspace(), summary.predicate, summary.predicate.name
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


def spread(summary: Any) -> None:
    """The commonest values of an argument, and how many facts values have."""
    ws, predicate, name = workspace(), summary.predicate, summary.predicate.name
    position = st.selectbox(
        "Argument",
        range(predicate.arity),
        format_func=lambda at: f"{at + 1}: {predicate.argument_types[at]}",
        key=f"counts-argument-{name}",
        persist_state="session",
    )
    left, right = st.columns(2)
    top = pd.DataFrame(ws.data.top_values(name, position, limit=15), columns=["value", "facts"])
    left.caption("Commonest values")
    draw(charts.bars(top, "value", "facts", description=f"Commonest values of {name}"), left)
    degree = pd.DataFrame(ws.data.degrees(name, position), columns=["facts", "constants"]).head(40)
    right.caption("Degrees: how many constants occur in how many facts")
    draw(charts.degree_chart(degree, description=f"Degrees of {name}"), right)


def first_query() -> str:
    """The query of the address, or one over facts that there are."""
    start = st.query_params.get(
        "sql", 'SELECT world, count(*) AS facts FROM facts."..." GROUP BY world'
    )
    if "..." in start:
        held = [item.predicate for item in workspace().data.catalog() if item.facts]
        start = start.replace("...", held[0].view_name.replace('"', '""') if held else "...")
    return start


def answered(sql: str, values: dict[str, str], limit: int, seconds: float) -> bool:
    """Ask, show the rows, and put the query into the address and the history; False where it
    fails.
    """
    try:
        with st.spinner("Running ..."):
            result = workspace().data.query(sql, values or None, max_rows=limit, seconds=seconds)
    except WorkbenchError as error:
        show_error(error)
        return False
    st.query_params["sql"] = sql
    history = st.session_state.setdefault("sql-history", [])
    if sql not in history:
        history.insert(0, sql)
    frame = as_frame(result)
    cut = f"; only the first {limit:,} are shown" if result.truncated else ""
    rows = several(len(frame), "row")
    st.caption(f"{rows} in {result.seconds:.2f} s{cut}")
    table(frame, "query", digits=None)
    return True


def as_frame(result: Any) -> pd.DataFrame:
    """An answer as a table: columns of one name numbered, whole numbers past 64 bits as text."""
    names: list[str] = []
    for name in result.columns:
        number, told = 1, name
        while told in names:
            number += 1
            told = f"{name} ({number})"
        names.append(told)
    frame = pd.DataFrame(result.rows, columns=names)
    for name in frame:
        large = (isinstance(cell, int) and abs(cell) >= 2**63 for cell in frame[name])
        if frame[name].dtype.kind == "O" and any(large):
            frame[name] = [None if cell is None else str(cell) for cell in frame[name]]
    return frame


def console() -> None:
    """One SELECT at a time, read only, bounded in rows and time; it is part of the address."""
    sql = st.text_area(
        "SQL",
        value=first_query(),
        height=140,
        key="sql",
        help="Facts with names are views in the schema facts.",
        persist_state="session",
    )
    left, right, _ = st.columns([1, 1, 2])
    limit = int(
        left.number_input("Rows at most", 1, 100_000, 1000, key="sql-rows", persist_state="session")
    )
    seconds = float(
        right.number_input(
            "Seconds at most", 1, 120, 10, key="sql-seconds", persist_state="session"
        )
    )
    try:
        names = workspace().data.query_parameters(sql) if sql.strip() else ()
    except WorkbenchError as error:
        show_error(error)
        return
    values = {
        name: st.text_input(f"${name}", key=f"sql-parameter-{name}", persist_state="session")
        for name in names
    }
    if st.button("Run", type="primary", key="sql-run", disabled=not sql.strip()):
        if not answered(sql, values, limit, seconds):
            return
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
predicates = {
    item.predicate.name: item
    for item in sorted(workspace().data.catalog(), key=lambda item: not item.facts)
}
if not predicates:
    st.info("There is nothing to explore yet. Open an example or import a file on the Data page.")
    lead_to("data", "To the data", ":material/database:")
else:
    views = ["Facts", "Counts and degrees", THING, "SQL"]
    opened = "SQL" if "sql" in st.query_params else "Facts"
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    view = left.segmented_control(
        "View",
        views,
        default=opened,
        key="view",
        label_visibility="collapsed",
        required=True,
        persist_state="session",
    )
    if view in ("Facts", "Counts and degrees"):
        name = right.selectbox(
            "Predicate",
            list(predicates),
            key="predicate",
            label_visibility="collapsed",
            persist_state="session",
        )
        if view == "Facts":
            facts(predicates[name].predicate)
        else:
            distribution(predicates[name])
    elif view == THING:
        thing()
    else:
        console()
