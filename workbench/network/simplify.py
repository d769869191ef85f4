"""A network without what its hard unit rows decide: the same atoms,
the same energies, fewer rows.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.sparse import csr_array

from workbench.arrays import Float
from workbench.network.ground_network import GroundNetwork, Relation

__all__ = ["forced_values", "simplify"]


def forced_values(network: GroundNetwork) -> Float:
    """The value that a hard row of one atom forces on it, NaN where none does; shape (n_atoms,).
    0/1 states only.
    """
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
    known = ~np.isnan(forced)
    sizes = np.diff(network.A.indptr)
    hard_unit = network.hard & (sizes == 1)
    if not known.any() or np.any(network.power != 1):
        return network
    values = np.where(known, forced, 0.0)
    b: Float = network.b.astype(np.float64) + np.where(hard_unit, 0.0, network.A @ values)
    row_of = np.repeat(np.arange(network.n_rows), sizes)
    kept_entries = ~known[network.A.indices] | hard_unit[row_of]
    size = np.bincount(row_of[kept_entries], minlength=network.n_rows)
    negative = np.bincount(
        row_of[kept_entries], network.A.data[kept_entries] < 0, minlength=network.n_rows
    )
    positive = size - negative
    # With coefficients of +-1, ell runs from b - negative to b + positive.
    soft = network.template >= 0
    decided = (
        ~hard_unit & ((b + positive <= 0) | (size == 0)) & (network.relation != Relation.EQUAL)
    )
    decided &= soft | (b <= 0) | (size > 0)
    unary = soft & ~decided & (size == 1) & (b + positive == 1) & (b - negative == 0)
    scale = network.scales

    gone = np.flatnonzero(decided & soft)
    unit_rows = np.flatnonzero(unary)
    entry = np.flatnonzero(kept_entries & unary[row_of])
    rows_of_entry = row_of[entry]
    change = -network.A.data[entry] * scale[rows_of_entry]
    extra = csr_array(
        (change, (network.A.indices[entry], network.template[rows_of_entry])),
        shape=(network.n_atoms, network.n_templates),
    )
    folded = np.concatenate([gone, unit_rows])
    at_false = np.maximum(b[folded], 0.0) * scale[folded]
    share = np.column_stack([np.maximum(scale[folded], 0.0), np.maximum(-scale[folded], 0.0)])
    template = network.template[folded]
    counts = np.column_stack(
        [np.bincount(template, column, network.n_templates) for column in share.T]
    )

    keep = np.flatnonzero(~decided & ~unary)
    place = np.full(network.n_rows, -1)
    place[keep] = np.arange(keep.size)
    entries = np.flatnonzero(kept_entries & (place[row_of] >= 0))
    starts = np.concatenate([[0], np.cumsum(size[keep])])
    A = csr_array(
        (network.A.data[entries], network.A.indices[entries], starts),
        shape=(keep.size, network.n_atoms),
    )
    return replace(
        network.take_rows(keep),
        A=A,
        b=b[keep].astype(network.b.dtype),
        unit=csr_array(network.unit + extra),
        constant=network.constant + np.bincount(template, at_false, network.n_templates),
        unit_scale=network.unit_scale + counts,
    )
