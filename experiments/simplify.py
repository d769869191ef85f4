"""A network without what its hard unit rows decide: the same atoms and energies, fewer rows."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from workbench.arrays import Bool, Float, Int64
from workbench.network.ground_network import GroundNetwork, Relation


def forced_values(network: GroundNetwork) -> Float:
    """The value (0/1) that a hard row of one atom forces on it, else NaN; shape (n_atoms,)."""
    forced = np.full(network.n_atoms, np.nan)
    rows = np.flatnonzero((network.relation == Relation.AT_MOST) & (np.diff(network.A.indptr) == 1))
    atoms, slope = network.A.indices[network.A.indptr[rows]], network.A.data[network.A.indptr[rows]]
    b = network.b[rows].astype(np.float64)
    allows_false, allows_true = b <= 0, b + slope <= 0
    forced[atoms[allows_false & ~allows_true]] = 0.0
    forced[atoms[allows_true & ~allows_false]] = 1.0
    return forced


def simplify(network: GroundNetwork) -> GroundNetwork:
    """Fold the atoms that hard unit rows fix into the other rows of a network of clauses.

    Rows that this decides leave (a violated soft one as part of `constant`); clauses that it leaves
    with one literal become `unit`. The hard unit rows stay, so every state's energy, counts and
    hard violations are what they were, but for states that contradict them. One pass: atoms that
    only propagation would fix stay open. Cost: linear.
    """
    forced = forced_values(network)
    if np.isnan(forced).all() or np.any(network.power != 1):
        return network
    folded = _folded(network, forced)
    keep = np.flatnonzero(~folded.decided & ~folded.unary)
    gone = np.concatenate(
        [
            np.flatnonzero(folded.decided & (network.template >= 0)),
            np.flatnonzero(folded.unary),
        ]
    )
    template, scale = network.template[gone], network.scales[gone]
    at_false = np.maximum(folded.b[gone], 0.0) * scale
    share = np.column_stack([np.maximum(scale, 0.0), np.maximum(-scale, 0.0)])
    counts = np.column_stack(
        [np.bincount(template, column, network.n_templates) for column in share.T]
    )
    return replace(
        network.take_rows(keep),
        A=folded.rows(network, keep),
        b=folded.b[keep].astype(network.b.dtype),
        unit=csr_array(network.unit + folded.units(network)),
        constant=network.constant + np.bincount(template, at_false, network.n_templates),
        unit_scale=network.unit_scale + counts,
    )


class _Folded(NamedTuple):
    """Rows with the forced atoms folded into `b`.

    `row_of` is the row of each entry, `kept` whether it stays; `size` is the number of entries that
    a row keeps. `decided` rows no open atom changes, and `unary` ones are soft clauses of one
    literal.
    """

    b: Float
    row_of: Int64
    kept: Bool
    size: Int64
    decided: Bool
    unary: Bool

    def units(self, network: GroundNetwork) -> csr_array:
        """The unary rows as unit groundings."""
        entry = np.flatnonzero(self.kept & self.unary[self.row_of])
        row = self.row_of[entry]
        change = -network.A.data[entry] * network.scales[row]
        place = (network.A.indices[entry], network.template[row])
        return csr_array((change, place), shape=(network.n_atoms, network.n_templates))

    def rows(self, network: GroundNetwork, keep: Int64) -> csr_array:
        """What is left of some rows."""
        stays = np.zeros(network.n_rows, np.bool_)
        stays[keep] = True
        entries = np.flatnonzero(self.kept & stays[self.row_of])
        starts = np.concatenate([[0], np.cumsum(self.size[keep])])
        return csr_array(
            (network.A.data[entries], network.A.indices[entries], starts),
            shape=(keep.size, network.n_atoms),
        )


def _folded(network: GroundNetwork, forced: Float) -> _Folded:
    known = ~np.isnan(forced)
    sizes = np.diff(network.A.indptr)
    hard_unit = network.hard & (sizes == 1)
    values = np.where(known, forced, 0.0)
    b: Float = network.b.astype(np.float64) + np.where(hard_unit, 0.0, network.A @ values)
    row_of = np.repeat(np.arange(network.n_rows), sizes)
    kept = ~known[network.A.indices] | hard_unit[row_of]
    size = np.bincount(row_of[kept], minlength=network.n_rows)
    negative = np.bincount(row_of[kept], network.A.data[kept] < 0, minlength=network.n_rows)
    positive = size - negative
    # With coefficients of +-1, ell runs from b - negative to b + positive.
    soft = network.template >= 0
    decided = (
        ~hard_unit & ((b + positive <= 0) | (size == 0)) & (network.relation != Relation.EQUAL)
    )
    decided &= soft | (b <= 0) | (size > 0)
    unary = soft & ~decided & (size == 1) & (b + positive == 1) & (b - negative == 0)
    return _Folded(b, row_of, kept, size, decided, unary)
