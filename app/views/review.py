"""Review: predictions put to people one at a time, by keyboard; answers are labels at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from app.choices import choose_run
from app.show import header, metrics, nothing_predicted, plain, show_error
from app.state import may_begin_jobs, run_token, workspace
from app.tabular import small_table, text_table
from app.versions import ask_name, author
from app.watching import start, watch
from app.work import Work
from workbench.errors import WorkbenchError
from workbench.service.jobs import Job

ORDERS = {"change": "what an answer would change most", "doubt": "what is most in doubt"}
HISTORY = 30


@st.cache_resource(max_entries=4, show_spinner="Finding what to ask ...")
def queue(number: int, order: str, run: str) -> Any:
    """What to ask about a run; its order stands while it is gone through."""
    return workspace().review(number, order=order)  # type: ignore[arg-type]


def of_numbers(run: Any) -> bool:
    """Whether a run predicts numbers, to which nobody says yes or no."""
    return run.engine == "linear_gaussian"


def nothing_to_ask() -> None:
    """That there is no prediction to say yes or no to, or none but numbers."""
    if any(run.kind == "infer" and of_numbers(run) for run in workspace().runs.all()):
        st.info(
            "What is predicted here are numbers, and those are not asked about: yes or no is said "
            "of a yes/no column, or of a category."
        )
    else:
        nothing_predicted("say yes or no to")


def choice() -> tuple[Any, str, str, bool] | None:
    """The run, in which order, who answers, and whether others' questions too."""
    left, middle, right = st.columns([3, 2, 2], vertical_alignment="bottom")
    run = choose_run((("infer",),), "review-run", where=left, fits=lambda one: not of_numbers(one))
    if run is None:
        return None
    order = middle.selectbox(
        "First",
        list(ORDERS),
        format_func=lambda name: ORDERS[name],
        key="review-order",
        persist_state="session",
    )
    ask_name(author(), right, key="review-author", help="Stands beside your answers.")
    second = st.toggle(
        "Ask me also what others have answered",
        key="review-second",
        help="To see how far you agree.",
        persist_state="session",
    )
    return run, order, author(), second


def stated(atoms: Sequence[str]) -> list[str]:
    """Atoms in words, with what people call their things."""
    return workspace().data.shown(atoms, as_statements=True)


def question(one: Any, name: str, run: Any) -> None:
    """One prediction, what is known of its things, and the keys."""
    with st.container(border=True):
        st.subheader(f"{plain(stated([one.atom])[0])}?", anchor=False)
        where = f"In {plain(one.world)}. " if len(workspace().data.worlds()) > 1 else ""
        st.caption(
            f"{where}Predicted {one.value:.3f}. An answer is expected to move all predictions "
            f"together by {one.change:.2f}."
        )
        known(one)
        answers(one, name, run)


def answers(one: Any, name: str, run: Any) -> None:
    """Yes, no, skip, undo, learn again: a key each."""
    with st.container(horizontal=True):
        for label, key, says in (("Yes", "y", True), ("No", "n", False), ("Skip", "s", None)):
            kind = "secondary" if says is None else "primary"
            st.button(
                label,
                key=f"review-{key}-{run.id}-{one.world}-{one.atom}",
                shortcut=key,
                type=kind,  # type: ignore[arg-type]
                on_click=give,
                args=(one, says, name),
            )
        going_back(name)
        learn_again(run)


def give(one: Any, says: bool | None, name: str) -> None:
    """Keep an answer to the question that was seen: once somebody else has answered it, another
    stands in its place when the page is drawn anew."""
    try:
        workspace().answer(one, says, reviewer=name)
    except WorkbenchError as error:
        show_error(error)


def going_back(name: str) -> None:
    """Undo the last answer."""
    if st.button("Undo", key="review-u", shortcut="u"):
        taken = workspace().undo_answer(reviewer=name)
        st.toast(
            plain(f"Taken back: {stated([taken.atom])[0]}")
            if taken
            else "You have answered nothing yet."
        )
        st.rerun()


def learn_again(run: Any) -> None:
    """Learn from the labels there are now, and infer; the newest run is then first in the list."""
    if may_begin_jobs() and st.button(
        "Learn again", key="review-l", shortcut="l", icon=":material/model_training:"
    ):
        start(
            Work(
                "relearn",
                f"Learn again after review of run {run.id}",
                {"run": run.id},
                copied="all",
            )
        )


def learned_anew(job: Job) -> None:
    """Go on with the run that predicts with the answers; once, for then the reader chooses."""
    seen = f"review-again-{job.id}"
    if job.about.outcome is not None and seen not in st.session_state:
        number = job.about.outcome.run_id
        st.session_state.update({"review-run": number, seen: True})
        st.toast(f"Learned again: run {number} predicts with your answers.")


def known(question: Any) -> None:
    """What is known of the things that the prediction is about, side by side."""
    things = workspace().data.known_things(question.atom, question.world)
    if not any(one.columns or one.links for one in things):
        st.caption("Nothing else is known of it.")
        return
    for one, column in zip(things, st.columns(len(things))):
        with column:
            st.caption(plain(f"What is known of {one.kind} {one.name}"))
            text_table(("Column or link", "Value"), [*one.columns, *one.links])
            if one.more:
                st.caption(f"and {one.more_links}: its page on Explore has them.")


def standing(name: str, left: int, total: int) -> None:
    """How far it has come, how far reviewers agree, and what was answered."""
    from workbench.verbs.answers import agreements, disputed

    given = workspace().answers()
    mine = [one for one in given if one.reviewer == name]
    metrics(
        [
            ("Answered by you", sum(one.says is not None for one in mine), None),
            ("Skipped", sum(one.says is None for one in mine), None),
            (
                "Waiting here",
                left,
                "The most telling; when they are through, learn again for others.",
            ),
            ("Without a label", total, "Predictions of this run, when the list was made."),
        ]
    )
    found = agreements(given)
    if found:
        st.caption(
            "Agreement of reviewers; kappa is 1 where they always agree, 0 where they agree as by "
            "chance"
        )
        rows = [
            [one.one, one.other, one.both, f"{one.share:.0%}", f"{one.kappa:.2f}"] for one in found
        ]
        small_table(("Reviewer", "Reviewer", "Both answered", "Agree", "Kappa"), rows, "agreement")
    if undecided := disputed(given):
        st.warning(
            "As many say yes as no, so there is no label: "
            f"{plain('; '.join(stated([atom for _, atom in undecided[:5]])))}"
        )
    if given:
        with st.expander("History"):
            words = {True: "yes", False: "no", None: "skipped"}
            latest = given[-HISTORY:][::-1]
            in_words = stated([one.atom for one in latest])
            rows = [
                [f"{one.written[:10]} {one.written[11:16]}", one.reviewer, shown, words[one.says]]
                for one, shown in zip(latest, in_words)
            ]
            small_table(("When (UTC)", "Who", "What", "Answer"), rows, "answers")


header(
    "Review",
    "Say yes or no to predictions. What most of you say becomes a label at once.",
    "label",
    "atom",
)
try:
    if (job := watch(("relearn",))) is not None:
        learned_anew(job)
    chosen = choice()
    if chosen is None:
        nothing_to_ask()
    else:
        run, order, name, second = chosen
        asked = queue(run.id, order, run_token(run))
        waiting = asked.waiting(workspace().answers(), name, second=second)
        if waiting:
            question(waiting[0], name, run)
        else:
            st.success("Nothing is left to ask of this run.", icon=":material/check:")
            with st.container(horizontal=True):
                going_back(name)
                learn_again(run)
        standing(name, len(waiting), asked.total)
except WorkbenchError as error:
    show_error(error)
