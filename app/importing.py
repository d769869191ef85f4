"""Forms that bring in tables, fact files, ILP problems, databases; written on Import alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import isfinite
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from app.figures import several
from app.files import chosen_files
from app.show import plain, show_error, warnings, with_cure
from app.state import workspace
from app.tabular import table, take_home
from workbench.errors import WorkbenchError
from workbench.workspace import file_endings

PARTITIONS = {
    "evidence": "evidence: known facts",
    "truth": "truth: labels to learn from and to be scored against",
    "target": "target: atoms to infer",
}
ROLES = ["argument", "truth value", "world", "leave out"]


def import_table() -> None:
    """CSV, TSV or Parquet: preview, map columns, import."""
    paths = chosen_files(file_endings("columns"), "table")
    if not paths:
        st.caption("Each row of a table is one fact. Nothing is written before you press Import.")
        return
    path = paths[0]
    try:
        named = names_columns(workspace().data.preview_table(path, header=False))
        header = st.checkbox(
            "The first line names the columns",
            value=named,
            key=f"table-header-{path.name}",
            persist_state="session",
        )
        preview = workspace().data.preview_table(path, header=header)
    except WorkbenchError as error:
        show_error(error)
        return
    if not preview.rows:
        st.info("This table has no rows, so there is nothing to import.")
        return
    st.caption(f"The first {several(len(preview.rows), 'row')}")
    table(pd.DataFrame(preview.rows, columns=list(preview.columns)), f"{path.stem}-rows", most=220)
    name = st.text_input(
        "Predicate",
        value=predicate_name(path),
        key=f"table-predicate-{path.name}",
        persist_state="session",
    )
    mapping = mapped_columns(preview, name, key=f"table-mapping-{path.name}-{header}-{name}")
    partition, world = place("table")
    if not st.button("Import", type="primary", key="table-import"):
        return
    roles = {role: mapping.loc[mapping["means"] == role, "column"].tolist() for role in ROLES}
    chosen = mapping[mapping["means"] == "argument"]
    imported(
        lambda: workspace().data.import_table(
            path,
            predicate=name.strip(),
            types={row.column: (row.type or row.column).strip() for row in chosen.itertuples()},
            value=roles["truth value"][0] if roles["truth value"] else None,
            world_column=roles["world"][0] if roles["world"] else None,
            world=world,
            partition=partition,
            header=header,
        )
    )


def names_columns(preview: Any) -> bool:
    """Whether the first line is other than those below: nothing in it stands below again, and no
    number above numbers.
    """
    first, *below = preview.rows or ((),)
    columns = zip(first, zip(*below)) if below else ()
    return not any(cell in column or _are_numbers((cell, *column)) for cell, column in columns)


def _are_numbers(cells: Iterable[str | None]) -> bool:
    try:
        return all(isfinite(float(cell)) for cell in cells if cell is not None)
    except ValueError:
        return False


def import_facts() -> None:
    """Files of facts by their names: Alchemy's, PSL's, tables, a dataset.toml, a directory."""
    st.caption(
        "Alchemy's .db files need the predicates that your rules declare; of a table the file's "
        "name is the predicate. A path may also be a dataset.toml or a directory."
    )
    paths = chosen_files(file_endings("facts"), "facts")
    partition, world = place("facts")
    if not st.button("Import", type="primary", key="facts-import", disabled=not paths) or not paths:
        return

    def load() -> Any:
        ws, path = workspace(), paths[0]
        if path.name == "dataset.toml" or (path / "dataset.toml").is_file():
            return ws.data.open_dataset(path)
        text, language = ws.rules.at_hand()
        checked = ws.rules.check(text, language)
        rules = checked.program if text.strip() and not checked.has_errors else None
        return ws.load(path, rules=rules, world=world, partition=partition)

    imported(load)


def import_ilp() -> None:
    """Aleph's files: background, positive and negative examples."""
    st.caption(
        "Aleph's .b, .f and .n files of one problem together, or a path to their directory "
        "(Popper's too). Background becomes evidence, examples become truth; the page Rules then "
        "searches by the problem's modes."
    )
    paths = chosen_files(["b", "f", "n", "pl"], "ilp", several=True)
    if st.button("Import", type="primary", key="ilp-import", disabled=not paths) and paths:
        imported(lambda: workspace().data.import_ilp(*paths))


def import_attached() -> None:
    """A table of another database."""
    st.caption("Tables and views of DuckDB, SQLite and PostgreSQL databases, read through DuckDB.")
    left, right = st.columns(2)
    source = left.text_input(
        "Database",
        key="attached-source",
        placeholder="staff.duckdb, staff.sqlite or postgresql://...",
        persist_state="session",
    )
    source_table = right.text_input(
        "Table or view", key="attached-table", placeholder="schema.table", persist_state="session"
    )
    predicate = left.text_input(
        "Predicate", key="attached-predicate", placeholder="WorksWith", persist_state="session"
    )
    types = right.text_input(
        "Types of its arguments",
        key="attached-types",
        placeholder="person, person",
        persist_state="session",
    )
    ready = bool(source and source_table and predicate and types)
    if st.button("Import", type="primary", key="attached-import", disabled=not ready):
        names = [name.strip() for name in types.split(",") if name.strip()]
        imported(
            lambda: workspace().data.attach_table(
                source, table=source_table, predicate=predicate, types=names
            )
        )


def predicate_name(path: Path) -> str:
    """`advised_by.csv` as `AdvisedBy`."""
    stem = path.name.split(".", 1)[0]
    return (
        "".join(part[:1].upper() + part[1:] for part in stem.replace("-", "_").split("_")) or "Fact"
    )


def mapped_columns(preview: Any, predicate: str, *, key: str) -> pd.DataFrame:
    """What each column means and, of an argument, its type; guessed, for the reader to correct."""
    columns = preview.columns
    known = {item.predicate.name: item.predicate for item in workspace().data.catalog()}
    types = iter(known[predicate].argument_types if predicate in known else ())
    special = {"value": "truth value", "world": "world"}
    means = [special.get(column.lower(), "argument") for column in columns]
    alike = types_by_cells(preview)
    guessed = [next(types, kind) if role == "argument" else "" for kind, role in zip(alike, means)]
    mapped = st.data_editor(
        pd.DataFrame({"column": list(columns), "means": means, "type": guessed}),
        column_config={
            "column": st.column_config.TextColumn(disabled=True),
            "means": st.column_config.SelectboxColumn(options=ROLES, required=True),
            "type": st.column_config.TextColumn(
                help="Constants of one type can meet in a rule: person, course, ..."
            ),
        },
        hide_index=True,
        key=key,
        width="stretch",
    )
    take_home(f"{predicate}-columns", lambda: mapped)
    return mapped


def types_by_cells(preview: Any) -> list[str]:
    """A type for each column: its name, or that of an earlier column with names in common."""
    seen: list[tuple[str, set[str]]] = []
    for place, column in enumerate(preview.columns):
        cells = {str(row[place]) for row in preview.rows}
        names = {cell for cell in cells if not cell.replace(".", "").lstrip("-").isdigit()}
        seen.append((next((kind for kind, held in seen if held & names), column.lower()), names))
    return [kind for kind, _ in seen]


def place(key: str) -> tuple[Any, str | None]:
    """The partition and the world that the facts go to."""
    left, right = st.columns(2)
    partition = left.selectbox(
        "Partition",
        list(PARTITIONS),
        format_func=lambda name: PARTITIONS[name],
        key=f"{key}-partition",
        persist_state="session",
    )
    world = right.text_input(
        "World",
        value="world",
        key=f"{key}-world",
        help="Used where no column names the world.",
        persist_state="session",
    )
    return partition, world.strip() or None


def imported(load: Callable[[], Any]) -> None:
    """Load, and say what came in or why nothing did."""
    try:
        with st.spinner("Importing ..."):
            report = load()
    except WorkbenchError as error:
        show_error(error)
        return
    total = sum(report.facts.values())
    by_predicate = ", ".join(f"{name} {count:,}" for name, count in report.facts.items())
    worlds = plain(", ".join(report.worlds))
    said = f"{several(total, 'new fact')} in {worlds}: {plain(by_predicate)}"
    st.session_state["imported"] = (said, report.warnings)
    st.rerun()


def last_import() -> None:
    """What the import that was just made brought."""
    if "imported" in st.session_state:
        said, found = st.session_state.pop("imported")
        st.success(said, icon=":material/check:")
        warnings(with_cure(one.message, one.help) for one in found)
