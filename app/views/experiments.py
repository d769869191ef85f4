"""Experiments: published tables, and ours beside them."""

from __future__ import annotations

import shlex

import pandas as pd
import streamlit as st

from app import charts
from app.show import draw, header, plain
from app.state import server, workspace
from app.tabular import table
from app.watching import start, watch
from app.work import Work
from experiments import (
    EXPERIMENTS,
    ReproductionTable,
    Row,
    experiment,
    kept,
    published,
    systems,
)
from workbench.errors import WorkbenchError
from workbench.resources import datasets_directory

COLUMNS = {
    "published": "The figure in the paper.",
    "ours": "Mean over the folds that were run.",
    "difference": "Ours less the published figure.",
    "sd": "Standard deviation over folds.",
}
DRAWN = 40


def begin(name: str, folds: int | None, chosen: list[str]) -> None:
    """Reproduce in the background; the table is kept in the workspace."""
    arguments = {"name": name, "folds": folds, "systems": chosen}
    start(Work("experiment", f"Reproduce {name}", arguments, copied="nothing"))


def command(name: str, folds: int | None, chosen: list[str]) -> str:
    """The same on the command line."""
    words = ["workbench", "reproduce", name]
    for system in chosen:
        words += ["--system", system]
    words += ["--folds", str(folds)] if folds else []
    return shlex.join([*words, "--workspace", server().path or "WORKSPACE.duckdb"])


def rows(found: tuple[Row, ...]) -> pd.DataFrame:
    """The rows of a table with their difference; a column that says nothing is left out."""
    frame = pd.DataFrame([vars(row) for row in found])
    for column in ("published", "ours", "sd"):
        frame[column] = frame[column].astype("float64")
    frame["folds"] = frame["folds"].astype("Int64")
    frame.insert(5, "difference", frame["ours"] - frame["published"])
    if not frame["ours"].notna().any():
        return frame[["system", "column", "metric", "published"]]
    return frame


def beside(name: str, frame: pd.DataFrame) -> None:
    """Published and ours, joined by a line, metric by metric."""
    both = frame.dropna(subset=["published", "ours"]).head(DRAWN)
    label = both["system"] + ", " + both["column"]
    chart = both.assign(label=label, order=range(len(both)))[
        ["label", "order", "published", "ours"]
    ]
    for metric, part in chart.groupby(both["metric"], sort=False):
        st.caption(plain(str(metric)))
        draw(charts.published_and_ours(part, description=f"{name}: {metric}, published and ours"))


def reproduced(name: str, found: ReproductionTable) -> None:
    """What was run in this workspace, beside the paper."""
    st.subheader(plain(found.title), anchor=False)
    frame = rows(found.rows)
    measured = frame["ours"].notna()
    beside(name, frame[measured])
    frame["folds"] = frame["folds"].where(measured)
    told_of_folds(frame[measured])
    table(pd.concat([frame[measured], frame[~measured]]), name, help=COLUMNS)
    waiting = int((~measured).sum())
    if waiting:
        st.caption(f"{waiting} of {len(frame)} figures have not been run in this workspace.")
    for note in found.notes:
        st.caption(plain(note))
    if found.folds_detail:
        with st.expander("Fold by fold"):
            frame = pd.DataFrame([vars(score) for score in found.folds_detail])
            table(frame, f"{name}-folds")


def told_of_folds(measured: pd.DataFrame) -> None:
    """What our figures stand on: one fold of ours is no mean, as what was published is."""
    single = int((measured["folds"] == 1).sum())
    st.badge("Held out", color="green", icon=":material/verified:")
    if single:
        st.badge("One fold", color="orange", icon=":material/warning:")
        which = (
            "All of our figures are" if single == len(measured) else f"{single} of our figures are"
        )
        st.caption(
            f"{which} of a single fold, without a spread, beside published means over all folds."
        )


def paper(name: str, *, there: bool) -> None:
    """The published table alone."""
    figures = published(name)
    said = (
        "None of these published figures has been run in this workspace yet."
        if figures
        else "The paper draws its figures and prints none."
    )
    st.info(said + (" Choose above and press Reproduce to see ours." if there else ""))
    if figures:
        table(rows(figures), name, help=COLUMNS)


header(
    "Experiments", "Published experiments run again on the real data, their figures beside ours."
)
name = st.selectbox("Experiment", list(EXPERIMENTS), key="experiment", persist_state="session")
st.caption(plain(experiment(name).subject))
try:
    datasets_directory()
    there = True
except WorkbenchError:
    there = False
left, middle, right = st.columns([4, 2, 1], vertical_alignment="bottom")
chosen = left.multiselect(
    "Systems",
    systems(name),
    key=f"systems-{name}",
    placeholder="all",
    help="Rows of the table to run; empty: all.",
    persist_state="session",
)
folds = middle.number_input(
    "Folds",
    1,
    20,
    None,
    placeholder="all",
    key="experiment-folds",
    help="The first so many.",
    persist_state="session",
)
if right.button("Reproduce", type="primary", disabled=not there, key="experiment-run"):
    begin(name, folds, chosen)
if there:
    st.caption("One system on one fold takes seconds to minutes; all of them may take hours.")
else:
    st.warning(
        "The real data sets are not on this machine, so nothing can be run here.",
        icon=":material/folder_off:",
    )
    st.text(
        "Where they are, name their directory in WORKBENCH_DATASETS, or run this into a workspace "
        "and open it:"
    )
    st.code(command(name, folds, chosen), language=None, wrap_lines=True)
watch(("experiment",))
found = kept(workspace(), name)
if found is None or all(row.ours is None for row in found.rows):
    paper(name, there=there)
else:
    reproduced(name, found)
