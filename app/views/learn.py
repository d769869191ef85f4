"""Learn and infer: choose a method, run it in the background, watch it, stop it."""

from __future__ import annotations

from typing import Any

import streamlit as st

from app.choices import preset
from app.commands import command_line, python
from app.methods import chosen_method
from app.outcome import outcome
from app.show import header, plain
from app.state import server, workspace
from app.study_outcome import offer_rules
from app.training import held_out_parts
from app.watching import latest_of, start, watch
from app.work import GRACE, Work

KINDS = {"infer": "Infer", "learn": "Learn weights", "crossval": "Cross-validate"}
ABOUT = {
    "infer": "Predict what is asked for, by the rules and their weights.",
    "learn": "Find the weights under which the labels in the data are likely.",
    "crossval": "Learn without a part of the labels, predict that part, score it; for each fold "
    "in turn.",
}
TASKS = {"marginal": "probabilities (marginals)", "map": "the most probable state (MAP)"}
ASSUMED = ("closed", "hidden")  # what the page Rules keeps beside what is asked for
INTERVALS = {
    None: "none",
    "laplace": "Laplace: from the curvature",
    "bootstrap": "bootstrap: from resampled data",
}


def form(language: str, possible: Any) -> tuple[str, dict[str, Any], str | None]:
    """What to run: the workspace's verb, its arguments beyond defaults, why it can only fail."""
    kind = chosen_kind(possible)
    arguments = question(possible)
    assumed = remembered()
    hindrance = possible.hindrance(
        kind, arguments["query"], [*assumed["closed"], *assumed["hidden"]]
    )
    left, right = st.columns(2)
    if kind != "infer":
        with left:
            arguments |= learning(kind, language, possible)
    if kind != "learn":
        with right if kind == "crossval" else left:
            arguments |= solving(kind, language)
    with right:
        arguments |= limits()
    if kind == "infer" and set(arguments["query"]) & set(possible.learnable):
        arguments |= withheld()
    arguments |= assumed
    given = {key: value for key, value in arguments.items() if value not in (None, [], {})}
    return kind, given, hindrance


def chosen_kind(possible: Any) -> str:
    """Which verb; what was done last by default, where it can be done."""
    latest = latest_of(tuple(KINDS))
    before = latest.kind if latest is not None else possible.first
    if possible.hindrance(before, ("",)) and before == "infer":
        before = possible.first
    kind: str = st.segmented_control(
        "What to do",
        list(KINDS),
        format_func=lambda name: KINDS[name],
        default=preset("kind", before),
        key="kind",
        required=True,
        persist_state="session",
    )
    st.caption(ABOUT[kind])
    return kind


def question(possible: Any) -> dict[str, Any]:
    """What is asked for, and of which worlds."""
    ws = workspace()
    names = [item.predicate.name for item in ws.data.catalog()]
    kept = [name for name in (ws.recall("query") or "").split(",") if name in names]
    left, right = st.columns(2)
    return {
        "query": left.multiselect(
            "To predict (query)",
            names,
            default=preset("query", possible.query(kept)),
            key="query",
            help="The columns and links that are asked for.",
            persist_state="session",
        ),
        "worlds": right.multiselect(
            "Worlds",
            list(ws.data.worlds()),
            key="worlds",
            help="Empty: all of them.",
            persist_state="session",
        ),
    }


def remembered() -> dict[str, list[str]]:
    """The predicates that somebody said are closed or hidden."""
    ws = workspace()
    return {key: [name for name in (ws.recall(key) or "").split(",") if name] for key in ASSUMED}


def learning(kind: str, language: str, possible: Any) -> dict[str, Any]:
    """The learner and its parameters; intervals of the weights, or folds."""
    learner, options = chosen_method(workspace().models.learners(language), "Learner", "learner")
    if kind == "crossval":
        return {"learner": learner, "learner_options": options, "folds": folds(possible)}
    chosen = st.selectbox(
        "Intervals of the weights",
        list(INTERVALS),
        format_func=lambda name: INTERVALS[name],
        key="intervals",
        persist_state="session",
    )
    return {"learner": learner, "options": options, "intervals": chosen}


def solving(kind: str, language: str) -> dict[str, Any]:
    """The task, and the engine with its parameters."""
    order = ["marginal", "map"] if language == "mln" else ["map"]
    task = st.radio(
        "Task", order, format_func=lambda name: TASKS[name], key="task", persist_state="session"
    )
    engine, options = chosen_method(workspace().models.engines(language, task), "Engine", "engine")
    return {
        "task": task,
        "engine": engine,
        "options" if kind == "infer" else "engine_options": options,
    }


def withheld() -> dict[str, Any]:
    """Whether known answers are evidence for the others, or predicted as well."""
    ticked = st.checkbox(
        "Labels withheld: predict what is known, too",
        key="labels",
        help="As if nobody knew it: to hold predictions against what is known. Else what is known "
        "of it is evidence for the rest.",
        persist_state="session",
    )
    return {"labels": "withheld"} if ticked else {}


def limits() -> dict[str, Any]:
    """The seed, and the seconds that the job may take."""
    first, second = st.columns(2)
    return {
        "seed": int(
            first.number_input(
                "Seed",
                0,
                2**31 - 1,
                0,
                key="seed",
                help="Same inputs and seed: same result.",
                persist_state="session",
            )
        ),
        "time_limit": second.number_input(
            "Time limit (s)",
            0.1,
            36_000.0,
            None,
            placeholder="none",
            format="%g",
            key="limit",
            help="For the whole job; each solve within it stops by itself in good time.",
            persist_state="session",
        ),
    }


def folds(possible: Any) -> str:
    """Which folds to go through: those that are there, and random parts where there are none."""
    choices = {}
    if possible.folds:
        choices["kept"] = f"The {possible.folds} folds that the workspace keeps"
    if possible.worlds > 1:
        choices["worlds"] = "Leave one world out"
    if not possible.folds:
        choices["dealt"] = "Five parts of what is asked, dealt at random"
    return st.radio(
        "Folds",
        list(choices),
        format_func=lambda name: choices[name],
        index=list(choices).index(preset("crossval-folds", next(iter(choices)))),
        key="crossval-folds",
        persist_state="session",
    )


def commands(kind: str, language: str, arguments: dict[str, Any]) -> None:
    """The same as a command and as Python, to be copied."""
    path = server().path
    with st.expander("The same on the command line and in Python"):
        st.code(command_line(kind, language, path, arguments), language=None, wrap_lines=True)
        st.code(python(kind, language, path, arguments), language="python")
        where = "" if path else " Save this workspace to a file first, on the Data page."
        st.caption(
            f"Download the rules as rules.{language} on the Rules page.{where} A workspace file "
            "is open in one process "
            "at a time, so stop this page first, or save a copy for the command."
        )


def run(kind: str, text: str, arguments: dict[str, Any]) -> None:
    """Begin in the background."""
    ws = workspace()
    ws.remember("query", ",".join(arguments.get("query", ())) or None)
    ws.declare(text)
    if arguments.get("folds") == "dealt":
        arguments |= {"folds": held_out_parts(arguments["query"][0], dealt=True)}
    limit = arguments.get("time_limit")
    title = f"{KINDS[kind]} ({arguments.get('learner') or arguments.get('engine')})"
    start(
        Work(
            kind,
            title,
            {"rules": text, **arguments},
            seconds=None if limit is None else limit + GRACE,
        )
    )


header(
    "Learn and infer",
    "Run the rules at hand; the work goes on if you leave or reload this page.",
    "query",
    "weight",
    "engine",
    "fold",
    "marginal",
)
text, language = workspace().rules.at_hand()
checked = workspace().rules.check(text, language)
if not text.strip():
    st.info(
        "There are no rules yet. Write some on the Rules page, or open an example on the Data page."
    )
    offer_rules()
    st.page_link("views/rules.py", label="To the rules", icon=":material/edit_note:")
    if workspace().data.tables_at_hand() is not None:
        st.page_link(
            "views/start.py",
            label="Or find them in your tables: train and score",
            icon=":material/play_circle:",
        )
elif checked.has_errors:
    st.error("The rules have errors; mend them on the Rules page first.")
    st.page_link("views/rules.py", label="To the rules", icon=":material/edit_note:")
else:
    assert checked.program is not None
    kind, arguments, hindrance = form(language, workspace().rules.prospects(checked.program))
    if hindrance is not None:
        st.info(plain(hindrance), icon=":material/info:")
    if st.button(
        "Run",
        type="primary",
        key="run",
        icon=":material/play_arrow:",
        disabled=hindrance is not None,
    ):
        run(kind, text, arguments)
    commands(
        kind,
        language,
        {**arguments, "folds": "kept"} if arguments.get("folds") == "dealt" else arguments,
    )
    if latest_of(tuple(KINDS)) is None and hindrance is None:
        st.info("Nothing has run yet. Choose above and press Run.")
job = watch(tuple(KINDS))
if job is not None:
    st.divider()
    outcome(job)
