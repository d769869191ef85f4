"""A network's rows with few taken out and few put in since they were last written out.

An update of few facts changes few of millions of rows: the others stay where they are, and what
went and what came is kept beside them until somebody reads them as one matrix.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from workbench.arrays import Array, Bool, Int32, Int64
from workbench.database.arrow_columns import run_starts
from workbench.grounding.carried_rows import (
    COLUMNS,
    CarriedRows,
    Piece,
    copied,
    copied_rows,
    joined,
    run_keys,
    stacked,
)
from workbench.network.ground_network import GroundNetwork

_COLUMNS = ("A", "b", "template", "scale", "relation")
MOST = 8
"""Where more than one row in so many is another, rows are written out anew."""


@dataclass(frozen=True)
class EditedRows:
    """Rows as they were last written out, without some, and others beside, numbered after.

    Attributes
    ----------
    whole : GroundNetwork
        Whose rows were written out.
    rule : int32 array, shape (its n_rows,)
    gone : bool array, shape (its n_rows,)
    more : CarriedRows
    stored : int or None
        The run beside which the workspace keeps what was written out.
    """

    whole: GroundNetwork
    rule: Int32
    gone: Bool
    more: CarriedRows
    stored: int | None = None

    @classmethod
    def of(cls, network: GroundNetwork, rule: Int32) -> EditedRows:
        """The rows of a network as they are."""
        none = np.zeros(0, np.int64)
        return cls(network, rule, np.zeros(rule.size, np.bool_), _taken(network, rule, none))

    @property
    def n_rows(self) -> int:
        return self.rule.size - int(np.count_nonzero(self.gone)) + self.more.b.size

    @cached_property
    def may_be_edited(self) -> bool:
        """Whether rows stand in ascending runs, at whose ends others can be put."""
        keys = run_keys(self.rule, self.whole.template)
        return bool(np.all(keys[1:] >= keys[:-1]))

    @cached_property
    def _first_atom(self) -> Int32:
        """The first atom of each row that was written out."""
        return np.asarray(self.whole.A.indices[self.whole.A.indptr[:-1]])

    def inside(self, atoms: Bool) -> Int64:
        """The numbers of the rows all of whose atoms are among some, shape (n_atoms,)."""
        there = np.flatnonzero(atoms.take(self._first_atom))
        there = there[~self.gone[there]]
        whole = there[_inside(csr_array(self.whole.A[there]), atoms)]
        more = np.flatnonzero(_inside(self.more.A, np.append(atoms, False)))
        return np.concatenate([whole, self.rule.size + more])

    def taken(self, rows: Int64) -> CarriedRows:
        """Some rows by their numbers, ascending."""
        whole, more = self._parted(rows)
        return joined(_taken(self.whole, self.rule, whole), self.more.taken(more))

    def edited(self, going: Int64, coming: CarriedRows) -> EditedRows:
        """Without some rows, and with others."""
        whole, more = self._parted(going)
        gone, stays = self.gone.copy(), np.ones(self.more.b.size, np.bool_)
        gone[whole], stays[more] = True, False
        beside = stacked(self.more.taken(np.flatnonzero(stays)), coming)
        now = replace(self, gone=gone, more=beside)
        if beside.b.size * MOST > self.rule.size:
            return EditedRows.of(now.as_network(now.written), now.written.rule)
        known = ("may_be_edited", "_first_atom")
        now.__dict__.update({name: getattr(self, name) for name in known})
        return now

    @cached_property
    def written(self) -> CarriedRows:
        """All rows, in order. Copies them."""
        rows = carried(self.whole, self.rule)
        edited = self.more.b.size or self.gone.any()
        return inserted(rows, self.gone, self.more) if edited else rows

    def as_network(self, rows: CarriedRows) -> GroundNetwork:
        """Rows as a network, with the sums and units that were written out."""
        return replace(self.whole, **rows.columns(self.whole.n_atoms))

    def _parted(self, rows: Int64) -> tuple[Int64, Int64]:
        written = int(np.searchsorted(rows, self.rule.size))
        return rows[:written], rows[written:] - self.rule.size


class EditedNetwork(GroundNetwork):
    """A network whose rows are written out when they are first read."""

    rows: EditedRows

    @classmethod
    def of(cls, rows: EditedRows, **others: Any) -> EditedNetwork:
        """The network of some rows, with other sums and units than were written out."""
        made = object.__new__(cls)
        for field in fields(GroundNetwork):
            if field.name not in _COLUMNS:
                made.__dict__[field.name] = getattr(rows.whole, field.name)
        made.__dict__.update(others, rows=rows)
        return made

    def __getattr__(self, name: str) -> Any:
        if name not in _COLUMNS:
            raise AttributeError(name)
        self.__dict__.update(self.rows.written.columns(self.n_atoms))
        return self.__dict__[name]

    @property
    def n_atoms(self) -> int:
        return self.world.size

    @property
    def n_rows(self) -> int:
        return self.b.size if "b" in self.__dict__ else self.rows.n_rows


def carried(network: GroundNetwork, rule: Int32) -> CarriedRows:
    """The rows of a network under its own numbers."""
    columns = (network.b, rule, network.template, network.scales, network.relation)
    return CarriedRows(_wider(network.A), *columns)


def _taken(network: GroundNetwork, rule: Int32, rows: Int64) -> CarriedRows:
    return CarriedRows(
        A=_wider(csr_array(network.A[rows])),
        b=network.b[rows],
        rule=rule[rows],
        template=network.template[rows],
        scale=np.ones(rows.size) if network.scale is None else network.scale[rows],
        relation=network.relation[rows],
    )


def _wider(A: csr_array) -> csr_array:
    """A matrix with a column for atoms that are none any more."""
    return csr_array((A.data, A.indices, A.indptr), shape=(A.shape[0], A.shape[1] + 1))


def _inside(A: csr_array, atoms: Bool) -> Bool:
    """Whether all atoms of each row are among some; every row has one."""
    if not A.nnz:
        return np.zeros(0, np.bool_)
    return np.asarray(np.logical_and.reduceat(atoms[A.indices], A.indptr[:-1]))


def inserted(rows: CarriedRows, gone: Bool, coming: CarriedRows) -> CarriedRows:
    """Rows in ascending runs without some, others put at the ends of the runs that they are of.

    The same as `stacked` without those that are gone, at the cost of copying.
    """
    ordered = stacked(coming)
    pieces = list(
        _pieces(run_keys(rows.rule, rows.template), gone, run_keys(ordered.rule, ordered.template))
    )
    columns: dict[str, Any] = {
        name: copied((getattr(rows, name), getattr(ordered, name)), pieces) for name in COLUMNS
    }
    return CarriedRows(A=copied_rows((rows.A, ordered.A), pieces), **columns)


def _pieces(keys: Array, gone: Bool, coming: Array) -> Iterator[Piece]:
    starts, first = run_starts(keys), run_starts(coming)
    after = np.searchsorted(keys[starts], coming[first], side="right")
    places = np.append(starts, keys.size)[after]
    put: dict[int, list[Piece]] = {}
    for place, start, stop in zip(places.tolist(), first, [*first[1:], coming.size]):
        put.setdefault(place, []).append((1, int(start), int(stop)))
    changes = np.flatnonzero(gone[1:] != gone[:-1]) + 1
    cuts = np.unique(np.concatenate([[0, keys.size], changes, places])).tolist()
    for start, stop in pairwise(cuts):
        yield from put.get(start, ())
        if not gone[start]:
            yield 0, start, stop
    yield from put.get(keys.size, ())
