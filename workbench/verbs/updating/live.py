"""A standing answer: a ground network with its solution,
brought up to date where facts changed and nowhere else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from workbench.arrays import Array, Bool, Float, Int32, Int64
from workbench.database import Database, FactRows
from workbench.grounding import Grounding
from workbench.grounding.again import Piece, Shape, ground_again
from workbench.grounding.splice import Splice, places, splice
from workbench.inference import Solution, Status
from workbench.network import GroundNetwork, components, hard_violation, reported_energy
from workbench.network.components import with_joins
from workbench.network.part import part
from workbench.network.settled import unsettled
from workbench.progress import SILENT, Progress
from workbench.verbs.inference_faults import infeasible_error, require_weights
from workbench.verbs.updating.asked import Asked, Known
from workbench.verbs.updating.shares import PROVEN, Shares, sureness

__all__ = ["LiveGrounding", "Renewal", "renewed", "standing"]


@dataclass(frozen=True)
class LiveGrounding:
    """A grounding with its solution, and what it takes to bring both up to date.

    Attributes
    ----------
    rule : int32 array, shape (n_rows,)
        The rule of each row.
    values : float64 array, shape (n_atoms,)
    engine : str
        Which gave the last answer.
    component : int32 array, shape (n_atoms,)
        A label of the atoms that rows and blocks join; others that were joined once may share it.
    """

    asked: Asked
    grounding: Grounding
    rule: Int32
    shape: Shape
    values: Float
    shares: Shares
    engine: str
    component: Int32

    def solution(self, reason: str = "") -> Solution:
        """The answer as a whole."""
        if self.asked.numbers(self.grounding):
            return self.asked.solve(self.grounding)
        network, weights = self.grounding.network, self.grounding.templates.weight
        energy = bound = float("nan")
        if self.asked.task == "map":
            energy = reported_energy(network, weights, self.values)
            bound = energy - float(self.shares.slack.sum())
        violation = hard_violation(network, self.values)
        if self.asked.task == "marginal":
            violation = 0.0
        return Solution(
            self.shares.worst, self.values, energy, bound, violation, self.engine, reason
        )


@dataclass(frozen=True)
class Renewal:
    """A standing answer after an update.

    Attributes
    ----------
    place : int64 array, shape (n_atoms before,)
        The atom now of each atom as it was, -1 where it is none any more.
    touched : int
        Atoms solved again.
    rules : int
        Rules ground again.
    """

    standing: LiveGrounding
    place: Int64
    touched: int
    rows_added: int
    rows_removed: int
    rules: int


def standing(
    database: Database, asked: Asked, *, known: Known | None = None, progress: Progress = SILENT
) -> LiveGrounding:
    """Ground in full, and solve where `known` does not say the value of every atom."""
    piece = ground_again(database, asked.program, asked.request, progress=progress)
    require_weights(piece.grounding.templates, piece.grounding.templates.weight)
    values = None if known is None else known.values(piece.grounding)
    if known is None or values is None or np.isnan(values).any():
        solution = asked.solve(piece.grounding, progress)
        _refuse_infeasible(piece.grounding, solution)
        values, engine = solution.values, solution.engine
        slack, status = _slack(solution), solution.status
    else:
        engine, slack, status = known.engine, known.slack, known.status
    shares = Shares(
        np.zeros(values.size, np.int32), np.array([slack]), np.array([sureness(status)], np.int32)
    )
    component = components(piece.grounding.network).of_atom
    return LiveGrounding(
        asked, piece.grounding, piece.rule, piece.shape, values, shares, engine, component
    )


def renewed(
    database: Database,
    before: LiveGrounding,
    changed: Mapping[str, FactRows | None],
    *,
    progress: Progress = SILENT,
) -> Renewal:
    """The answer after facts of some predicates changed: the rules that read them ground again,
    what they touch solved.

    Raises
    ------
    InfeasibleError
        Where the hard rules admit no state any more; the ground rules that clash are named.
    """
    asked, old = before.asked, before.grounding
    piece = ground_again(
        database,
        asked.program,
        asked.request,
        before=before.shape,
        templates=old.templates,
        changed=changed,
        progress=progress,
    )
    place = places(old.atoms, piece.grounding.atoms)
    joined = splice(old.network, old.templates, before.rule, piece, place)
    grounding = _grounding(old, piece, joined)
    require_weights(grounding.templates, grounding.templates.weight)
    n_atoms = grounding.atoms.n_atoms
    values = _carried(before.values, place, np.zeros(n_atoms))
    of_atom = _carried(before.shares.of_atom, place, np.zeros(n_atoms, np.int32))
    shares = Shares(of_atom, before.shares.slack, before.shares.status)
    component = _components(before, place, joined)
    engine = before.engine
    bounded = asked.task == "map" and not asked.numbers(grounding)
    changed_atoms = _to_solve(joined, shares, values) if bounded else joined.concerned
    inside = _inside(component, changed_atoms)
    if inside.any():
        smaller = part(grounding.network, inside)
        atoms = smaller.variables
        solved = replace(
            grounding, network=_own_sums(smaller.problem), listed=_of(grounding.listed, atoms)
        )
        solution = asked.solve(solved, progress, values[atoms])
        if solution.conflict is not None:
            solution = replace(solution, conflict=smaller.rows[solution.conflict])
        _refuse_infeasible(grounding, solution)
        values = smaller.lift(solution.values, values)
        shares = shares.with_part(atoms, _slack(solution), solution.status)
        engine = solution.engine
        component[atoms] = component.max() + 1 + components(smaller.problem).of_atom
    now = LiveGrounding(
        asked,
        grounding,
        joined.rule,
        piece.shape,
        values,
        shares.without_empty(),
        engine,
        component,
    )
    return Renewal(now, place, int(inside.sum()), joined.added, joined.removed, piece.n_rules)


def _grounding(old: Grounding, piece: Piece, joined: Splice) -> Grounding:
    """The piece's grounding with the rules that it left out."""
    new = piece.grounding
    rows = np.bincount(joined.rule, minlength=len(old.rules))
    rules = tuple(
        new.rules[number]
        if number in piece.rules
        else piece.difference.counts(one, int(rows[number]))
        if piece.difference is not None and number in piece.difference.rules
        else one
        for number, one in enumerate(old.rules)
    )
    return replace(new, network=joined.network, templates=joined.templates, rules=rules)


def _to_solve(joined: Splice, shares: Shares, values: Float) -> Bool:
    """The atoms of changes after which the most likely state may be another, shape (n_atoms,)."""
    unproven = np.asarray(shares.status > PROVEN)[shares.of_atom]
    moved = unsettled(joined.came, joined.went, joined.templates.weight, values)
    return joined.touched | moved | (joined.concerned & unproven)


def _carried(before: Array, place: Int64, onto: Array) -> Array:
    """What atoms had, where they are now."""
    stayed = place >= 0
    onto[place[stayed]] = before[stayed]
    return onto


def _components(before: LiveGrounding, place: Int64, now: Splice) -> Int32:
    """The labels of atoms that rows and blocks join: as before, and joined by what came.

    What went may have parted some that share a label still.
    """
    n_atoms, known = now.touched.size, int(before.component.max(initial=-1)) + 1
    label = _carried(before.component, place, np.arange(known, known + n_atoms, dtype=np.int32))
    return with_joins(label, now.came.A, now.network.blocks.members)


def _inside(component: Int32, touched: Bool) -> Bool:
    """The atoms that share a label with a touched one."""
    found = np.zeros(int(component.max(initial=-1)) + 1, np.bool_)
    found[component[touched]] = True
    return found[component]


def _own_sums(network: GroundNetwork) -> GroundNetwork:
    """A part with sums of its own, so that its energy and bound are:
    what its atoms add to the whole's.
    """
    positive = network.unit.maximum(0.0).sum(axis=0)
    nothing = np.zeros_like(network.unit_scale)
    return replace(
        network,
        constant=np.asarray(positive, np.float64).reshape(-1),
        unit_scale=nothing,
        evidence_satisfied=nothing,
        evidence_violated=nothing,
    )


def _slack(solution: Solution) -> float:
    return max(0.0, solution.energy - solution.bound) if np.isfinite(solution.energy) else 0.0


def _of(values: Float | None, atoms: Int64) -> Float | None:
    return None if values is None else values[atoms]


def _refuse_infeasible(grounding: Grounding, solution: Solution) -> None:
    if solution.status is Status.INFEASIBLE:
        raise infeasible_error(grounding, solution)
