"""Predicates renamed, merged and deleted, and tables renamed and deleted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from app.figures import several
from app.show import plain, show_error
from app.state import workspace
from app.versions import author
from workbench.errors import WorkbenchError


def reshape() -> None:
    """Choose a column or link and what becomes of it; or a table."""
    said = st.session_state.pop("reshaped", None)
    if said:
        st.success(plain(said), icon=":material/check:")
    catalog = {item.predicate.name: item for item in workspace().data.catalog()}
    if not catalog:
        st.info("There is nothing to rename yet. Import a table first.")
        return
    name = st.selectbox("Column or link (predicate)", list(catalog), key="reshape-predicate")
    types = catalog[name].predicate.argument_types
    renamed, merged, deleted = st.columns(3)
    with renamed.container(border=True, height="stretch"):
        _rename(name)
    with merged.container(border=True, height="stretch"):
        _merge(
            name,
            [
                one
                for one, item in catalog.items()
                if one != name and item.predicate.argument_types == types
            ],
        )
    with deleted.container(border=True, height="stretch"):
        _delete(name, catalog[name].facts)
    _tables()
    st.caption(
        "The rules at hand follow a new name. Recorded runs stay as they were, under the old one."
    )


def _rename(old: str) -> None:
    new = st.text_input("New name", value=old, key=f"reshape-name-{old}").strip()
    if st.button("Rename", key=f"reshape-rename-{old}", disabled=new in ("", old)):
        _done(
            lambda: workspace().data.rename_predicate(old, new, author=author()),
            lambda changed: f"{old} is called {new} now{', in the rules too' if changed else ''}.",
        )


def _merge(source: str, others: list[str]) -> None:
    into = st.selectbox(
        "Merge into",
        others,
        key=f"reshape-into-{source}",
        help="One with the same types of things, in this order.",
    )
    if not others:
        st.caption("No other has the same types of things.")
    if st.button("Merge", key=f"reshape-merge-{source}-{into}", disabled=into is None):
        _done(
            lambda: workspace().data.merge_predicates(source, str(into), author=author()),
            lambda added: f"{into} has {several(added, 'more fact')}, and {source} is gone.",
        )


def _delete(name: str, facts: int) -> None:
    sure = st.checkbox(f"Delete {several(facts, 'fact')} for good", key=f"reshape-sure-{name}")
    if st.button("Delete", key=f"reshape-delete-{name}", disabled=not sure):
        _done(
            lambda: workspace().data.delete_predicate(name),
            lambda count: (
                f"{name} is gone, with {several(count, 'fact')}. Rules that name it say so when "
                "they are checked."
            ),
        )


def _tables() -> None:
    mapping = workspace().data.tables_at_hand()
    if mapping is None:
        return
    with st.container(border=True):
        left, middle, right = st.columns(3)
        name = left.selectbox(
            "Table", [table.name for table in mapping.tables], key="reshape-table"
        )
        with middle:
            _rename_table(name)
        with right:
            _delete_table(name)


def _rename_table(old: str) -> None:
    new = st.text_input("New name of the table", value=old, key=f"reshape-table-{old}").strip()
    if st.button("Rename table", key=f"reshape-table-rename-{old}", disabled=new in ("", old)):
        _done(
            lambda: workspace().data.rename_table(old, new),
            lambda _: f"The table {old} is called {new} now.",
        )


def _delete_table(name: str) -> None:
    sure = st.checkbox(f"Delete all that {plain(name)} brought", key=f"reshape-table-sure-{name}")
    if st.button("Delete table", key=f"reshape-table-delete-{name}", disabled=not sure):
        _done(
            lambda: workspace().data.delete_table(name),
            lambda count: f"The table {name} is gone, with {several(count, 'fact')}.",
        )


def _done(act: Callable[[], Any], said: Callable[[Any], str]) -> None:
    """Do it, and say so on the next view of the page, on which the lists are new."""
    try:
        result = act()
    except WorkbenchError as error:
        show_error(error)
        return
    st.session_state["reshaped"] = said(result)
    st.rerun()
