"""Tables: bring several at once, see what they are taken for, correct it, and load them."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import pandas as pd
import streamlit as st

from app.figures import several
from app.files import named_sources, staying, taken_here
from app.pictures import picture, picture_in_words
from app.show import header, plain, show_error, warnings
from app.state import server, workspace
from app.tabular import table
from workbench.errors import WorkbenchError
from workbench.workspace import ColumnKind, TableMapping, file_endings

LOOK = "tables-look"
NOTHING = "nothing yet: only load them"
OF_DATES = {"Y": "YYYY", "y": "YY", "m": "MM", "d": "DD", "b": "Mon", "B": "Month", "H": "hh"}
OF_DATES |= {"M": "mm", "S": "ss"}


def chosen() -> list[str]:
    """The files to look at; they stay chosen when one looks at another page."""
    left, right = st.columns(2)
    whole = left.toggle("A whole folder", key="tables-folder", persist_state="session")
    uploads = left.file_uploader(
        "Upload a folder" if whole else "Upload tables, as many as belong together",
        type=taken_here(file_endings("wide")),
        key=f"tables-upload-{whole}",
        accept_multiple_files="directory" if whole else True,
    )
    with right:
        named = named_sources("tables-paths")
    return staying(uploads, named, "tables")


def look_at(sources: list[str]) -> Any | None:
    """The look at these files: with more rows of tables at hand as these were read, or as one
    says.
    """
    at_hand = workspace().data.tables_at_hand()
    tables = () if at_hand is None else at_hand.tables
    read = {path for table in tables for path in (table.source.path, *table.source.more)}
    if set(sources) <= read:
        return looked_at([*dict.fromkeys(table.source.path for table in tables)], anew=True)
    found = looked_at(sources, anew=False)
    if found is None or not found.more_rows:
        return found
    names = ", ".join(found.rows)
    all_of_several = len(found.rows) == len(tables) > 1
    chosen = st.radio(
        "There are tables of these names already. What are these files?",
        (f"more rows of {names}", "other tables, to be looked at anew"),
        index=int(all_of_several),
        key="tables-more",
        persist_state="session",
    )
    return found if chosen.startswith("more") else looked_at(sources, anew=True)


def looked_at(sources: list[str], *, anew: bool) -> Any | None:
    """The look at these files; taken again where they are others, or were written since."""
    stamp = (
        server().opened,
        *((path, Path(path).stat().st_mtime if Path(path).exists() else 0) for path in sources),
    )
    held = st.session_state.setdefault(LOOK, {})
    if anew not in held or held[anew][0] != stamp:
        try:
            with st.spinner("Looking at the tables ..."):
                found = workspace().data.look_at_tables(sources, anew=anew)
        except WorkbenchError as error:
            show_error(error)
            return None
        if found.targets and found.mapping.predict is None and not found.more_rows:
            found = found.predicting(found.targets[0])
        held[anew] = (stamp, found)
    return held[anew][1]


def keep(look: Any, corrected: Any) -> None:
    """The look as it was corrected, in place of what it was."""
    held = st.session_state[LOOK]
    for anew, (stamp, before) in held.items():
        if before is look:
            held[anew] = (stamp, corrected)


def predicted(look: Any) -> None:
    """What is to be predicted."""
    names = [*look.targets, NOTHING]
    now = look.mapping.predict or NOTHING
    picked = st.selectbox(
        "What should be predicted?",
        names if now in names else [now, *names],
        index=names.index(now) if now in names else 0,
        key=f"tables-predict-{hash(tuple(names))}",
        help="Its filled cells are learned from; its blank ones are predicted.",
    )
    if picked != now:
        keep(look, look.predicting(None if picked == NOTHING else picked))
        st.rerun()


def shape(mapped: TableMapping) -> str:
    """What a row of the table is, in words."""
    if mapped.key is not None:
        return f"each row is one {mapped.type}, named by {mapped.key}"
    if mapped.relation is not None:
        return f"each row links {' and '.join(column.table or '' for column in mapped.references)}"
    return f"each row is one {mapped.type} without a name of its own"


def dates_in_letters(reason: str) -> str:
    """A reason with forms of dates as people write them: `DD.MM.YYYY`."""
    return re.sub(r"%([a-zA-Z])", lambda found: OF_DATES.get(found[1], found[0]), reason)


def one(look: Any, mapped: TableMapping) -> None:
    """A table: its first rows, what each column is taken for, and a form to correct one."""
    st.caption(plain(f"{several(mapped.rows, 'row')}; {shape(mapped)}"))
    rows, columns = look.rows[mapped.name], look.columns[mapped.name]
    table(pd.DataFrame(list(rows), columns=list(columns)), f"{mapped.name}-rows", most=190)
    frame = pd.DataFrame(
        [
            {
                "column": column.name,
                "is a": column.kind if column.table is None else f"{column.kind} to {column.table}",
                "called": column.predicate or "",
                "blank": column.missing,
                "because": dates_in_letters(column.reason),
            }
            for column in mapped.columns
        ]
    )
    if look.more_rows:  # its reasons are of the rows that came first
        frame = frame.drop(columns="because")
    table(
        frame,
        f"{mapped.name}-columns",
        help={"called": "What its facts are called in rules.", "blank": "Cells that say nothing."},
    )
    if not look.more_rows:
        correct(look, mapped)


def correct(look: Any, mapped: TableMapping) -> None:
    """Another kind, name or table for a column."""
    with st.expander("Correct a column, or the table's name"):
        renamed(look, mapped)
        names = [column.name for column in mapped.columns]
        first, second, third, fourth = st.columns(4)
        column = mapped.column(
            first.selectbox("Column", names, key=f"correct-column-{mapped.name}")
        )
        key = f"{mapped.name}-{column.name}"
        kinds = list(get_args(ColumnKind))
        kind = second.selectbox(
            "Is a", kinds, index=kinds.index(column.kind), key=f"correct-kind-{key}"
        )
        called = third.text_input(
            "Called", column.predicate or "", key=f"correct-name-{key}", disabled=kind == "key"
        )
        others = [
            other.name
            for other in look.mapping.tables
            if other.key is not None and other is not mapped
        ]
        place = others.index(column.table) if column.table in others else None
        refers = fourth.selectbox(
            "Refers to",
            others,
            index=place,
            key=f"correct-table-{key}",
            disabled=kind != "reference",
        )
        if st.button("Correct", key=f"correct-{mapped.name}"):
            settle(
                look,
                lambda: look.corrected(
                    mapped.name,
                    column.name,
                    kind=kind,
                    predicate=called.strip() or None,
                    refers_to=refers if kind == "reference" else None,
                ),
            )


def renamed(look: Any, mapped: TableMapping) -> None:
    """Another name for the table."""
    left, right = st.columns([1, 3], vertical_alignment="bottom")
    name = left.text_input("The table's name", mapped.name, key=f"rename-to-{mapped.name}").strip()
    unchanged = name in ("", mapped.name)
    if right.button("Rename", key=f"rename-{mapped.name}", disabled=unchanged):
        settle(look, lambda: look.renamed(mapped.name, name))


def settle(look: Any, corrected: Callable[[], Any]) -> None:
    """Keep the look as it is corrected, and show it; or say why that cannot be."""
    try:
        keep(look, corrected())
    except WorkbenchError as error:
        show_error(error)
        return
    st.rerun()


def load(look: Any) -> None:
    """Load the tables as they were looked at; what came in is told on the first page."""
    brought = [mapped for mapped in look.mapping.tables if mapped.name in look.rows]
    sources = list(dict.fromkeys(mapped.source.path for mapped in brought))
    mapping = None if look.more_rows else look.mapping
    try:
        with st.spinner("Loading ..."):
            report = workspace().load(sources, mapping=mapping, wide=True)
    except WorkbenchError as error:
        show_error(error)
        return
    said = [warning.message for warning in report.warnings]
    st.session_state["tables-loaded"] = (sum(report.facts.values()), said)
    st.switch_page("views/start.py")


header(
    "Bring your tables",
    "Several at once: what refers to what is found by itself. Nothing is loaded before you say so.",
)
sources = chosen()
look = look_at(sources) if sources else None
if not sources:
    st.info(
        "Choose the files that belong together: people, what they own, where they go. CSV, Excel, "
        "databases."
    )
elif look is not None:
    brought = [mapped for mapped in look.mapping.tables if mapped.name in look.rows]
    if look.more_rows:
        said = [f"{mapped.rows:,} of {mapped.name}" for mapped in brought]
        st.caption(plain(f"Rows: {', '.join(said)}. They are read as the rows at hand were."))
    else:
        st.graphviz_chart(picture(look.mapping))
        st.caption(picture_in_words(look.mapping))
        predicted(look)
    button = "Add these rows" if look.more_rows else "Looks right"
    if st.button(button, type="primary", key="tables-load", icon=":material/check:"):
        load(look)
    warnings(note.message for note in look.notes)
    for tab, mapped in zip(st.tabs([plain(mapped.name) for mapped in brought]), brought):
        with tab:
            one(look, mapped)
