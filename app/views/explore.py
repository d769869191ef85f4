"""Explore: predicates and their facts, degrees, one constant's neighbourhood, and a read-only console."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from app import charts
from app.state import show_error, workspace
from workbench.errors import WorkbenchError

PAGE = 50


def facts(name: str) -> None:
    """A page of facts, searched and paged in the database."""
    ws = workspace()
    left, middle, right = st.columns(3)
    search = left.text_input("Search", key="facts-search", help="Keeps facts with an argument that contains this.")
    world = middle.selectbox("World", ["all", *ws.worlds()], key="facts-world")
    partition = right.selectbox("Partition", ["all", "evidence", "truth", "target"], key="facts-partition")
    number = int(st.session_state.get("facts-page", 1))
    options = {"world": None if world == "all" else world, "partition": None if partition == "all" else partition}
    page = ws.facts_page(name, search=search, offset=(number - 1) * PAGE, limit=PAGE, **options)
    pages = max(1, -(-page.total // PAGE))
    if number > pages:
        page = ws.facts_page(name, search=search, limit=PAGE, **options)
    st.dataframe(pd.DataFrame(page.rows, columns=list(page.columns)), hide_index=True, width="stretch")
    st.number_input(f"Page (of {pages:,}; {page.total:,} facts)", 1, pages, min(number, pages), key="facts-page")


def distribution(name: str) -> None:
    """Counts, distinct values, top values and degrees of a predicate."""
    ws = workspace()
    summary = next(item for item in ws.catalog() if item.predicate.name == name)
    predicate = summary.predicate
    openness = {True: "closed world", False: "open", None: "open or closed as the data and the query decide"}
    st.caption(f"{predicate.kind}, {openness[predicate.closed]}")
    if not summary.facts:
        st.info("No facts of this predicate are loaded. Import some on the Data page, or let it be inferred.")
        return
    counts = [
        {
            "world": count.world,
            "partition": count.partition,
            "true": count.true,
            "false": count.false,
            "between": count.between,
            "unknown": count.unknown,
        }
        for count in summary.counts
    ]
    st.dataframe(pd.DataFrame(counts), hide_index=True, width="stretch")
    possible = ws.combinations(name)
    if predicate.arity:
        st.caption(
            "Distinct values: "
            + ", ".join(f"{kind} {number:,}" for kind, number in zip(predicate.argument_types, summary.distinct))
            + f". Combinations within worlds: {possible:,}; without a fact: {max(0, possible - summary.facts):,}."
        )
        place = st.selectbox(
            "Argument", range(predicate.arity), format_func=lambda at: f"{at + 1}: {predicate.argument_types[at]}"
        )
        left, right = st.columns(2)
        top = pd.DataFrame(ws.top_values(name, place, limit=15), columns=["value", "facts"])
        left.caption("Commonest values")
        left.altair_chart(charts.bars(top, "value", "facts", description=f"Commonest values of {name}"))
        degree = pd.DataFrame(ws.degrees(name, place), columns=["facts", "constants"]).head(40)
        right.caption("Degrees")
        right.altair_chart(charts.degree_chart(degree, description=f"Degrees of {name}"))


def neighbourhood() -> None:
    """The facts around one constant, as a graph."""
    ws = workspace()
    types = ws.types()
    if not types:
        st.info("There are no constants yet. Import data first.")
        return
    left, middle, right = st.columns(3)
    kind = left.selectbox("Type", types, key="near-type")
    search = middle.text_input("Find", key="near-search")
    found = ws.constants(kind, search=search, limit=100)
    constant = right.selectbox("Constant", found, key="near-constant")
    if constant is None:
        st.info("No constant of that type contains this text.")
        return
    facts_near = ws.neighbours(kind, constant, limit=40)
    if not facts_near:
        st.info("No true fact mentions it.")
        return

    def node(text: str) -> str:
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'

    lines = ["graph {", 'layout=neato; overlap=false; splines=true; node [shape=box style=rounded fontname="sans"];']
    lines.append(f'edge [len=2.2 fontname="sans"]; {node(constant)} [style="rounded,filled" fillcolor=lightblue];')
    for fact in facts_near:
        others = [name for place, name in enumerate(fact.arguments) if place != fact.position]
        if len(others) == 1:
            lines.append(f"{node(constant)} -- {node(others[0])} [label={node(fact.predicate)} fontsize=10];")
        elif others:
            label = f"{fact.predicate}({', '.join(fact.arguments)})"
            lines.append(f"{node(label)} [shape=ellipse fontsize=10]; {node(constant)} -- {node(label)};")
            lines += [f"{node(label)} -- {node(other)};" for other in others]
    lines.append("}")
    st.graphviz_chart("\n".join(lines))
    with st.expander("As a table"):
        st.dataframe(
            pd.DataFrame(
                {
                    "predicate": [f.predicate for f in facts_near],
                    "arguments": [", ".join(f.arguments) for f in facts_near],
                }
            ),
            hide_index=True,
        )


def console() -> None:
    """One SELECT at a time, read only, limited in rows and time; the query is part of the address."""
    ws = workspace()
    start = st.query_params.get("sql", 'SELECT world, count(*) AS facts FROM facts."..." GROUP BY world')
    if "..." in start:
        held = [item.predicate for item in ws.catalog() if item.facts]
        start = start.replace("...", held[0].view_name.replace('"', '""') if held else "...")
    sql = st.text_area(
        "SQL", value=start, height=140, key="sql", help="Facts with names are views in the schema facts."
    )
    left, right = st.columns(2)
    limit = int(left.number_input("Rows at most", 1, 100_000, 1000, key="sql-rows"))
    seconds = float(right.number_input("Seconds at most", 1, 120, 10, key="sql-seconds"))
    try:
        names = ws.query_parameters(sql) if sql.strip() else ()
    except WorkbenchError as error:
        show_error(error)
        return
    values = {name: st.text_input(f"${name}", key=f"sql-parameter-{name}") for name in names}
    if st.button("Run", type="primary", key="sql-run", disabled=not sql.strip()):
        try:
            with st.spinner("Running ..."):
                result = ws.query(sql, values or None, max_rows=limit, seconds=seconds)
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
        st.dataframe(frame, hide_index=True, width="stretch")
        st.download_button("Download as CSV", frame.to_csv(index=False), "query.csv", "text/csv")
    if st.session_state.get("sql-history"):
        with st.expander("History"):
            for text in st.session_state["sql-history"][:20]:
                st.code(text, language="sql")


st.title("Explore")
predicates = [item.predicate.name for item in workspace().catalog()]
if not predicates:
    st.info("There is nothing to explore yet. Open an example or import a file on the Data page.")
else:
    views = ["Facts", "Counts and degrees", "Neighbourhood", "SQL"]
    opened = "SQL" if "sql" in st.query_params else "Facts"
    view = st.segmented_control("View", views, default=opened, key="view", label_visibility="collapsed") or opened
    if view in ("Facts", "Counts and degrees"):
        name = st.selectbox("Predicate", predicates, key="predicate")
        show = facts if view == "Facts" else distribution
        show(name)
    elif view == "Neighbourhood":
        neighbourhood()
    else:
        console()
