"""From a fractional relaxed state to a 0/1 state: the modified ROUNDUP, and rounding by conditional expectations."""

from __future__ import annotations

from typing import Literal

import numpy as np
from scipy.sparse import csr_array, vstack

from workbench.arrays import Bool, Float, Int8, Int32
from workbench.network.compiled import compiled
from workbench.network.ground_network import BlockKind, GroundNetwork, Relation

__all__ = ["round_state"]


def round_state(
    network: GroundNetwork,
    weights: Float,
    relaxed: Float,
    *,
    method: Literal["roundup", "conditional"] = "roundup",
    tolerance: float = 1e-6,
) -> Float:
    """Round a relaxed state of a network of clauses.

    `roundup` keeps the integral atoms and takes the fractional ones from last to first: an atom becomes true where the
    unsatisfied clauses it appears in unnegated weigh more than those it appears in negated; ties become false.
    `conditional` makes atom i true with probability 1/4 + y_i/2, derandomised by conditional expectations: without
    negative weights and hard rows, the satisfied weight is at least 3/4 of the relaxation's.
    After each choice hard rows and blocks are propagated; a choice that leads to a contradiction is reversed.

    Parameters
    ----------
    network : GroundNetwork
        Soft rows must be clauses.
    weights : float64 array, shape (n_templates,)
    relaxed : float64 array, shape (n_atoms,)
    method : {'roundup', 'conditional'}
    tolerance : float
        How near 0 or 1 counts as integral.

    Returns
    -------
    float64 array, shape (n_atoms,)
        0 or 1 each. Where propagation ran into a contradiction it may violate hard rows, and wants repair.

    References
    ----------
    Huynh & Mooney 2009, Algorithm 2 (after Boros & Hammer 2002); Goemans & Williamson 1994, section 5.
    """
    effective = network.effective_weights(weights)
    rows = np.flatnonzero(effective != 0.0)
    soft = network.A[rows]
    gain = np.asarray(network.unit @ weights, dtype=np.float64)
    hard, right = _at_most_rows(network)
    integral = (relaxed <= tolerance) | (relaxed >= 1.0 - tolerance)
    if method == "roundup":
        order = np.concatenate([np.flatnonzero(integral), np.flatnonzero(~integral)[::-1]])
        n_first = int(integral.sum())
        probability = np.zeros(0)
    else:
        order, n_first = np.arange(network.n_atoms), 0
        probability = 0.25 + 0.5 * np.clip(relaxed, 0.0, 1.0)
    values = _round(
        order.astype(np.int32),
        n_first,
        relaxed > 0.5,
        probability,
        gain,
        *_both_ways(soft),
        effective[rows],
        *_both_ways(hard),
        right,
    )
    return np.asarray(values, np.float64)


def _at_most_rows(network: GroundNetwork) -> tuple[csr_array, Float]:
    """Hard rows and blocks as `H y <= right`, equalities twice."""
    rows, blocks = np.flatnonzero(network.hard), network.blocks
    A = csr_array(vstack([network.A[rows], blocks.members], format="csr", dtype=np.float64))
    right = np.concatenate([-network.b[rows].astype(np.float64), blocks.right.astype(np.float64)])
    both = np.concatenate([network.relation[rows] == Relation.EQUAL, blocks.kind == BlockKind.EXACTLY_ONE])
    twice = np.flatnonzero(both)
    return csr_array(vstack([A, -A[twice]], format="csr")), np.concatenate([right, -right[twice]])


def _both_ways(A: csr_array) -> tuple[Int32, Int32, Float, Int32, Int32, Float]:
    """A matrix by rows and by columns."""
    by_column = A.tocsc()
    return (
        A.indptr.astype(np.int32),
        A.indices.astype(np.int32),
        A.data.astype(np.float64),
        by_column.indptr.astype(np.int32),
        by_column.indices.astype(np.int32),
        by_column.data.astype(np.float64),
    )


@compiled
def _round(
    order: Int32,
    n_first: int,
    first_value: Bool,
    probability: Float,
    gain: Float,
    soft_start: Int32,
    soft_atom: Int32,
    soft_slope: Float,
    atom_soft_start: Int32,
    atom_soft: Int32,
    atom_soft_slope: Float,
    weight: Float,
    hard_start: Int32,
    hard_atom: Int32,
    hard_slope: Float,
    atom_hard_start: Int32,
    atom_hard: Int32,
    atom_hard_slope: Float,
    right: Float,
) -> Int8:
    """Assign the atoms in `order`: the first `n_first` to `first_value`, the rest by weights; propagate hard rows."""
    n = gain.size
    values = np.full(n, -1, np.int8)
    satisfied = np.zeros(weight.size, np.int32)
    room = right.copy()  # what is left of each hard row once unassigned atoms take their cheapest value
    for r in range(right.size):
        for e in range(hard_start[r], hard_start[r + 1]):
            room[r] -= min(hard_slope[e], 0.0)
    trail = np.empty(n, np.int32)
    slack = 1e-9

    for step in range(n):
        i = order[step]
        if values[i] >= 0:
            continue
        if step < n_first:
            choice = 1 if first_value[i] else 0
        else:
            balance = gain[i]
            for e in range(atom_soft_start[i], atom_soft_start[i + 1]):
                r = atom_soft[e]
                if satisfied[r] > 0:
                    continue
                share = weight[r]
                if probability.size > 0:
                    for f in range(soft_start[r], soft_start[r + 1]):
                        k = soft_atom[f]
                        if k != i and values[k] < 0:
                            share *= 1.0 - probability[k] if soft_slope[f] < 0 else probability[k]
                balance -= share * atom_soft_slope[e]
            choice = 1 if balance > 0.0 else 0
        for attempt in range(3):
            value = choice if attempt != 1 else 1 - choice
            values[i] = value
            trail[0] = i
            n_trail, n_done, conflict = 1, 0, False
            while n_done < n_trail:
                k = trail[n_done]
                n_done += 1
                for e in range(atom_hard_start[k], atom_hard_start[k + 1]):
                    slope = atom_hard_slope[e]
                    room[atom_hard[e]] -= slope * values[k] - min(slope, 0.0)
                for e in range(atom_hard_start[k], atom_hard_start[k + 1]):
                    r = atom_hard[e]
                    if room[r] < -slack:
                        conflict = True
                        continue
                    for f in range(hard_start[r], hard_start[r + 1]):
                        u = hard_atom[f]
                        if values[u] < 0 and abs(hard_slope[f]) > room[r] + slack:
                            values[u] = 0 if hard_slope[f] > 0 else 1
                            trail[n_trail] = u
                            n_trail += 1
                if conflict and attempt < 2:
                    break
            if not conflict or attempt == 2:
                break
            for t in range(n_done):
                k = trail[t]
                for e in range(atom_hard_start[k], atom_hard_start[k + 1]):
                    slope = atom_hard_slope[e]
                    room[atom_hard[e]] += slope * values[k] - min(slope, 0.0)
            for t in range(n_trail):
                values[trail[t]] = -1
        for t in range(n_trail):
            k = trail[t]
            for e in range(atom_soft_start[k], atom_soft_start[k + 1]):
                true = values[k] == 1 if atom_soft_slope[e] < 0 else values[k] == 0
                if true:
                    satisfied[atom_soft[e]] += 1
    return values
