"""A ground network from plain rows or clauses: for tests,
benchmarks and callers that have no database.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array, csr_array

from workbench.network.ground_network import BlockKind, Blocks, Domain, GroundNetwork, Relation

__all__ = ["blocks_from_members", "network_from_clauses", "network_from_rows"]


def network_from_clauses(
    n_atoms: int,
    clauses: Iterable[Sequence[int]],
    template: npt.ArrayLike,
    *,
    n_templates: int | None = None,
    scale: npt.ArrayLike | None = None,
    blocks: Blocks | None = None,
    world: npt.ArrayLike | None = None,
) -> GroundNetwork:
    """A Markov logic network from signed literals.

    Parameters
    ----------
    clauses : iterable of sequences of int
        Each clause as literals `+(atom + 1)` or `-(atom + 1)`; equal literals merge. A tautology is
        refused.
    template : int array, shape (n_clauses,)
        The weight of each clause; -1 for a hard one.
    scale : float array, shape (n_clauses,), optional

    Raises
    ------
    ValueError
        For a tautology, an empty clause or a literal out of range.
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
        A,
        np.array(b, np.int8),
        template,
        n_templates=n_templates,
        scale=scale,
        blocks=blocks,
        world=world,
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
    world: npt.ArrayLike | None = None,
    domain: Domain = Domain.BOOLEAN,
) -> GroundNetwork:
    """A network from rows `ell = b + A y`; soft one-atom rows whose potential is affine on [0, 1]
    become `unit`.

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
    single = np.diff(A.indptr) == 1
    at_zero = np.maximum(offset.astype(np.float64), 0.0)
    slope = np.zeros(template.size)
    slope[single] = A.data[A.indptr[:-1][single]]
    at_one = offset + slope
    affine = ((offset >= 0) & (at_one >= 0)) | ((offset <= 0) & (at_one <= 0))
    is_unit = single & (template >= 0) & affine
    is_unit &= exponent[np.maximum(template, 0)] == 1 if n_templates else False

    unit_rows = np.flatnonzero(is_unit)
    unit_template, unit_weight = template[unit_rows], scales[unit_rows]
    change = (at_zero[unit_rows] - np.maximum(at_one[unit_rows], 0.0)) * unit_weight
    unit_atom = A.indices[A.indptr[:-1][unit_rows]]
    unit = csr_array(coo_array((change, (unit_atom, unit_template)), shape=(n_atoms, n_templates)))
    unit_scale = np.zeros((n_templates, 2))
    np.add.at(unit_scale[:, 0], unit_template, np.maximum(unit_weight, 0.0))
    np.add.at(unit_scale[:, 1], unit_template, np.maximum(-unit_weight, 0.0))

    kept = np.flatnonzero(~is_unit)
    kept = kept[
        np.argsort(np.where(template[kept] < 0, n_templates, template[kept]), kind="stable")
    ]
    open_groundings = np.bincount(template[template >= 0], minlength=n_templates)
    groundings = np.zeros((n_templates, 3))
    groundings[:, 0] = open_groundings
    return GroundNetwork(
        A=A[kept],
        b=offset[kept],
        template=template[kept],
        scale=None if scale is None else scales[kept],
        relation=kinds[kept],
        power=exponent,
        unit=unit,
        constant=np.bincount(
            unit_template, at_zero[unit_rows] * unit_weight, minlength=n_templates
        ).astype(float),
        groundings=groundings,
        blocks=Blocks.none(n_atoms) if blocks is None else blocks,
        world=np.zeros(n_atoms, np.int32) if world is None else np.asarray(world, np.int32),
        unit_scale=unit_scale,
        evidence_satisfied=np.zeros((n_templates, 2)),
        evidence_violated=np.zeros((n_templates, 2)),
        domain=domain,
    )


def blocks_from_members(n_atoms: int, members: Sequence[Sequence[int]], kind: BlockKind) -> Blocks:
    """Blocks of one kind, each given by its atoms, all with one place left."""
    rows = [row for row, atoms in enumerate(members) for _ in atoms]
    columns = [atom for atoms in members for atom in atoms]
    matrix = csr_array(
        (np.ones(len(rows), np.int8), (rows, columns)), shape=(len(members), n_atoms)
    )
    return Blocks(matrix, np.full(len(members), kind, np.int8), np.ones(len(members), np.int8))
