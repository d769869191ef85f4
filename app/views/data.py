"""Data: what the workspace holds, and how more comes in."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import streamlit as st

from app.state import plain, saved_upload, server, show_error, warnings, workspace
from workbench.errors import WorkbenchError
from workbench.workspace import bundled_examples

PARTITIONS = {
    "evidence": "evidence: known facts",
    "truth": "truth: labels to learn from and to be scored against",
    "target": "target: atoms to infer",
}
ROLES = ["argument", "truth value", "world", "leave out"]


def contents() -> None:
    """What is there now, in three figures and a table."""
    ws = workspace()
    summaries = ws.catalog()
    held = [item for item in summaries if item.facts]
    first, second, third = st.columns(3)
    first.metric("Facts", f"{sum(item.facts for item in summaries):,}")
    second.metric("Predicates with facts", f"{len(held)} of {len(summaries)}")
    third.metric("Worlds", len(ws.worlds()), help="Databases kept apart: no rule joins two of them.")
    if not summaries:
        st.info("This workspace is empty. Open an example below, or import a file of your own.")
        return
    rows = []
    for item in summaries:
        by_partition = dict.fromkeys(PARTITIONS, 0)
        for count in item.counts:
            by_partition[count.partition] += count.facts
        rows.append(
            {"predicate": item.predicate.name, "arguments": ", ".join(item.predicate.argument_types), **by_partition}
        )
    st.dataframe(pd.DataFrame(rows), hide_index=True, width="stretch", height=min(215, 40 + 35 * len(rows)))


def examples() -> None:
    """Bundled examples, one click each."""
    for example in bundled_examples():
        with st.container(border=True):
            text, button = st.columns([5, 1], vertical_alignment="center")
            text.markdown(f"**{plain(example.name)}**")
            text.caption(plain(example.description))
            if button.button("Open", key=f"open-{example.key}", help="Load its facts and rules into this workspace"):
                try:
                    workspace().open_example(example.key)
                    st.toast(f"{example.name} is loaded")
                    st.rerun()
                except WorkbenchError as error:
                    show_error(error)


def chosen_file(kinds: list[str], key: str) -> Path | None:
    """An uploaded file, or one on this machine by its path."""
    upload = st.file_uploader(
        "Upload a file", type=kinds, key=f"{key}-upload", help="At most 50 MB; larger ones by path."
    )
    typed = st.text_input("... or give the path of a file on this machine", key=f"{key}-path")
    if upload is not None:
        if st.session_state.get(f"{key}-id") != upload.file_id:
            st.session_state[f"{key}-id"] = upload.file_id
            st.session_state[f"{key}-saved"] = saved_upload(upload)
        return Path(st.session_state[f"{key}-saved"])
    return Path(typed).expanduser() if typed else None


def predicate_name(path: Path) -> str:
    """`advised_by.csv` as `AdvisedBy`."""
    stem = path.name.split(".", 1)[0]
    return "".join(part[:1].upper() + part[1:] for part in stem.replace("-", "_").split("_")) or "Fact"


def import_table() -> None:
    """CSV, TSV or Parquet: preview, map columns, import."""
    path = chosen_file(["csv", "tsv", "parquet", "gz"], "table")
    if path is None:
        st.caption("Each row of a table is one fact. Nothing is written before you press Import.")
        return
    header = st.checkbox("The first line names the columns", value=True, key="table-header")
    try:
        preview = workspace().preview_table(path, header=header)
    except WorkbenchError as error:
        show_error(error)
        return
    st.caption(f"The first {len(preview.rows)} rows")
    st.dataframe(
        pd.DataFrame(preview.rows, columns=list(preview.columns)), hide_index=True, height=220, width="stretch"
    )
    name = st.text_input("Predicate", value=predicate_name(path), key=f"table-predicate-{path.name}")
    known = {item.predicate.name: item.predicate for item in workspace().catalog()}
    types = known[name].argument_types if name in known else ()
    special = {"value": "truth value", "world": "world", "department": "argument"}
    guess = [special.get(column.lower(), "argument") for column in preview.columns]
    arguments = iter(types)
    mapping = st.data_editor(
        pd.DataFrame(
            {
                "column": list(preview.columns),
                "means": guess,
                "type": [
                    next(arguments, column.lower()) if role == "argument" else ""
                    for column, role in zip(preview.columns, guess)
                ],
            }
        ),
        column_config={
            "column": st.column_config.TextColumn(disabled=True),
            "means": st.column_config.SelectboxColumn(options=ROLES, required=True),
            "type": st.column_config.TextColumn(help="Constants of one type can meet in a rule: person, course, ..."),
        },
        hide_index=True,
        key=f"table-mapping-{path.name}-{header}-{name}",
        width="stretch",
    )
    left, right = st.columns(2)
    partition = left.selectbox("Partition", list(PARTITIONS), format_func=PARTITIONS.get, key="table-partition")
    world = right.text_input("World", value="world", key="table-world", help="Used where no column names the world.")
    if st.button("Import", type="primary", key="table-import"):
        roles = {role: mapping.loc[mapping["means"] == role, "column"].tolist() for role in ROLES}
        chosen = mapping[mapping["means"] == "argument"]
        try:
            report = workspace().import_table(
                path,
                predicate=name.strip(),
                types={row.column: (row.type or row.column).strip() for row in chosen.itertuples()},
                value=roles["truth value"][0] if roles["truth value"] else None,
                world_column=roles["world"][0] if roles["world"] else None,
                world=world.strip() or None,
                partition=partition,
                header=header,
            )
        except WorkbenchError as error:
            show_error(error)
            return
        imported(report)


def imported(report: object) -> None:
    """Say what came in."""
    total = sum(report.facts.values())  # type: ignore[attr-defined]
    names = ", ".join(report.worlds)  # type: ignore[attr-defined]
    st.success(f"{total:,} new facts in {plain(names)}.", icon=":material/check:")
    warnings(report.warnings)  # type: ignore[attr-defined]


def import_facts() -> None:
    """Alchemy's .db, and whatever lists files: dataset.toml, .data, directories."""
    st.caption(
        "Alchemy's .db files need the predicates that your rules declare. A path may also be a dataset.toml, PSL's "
        ".data or .json, or a directory."
    )
    path = chosen_file(["db", "gz"], "facts")
    left, right = st.columns(2)
    partition = left.selectbox("Partition", list(PARTITIONS), format_func=PARTITIONS.get, key="facts-partition")
    world = right.text_input("World", value="world", key="facts-world")
    if st.button("Import", type="primary", key="facts-import", disabled=path is None) and path is not None:
        try:
            with st.spinner("Loading ..."):
                if path.name == "dataset.toml" or (path / "dataset.toml").is_file():
                    report = workspace().open_dataset(path)
                else:
                    text, language = workspace().rules_at_hand()
                    checked = workspace().check_rules(text, language)
                    rules = checked.program if text.strip() and not checked.has_errors else None
                    report = workspace().load(path, rules=rules, world=world.strip() or None, partition=partition)
        except WorkbenchError as error:
            show_error(error)
            return
        imported(report)


def import_attached() -> None:
    """A table of another database."""
    st.caption("Tables and views of DuckDB, SQLite and PostgreSQL databases, read through DuckDB.")
    source = st.text_input(
        "Database", key="attached-source", placeholder="staff.duckdb, staff.sqlite or postgresql://..."
    )
    table = st.text_input("Table or view", key="attached-table", placeholder="schema.table")
    predicate = st.text_input("Predicate", key="attached-predicate")
    types = st.text_input("Types of its arguments", key="attached-types", placeholder="person, course")
    ready = bool(source and table and predicate and types)
    if st.button("Import", type="primary", key="attached-import", disabled=not ready):
        try:
            names = [name.strip() for name in types.split(",") if name.strip()]
            imported(workspace().attach_table(source, table=table, predicate=predicate, types=names))
        except WorkbenchError as error:
            show_error(error)


def folds() -> None:
    """Folds for cross-validation."""
    ws = workspace()
    kinds = {
        "worlds": "leave one world out",
        "random": "a predicate's atoms, dealt at random",
        "grouped": "a predicate's atoms, those of one constant together",
    }
    kind = st.radio("Kind", list(kinds), format_func=kinds.get, key="fold-kind")
    options = {}
    if kind != "worlds":
        held = [item.predicate for item in ws.catalog() if item.facts]
        names = {item.name: item for item in held}
        options["predicate"] = st.selectbox("Predicate", list(names), key="fold-predicate")
        left, right = st.columns(2)
        options["count"] = int(left.number_input("Folds", 2, 50, 5, key="fold-count"))
        options["seed"] = int(right.number_input("Seed", 0, 2**31 - 1, 0, key="fold-seed"))
        if kind == "grouped" and options["predicate"]:
            types = names[options["predicate"]].argument_types
            options["group_by"] = st.selectbox(
                "Together by",
                range(len(types)),
                format_func=lambda place: f"{place + 1}: {types[place]}",
                key="fold-by",
            )
    if st.button("Make folds", key="fold-make"):
        try:
            ws.make_folds(kind, **options)
        except WorkbenchError as error:
            show_error(error)
    found = ws.folds()
    if not found:
        st.info("There are no folds yet.")
        return
    st.dataframe(
        pd.DataFrame(
            [
                {
                    "fold": fold.number,
                    "tested on": ", ".join(fold.test_worlds) or f"{fold.test_atoms:,} atoms",
                    "trained on": ", ".join(fold.train_worlds),
                }
                for fold in found
            ]
        ),
        hide_index=True,
        width="stretch",
    )


def files() -> None:
    """Open or create a workspace file."""
    st.caption("A workspace is one DuckDB file with facts, rules and runs. All browsers at this server share it.")
    typed = st.text_input("Workspace file", value=server().path or "", key="workspace-path", placeholder="team.duckdb")
    left, right = st.columns(2)
    if left.button("Open or create", key="workspace-open", disabled=not typed.strip()):
        _switch(str(Path(typed.strip()).expanduser()))
    if right.button("New one in memory", key="workspace-memory", help="Empty, and gone when the server stops."):
        _switch(None)


def _switch(path: str | None) -> None:
    try:
        server().switch(path)
        st.rerun()
    except WorkbenchError as error:
        show_error(error)
    except RuntimeError as error:
        st.warning(str(error))


st.title("Data")
contents()
SECTIONS = {
    "Examples": examples,
    "Import a table": import_table,
    "Import facts": import_facts,
    "Other database": import_attached,
    "Folds": folds,
    "Workspace": files,
}
section = st.segmented_control(
    "Section", list(SECTIONS), default="Examples", key="section", label_visibility="collapsed"
)
SECTIONS[section or "Examples"]()
