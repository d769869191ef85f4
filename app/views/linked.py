"""Link records: which rows of one file, or of two, are of the same thing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import streamlit as st

from app.choices import choose_run
from app.downloads import csv_text, download
from app.files import named_sources, staying, taken_here
from app.linking import clusters, doubts, likely_pairs, thresholds
from app.show import header, metrics, plain, show_error, warnings
from app.state import may_begin_jobs, workspace
from app.watching import start, watch
from app.work import GRACE, Work
from workbench.errors import WorkbenchError
from workbench.verbs.linking.again import Again
from workbench.workspace import file_endings

LINKED = ("link",)
SECONDS = 300.0
PARTS = ("Clusters", "Doubtful pairs", "Threshold")


def chosen() -> list[str]:
    """One file, or two; they stay chosen when one looks at another page."""
    left, right = st.columns(2)
    uploads = left.file_uploader(
        "Upload one table of records, or two",
        type=taken_here(file_endings("wide")),
        key="linked-upload",
        accept_multiple_files=True,
    )
    with right:
        named = named_sources("linked-paths")
    return staying(uploads, named, "linked")


def bring() -> None:
    """Files, how they are to be linked, and the button."""
    files = chosen()
    if not files:
        return
    if len(files) > 2:
        st.warning(f"{len(files)} files are chosen: records of one are linked, or across two.")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        pressed = st.button(
            f"Link the records of {plain(' and '.join(Path(one).name for one in files))}",
            type="primary",
            icon=":material/join:",
            key="linked-go",
        )
        one_to_one = len(files) == 2 and st.toggle(
            "One to one",
            key="linked-one",
            help="Each record has one partner at most.",
            persist_state="session",
        )
        column = st.text_input(
            "Column with the records' names",
            key="linked-id",
            placeholder="found by itself",
            persist_state="session",
        ).strip()
    if pressed:
        begin(files, one_to_one=one_to_one, id_column=column or None)


def begin(files: list[str], **arguments: Any) -> None:
    """The linkage as a job; it is kept as a run."""
    title = f"Link the records of {' and '.join(Path(one).name for one in files)}"
    asked = {"files": files, "time_limit": SECONDS, **arguments}
    start(Work("link", title, asked, seconds=SECONDS + 3 * GRACE, copied="nothing"))


def again(linkage: Any, run: Any, **changed: Any) -> None:
    """The files of a run linked anew, with what was said of pairs."""
    found = Again.of(linkage, run.parameters)
    answers = {"answers": found.labels, "said": found.beside}
    notes = {"notes": [one.message for one in found.notes]}
    begin(found.sources, **{**found.how, **answers, **notes, **changed})


def shown(run: Any) -> None:
    """A linkage: its figures, and one of its parts."""
    linkage = workspace().linkage(run.id)
    figures(linkage, run)
    part = st.segmented_control(
        "Show",
        PARTS,
        default=PARTS[0],
        required=True,
        key="linked-part",
        label_visibility="collapsed",
        persist_state="session",
    )
    if part == PARTS[0]:
        clusters(linkage)
    elif part == PARTS[1]:
        doubts(linkage)
    elif (threshold := thresholds(linkage)) is not None:
        again(linkage, run, threshold=threshold)
    downloads(linkage, run)


def figures(linkage: Any, run: Any) -> None:
    """How many clusters there are, how good they are expected to be, and how sure that is."""
    now, said = linkage.figures(), run.parameters["figures"]
    given = linkage.answers()
    shares = [
        f"{said[name]:.3f}" if name in said else "unknown"
        for name in ("estimated_precision", "estimated_recall")
    ]
    metrics(
        [
            ("Records", now["records"], None),
            ("Clusters", now["clusters"], "Records of the same thing; most are of one record."),
            ("Expected precision", shares[0], "Of pairs together, how many are the same."),
            ("Expected recall", shares[1], "Of pairs that are the same, how many are together."),
            ("Answered", len(given), "Pairs that somebody said are the same, or are not."),
        ]
    )
    proof = (
        "These are the best clusters for the probabilities of pairs, proven."
        if now["components_open"] == 0
        else f"Of {now['components']:,} groups {now['components_open']:,} are not proven best."
    )
    st.caption(
        "Expected by the model's own account when the files were linked, without looking at any "
        f"truth. {proof}"
    )


def downloads(linkage: Any, run: Any) -> None:
    """Clusters and answers as files; and the files linked anew, with the answers."""
    labels = linkage.labels()
    with st.container(horizontal=True):
        download("Clusters (CSV)", lambda: csv_text(linkage.members()), "clusters.csv", "text/csv")
        download("Pairs (CSV)", lambda: likely_pairs(linkage), "pairs.csv", "text/csv")
        if len(labels):
            download("Answers (CSV)", csv_text(labels), "answers.csv", "text/csv")
            if may_begin_jobs() and st.button(
                "Link again, learning from the answers",
                key="linked-again",
                icon=":material/model_training:",
            ):
                again(linkage, run)


header(
    "Link records",
    "Which rows of one table, or of two, are of the same person, company or thing. No labels are "
    "needed.",
)
try:
    job = watch(LINKED)
    run = choose_run((LINKED,), "linked-run")
    if may_begin_jobs():
        with st.expander("Bring records") if run is not None else st.container():
            bring()
    elif run is None:
        st.info(
            "No records are linked yet. Somebody whose token is of the role model or admin links "
            "first."
        )
    if job is not None and job.about.outcome is not None:
        warnings(job.about.outcome.summary.get("warnings", ()))
    if run is not None:
        shown(run)
except WorkbenchError as error:
    show_error(error)
