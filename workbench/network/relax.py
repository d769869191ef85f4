"""The convex relaxation of a ground network at given weights: Huynh & Mooney's Optimization Problem
3 as hinges.

At weights of either sign an MLN's energy is not convex on [0, 1]^n. A clause of positive weight
costs `w max(0, ell)`, which is convex already. One of negative weight costs |w| while satisfied,
which relaxes to |w| times the largest of its literals: linear for one literal, `l1 + max(0, l2 -
l1)` for two, an auxiliary variable above them all for more.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import block_array, csr_array, vstack

from workbench.arrays import Float, Int8, Int64
from workbench.errors import UsageError
from workbench.network.ground_network import BlockKind, GroundNetwork, Relation
from workbench.network.hinge_problem import HingeProblem, RowKind

__all__ = ["relax", "relaxed_potentials"]


def why_not_relaxable(network: GroundNetwork, weights: Float) -> str | None:
    """Why the network has no convex relaxation at these weights, in one sentence;
    None when it has.
    """
    negative = network.effective_weights(weights) < 0
    if not negative.any():
        return None
    if np.any(network.power[network.template[negative]] != 1):
        return "a squared potential has a negative weight"
    if not network.clausal[negative].all():
        return "a row of negative weight is not a clause"
    return None


def _literal_rows(network: GroundNetwork, rows: Int64) -> tuple[csr_array, Float]:
    """Literals as affine functions `slope * y + start`: a row a literal of the clauses `rows`."""
    part = network.A[rows]
    slope = -part.data.astype(np.float64)
    matrix = csr_array((slope, part.indices, np.arange(part.nnz + 1)), (part.nnz, network.n_atoms))
    return matrix, (part.data > 0).astype(np.float64)


def relax(network: GroundNetwork, weights: Float) -> HingeProblem:
    """The convex relaxation of the network at `weights`: a lower bound on the reported energy of
    every 0/1 state.

    Unit groundings go straight into `linear`; rows of effective weight zero are dropped; rows of
    negative weight with three or more literals take one auxiliary variable each; hard rows and
    blocks become constraints.

    Parameters
    ----------
    weights : float64 array, shape (n_templates,)

    Returns
    -------
    HingeProblem
        Exact at 0/1 states. For weights >= 0 it is the hinge-loss problem of the same rows.

    Raises
    ------
    UsageError
        E0405, where a row of negative weight is no clause or is squared.

    References
    ----------
    Huynh & Mooney 2009, section 3.2, Optimization Problem 3 (with `1 - z` for the paper's `z`).
    """
    reason = why_not_relaxable(network, weights)
    if reason is not None:
        raise UsageError.of("E0405", f"the network has no convex relaxation: {reason}")
    effective = network.effective_weights(weights)
    positive = np.flatnonzero(effective > 0)
    negative = np.flatnonzero(effective < 0)
    sizes = np.diff(network.A.indptr)[negative]
    single, pair, wide = negative[sizes == 1], negative[sizes == 2], negative[sizes > 2]

    linear = -np.asarray(network.unit @ weights, dtype=np.float64)
    signs = np.column_stack([np.maximum(-weights, 0.0), np.maximum(weights, 0.0)])
    offset = float(weights @ network.constant + np.sum(signs * network.unit_scale))

    if single.size:
        literal, start = _literal_rows(network, single)
        linear += literal.T @ -effective[single]
        offset += float(start @ -effective[single])

    soft, soft_b, soft_weight = (
        [network.A[positive].astype(np.float64)],
        [network.b[positive]],
        [effective[positive]],
    )
    if pair.size:
        literal, start = _literal_rows(network, pair)
        first, second = literal[0::2], literal[1::2]
        linear += first.T @ -effective[pair]
        offset += float(start[0::2] @ -effective[pair])
        soft.append(second - first)
        soft_b.append(start[1::2] - start[0::2])
        soft_weight.append(-effective[pair])

    hard, hard_b, hard_kind = _constraints(network)
    n_hinges = sum(part.shape[0] for part in soft)
    A = csr_array(vstack([*soft, hard], format="csr"))
    if wide.size:
        literal, start = _literal_rows(network, wide)
        owner = np.repeat(np.arange(wide.size), np.diff(network.A.indptr)[wide])
        above = csr_array(
            (-np.ones(owner.size), (np.arange(owner.size), owner)), (owner.size, wide.size)
        )
        A = csr_array(block_array([[A, None], [literal, above]], format="csr"))
        hard_b = np.concatenate([hard_b, start])
        hard_kind = np.concatenate([hard_kind, np.full(start.size, RowKind.AT_MOST, np.int8)])
        linear = np.concatenate([linear, -effective[wide]])

    kind = np.full(n_hinges, RowKind.LINEAR, np.int8)
    if network.n_templates:
        kind[: positive.size][network.power[np.maximum(network.template[positive], 0)] == 2] = (
            RowKind.SQUARED
        )
    return HingeProblem(
        n_atoms=network.n_atoms,
        A=A,
        b=np.concatenate([*soft_b, hard_b]).astype(np.float64),
        weight=np.concatenate([*soft_weight, np.zeros(hard_b.size)]),
        kind=np.concatenate([kind, hard_kind]),
        cost=linear,
        lower=np.zeros(linear.size),
        upper=np.ones(linear.size),
        constant=offset,
    )


def _constraints(network: GroundNetwork) -> tuple[csr_array, Float, Int8]:
    """Hard rows and blocks as `H y + h <= 0` or `= 0`, and which of the two."""
    rows = np.flatnonzero(network.hard)
    blocks = network.blocks
    hard = csr_array(vstack([network.A[rows], blocks.members], format="csr", dtype=np.float64))
    h = np.concatenate([network.b[rows], -blocks.right]).astype(np.float64)
    equality = np.concatenate(
        [network.relation[rows] == Relation.EQUAL, blocks.kind == BlockKind.EXACTLY_ONE]
    )
    return hard, h, np.where(equality, RowKind.EQUAL, RowKind.AT_MOST).astype(np.int8)


def relaxed_potentials(network: GroundNetwork, weights: Float, values: Float) -> Float:
    """What each row counts as violated in the relaxation at `values` in [0, 1]; shape (n_rows,).

    `max(0, ell)` where the effective weight is >= 0, `1 - largest literal` where it is negative
    (the paper's z): equal at 0/1 values. Powers are not applied; hard rows get `max(0, ell)`.
    """
    violated: Float = np.maximum(network.A @ values + network.b, 0.0)
    negative = np.flatnonzero(network.effective_weights(weights) < 0)
    if negative.size:
        literal, start = _literal_rows(network, negative)
        starts = np.concatenate([[0], np.cumsum(np.diff(network.A.indptr)[negative])[:-1]])
        violated[negative] = 1.0 - np.maximum.reduceat(literal @ values + start, starts)
    return violated
