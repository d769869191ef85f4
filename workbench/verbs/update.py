"""`update`: facts added, corrected and removed, and a recorded prediction brought up to date with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.arrays import Float
from workbench.database import (
    Database,
    FactSum,
    Partition,
    display_names,
    fact_print,
    fact_sums,
    hash_of,
    read_run,
    set_fact,
)
from workbench.errors import Diagnostic, InfeasibleError, UsageError
from workbench.grounding import Grounding
from workbench.inference import Status
from workbench.language.ground_atoms import parse_atom
from workbench.network import evidence_energy
from workbench.progress import SILENT, Progress
from workbench.verbs.common import as_json
from workbench.verbs.fact_changes import changes_of
from workbench.verbs.infer import InferenceResult
from workbench.verbs.live import Asked, Known, LiveGrounding, Renewal, renewed, standing
from workbench.verbs.live_store import Facts, descendants, keep, kept
from workbench.verbs.queries import read_query
from workbench.verbs.reopening import Recorded, recorded_run
from workbench.verbs.runs import record_inference

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Update", "tried", "update"]

MOVED = 1e-9
"""A value that moves by less has not changed."""


@dataclass(frozen=True)
class Update:
    """What an update did.

    Attributes
    ----------
    result : InferenceResult
        The answer as it is now; `result.run_id` is the run it was recorded as, `parent` the one it started from.
    parent : int
    facts_added, facts_removed : int
    rows_added, rows_removed : int
        Rows of the ground network.
    rules_ground, atoms_solved : int
        How much was done again.
    changes : DataFrame
        atom, predicate, before, after: the atoms asked about whose value moved, those that came (no `before`), and
        those that data decide now (no `after`); the largest change first.
    seconds : float
    """

    result: InferenceResult
    parent: int
    facts_added: int
    facts_removed: int
    rows_added: int
    rows_removed: int
    rules_ground: int
    atoms_solved: int
    changes: pd.DataFrame
    seconds: float

    def summary(self, most: int = 20) -> dict[str, Any]:
        """JSON-ready figures, with at most so many of the changes."""
        solution = self.result.solution
        return {
            "status": str(solution.status),
            "run": self.result.run_id,
            "parent": self.parent,
            "changed": len(self.changes),
            "facts_added": self.facts_added,
            "facts_removed": self.facts_removed,
            "rows_added": self.rows_added,
            "rows_removed": self.rows_removed,
            "rules_ground": self.rules_ground,
            "atoms_solved": self.atoms_solved,
            "energy": as_json(solution.energy),
            "bound": as_json(solution.bound),
            "gap": as_json(solution.gap),
            "seconds": round(self.seconds, 6),
            "engine": solution.engine,
            "reason": solution.reason,
            "changes": as_json(self.changes.head(most).to_dict("records")),
        }


def update(
    database: Database,
    run: int,
    add: Sequence[Any] = (),
    remove: Sequence[Any] = (),
    *,
    correct: bool = False,
    world: str | None = None,
    partition: Partition = "evidence",
    progress: Progress = SILENT,
) -> Update:
    """Change facts and bring a recorded prediction up to date, in one transaction: all of it or nothing.

    Parameters
    ----------
    database : Database
    run : int
        An inference run. What is brought up to date is its newest update, where facts have not changed otherwise since.
    add, remove : sequences of path, data frame, or text in the form of Alchemy's `.db`
        Facts that are there already, or not there any more, change nothing.
    correct : bool
        Facts that contradict facts of the same world take their place.
    world : str, optional
        The database the facts belong to.
    partition : {'evidence', 'truth', 'target'}

    Raises
    ------
    InputError
        E0850 where a fact contradicts another; the faults of the files.
    InfeasibleError
        E0852, beside what clashes, where the changed facts admit no state.
    UsageError
        E0815 where the run is no prediction, E0851 where it is a fold's.

    Notes
    -----
    Rules that read no changed predicate and no changed domain are not ground again; components of the network that no
    changed row touches keep their answer. In full, as by `infer`, only where facts changed otherwise since the run.
    """
    begun = perf_counter()
    if read_run(database, run).kind == "crossval":
        raise UsageError.of(
            "E0851", f"run {run} is a cross-validation, which is no standing answer", help="infer first"
        )
    changes = changes_of(database, add, remove, correct=correct, world=world, partition=partition)
    with database.transaction():
        before = _before(database, run, progress)
        applied = changes.apply(database)
        changed = set(applied.by) if applied.added or applied.removed else set()
        try:
            renewal = before.renewed(database, changed, progress)
        except InfeasibleError as error:
            raise _kept_as_it_was(error) from None
        seconds = perf_counter() - begun
        result = _result(database, before.recorded, renewal.standing, seconds)
        if changed or before.standing is None:
            settings = {name: value for name, value in before.recorded.run.parameters.items() if name != "figures"}
            seed = before.recorded.run.seed or 0
            view = database.within()
            facts = before.facts(view, applied.by)
            number = record_inference(view, result, seed, settings, parent=before.run, facts=hash_of(view, facts.sums))
            keep(database, number, renewal.standing, facts, instead=before.run)
            result = replace(result, run_id=number)
    return Update(
        result=result,
        parent=before.run,
        facts_added=applied.added,
        facts_removed=applied.removed,
        rows_added=renewal.rows_added,
        rows_removed=renewal.rows_removed,
        rules_ground=renewal.rules,
        atoms_solved=renewal.touched,
        changes=_changes(before, renewal, result),
        seconds=perf_counter() - begun,
    )


def tried(
    database: Database, run: int, changes: Mapping[str, bool | None], *, progress: Progress = SILENT
) -> tuple[Grounding, Float]:
    """What a run would answer with some facts changed: its atoms and their values; the change is taken back."""
    found: list[LiveGrounding] = []
    with suppress(_TakenBack), database.transaction():
        before = _before(database, run, progress)
        for atom, value in changes.items():
            set_fact(database, atom, value)
        predicates = {parsed[0] for atom in changes if (parsed := parse_atom(atom)) is not None}
        found.append(before.renewed(database, predicates, progress).standing)
        raise _TakenBack
    now = found[0]
    asked = now.asked
    rounded = asked.task == "map" and asked.program.language == "mln" and not asked.numbers(now.grounding)
    return now.grounding, np.rint(now.values) if rounded else now.values


class _TakenBack(Exception):
    """Ends a transaction that is not to be kept."""


@dataclass(frozen=True)
class _Before:
    """What an update starts from.

    Attributes
    ----------
    recorded : Recorded
    standing : LiveGrounding or None
        None where facts changed since the run was recorded: it is answered in full.
    sums : mapping of str to FactSum
        Of the facts of each predicate.
    """

    recorded: Recorded
    standing: LiveGrounding | None
    sums: Mapping[str, FactSum]

    @property
    def run(self) -> int:
        return self.recorded.run.id

    def facts(self, database: Database, by: Mapping[str, FactSum]) -> Facts:
        """What the facts are now that they changed."""
        sums = {name: self.sums.get(name, FactSum()).changed(by.get(name, FactSum())) for name in database.predicates()}
        return Facts(fact_print(database), sums)

    def renewed(self, database: Database, changed: set[str], progress: Progress) -> Renewal:
        view = database.within()
        if self.standing is not None:
            if not changed:
                return Renewal(self.standing, np.arange(self.standing.values.size), 0, 0, 0, 0)
            return renewed(view, self.standing, changed, progress=progress)
        now = standing(view, _asked(view, self.recorded), progress=progress)
        rows = now.grounding.network.n_rows
        return Renewal(now, np.zeros(0, np.int64), now.values.size, rows, 0, len(now.asked.program.rules))


def _before(database: Database, run: int, progress: Progress) -> _Before:
    """The newest update of a run that the facts of now belong to, as it was kept or ground again."""
    view = database.within()
    now, sums = fact_print(view), None
    for number in descendants(view, run):
        stored = kept(view, number)
        if stored is not None and stored.facts.print == now:
            sums = stored.facts.sums
        else:
            sums = sums or fact_sums(view)
            if read_run(view, number).data_hash != hash_of(view, sums):
                continue
        recorded = recorded_run(view, number)
        asked = _asked(view, recorded)
        if stored is not None:
            return _Before(recorded, stored.standing(view, asked), sums)
        return _Before(recorded, standing(view, asked, known=_known(recorded), progress=progress), sums)
    return _Before(recorded_run(view, run), None, sums or fact_sums(view))


def _asked(database: Database, recorded: Recorded) -> Asked:
    return Asked(
        recorded.program,
        recorded.request(database),
        recorded.task,
        recorded.engine,
        recorded.options,
        recorded.run.seed or 0,
        recorded.run.parameters.get("time_limit"),
    )


def _known(recorded: Recorded) -> Known:
    """What the run says of its own answer."""

    def values(grounding: Grounding) -> Float:
        found = np.full(grounding.atoms.n_atoms, np.nan)
        at = recorded.located(grounding.atoms)
        found[at[at >= 0]] = recorded.values[at >= 0]
        return found

    figures = recorded.run.parameters.get("figures") or {}
    energy, bound = figures.get("energy"), figures.get("bound")
    slack = 0.0 if recorded.task == "marginal" else np.inf
    if energy is not None and bound is not None:
        slack = max(0.0, energy - bound)
    return Known(values, slack, Status(recorded.run.status), recorded.run.engine or "")


def _result(database: Database, recorded: Recorded, now: LiveGrounding, seconds: float) -> InferenceResult:
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
        asked=read_query(recorded.run.parameters.get("query") or None),
        names=display_names(database.within()),
    )


def _changes(before: _Before, renewal: Renewal, result: InferenceResult) -> pd.DataFrame:
    """The atoms asked about whose value moved, came or went, by key."""
    import pandas as pd

    atoms, values = result.grounding.atoms, result.values
    old = np.full(atoms.n_atoms, np.nan)
    gone: list[dict[str, Any]] = []
    if before.standing is None:
        at = before.recorded.located(atoms)
        old[at[at >= 0]] = before.recorded.values[at >= 0]
    else:
        earlier, place = before.standing, renewal.place
        old[place[place >= 0]] = earlier.values[place >= 0]
        table = replace(earlier.grounding.atoms, names_of=atoms.names_of)
        lost = np.flatnonzero((place < 0) & ~table.is_hidden)
        for text, number in zip(table.names(lost), lost.tolist()):
            predicate = table.predicates[table.predicate[number]]
            row = {"atom": text, "predicate": predicate, "before": earlier.values[number], "after": np.nan}
            gone.append(row | {"world": table.worlds[int(table.world[number])]})
    moved = np.flatnonzero(result.is_query & ~(np.abs(values - old) <= MOVED))
    order = moved[np.argsort(-np.nan_to_num(np.abs(values[moved] - old[moved]), nan=2.0), kind="stable")]
    frame = pd.DataFrame(
        {
            "atom": atoms.names(order),
            "predicate": np.array(atoms.predicates, object)[atoms.predicate[order]],
            "before": old[order],
            "after": values[order],
            "world": atoms.world_names(order),
        }
    )
    both = pd.concat([frame, pd.DataFrame(gone, columns=frame.columns)], ignore_index=True) if gone else frame
    return both if len(atoms.worlds) > 1 else both.drop(columns="world")


def _kept_as_it_was(error: InfeasibleError) -> InfeasibleError:
    note = Diagnostic(
        "E0852",
        "the update is not applied: with it the hard rules admit no world, and the old facts and answer stay",
        help="correct the facts named above, or give the rule a weight",
    )
    return InfeasibleError((*error.diagnostics, note))
