"""`update`: facts added, corrected and removed, and a recorded prediction brought up to date."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np

from workbench.arrays import Float
from workbench.database import (
    Database,
    FactRows,
    Partition,
    display_names,
    fact_print,
    hash_of,
    read_run,
    set_fact,
    table_prints,
)
from workbench.errors import Cancelled, Diagnostic, InfeasibleError, UsageError
from workbench.grounding import Grounding
from workbench.grounding.asked_dates import with_dates_of_scopes
from workbench.language.ground_atoms import parse_atom
from workbench.language.program import Program
from workbench.network import evidence_energy
from workbench.progress import SILENT, Progress
from workbench.verbs.explaining.reopening import Recorded, facts_have_changed, recorded_run
from workbench.verbs.fact_changes import Applied, changes_of
from workbench.verbs.infer import InferenceResult
from workbench.verbs.queries import query_of
from workbench.verbs.runs import record_inference
from workbench.verbs.updating.beginning import Beginning, beginning_of
from workbench.verbs.updating.groups import NO_CHANGES, group_changes, links_of
from workbench.verbs.updating.last_answer import HeldAnswer, LastAnswer
from workbench.verbs.updating.live import LiveGrounding
from workbench.verbs.updating.renewal import Renewal
from workbench.verbs.updating.result import Update, changes_of_answer
from workbench.verbs.updating.store import AnsweredFacts


def update(
    database: Database,
    run: int,
    add: Sequence[Any] = (),
    remove: Sequence[Any] = (),
    *,
    last: LastAnswer,
    correct: bool = False,
    world: str | None = None,
    partition: Partition = "evidence",
    progress: Progress = SILENT,
) -> Update:
    """Change facts and bring a recorded prediction up to date, in one transaction: all of it or
    nothing.

    Raises E0850 where a fact contradicts another; the faults of the files, E0854 for rows of tables
    that cannot come or go; E0852, beside what
    clashes, where the changed facts admit no state; E0815 where the run is no prediction, E0851
    where it is a fold's; Cancelled where somebody asked for that: nothing is changed then. A time
    limit of the run's own ends solving alone: the best state so far is the answer, and its status
    and gap say so.

    Parameters
    ----------
    last : LastAnswer
        Of this session: it holds the new answer, and has the old one where it is the last.
    run : int
        An inference run. What is brought up to date is its newest update, where facts have not
        changed otherwise since.
    add, remove : sequences of path, data frame, or text in the form of Alchemy's `.db`
        Facts that are there already, or not there any more, change nothing. A file called as a wide
        table of the workspace has rows of it.
    correct : bool
        Facts that contradict facts of the same world take their place.
    world : str, optional
        The database the facts belong to.
    partition : {'evidence', 'truth', 'target'}

    Notes
    -----
    Rules that read no changed predicate and no changed domain are not ground again; components of
    the network that no changed row touches keep their answer. In full, as by `infer`, only where
    facts changed otherwise since the run.
    """
    begun = perf_counter()
    if read_run(database, run).kind == "crossval":
        raise UsageError.of(
            "E0851",
            f"run {run} is a cross-validation, which is no standing answer",
            help="infer first",
        )
    changes = changes_of(database, add, remove, correct=correct, world=world, partition=partition)
    with database.transaction():
        before = beginning_of(database, run, last, progress)
        links = links_of(database.within(), before.recorded)
        applied = changes.apply(database)
        changed = applied.rows if applied.added or applied.removed else {}
        renewal = _renewed(database, before, changed, progress)
        seconds = perf_counter() - begun
        result = _result(database, before.recorded, renewal.standing, seconds)
        result = replace(result, warnings=(*changes.warnings, *result.warnings))
        clusters, held = NO_CHANGES, None
        if changed or before.standing is None:
            view = database.within()
            held = _recorded(view, before, renewal, applied, result)
            result = replace(result, run_id=held.run)
            now = links_of(view, recorded_run(view, held.run)) if links else {}
            clusters = group_changes(view, links, now)
    if held is not None:
        last.hold(database, held, before.run, database.begun + 1)
    else:
        _hold(database, before, last, kept=before.kept)
    return Update(
        result=result,
        parent=before.run,
        facts_added=applied.added,
        facts_removed=applied.removed,
        rows_added=renewal.rows_added,
        rows_removed=renewal.rows_removed,
        rules_ground=renewal.rules,
        atoms_solved=renewal.touched,
        moved=changes_of_answer(before.recorded, before.standing, renewal, result),
        clusters=clusters,
        seconds=perf_counter() - begun,
    )


def _renewed(
    database: Database,
    before: Beginning,
    changed: Mapping[str, FactRows | None],
    progress: Progress,
) -> Renewal:
    """The answer of now, whole: what a cancel left of it is not kept."""
    try:
        renewal = before.renewed(database, changed, progress)
    except InfeasibleError as error:
        raise _kept_as_it_was(error) from None
    if progress.cancelled:
        raise Cancelled("update")
    return renewal


def _recorded(
    view: Database,
    before: Beginning,
    renewal: Renewal,
    applied: Applied,
    result: InferenceResult,
) -> HeldAnswer:
    """Record the answer as a run that came from the one it started from, to be held as such."""
    run = before.recorded.run
    sums = before.sums(view, applied.by)
    number = record_inference(
        view,
        result,
        run.seed or 0,
        {name: value for name, value in run.parameters.items() if name != "figures"},
        parent=before.run,
        facts=hash_of(view, sums),
        moved=before.moved(renewal),
    )
    tables = table_prints(view, before.tables, applied.prints)
    facts = AnsweredFacts(fact_print(view, tables), sums)
    return HeldAnswer(number, renewal.standing, facts, tables, kept=False)


def tried(
    database: Database,
    run: int,
    changes: Mapping[str, bool | None],
    last: LastAnswer,
    *,
    progress: Progress = SILENT,
) -> tuple[Recorded, Grounding, Float]:
    """What a run, or its newest update, would answer with some facts changed: the recorded answer,
    the atoms and their values; the change is taken back.

    Raises E0816 where facts have changed by other means since.
    """
    found: list[tuple[Beginning, LiveGrounding]] = []
    with suppress(_TakenBack), database.transaction():
        before = beginning_of(database, run, last, progress)
        if before.standing is None:
            raise facts_have_changed(run)
        suppose(database.within(), before.recorded.program, changes)
        predicates = {
            parsed[0]: None for atom in changes if (parsed := parse_atom(atom)) is not None
        }
        found.append((before, before.renewed(database, predicates, progress).standing))
        raise _TakenBack
    before, now = found[0]
    _hold(database, before, last, kept=True)
    asked = now.asked
    rounded = (
        asked.task == "map" and asked.program.language == "mln" and not asked.numbers(now.grounding)
    )
    values = np.rint(now.values) if rounded else now.values
    return before.recorded, now.grounding, values


def _hold(database: Database, before: Beginning, last: LastAnswer, *, kept: bool) -> None:
    """Hold an answer that was read or made again, and that nothing changed."""
    if before.standing is not None and last.of(before.run) is None:
        held = HeldAnswer(before.run, before.standing, before.known, before.tables, kept)
        last.hold(database, held, before.run, database.begun)


def suppose(database: Database, program: Program, changes: Mapping[str, bool | None]) -> None:
    """Put facts in; those of atoms that are asked at dates find the dates that scopes ask at."""
    with_dates_of_scopes(database, program)
    for atom, value in changes.items():
        set_fact(database, atom, value)


class _TakenBack(Exception):
    """Ends a transaction that is not to be kept."""


def _result(
    database: Database, recorded: Recorded, now: LiveGrounding, seconds: float
) -> InferenceResult:
    grounding = replace(now.grounding, origin=replace(now.grounding.origin, database=database))
    weights = grounding.templates.weight
    return InferenceResult(
        now.solution(),
        grounding,
        recorded.program,
        weights,
        recorded.task,
        seconds,
        run_id=recorded.run.id,
        evidence_energy=evidence_energy(grounding.network, weights),
        warnings=grounding.warnings,
        asked=query_of(
            database.within(), recorded.program, recorded.run.parameters.get("query") or None
        ),
        names=display_names(database.within()),
        sums=now.sums,
    )


def _kept_as_it_was(error: InfeasibleError) -> InfeasibleError:
    note = Diagnostic(
        "E0852",
        "the update is not applied: with it the hard rules admit no world, and the old facts and "
        "answer stay",
        help="correct the facts named above, or give the rule a weight",
    )
    return InfeasibleError((*error.diagnostics, note))
