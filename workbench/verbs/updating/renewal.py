"""A standing answer brought up to date where facts changed and nowhere else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from workbench.arrays import Array, Bool, Int64
from workbench.database import Database, FactRows
from workbench.grounding import Grounding
from workbench.grounding.again import Piece, ground_again
from workbench.grounding.carried_rows import stacked
from workbench.grounding.edit import edit
from workbench.grounding.splice import Splice, places, splice
from workbench.network import GroundNetwork, components
from workbench.network.components import with_joins
from workbench.network.part import part
from workbench.network.settled import unsettled
from workbench.progress import SILENT, Progress
from workbench.verbs.inference_faults import require_weights
from workbench.verbs.updating.live import PROVEN, LiveGrounding, refuse_infeasible, slack

FEW = 8
"""Where no more than one atom in so many is solved again, its rows alone are looked at."""


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
    same_atoms : bool
        Whether the atoms are known to be those of before.
    """

    standing: LiveGrounding
    place: Int64
    touched: int
    rows_added: int
    rows_removed: int
    rules: int
    same_atoms: bool = False


def renewed(
    database: Database,
    before: LiveGrounding,
    changed: Mapping[str, FactRows | None],
    *,
    progress: Progress = SILENT,
) -> Renewal:
    """The answer after facts of some predicates changed: the rules that read them ground again,
    what they touch solved.

    Raises InfeasibleError where the hard rules admit no state any more; the ground rules that clash
    are named.
    """
    asked, old = before.asked, before.grounding
    piece = ground_again(
        database,
        asked.program,
        asked.request,
        before=before.shape,
        standing=old if before.rows.may_be_edited else None,
        changed=changed,
        progress=progress,
    )
    if piece.only_differs:
        place = np.arange(old.atoms.n_atoms)
        joined = edit(old.network, old.templates, before.rows, piece.difference)
    else:
        place = places(old.atoms, piece.grounding.atoms)
        joined = splice(old.network, old.templates, before.rows.written.rule, piece, place)
    carried = _carried(before, _grounding(old, piece, joined), piece, joined, place)
    inside = _to_solve(carried, joined)
    now = (_solved(carried, joined, inside, progress) if inside.any() else carried).summed()
    return Renewal(
        now,
        place,
        int(inside.sum()),
        joined.added,
        joined.removed,
        piece.n_rules,
        piece.only_differs,
    )


def _grounding(old: Grounding, piece: Piece, joined: Splice) -> Grounding:
    """The piece's grounding with the rules that it left out."""
    rows = _rows_by_rule(old, joined)
    rules = tuple(
        piece.grounding.rules[number]
        if number in piece.rules
        else piece.difference.counts(one, int(rows[number]))
        if piece.difference is not None and number in piece.difference.rules
        else one
        for number, one in enumerate(old.rules)
    )
    now = replace(piece.grounding, network=joined.network, templates=joined.templates, rules=rules)
    require_weights(now.templates, now.templates.weight)
    return now


def _rows_by_rule(old: Grounding, joined: Splice) -> Int64:
    n = len(old.rules)
    if joined.only is None:
        return np.bincount(joined.rows.rule, minlength=n)
    came, went = (np.bincount(one, minlength=n) for one in joined.only)
    return np.array([one.ground_rows for one in old.rules], np.int64) + came - went


def _carried(
    before: LiveGrounding, grounding: Grounding, piece: Piece, joined: Splice, place: Int64
) -> LiveGrounding:
    """The network of now with the answer of before."""
    n_atoms = grounding.atoms.n_atoms
    shares, values, label = before.shares, before.values, before.component
    if not piece.only_differs:
        known = int(label.max(initial=-1)) + 1
        label = _onto(np.arange(known, known + n_atoms, dtype=np.int32), label, place)
        shares = replace(shares, of_atom=_onto(np.zeros(n_atoms, np.int32), shares.of_atom, place))
        values = _onto(np.zeros(n_atoms), values, place)
    carried = LiveGrounding(
        before.asked,
        grounding,
        joined.rows,
        piece.shape,
        values,
        shares,
        before.engine,
        # What went may have parted some that share a label still.
        with_joins(label, joined.came.A, joined.network.blocks.members),
    )
    if joined.only is None or before.sums is None:
        return carried
    came, went = (
        carried.sums_over(network, rule, carried.values)
        for network, rule in zip((joined.came, joined.went), joined.only)
    )
    return replace(carried, sums=before.sums + came - went)


def _onto(values: Array, before: Array, place: Int64) -> Array:
    """What atoms had, where they are now."""
    stayed = place >= 0
    values[place[stayed]] = before[stayed]
    return values


def _to_solve(carried: LiveGrounding, joined: Splice) -> Bool:
    """The atoms of the components in which another state may be the answer, shape (n_atoms,)."""
    if carried.bounded:
        moved = unsettled(joined.came, joined.went, joined.templates.weight, carried.values)
        touched, unproven = joined.touched | moved, carried.shares.status > PROVEN
        if unproven.any():
            touched |= joined.concerned & unproven[carried.shares.of_atom]
    else:
        touched = joined.concerned
    if not touched.any():
        return touched
    found = np.zeros(int(carried.component.max(initial=-1)) + 1, np.bool_)
    found[carried.component[touched]] = True
    return found[carried.component]


def _solved(
    carried: LiveGrounding, joined: Splice, inside: Bool, progress: Progress
) -> LiveGrounding:
    """The answer with some components solved again, from the values that they had."""
    grounding, near = carried.grounding, None
    if carried.asked.numbers(grounding):  # one sparse product, which looks at every atom's name
        return replace(carried, values=carried.asked.solve(grounding).values)
    if joined.only is not None and np.count_nonzero(inside) * FEW < inside.size:
        near = stacked(joined.rows.taken(joined.rows.inside(inside)))
        columns = near.columns(inside.size)
        grounding = replace(grounding, network=replace(grounding.network, **columns))
    smaller = part(grounding.network, inside)
    atoms = smaller.variables
    listed = None if grounding.listed is None else grounding.listed[atoms]
    solution = carried.asked.solve(
        replace(grounding, network=_own_sums(smaller.problem), listed=listed),
        progress,
        carried.values[atoms],
    )
    if solution.conflict is not None:
        solution = replace(solution, conflict=smaller.rows[solution.conflict])
    refuse_infeasible(grounding, solution)
    values, component = smaller.lift(solution.values, carried.values), carried.component.copy()
    component[atoms] = component.max() + 1 + components(smaller.problem).of_atom
    sums = None
    if near is not None and carried.sums is not None:
        after, was = (
            carried.sums_over(grounding.network, near.rule, one) for one in (values, carried.values)
        )
        sums = carried.sums + after - was
    return replace(
        carried,
        values=values,
        shares=carried.shares.with_part(atoms, slack(solution), solution.status),
        engine=solution.engine,
        component=component,
        sums=sums,
        reason="" if carried.bounded else solution.reason,
    )


def _own_sums(network: GroundNetwork) -> GroundNetwork:
    """A part with sums of its own, so that its energy and bound are its atoms' share."""
    positive = network.unit.maximum(0.0).sum(axis=0)
    nothing = np.zeros_like(network.unit_scale)
    return replace(
        network,
        constant=np.asarray(positive, np.float64).reshape(-1),
        unit_scale=nothing,
        evidence_satisfied=nothing,
        evidence_violated=nothing,
    )
