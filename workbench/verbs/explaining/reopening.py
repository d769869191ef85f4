"""A recorded prediction opened again: grounded as it was, explained, or inferred anew."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from workbench.arrays import Float, Int64
from workbench.database import (
    Database,
    RecordedAtoms,
    Run,
    data_hash,
    read_run,
    recorded_atoms,
    run_table,
)
from workbench.errors import UsageError
from workbench.grounding import AtomTable, Grounding, GroundRequest, fitted, ground
from workbench.inference import Solution, Status
from workbench.inference.accepts import Task
from workbench.progress import SILENT, Progress
from workbench.verbs.answered_labels import before_answers
from workbench.verbs.common import names_of, recorded_program, with_types_of
from workbench.verbs.infer import InferenceResult, solve_given
from workbench.verbs.number_inference import asks_for_numbers, solve_numbers
from workbench.verbs.options import How
from workbench.verbs.queries import query_of, read_query
from workbench.verbs.written_rules import learned_text, recorded_templates

if TYPE_CHECKING:
    from workbench.language.program import Program
    from workbench.verbs.last_grounding import LastGrounding


@dataclass(frozen=True)
class Recorded:
    """An inference run, or one fold of a cross-validation, as the inference it was.

    Attributes
    ----------
    by_name : bool
        A fold of atoms, whose predictor knew all labels but theirs.
    database : Database
        Where it is recorded.
    """

    run: Run
    program: Program
    task: Task
    worlds: tuple[str, ...] | None
    engine: str
    options: Mapping[str, object]
    fold: int | None
    by_name: bool
    database: Database

    @property
    def withheld(self) -> bool:
        """Whether labels of what is asked about were kept from the predictor."""
        return self.fold is not None or self.run.parameters.get("labels") == "withheld"

    @cached_property
    def atoms(self) -> tuple[RecordedAtoms, ...]:
        """What was predicted, by key."""
        return recorded_atoms(self.database, self.run.id, self.fold)

    @property
    def values(self) -> Float:
        """The recorded values in the order they were recorded."""
        values = np.empty(sum(part.place.size for part in self.atoms))
        for part in self.atoms:
            values[part.place] = part.value
        return values

    def located(self, atoms: AtomTable) -> Int64:
        """The open atom of each prediction, -1 where it is none now."""
        found = np.full(self.values.size, -1, np.int64)
        types = dict(zip(atoms.predicates, atoms.types))
        for part in self.atoms:
            if types.get(part.predicate) == part.types:
                found[part.place] = atoms.locate(part.predicate, part.world, part.constants)
        return found

    def request(self, database: Database) -> GroundRequest:
        """What it grounded, its program declared."""
        database.declare(self.program)
        role: Literal["infer", "learn"] = "learn" if self.withheld else "infer"
        return recorded_request(database, self.run, role=role, worlds=self.worlds)

    def ground(self, database: Database, last: LastGrounding | None = None) -> Grounding:
        request = self.request(database)
        make = ground if last is None else last.ground
        return make(database, fitted(database, self.program), request)

    def known(self, grounding: Grounding) -> Float:
        """What the predictor was told of the atoms: NaN but for labels that a fold left in."""
        if not self.by_name:
            return np.full(grounding.atoms.n_atoms, np.nan)
        known, held_out = grounding.truth.copy(), self.located(grounding.atoms)
        known[held_out[held_out >= 0]] = np.nan
        return known

    def infer(self, grounding: Grounding, known: Float, progress: Progress) -> InferenceResult:
        weights, task = grounding.templates.weight, self.task
        if asks_for_numbers(self.program, grounding.atoms.predicates):
            solution = solve_numbers(self.program, grounding, weights, task, "auto")
        else:
            seed, seconds = self.run.seed or 0, self.run.parameters.get("time_limit")
            how: How = {"seed": seed, "time_limit": seconds, "progress": progress}
            solution = solve_given(
                grounding, weights, known, task, self.engine, self.options, **how
            )
        return InferenceResult(solution, grounding, self.program, weights, task, 0.0)


def reopen(
    database: Database,
    number: int,
    *,
    fold: int | None = None,
    last: LastGrounding | None = None,
    progress: Progress = SILENT,
) -> InferenceResult:
    """An inference run, or one fold of a cross-validation, as it was: ground again, its recorded
    values put back.

    What people have answered to predictions since is taken back, on a copy.

    Raises E0815 when it is no inference run, E0816 when the facts have changed otherwise.
    """
    recorded = recorded_run(database, number, fold)
    facts = database
    if recorded.run.data_hash != data_hash(database):
        before = before_answers(database, recorded.run.created)
        if before is None or recorded.run.data_hash != data_hash(before):
            raise facts_have_changed(number)
        facts, last = before, None
    grounding = recorded.ground(facts, last)
    state = recorded.known(grounding)
    asked = query_of(facts, recorded.program, recorded.run.parameters.get("query") or None)
    predicted = np.flatnonzero(np.isnan(state) & asked.chosen(grounding.atoms))
    if np.array_equal(recorded.located(grounding.atoms), predicted):
        state[predicted] = recorded.values
    if np.isnan(state).any():
        return replace(
            recorded.infer(grounding, recorded.known(grounding), progress),
            run_id=number,
            fold=fold,
            asked=asked,
        )
    status = Status(recorded.run.status) if fold is None else Status.FEASIBLE
    solution = Solution(status, state, np.nan, np.nan, 0.0, recorded.run.engine or "")
    weights = grounding.templates.weight
    result = InferenceResult(
        solution, grounding, recorded.program, weights, recorded.task, 0.0, number, fold
    )
    return replace(result, asked=asked)


def facts_have_changed(number: int) -> UsageError:
    """What to say where a run's answer is not of the facts that there are now."""
    return UsageError.of(
        "E0816",
        f"the facts have changed since run {number}",
        help="run the inference again, then explain it",
    )


def recorded_run(database: Database, number: int, fold: int | None = None) -> Recorded:
    """A recorded prediction, or one fold of a cross-validation, with what it takes to make it
    again.

    Raises E0815 when it is none.
    """
    run = read_run(database, number)
    if run.kind not in ("infer", "crossval"):
        raise UsageError.of(
            "E0815", f"run {number} is a {run.kind} run; only predictions can be explained"
        )
    if run.kind == "crossval":
        return _recorded_fold(database, run, fold)
    settings = run.parameters
    return Recorded(
        run,
        with_types_of(database, recorded_program(run)),
        _task(run),
        tuple(settings.get("worlds") or ()) or None,
        settings.get("engine") or "auto",
        settings.get("options") or {},
        None,
        False,
        database,
    )


def _task(run: Run) -> Task:
    return "map" if run.parameters.get("task") == "map" else "marginal"


def _recorded_fold(database: Database, run: Run, fold: int | None) -> Recorded:
    """A fold of a cross-validation, by the weights that were learned for it."""
    settings, number = run.parameters, run.id
    if fold is None:
        raise UsageError.of("E0815", f"run {number} is a cross-validation; choose one of its folds")
    plans = settings.get("folds") or ()
    weights = run_table(database, number, "weight")
    weights = weights[weights["fold"] == fold]
    if weights.empty or not 0 <= fold < len(plans):
        raise UsageError.of("E0815", f"run {number} recorded no weights for fold {fold}")
    program = recorded_program(run, (settings.get("programs") or {fold: run.program_text})[fold])
    text = learned_text(
        program, recorded_templates(weights), weights["weight"].to_numpy(np.float64)
    )
    return Recorded(
        run,
        with_types_of(database, recorded_program(run, text)),
        _task(run),
        tuple(plans[fold]["worlds"]),
        settings.get("engine") or "auto",
        settings.get("engine_options") or {},
        fold,
        plans[fold]["kept"] is not None and not settings.get("inductive"),
        database,
    )


def recorded_request(
    database: Database, run: Run, *, role: Literal["infer", "learn"], worlds: Sequence[str] | None
) -> GroundRequest:
    """What a recorded run grounded, its worlds (None for all) found again by name."""
    settings, by_name = run.parameters, database.worlds()
    return GroundRequest(
        query=read_query(settings.get("query") or None).predicates,
        closed=names_of(settings.get("closed")),
        hidden=names_of(settings.get("hidden")),
        worlds=tuple(by_name[name] for name in worlds) if worlds else None,
        role=role,
        tie=bool(settings.get("tie")),
        ignore_evidence_violations=bool(settings.get("ignore_evidence_violations")),
        allow_future=bool(settings.get("allow_future")),
    )
