"""The convex relaxation of a ground network at given weights: Huynh & Mooney's Optimization Problem 3 as hinges.

At weights of either sign an MLN's energy is not convex on [0, 1]^n. A clause of positive weight costs `w max(0, ell)`,
which is convex already. One of negative weight costs |w| while satisfied, which relaxes to |w| times the largest of
its literals: linear for one literal, `l1 + max(0, l2 - l1)` for two, an auxiliary variable above them all for more.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array, hstack, vstack

from workbench.arrays import Bool, Float, Int8, Int64
from workbench.errors import UsageError
from workbench.network.ground_network import BlockKind, GroundNetwork, Relation

__all__ = ["HingeProblem", "relax", "relaxed_potentials", "why_not_relaxable"]


@dataclass(frozen=True)
class HingeProblem:
    """Minimise `offset + linear . x + sum_j weight_j max(0, A_j x + b_j) ** power_j` on [0, 1]^n under hard rows.

    The first `n_atoms` variables are the network's atoms; the rest stand for the largest literal of a clause of
    negative weight each. At 0/1 atoms (and best auxiliaries) the objective is the network's reported energy.

    Attributes
    ----------
    n_atoms : int
    linear : float64 array, shape (n_variables,)
    offset : float
    A : csr_array, float64, shape (n_hinges, n_variables)
    b, weight : float64 arrays, shape (n_hinges,)
        Weights are positive.
    power : int8 array, shape (n_hinges,)
    H : csr_array, float64, shape (n_hard, n_variables)
        Constraints `H x + h <= 0`, or `= 0` where `equality`; blocks are among them.
    h : float64 array, shape (n_hard,)
    equality : bool array, shape (n_hard,)
    """

    n_atoms: int
    linear: Float
    offset: float
    A: csr_array
    b: Float
    weight: Float
    power: Int8
    H: csr_array
    h: Float
    equality: Bool

    @property
    def n_variables(self) -> int:
        return int(self.linear.size)

    @property
    def n_hinges(self) -> int:
        return int(self.b.size)

    @property
    def n_hard(self) -> int:
        return int(self.h.size)

    def complete(self, values: Float) -> Float:
        """All variables at given atoms: each auxiliary at the largest literal below it."""
        x = np.concatenate([values, np.zeros(self.n_variables - self.n_atoms)])
        if x.size > self.n_atoms:
            literals = np.flatnonzero(self.H.indices >= self.n_atoms)
            rows = np.searchsorted(self.H.indptr, literals, side="right") - 1
            np.maximum.at(x, self.H.indices[literals], (self.H @ x + self.h)[rows])
        return x

    def objective(self, x: Float) -> float:
        """The objective at `x`, shape (n_variables,), hard rows left out."""
        hinge = np.maximum(self.A @ x + self.b, 0.0)
        return float(self.offset + self.linear @ x + self.weight @ hinge**self.power)

    def violation(self, x: Float) -> float:
        """The largest violation of a hard row at `x`."""
        if not self.n_hard:
            return 0.0
        ell = self.H @ x + self.h
        return float(max(0.0, np.max(np.where(self.equality, np.abs(ell), ell))))


def why_not_relaxable(network: GroundNetwork, weights: Float) -> str | None:
    """Why the network has no convex relaxation at these weights, in one sentence; None when it has."""
    negative = network.effective_weights(weights) < 0
    if not negative.any():
        return None
    if np.any(network.power[network.template[negative]] != 1):
        return "a squared potential has a negative weight"
    if not network.clausal[negative].all():
        return "a row of negative weight is not a clause"
    return None


def _literal_rows(network: GroundNetwork, rows: Int64) -> tuple[csr_array, Float]:
    """Literals as affine functions `slope * y + start`: one row per literal of the clauses `rows`, in order."""
    part = network.A[rows]
    slope = -part.data.astype(np.float64)
    matrix = csr_array((slope, part.indices, np.arange(part.nnz + 1)), (part.nnz, network.n_atoms))
    return matrix, (part.data > 0).astype(np.float64)


def relax(network: GroundNetwork, weights: Float) -> HingeProblem:
    """The convex relaxation of the network at `weights`: a lower bound on the reported energy of every 0/1 state.

    Unit groundings go straight into `linear`; rows of effective weight zero are dropped; rows of negative weight with
    three or more literals take one auxiliary variable each; hard rows and blocks become constraints.

    Parameters
    ----------
    network : GroundNetwork
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
    n = network.n_atoms
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

    soft, soft_b, soft_weight = [network.A[positive].astype(np.float64)], [network.b[positive]], [effective[positive]]
    if pair.size:
        literal, start = _literal_rows(network, pair)
        first, second = literal[0::2], literal[1::2]
        linear += first.T @ -effective[pair]
        offset += float(start[0::2] @ -effective[pair])
        soft.append(second - first)
        soft_b.append(start[1::2] - start[0::2])
        soft_weight.append(-effective[pair])

    hard, h, equality = _constraints(network)
    A = csr_array(vstack(soft, format="csr"))
    if wide.size:
        literal, start = _literal_rows(network, wide)
        owner = np.repeat(np.arange(wide.size), np.diff(network.A.indptr)[wide])
        above = csr_array((-np.ones(owner.size), (np.arange(owner.size), owner)), (owner.size, wide.size))
        A = csr_array(hstack([A, csr_array((A.shape[0], wide.size))], format="csr"))
        hard = hstack([hard, csr_array((hard.shape[0], wide.size))], format="csr")
        hard = csr_array(vstack([hard, hstack([literal, above], format="csr")], format="csr"))
        h = np.concatenate([h, start])
        equality = np.concatenate([equality, np.zeros(start.size, dtype=np.bool_)])
        linear = np.concatenate([linear, -effective[wide]])

    power = np.ones(A.shape[0], dtype=np.int8)
    if network.n_templates:
        power[: positive.size] = network.power[np.maximum(network.template[positive], 0)]
    return HingeProblem(
        n_atoms=n,
        linear=linear,
        offset=offset,
        A=A,
        b=np.concatenate(soft_b).astype(np.float64),
        weight=np.concatenate(soft_weight),
        power=power,
        H=hard,
        h=h,
        equality=equality,
    )


def _constraints(network: GroundNetwork) -> tuple[csr_array, Float, Bool]:
    """Hard rows and blocks as `H y + h <= 0` or `= 0`."""
    rows = np.flatnonzero(network.hard)
    blocks = network.blocks
    hard = csr_array(vstack([network.A[rows], blocks.members], format="csr", dtype=np.float64))
    h = np.concatenate([network.b[rows], -blocks.right]).astype(np.float64)
    equality = np.concatenate([network.relation[rows] == Relation.EQUAL, blocks.kind == BlockKind.EXACTLY_ONE])
    return hard, h, equality


def relaxed_potentials(network: GroundNetwork, weights: Float, values: Float) -> Float:
    """What each row counts as violated in the relaxation at `values` in [0, 1]; shape (n_rows,).

    `max(0, ell)` where the effective weight is >= 0, `1 - largest literal` where it is negative (the paper's z):
    equal at 0/1 values. Powers are not applied; hard rows get `max(0, ell)`.
    """
    violated: Float = np.maximum(network.A @ values + network.b, 0.0)
    negative = np.flatnonzero(network.effective_weights(weights) < 0)
    if negative.size:
        literal, start = _literal_rows(network, negative)
        starts = np.concatenate([[0], np.cumsum(np.diff(network.A.indptr)[negative])[:-1]])
        violated[negative] = 1.0 - np.maximum.reduceat(literal @ values + start, starts)
    return violated
