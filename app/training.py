"""The one button: train and score what is at hand, as one job."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import streamlit as st

from app.figures import spread
from app.show import plain
from app.state import workspace
from app.versions import take
from app.watching import start, watch
from app.work import GRACE, PREDICTING, Outcome, Work
from workbench.service.jobs import Job
from workbench.workspace import TablesMapping, names_of_rules

SECONDS = 120.0
HEADLINES = ("AUC-ROC", "AUC-PR", "F1", "CLL")


def train_and_score(mapping: TablesMapping | None) -> None:
    """Offer what can be done with what is at hand, and show what came out."""
    text, language = workspace().rules.at_hand()
    if text.strip():
        rules(text, language)
        if mapping is not None:
            st.caption("Or leave the rules aside, and find new ones in the tables:")
    if mapping is not None:
        tables(mapping, primary=not text.strip())
    scored = watch(("score",))
    if scored is not None:
        outcome(scored)
        return
    study = workspace().runs.latest("study")
    job = watch(("study",))
    if study is not None and (job is not None or not _is_running()):
        from app.study_outcome import study_outcome

        if (
            job is not None
            and job.about.outcome is not None
            and (why := job.about.outcome.summary.get("not_predicted"))
        ):
            st.warning(
                f"The other views have no predictions of it: {plain(why)}. Take its rules into the "
                "editor, below, and infer on the page Learn and infer.",
                icon=":material/warning:",
            )
        study_outcome(study)


def rules(text: str, language: str) -> None:
    """Train the rules at hand; what cannot be trained says so instead of failing."""
    ws = workspace()
    checked = ws.rules.check(text, "psl" if language == "psl" else "mln")
    if checked.program is None or checked.has_errors:
        st.error("The rules have errors; mend them on the Rules page first.")
        st.page_link("views/rules.py", label="To the rules", icon=":material/edit_note:")
        return
    possible = ws.rules.prospects(checked.program)
    asked = [name for name in (ws.recall("query") or "").split(",") if name]
    labelled = possible.labelled
    chosen = [name for name in asked if name in labelled] or list(labelled[:1])
    if not chosen and _are_of_a_study(text):
        st.caption(
            "The rules at hand are those of the study below; they can be changed on the Rules "
            "page, and infer what is blank anew."
        )
        st.page_link("views/learn.py", label="Infer", icon=":material/play_circle:")
        return
    if not chosen:
        chosen = _ask_what_is_predicted(possible)
    if not chosen:
        st.page_link("views/learn.py", label="Infer", icon=":material/play_circle:")
        return
    named = ", ".join(chosen)
    if st.button(f"Train and score the rules for {named}", type="primary", key="train-rules"):
        folds = held_out_parts(chosen[0])
        ws.declare(text)
        ws.remember("query", ",".join(chosen))
        arguments = {"rules": text, "query": chosen, "folds": folds}
        start(Work("score", f"Train and score the rules for {named}", arguments))


def _ask_what_is_predicted(possible: Any) -> list[str]:
    """Where nothing is set apart as labels: facts can be, of whatever the reader chooses."""
    if not possible.learnable:
        st.info(
            "Nothing here has labels to learn from and to be scored against, so the rules are "
            "taken as they stand: infer with them, or load labels (truth) on the Data page."
        )
        return []
    offered = list(dict.fromkeys((*possible.decided, *possible.learnable)))
    name = st.selectbox(
        "What should be predicted?",
        offered,
        index=None,
        placeholder="a column or link that has facts",
        key="train-predicate",
        persist_state="session",
    )
    unlisted = "What its facts do not list counts as false."
    if name is not None:
        st.caption(unlisted)
        return [name]
    st.info(
        f"Choose what the rules are to learn from, and to be scored against. {unlisted} Or infer "
        "with the rules as they stand, or load labels (truth) on the Data page."
    )
    return []


def _are_of_a_study(text: str) -> bool:
    """Whether rules are as the newest study wrote them; its labels are facts that inference has."""
    study = workspace().runs.latest("study")
    return study is not None and workspace().runs.study(study.id).record["program"] == text


def held_out_parts(predicate: str, *, dealt: bool = False) -> str:
    """The folds that are there, else one world each, else (or if asked) five dealt at random."""
    ws = workspace()
    if ws.data.folds():
        return "kept"
    holding = {one.world for item in ws.data.catalog() for one in item.counts}
    if len(holding) > 1 and not dealt:
        return "worlds"
    ws.data.make_folds("random", predicate=predicate, count=5)
    return "kept"


def outcome(job: Job) -> None:
    """Scores on held-out parts, the learned rules, and the ways on."""
    from app.outcome import threshold_of_f1
    from app.show import metrics, standing, warnings, with_cure

    assert job.about.outcome is not None
    found = job.about.outcome.summary
    st.success(f"{plain(job.title)}: Done in {job.seconds:.1f} s.", icon=":material/check:")
    if job.about.outcome.run_id is not None:
        standing(workspace().runs.get(job.about.outcome.run_id))
    scored = found["crossval"]
    metrics(
        [
            (name, spread({"mean": scored["mean"][name], "sd": scored["sd"].get(name)}), None)
            for name in HEADLINES
            if scored["mean"].get(name) is not None
        ]
    )
    threshold_of_f1(scored, job.about.outcome.run_id)
    warnings(with_cure(one["message"], one["help"]) for one in found["learn"]["warnings"])
    learned(job.about.outcome)
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button("Take these rules into the editor", key="train-take"):
            take(job.about.outcome.text, job.about.outcome.language)
            st.toast("The learned rules are in the editor.")
        st.page_link("views/evaluation.py", label="Fold by fold", icon=":material/query_stats:")
        st.page_link(
            "views/why.py", label="Why is a prediction what it is?", icon=":material/help_center:"
        )


def learned(result: Outcome) -> None:
    """The rules with their weights and what the labels say of each; written out, one click away."""
    import pandas as pd

    from app.tabular import read_in_full

    formulas = [one["text"] for one in result.candidates]
    frame = pd.DataFrame(
        {
            "rule": names_of_rules([one["description"] for one in result.candidates], formulas),
            "weight": [one["weight"] for one in result.candidates],
            "with": [one.get("rate") for one in result.candidates],
            "without": [one.get("rate_of_others") for one in result.candidates],
            "formula": formulas,
        }
    )
    if (frame["rule"] == frame["formula"]).all():
        frame = frame.drop(columns="formula")
    frame = frame.dropna(axis="columns", how="all")
    read_in_full(frame, "rules", weights=("weight",))
    if "with" in frame:
        st.caption(
            "With: how often the answer is yes where the rule's body holds; without: elsewhere."
        )
    with st.expander("As they are written"):
        st.code(result.text, language=None, height=300)


def tables(mapping: TablesMapping, *, primary: bool) -> None:
    """Study the tables that were loaded."""
    if mapping.predict is None:
        st.info(
            "No column is to be predicted yet. Choose one, and the button to train and score "
            "appears here."
        )
        if st.button("Choose what to predict", type="primary", key="train-choose"):
            st.session_state["tables-sources"] = [table.source.path for table in mapping.tables]
            st.switch_page("views/tables.py")
        return
    paths = [path for table in mapping.tables for path in (table.source.path, *table.source.more)]
    absent = [path for path in dict.fromkeys(paths) if not _is_there(path)]
    if absent:
        st.warning(
            f"No longer where {'it was' if len(absent) == 1 else 'they were'} read from: "
            f"{plain(', '.join(Path(path).name for path in absent))}. Bring the tables again to "
            "train on them.",
            icon=":material/folder_off:",
        )
        return
    left, right = st.columns([3, 1], vertical_alignment="bottom")
    pressed = left.button(
        f"Train and score {mapping.predict}",
        type="primary" if primary else "secondary",
        key="train",
        icon=":material/play_arrow:",
    )
    seconds = float(
        right.number_input(
            "Seconds at most", 5.0, 36_000.0, SECONDS, step=30.0, format="%g", key="train-seconds",
            help="When they are over, the best until then is kept and says so.",
            persist_state="session",
        )
    )  # fmt: skip
    if pressed:
        begin(mapping, seconds)


def begin(mapping: TablesMapping, seconds: float) -> None:
    """The study as a job; it is kept as a run."""
    arguments = {
        "sources": list(dict.fromkeys(table.source.path for table in mapping.tables)),
        "predict": mapping.predict,
        "mapping": mapping,
        "time_limit": seconds,
    }
    title = f"Train and score {mapping.predict}"
    start(Work("study", title, arguments, seconds=seconds + 2 * PREDICTING + 3 * GRACE))


def _is_there(path: str) -> bool:
    return "://" in path or "dbname=" in path or Path(path).exists()


def _is_running() -> bool:
    from app.watching import latest_of

    job = latest_of(("study",))
    return job is not None and not job.ended
