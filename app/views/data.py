"""Data: what the workspace holds, and how more comes in."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import streamlit as st

from app.downloads import download
from app.figures import several
from app.folds import folds
from app.show import header, metrics, plain, show_error
from app.state import server, workspace
from app.tabular import small_table
from app.wording import GLOSSARY
from workbench.errors import WorkbenchError
from workbench.workspace import bundled_examples

PARTITIONS = ("evidence", "truth", "target")
LISTED = 30


def contents() -> None:
    """What is there now, in figures and a table."""
    ws = workspace()
    summaries = ws.data.catalog()
    if not summaries:
        st.info("This workspace is empty. Open an example below, or import a file of your own.")
        return
    held = [item for item in summaries if item.facts]
    metrics(
        [
            ("Facts", sum(item.facts for item in summaries), None),
            ("Columns and links", len(summaries), GLOSSARY["predicate"]),
            ("Worlds", len(ws.data.worlds()), "Databases kept apart: no rule joins two of them."),
            (
                "Folds",
                len(ws.data.folds()) or "none",
                "Parts held out in turn by cross-validation.",
            ),
        ]
    )
    largest = sorted(summaries, key=lambda item: -item.facts)[:LISTED]
    small_table(
        (
            "Column or link (predicate)",
            "Known (evidence)",
            "Labels (truth)",
            "To predict (targets)",
        ),
        [by_partition(item) for item in largest],
        "columns-and-links",
    )
    more = (
        f" Shown are the largest {LISTED} of {len(summaries)} predicates."
        if len(summaries) > LISTED
        else ""
    )
    st.caption("Labels are known answers, to learn from and to be scored against." + more)
    if held:
        with st.container(horizontal=True):
            st.page_link(
                "views/explore.py", label="Look at the facts", icon=":material/travel_explore:"
            )
            st.page_link(
                "views/rules.py", label="Write rules about them", icon=":material/edit_note:"
            )


def by_partition(item: Any) -> list[Any]:
    """A predicate as it is written, and its facts of each partition where there are any."""
    found = dict.fromkeys(PARTITIONS, 0)
    for count in item.counts:
        found[count.partition] += count.facts
    written = f"{item.predicate.name}({', '.join(item.predicate.argument_types)})"
    return [written, *(count or None for count in found.values())]


def examples() -> None:
    """Bundled examples, one click each."""
    columns = st.columns(3)
    for column, example in zip(columns, bundled_examples()):
        with column.container(border=True, height="stretch"):
            st.markdown(f"**{plain(example.name)}**")
            st.caption(plain(example.description))
            if st.button(
                "Open",
                key=f"open-{example.key}",
                help="Load its facts and rules into this workspace",
            ):
                try:
                    workspace().data.open_example(example.key)
                    st.toast(f"{example.name} is loaded")
                    st.rerun()
                except WorkbenchError as error:
                    show_error(error)
    st.caption(
        "An example comes into the open workspace, beside what is there. Workspace makes an empty "
        "one."
    )


def unsaved() -> int:
    """How many runs would be lost: those of a workspace in memory."""
    return len(workspace().runs.all()) if server().path is None else 0


def asked_before_leaving() -> None:
    """Whether to save the workspace in memory before another is opened."""
    wanted = st.session_state["switch-to"]
    count = unsaved()
    runs = several(count, "run that is", "runs that are")
    st.warning(
        f"The workspace in memory has {runs} saved nowhere, and would be lost.",
        icon=":material/save:",
    )
    place = st.text_input("Save it first as", key="switch-save", placeholder="mine.duckdb")
    with st.container(horizontal=True):
        save = st.button(
            "Save, then go on", type="primary", key="switch-saved", disabled=not place.strip()
        )
        lose = st.button("Go on without saving", key="switch-lose")
        if st.button("Stay", key="switch-stay"):
            del st.session_state["switch-to"]
            st.rerun()
    if not (save or lose):
        return
    try:
        if save:
            server().save_as(Path(place.strip()).expanduser())
        server().switch(wanted or None)
    except WorkbenchError as error:
        show_error(error)
        return
    except RuntimeError as error:
        st.warning(str(error))
        return
    del st.session_state["switch-to"]
    st.rerun()


def files() -> None:
    """Open, create or save a workspace file; a server keeps the one that it was started with."""
    if server().served is not None:
        st.caption(
            "The server keeps this workspace for everybody who uses it. A copy is a file with its "
            "facts, rules and runs."
        )
        name = Path(server().path or "workspace.duckdb").name
        download("Download a copy", workspace_copy, name, key="workspace-download")
        return
    st.caption(
        "A workspace is one DuckDB file with facts, rules and runs. All browsers at this server "
        "share it."
    )
    typed = st.text_input(
        "Workspace file", value=server().path or "", key="workspace-path", placeholder="team.duckdb"
    )
    path = str(Path(typed.strip()).expanduser()) if typed.strip() else ""
    with st.container(horizontal=True):
        opened = st.button("Open or create", key="workspace-open", disabled=not path)
        saved = st.button("Save a copy there", key="workspace-save", disabled=not path)
        fresh = st.button(
            "New one in memory",
            key="workspace-memory",
            help="Empty, and gone when the server stops.",
        )
    if (opened or fresh) and unsaved():
        st.session_state["switch-to"] = path if opened else ""
    if "switch-to" in st.session_state:
        asked_before_leaving()
        return
    try:
        if opened:
            server().switch(path)
            st.rerun()
        if saved:
            server().save_as(path)
            st.success("Saved. Open it to go on in the copy.", icon=":material/check:")
        if fresh:
            server().switch(None)
            st.rerun()
    except WorkbenchError as error:
        show_error(error)
    except RuntimeError as error:
        st.warning(str(error))


def workspace_copy() -> bytes:
    """What the workspace holds, as a file."""
    with TemporaryDirectory(prefix="workbench-copy-") as folder:
        path = Path(folder, "copy.duckdb")
        workspace().save_as(path)
        return path.read_bytes()


def renaming() -> None:
    """Predicates renamed, merged, deleted."""
    from app.reshaping import reshape

    reshape()


def importing(name: str) -> None:
    """A form of `app.importing`, which needs data frames and comes when it is asked for."""
    from app import importing as forms

    forms.last_import()
    getattr(forms, name)()


header(
    "Data",
    "What the workspace knows, and how more comes in.",
    "fact",
    "predicate",
    "evidence",
    "label",
    "target",
    "world",
    "fold",
)
contents()
SECTIONS = {
    "Examples": examples,
    "Import a table": lambda: importing("import_table"),
    "Import facts": lambda: importing("import_facts"),
    "Aleph files": lambda: importing("import_ilp"),
    "Other database": lambda: importing("import_attached"),
    "Rename or delete": renaming,
    "Folds": folds,
    "Workspace": files,
}
if server().served is not None:
    # They name other files, or what the server can reach.
    del SECTIONS["Aleph files"], SECTIONS["Other database"]
section = st.segmented_control(
    "Section",
    list(SECTIONS),
    default="Examples",
    key="section",
    label_visibility="collapsed",
    required=True,
    persist_state="session",
)
SECTIONS[section]()
