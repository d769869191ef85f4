"""A ground network brought up to date: some rules' rows taken out, others put in, atoms met by key.

Rows are keyed by their template, entries and constant, so that what was there before and what is
there now are compared as sets, whatever the order they were ground in.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from workbench.arrays import Bool, Int32, Int64
from workbench.grounding.again import Piece
from workbench.grounding.atoms import AtomTable
from workbench.grounding.carried_rows import (
    CLOSE,
    CarriedPart,
    CarriedRows,
    Renumbered,
    changed_rows,
    edited,
    stacked,
    without_zeros,
)
from workbench.grounding.differences import Difference
from workbench.grounding.edited_rows import EditedRows
from workbench.grounding.templates import MergedTemplates, merge_templates, sums_by_template
from workbench.network.ground_network import Blocks, GroundNetwork, Templates, unit_changes
from workbench.row_keys import equal_rows, row_keys

SUMS = (
    "constant",
    "groundings",
    "unit_scale",
    "evidence_satisfied",
    "evidence_violated",
    "power",
)
"""What a network sums by template."""


@dataclass(frozen=True)
class Splice:
    """A network brought up to date, and what became of it.

    Attributes
    ----------
    rows : EditedRows
        Its rows, with the rule of each.
    touched : bool array, shape (n_atoms,)
        Atoms that are new, with changed blocks, or once joined to an atom or a template that is no
        more.
    came, went : GroundNetwork
        All other changed rows, and the unit groundings of the replaced rules: as they are, and as
        they were.
    added, removed : int
        Rows that were not there before, and that are there no longer.
    only : pair of int32 arrays, or None
        Where no other rows changed than those that came and went, the rule of each of these.
    """

    network: GroundNetwork
    templates: Templates
    rows: EditedRows
    touched: Bool
    came: GroundNetwork
    went: GroundNetwork
    added: int = 0
    removed: int = 0
    only: tuple[Int32, Int32] | None = None

    @property
    def concerned(self) -> Bool:
        """The atoms of all that changed, shape (n_atoms,)."""
        found = self.touched.copy()
        found[self.came.A.indices] = found[self.went.A.indices] = True
        difference = unit_changes(self.came, self.went)
        found[difference.coords[0][np.abs(difference.data) > CLOSE]] = True
        return found


def places(before: AtomTable, now: AtomTable) -> Int64:
    """The atom now of each atom as it was, by key; -1 where it is gone, shape (n_atoms,)."""
    found = np.full(before.n_atoms, -1, np.int64)
    start = before.start
    for number, name in enumerate(before.predicates):
        mine = slice(int(start[number]), int(start[number + 1]))
        if (
            name not in now.predicates
            or before.types[number] != now.types[now.predicates.index(name)]
        ):
            continue
        other = now.predicates.index(name)
        there = slice(int(now.start[other]), int(now.start[other + 1]))
        constants, world = before.constants[number], before.world[mine]
        if np.array_equal(constants, now.constants[other]) and np.array_equal(
            world, now.world[there]
        ):
            found[mine] = np.arange(there.start, there.stop)
        else:
            found[mine] = now.locate(name, world, constants)
    return found


def splice(
    network: GroundNetwork, templates: Templates, rule: Int32, piece: Piece, place: Int64
) -> Splice:
    """The network with the rows of the piece's rules replaced.

    Cost: linear in the stored entries, and a sort of the replaced rules' rows.

    Parameters
    ----------
    network, templates, rule
        As it was, with the rule of each row.
    piece : Piece
        The replaced rules alone, over the atoms as they are now; blocks and soft evidence are all
        those of now.
    place : int64 array, shape (n_atoms,)
        The atom now of each atom as it was; -1 where it is none any more.
    """
    if piece.difference is not None:
        summed: dict[str, Any] = piece.difference.sums(network)
        network = replace(network, **summed)
    new = piece.grounding.network
    goes = np.isin(templates.rule, [-1, *piece.rules])
    tables = merge_templates(templates, goes, piece.grounding.templates)
    before = Renumbered(network, rule, place, new.n_atoms, tables.width)
    shares = _shares(before, piece, tables)
    coming, going = shares.coming, shares.going

    old_rows, new_rows, added, removed = changed_rows(going.rows, coming.rows)
    touched = np.ones(new.n_atoms, np.bool_)
    touched[place[place >= 0]] = False
    _mark_blocks(network.blocks, new.blocks, place, touched)
    old_rows = _mark_gone(going, old_rows, tables.templates.n_templates, touched)
    joined = stacked(before.rows(shares.stays, tables.old), coming.rows)
    sums: dict[str, Any] = {
        name: sums_by_template(getattr(network, name), getattr(new, name), tables) for name in SUMS
    }
    spliced = replace(
        new,
        **sums,
        **joined.columns(new.n_atoms),
        unit=csr_array(csr_array(shares.kept + coming.units)[:, : tables.templates.n_templates]),
    )
    return Splice(
        spliced,
        tables.templates,
        EditedRows.of(spliced, joined.rule),
        touched,
        came=_alone(spliced, coming, new_rows),
        went=_alone(spliced, going, old_rows),
        added=added,
        removed=removed,
    )


class _Shares(NamedTuple):
    """What of a network stays (rows, units), goes and comes; rows that change do both."""

    stays: Bool
    kept: csr_array
    going: CarriedPart
    coming: CarriedPart

    def changed_by(self, near: CarriedRows, came: CarriedPart, went: CarriedPart) -> _Shares:
        """With rows near a difference: among those that go as they were, that come as they are."""
        return _Shares(
            self.stays,
            without_zeros(self.kept - went.units),
            CarriedPart(stacked(self.going.rows, near), csr_array(self.going.units + went.units)),
            CarriedPart(
                stacked(self.coming.rows, edited(near, came.rows, went.rows)),
                csr_array(self.coming.units + came.units),
            ),
        )


def _shares(before: Renumbered, piece: Piece, tables: MergedTemplates) -> _Shares:
    """A network's rows and units by what becomes of them."""
    difference, goes = piece.difference, tables.goes
    replaced = np.isin(before.rule, list(piece.rules))
    near = _near(before, difference)
    everywhere = np.arange(before.n_atoms)

    def now(network: GroundNetwork, rule: Int32, number: Int64) -> CarriedPart:
        return replace(before, network=network, rule=rule, place=everywhere).whole(number)

    shares = _Shares(
        ~(replaced | near),
        before.units(np.where(goes, -1, tables.old)),
        before.part(replaced, np.where(goes, tables.old, -1)),
        now(piece.grounding.network, piece.rule, tables.new),
    )
    if difference is None:
        return shares
    came, went = (
        now(one.network, one.rule, tables.old) for one in (difference.came, difference.went)
    )
    return shares.changed_by(before.rows(near, tables.old), came, went)


def _near(before: Renumbered, difference: Difference | None) -> Bool:
    """The rows that may be among those of a difference: of its rules, over atoms of its rows."""
    A = before.network.A
    if difference is None:
        return np.zeros(before.network.n_rows, np.bool_)
    inside = np.zeros(before.n_atoms + 1, np.bool_)
    for side in (difference.came, difference.went):
        inside[side.network.A.indices] = True
    near = np.flatnonzero(inside[before.place][A.indices])
    rows, width = np.unique(np.searchsorted(A.indptr, near, "right") - 1, return_counts=True)
    whole = rows[width == np.diff(A.indptr)[rows]]
    found = np.zeros(before.network.n_rows, np.bool_)
    found[whole] = np.isin(before.rule[whole], list(difference.rules))
    return found


def _mark_gone(going: CarriedPart, rows: Int64, n_templates: int, touched: Bool) -> Int64:
    """Mark the atoms of rows and units whose template or atom is no more; the other rows."""
    A = csr_array(going.rows.A[rows])
    owner = np.repeat(np.arange(rows.size), np.diff(A.indptr))
    gone = going.rows.template[rows] >= n_templates
    gone[owner[A.indices == touched.size]] = True
    marked = A.indices[gone[owner]]
    touched[marked[marked < touched.size]] = True
    unit = going.units.tocoo()
    touched[unit.coords[0][unit.coords[1] >= n_templates]] = True
    return rows[~gone]


def _alone(network: GroundNetwork, part: CarriedPart, rows: Int64) -> GroundNetwork:
    """Some rows and the units, over the atoms and templates of a network."""
    columns: dict[str, Any] = {
        name: getattr(part.rows, name)[rows] for name in ("b", "template", "scale", "relation")
    }
    return replace(
        network,
        **columns,
        A=csr_array(part.rows.A[rows][:, : network.n_atoms]),
        unit=csr_array(part.units[:, : network.n_templates]),
    )


def _mark_blocks(old: Blocks, new: Blocks, place: Int64, touched: Bool) -> None:
    """Mark atoms of blocks that have other members, or another number still to be true."""
    if not old.n_blocks and not new.n_blocks:
        return
    members = old.members
    columns = place[members.indices]
    carried = csr_array(
        (members.data, np.where(columns < 0, touched.size, columns), members.indptr),
        shape=(old.n_blocks, touched.size + 1),
    )
    filled = [np.flatnonzero(np.diff(one.indptr) > 0) for one in (carried, new.members)]
    parts = [csr_array(one[rows]) for one, rows in zip((carried, new.members), filled)]
    keys = [
        row_keys(part.indptr, part.indices, part.data, blocks.right[rows], blocks.kind[rows])
        for part, blocks, rows in zip(parts, (old, new), filled)
    ]
    group = equal_rows(np.concatenate(keys))
    before, after, n = group[: len(keys[0])], group[len(keys[0]) :], group.size
    moved = np.bincount(before, minlength=n) != np.bincount(after, minlength=n)
    for part, owner in zip(parts, (before, after)):
        inside = csr_array(part[np.flatnonzero(moved[owner])]).indices
        touched[inside[inside < touched.size]] = True
