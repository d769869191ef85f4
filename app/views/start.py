"""Start: what this is in one sentence, three ways on, and the one button that trains and scores."""

from __future__ import annotations

import streamlit as st

from app.figures import several
from app.pictures import picture, picture_in_words
from app.show import show_error, warnings
from app.state import server, workspace
from app.training import train_and_score
from workbench.errors import WorkbenchError
from workbench.resources import shipped
from workbench.workspace import example_tables

EXAMPLE = "fraud"


def ways(*, small: bool) -> None:
    """Try the example, bring your tables, open a workspace."""
    if small:
        with st.container(horizontal=True):
            for key, name, _, take in WAYS:
                if st.button(name, key=f"start-{key}"):
                    take()
        return
    for place, (column, (key, name, about, take)) in enumerate(zip(st.columns(3), WAYS)):
        with column.container(border=True, height="stretch"):
            kind = "secondary" if place else "primary"
            if st.button(name, key=f"start-{key}", type=kind, width="stretch"):  # type: ignore[arg-type]
                take()
            st.caption(about)


def try_example() -> None:
    """The example's tables into the open workspace."""
    try:
        with st.spinner("Loading the example ..."):
            workspace().data.open_dataset(shipped("data", EXAMPLE))
    except WorkbenchError as error:
        show_error(error)
        return
    st.rerun()


def bring() -> None:
    """To the page that takes tables."""
    st.switch_page("views/tables.py")


def reopen() -> None:
    """To where workspaces are opened."""
    st.session_state["section"] = "Workspace"
    st.switch_page("views/data.py")


WAYS = (
    (
        "example",
        "Try the example",
        "Four small tables of people and companies. Press one more button, and in half a minute "
        "there is a score.",
        try_example,
    ),
    (
        "tables",
        "Bring your tables",
        "CSV, Excel, SQLite and other databases, several at once. You see what they are taken for "
        "before anything is loaded.",
        bring,
    ),
    (
        "workspace",
        "Open a workspace",
        "A file that holds facts, rules and every run, from this page, the command line or Python.",
        reopen,
    ),
)


def first_visit() -> None:
    """Nothing is loaded yet."""
    ways(small=False)
    st.page_link(
        "views/linked.py",
        label="Rows that are of the same person, company or thing: link records",
        icon=":material/join:",
    )
    example = example_tables(EXAMPLE)
    st.graphviz_chart(picture(example))
    st.caption(
        "The example: who of these people is a fraudster? The blue table holds the column to "
        "predict. In words: " + picture_in_words(example)
    )


def loaded() -> None:
    """What the tables that were just loaded brought, and what of them was left out."""
    if "tables-loaded" not in st.session_state:
        return
    facts, said = st.session_state.pop("tables-loaded")
    if facts:
        st.success(f"{several(facts, 'fact is', 'facts are')} loaded.", icon=":material/check:")
    else:
        st.warning(
            "These tables make no facts, so nothing was loaded: none of their columns differs "
            "between rows.",
            icon=":material/warning:",
        )
    warnings(said)


def at_hand() -> None:
    """What is loaded, and the button."""
    mapping = workspace().data.tables_at_hand()
    if mapping is not None:
        st.graphviz_chart(picture(mapping))
        st.caption(picture_in_words(mapping))
    train_and_score(mapping)
    st.divider()
    st.caption("Or begin with something else:")
    ways(small=True)


st.title("Relational workbench", anchor=False)
st.markdown(
    "Tables that refer to each other go in; out come **rules** with weights, **predictions** with "
    "scores, and a **reason** for each."
)
loaded()
if server().workspace.data.catalog():
    at_hand()
else:
    first_visit()
