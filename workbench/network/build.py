"""A ground network from plain rows or clauses: for tests and callers without a database."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array, csr_array

from workbench.arrays import Array, Bool, Float, Int8, Int32
from workbench.network.ground_network import BlockKind, Blocks, Domain, GroundNetwork, Relation


def network_from_clauses(
    n_atoms: int,
    clauses: Iterable[Sequence[int]],
    template: npt.ArrayLike,
    *,
    n_templates: int | None = None,
    scale: npt.ArrayLike | None = None,
    blocks: Blocks | None = None,
) -> GroundNetwork:
    """A Markov logic network from signed literals.

    Raises ValueError for a tautology, an empty clause or a literal out of range.

    Parameters
    ----------
    clauses : iterable of sequences of int
        Each clause as literals `+(atom + 1)` or `-(atom + 1)`; equal literals merge. A tautology is
        refused.
    template : int array, shape (n_clauses,)
        The weight of each clause; -1 for a hard one.
    scale : float array, shape (n_clauses,), optional
    """
    rows: list[int] = []
    columns: list[int] = []
    data: list[int] = []
    b: list[int] = []
    for row, clause in enumerate(clauses):
        literals = set(clause)
        if not literals or any(
            -literal in literals or not 1 <= abs(literal) <= n_atoms for literal in literals
        ):
            raise ValueError(
                f"clause {row} is empty, a tautology or out of range: {sorted(literals)}"
            )
        for literal in sorted(literals, key=abs):
            rows.append(row)
            columns.append(abs(literal) - 1)
            data.append(-1 if literal > 0 else 1)
        b.append(1 - sum(literal < 0 for literal in literals))
    A = csr_array((np.array(data, np.int8), (rows, columns)), shape=(len(b), n_atoms))
    return network_from_rows(
        A, np.array(b, np.int8), template, n_templates=n_templates, scale=scale, blocks=blocks
    )


def network_from_rows(
    A: csr_array,
    b: npt.ArrayLike,
    template: npt.ArrayLike,
    *,
    n_templates: int | None = None,
    scale: npt.ArrayLike | None = None,
    relation: npt.ArrayLike | None = None,
    power: npt.ArrayLike | None = None,
    blocks: Blocks | None = None,
    domain: Domain = Domain.BOOLEAN,
) -> GroundNetwork:
    """A network of rows `ell = b + A y`; soft one-atom rows affine on [0, 1] become `unit`.

    Parameters
    ----------
    A : csr_array, shape (n_rows, n_atoms)
    b : array, shape (n_rows,)
    template : int array, shape (n_rows,)
        -1 for hard rows. Rows may come in any order; they are stored template by template.
    scale : float array, shape (n_rows,), optional
    relation : int array, shape (n_rows,), optional
        A `Relation` each; by default hard rows are `ell <= 0`.
    power : int array, shape (n_templates,), optional
        1 by default.
    domain : Domain
        The values that atoms take.
    """
    template = np.asarray(template, np.int32)
    n_atoms = int(A.shape[1])
    if n_templates is None:
        n_templates = int(template.max(initial=-1)) + 1
    exponent = np.ones(n_templates, np.int8) if power is None else np.asarray(power, np.int8)
    offset = np.asarray(b)
    scales = np.ones(template.size) if scale is None else np.asarray(scale, np.float64)
    if relation is None:
        kinds = np.where(template < 0, Relation.AT_MOST, Relation.HINGE).astype(np.int8)
    else:
        kinds = np.asarray(relation, np.int8)

    A = csr_array(A)
    A.sum_duplicates()
    units = _units(A, offset, template, scales, exponent)
    kept = np.flatnonzero(~units.rows)
    kept = kept[
        np.argsort(np.where(template[kept] < 0, n_templates, template[kept]), kind="stable")
    ]
    groundings = np.zeros((n_templates, 3))
    groundings[:, 0] = np.bincount(template[template >= 0], minlength=n_templates)
    return GroundNetwork(
        A=A[kept],
        b=offset[kept],
        template=template[kept],
        scale=None if scale is None else scales[kept],
        relation=kinds[kept],
        power=exponent,
        unit=units.matrix,
        constant=units.constant,
        groundings=groundings,
        blocks=Blocks.none(n_atoms) if blocks is None else blocks,
        world=np.zeros(n_atoms, np.int32),
        unit_scale=units.scale,
        evidence_satisfied=np.zeros((n_templates, 2)),
        evidence_violated=np.zeros((n_templates, 2)),
        domain=domain,
    )


class _Units(NamedTuple):
    """Which rows are unit groundings, and what the network holds of these."""

    rows: Bool
    matrix: csr_array
    constant: Float
    scale: Float


def _units(A: csr_array, b: Array, template: Int32, scales: Float, power: Int8) -> _Units:
    n_templates = power.size
    single = np.diff(A.indptr) == 1
    at_zero = np.maximum(b.astype(np.float64), 0.0)
    slope = np.zeros(template.size)
    slope[single] = A.data[A.indptr[:-1][single]]
    at_one = b + slope
    affine = ((b >= 0) & (at_one >= 0)) | ((b <= 0) & (at_one <= 0))
    is_unit = single & (template >= 0) & affine
    is_unit &= power[np.maximum(template, 0)] == 1 if n_templates else False

    rows = np.flatnonzero(is_unit)
    of, weight, atom = template[rows], scales[rows], A.indices[A.indptr[:-1][rows]]
    change = (at_zero[rows] - np.maximum(at_one[rows], 0.0)) * weight
    matrix = csr_array(coo_array((change, (atom, of)), shape=(A.shape[1], n_templates)))
    constant = np.bincount(of, at_zero[rows] * weight, minlength=n_templates).astype(float)
    scale = np.zeros((n_templates, 2))
    np.add.at(scale[:, 0], of, np.maximum(weight, 0.0))
    np.add.at(scale[:, 1], of, np.maximum(-weight, 0.0))
    return _Units(is_unit, matrix, constant, scale)


def blocks_from_members(n_atoms: int, members: Sequence[Sequence[int]], kind: BlockKind) -> Blocks:
    """Blocks of one kind, each given by its atoms, all with one place left."""
    rows = [row for row, atoms in enumerate(members) for _ in atoms]
    columns = [atom for atoms in members for atom in atoms]
    matrix = csr_array(
        (np.ones(len(rows), np.int8), (rows, columns)), shape=(len(members), n_atoms)
    )
    return Blocks(matrix, np.full(len(members), kind, np.int8), np.ones(len(members), np.int8))
