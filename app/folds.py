"""Folds: parts held out in turn, made by a person."""

from __future__ import annotations

import streamlit as st

from app.figures import several
from app.show import show_error
from app.state import workspace
from app.tabular import small_table
from workbench.errors import WorkbenchError


def folds() -> None:
    """Folds for cross-validation."""
    ws = workspace()
    kinds = {
        "worlds": "Leave one world out",
        "random": "A predicate's atoms, dealt at random",
        "grouped": "A predicate's atoms, those of one constant together",
    }
    kind = st.radio(
        "Kind of folds",
        list(kinds),
        format_func=lambda name: kinds[name],
        key="fold-kind",
        persist_state="session",
    )
    options = {}
    if kind != "worlds":
        names = {item.predicate.name: item.predicate for item in ws.data.catalog() if item.facts}
        columns = st.columns(4)
        options["predicate"] = columns[0].selectbox(
            "Predicate",
            list(names),
            key="fold-predicate",
            help="The one that rules will be asked for.",
            persist_state="session",
        )
        options["count"] = int(
            columns[1].number_input("Folds", 2, 50, 5, key="fold-count", persist_state="session")
        )
        options["seed"] = int(
            columns[2].number_input(
                "Seed", 0, 2**31 - 1, 0, key="fold-seed", persist_state="session"
            )
        )
        if kind == "grouped" and options["predicate"]:
            types = names[options["predicate"]].argument_types
            options["group_by"] = columns[3].selectbox(
                "Together by",
                range(len(types)),
                format_func=lambda place: f"argument {place + 1}: {types[place]}",
                key=f"fold-by-{options['predicate']}",
                persist_state="session",
            )
    if st.button("Make folds", type="primary", key="fold-make"):
        try:
            ws.data.make_folds(kind, **options)
            st.rerun()
        except WorkbenchError as error:
            show_error(error)
    found = ws.data.folds()
    if not found:
        st.info(
            "There are no folds yet. Make some, then cross-validate on the page Learn and infer."
        )
        return
    rows = [
        [
            str(fold.number + 1),
            ", ".join(fold.test_worlds) or several(fold.test_atoms, "atom"),
            ", ".join(fold.train_worlds) if fold.test_worlds else "all other atoms",
        ]
        for fold in found
    ]
    small_table(("Fold", "Tested on", "Learned from"), rows, "folds")
