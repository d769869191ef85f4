"""What jobs do, by name: a verb in a worker's process over a copy, and what is handed back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from workbench.errors import Cancelled, WorkbenchError
from workbench.progress import Progress
from workbench.resources import require_experiments
from workbench.workspace import Workspace

GRACE = 5.0
"""Seconds beyond its time limit for a worker to begin and hand back, before it is stopped."""


PREDICTING = 30.0
"""Seconds in which a study's program predicts over the facts at hand."""


@dataclass(frozen=True)
class Work:
    """What a job is to do; plain values, so that another process can be told.

    Attributes
    ----------
    kind : str
        A key of `DO`.
    title : str
    arguments : mapping
    seconds : float, optional
        When they are over the job is ended, whatever it does.
    copied : {'facts', 'all', 'nothing'}
        What it needs of the workspace: facts and settings, its runs too, or neither.
    """

    kind: str
    title: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    seconds: float | None = None
    copied: Literal["facts", "all", "nothing"] = "facts"


@dataclass(frozen=True)
class Outcome:
    """What a job found; plain values.

    Attributes
    ----------
    run_id : int, optional
        The run that it recorded, in the workspace once the job is done.
    summary : mapping
        As the verb's result summarises itself.
    text : str
        Rules that it found or learned.
    candidates : tuple of mappings
        Rules with what is known of them: those that a search found, or that were learned.
    """

    run_id: int | None = None
    summary: Mapping[str, Any] = field(default_factory=dict)
    text: str = ""
    language: str = "mln"
    candidates: tuple[Mapping[str, Any], ...] = ()


def infer(ws: Workspace, arguments: Mapping[str, Any], progress: Progress) -> Outcome:
    """Predict."""
    result = ws.infer(**arguments, progress=progress)
    return Outcome(result.run_id, result.summary())


def learn(ws: Workspace, arguments: Mapping[str, Any], progress: Progress) -> Outcome:
    """Learn weights."""
    result = ws.learn(**arguments, progress=progress)
    return Outcome(result.run_id, result.summary(), result.text(), result.program.language)


def crossval(ws: Workspace, arguments: Mapping[str, Any], progress: Progress) -> Outcome:
    """Score on parts held out."""
    result = ws.crossval(**arguments, progress=progress)
    return Outcome(result.run_id, result.summary())


def score(ws: Workspace, arguments: Mapping[str, Any], progress: Progress) -> Outcome:
    """Learn, score on held-out parts and predict, as one."""
    result = ws.train_and_score(**arguments, progress=progress)
    return Outcome(
        result.scored.run_id,
        result.summary(),
        result.learned.text(),
        result.learned.program.language,
        tuple(result.learned.rules()),
    )


def again(ws: Workspace, arguments: Mapping[str, Any], progress: Progress) -> Outcome:
    """Predict as a recorded run did, over the facts as they are now."""
    result = ws.infer_again(**arguments, progress=progress)
    return Outcome(result.run_id, result.summary())


def relearn(ws: Workspace, arguments: Mapping[str, Any], progress: Progress) -> Outcome:
    """Learn a reviewed run's rules again from the labels there are now, and infer as it did."""
    result = ws.learn_again(**arguments, progress=progress)
    return Outcome(result.run_id, result.summary())


def structure(ws: Workspace, arguments: Mapping[str, Any], progress: Progress) -> Outcome:
    """Search for rules: over the imported ILP problem, or over the facts by a method."""
    source = None if "method" in arguments else ws.data.ilp_at_hand()
    result = ws.structure(source, **arguments, progress=progress)
    summary = {"seconds": result.seconds, "status": result.status}
    return Outcome(result.run_id, summary, result.text, candidates=tuple(result.candidate_table()))


def intervals(ws: Workspace, arguments: Mapping[str, Any], progress: Progress) -> Outcome:
    """Intervals of a recorded run's weights."""
    ws.models.intervals(**arguments, progress=progress)
    return Outcome()


def experiment(ws: Workspace, arguments: Mapping[str, Any], progress: Progress) -> Outcome:
    """A published table again, system by system, so that a cancelled one keeps what is finished."""
    require_experiments()
    from experiments import keep, reproduce, systems

    name, folds = arguments["name"], arguments.get("folds")
    chosen = list(arguments.get("systems") or systems(name))
    for number, system in enumerate(chosen):
        progress.step("system", number, len(chosen), system)
        keep(
            ws, reproduce(name, folds=folds, systems=(system,), progress=_without_totals(progress))
        )
    if not chosen:
        keep(ws, reproduce(name, folds=folds, progress=progress))
    return Outcome()


def _without_totals(progress: Progress) -> Progress:
    """Progress that hears a cancel and leaves the count to the systems."""
    return Progress(cancel_event=progress.cancel_event, observe=progress.observe)


def study(ws: Workspace, arguments: Mapping[str, Any], progress: Progress) -> Outcome:
    """Tables to a scored, explained program, which then predicts over the facts: every view has it
    to show.

    The study is kept whatever comes of that: facts may have been renamed since, and somebody may
    press Cancel.
    """
    found = ws.study(**arguments, progress=progress)
    why = ""
    if found.status != "cancelled" and found.asked:
        try:
            ws.infer(found.program, query=found.predicted, time_limit=PREDICTING, progress=progress)
        except Cancelled:
            why = "it was cancelled"
        except WorkbenchError as error:
            why = error.diagnostics[0].message
    return Outcome(found.run_id, {"not_predicted": why} if why else {})


def link(ws: Workspace, arguments: Mapping[str, Any], progress: Progress) -> Outcome:
    """Files to clusters of their records, kept to be looked at; with answers that people gave."""
    from workbench.verbs.linking.again import say_again, written_labels

    arguments = dict(arguments)
    files, said = arguments.pop("files"), arguments.pop("said", ())
    notes = list(arguments.pop("notes", ()))
    with written_labels(arguments.pop("answers", ())) as labels:
        result = ws.link(*files, labels=labels, **arguments, progress=progress)
    say_again(ws.linkage(result.run_id), said)
    notes += [one.message for one in result.warnings]
    return Outcome(result.run_id, {"warnings": notes})


def take_intervals(ws: Workspace, copy: Workspace, arguments: Mapping[str, Any]) -> None:
    """Put the intervals that were found beside the weights of their run."""
    weights = copy.models.weights(arguments["number"])
    ws.models.keep_intervals(
        arguments["number"], weights["low"].to_numpy(), weights["high"].to_numpy()
    )


def take_table(ws: Workspace, copy: Workspace, arguments: Mapping[str, Any]) -> None:
    """Keep the systems of a table that were reproduced."""
    require_experiments()
    from experiments import keep, kept

    table = kept(copy, arguments["name"])
    if table is not None:
        keep(ws, table)


DO: Mapping[str, Callable[[Workspace, Mapping[str, Any], Progress], Outcome]] = {
    "infer": infer,
    "learn": learn,
    "crossval": crossval,
    "score": score,
    "again": again,
    "relearn": relearn,
    "structure": structure,
    "intervals": intervals,
    "experiment": experiment,
    "study": study,
    "link": link,
}
"""By kind, what the worker does."""


def perform(ws: Workspace, request: Mapping[str, Any], progress: Progress) -> Outcome:
    """One job, in its worker's process."""
    return DO[request["kind"]](ws, request["arguments"], progress)


TAKE: Mapping[str, Callable[[Workspace, Workspace, Mapping[str, Any]], None]] = {
    "intervals": take_intervals,
    "experiment": take_table,
}
"""By kind, what the workspace takes from the worker's copy beside the runs recorded there."""
