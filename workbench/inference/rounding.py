"""From a relaxed state to a 0/1 state: modified ROUNDUP, and conditional expectations."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from scipy.sparse import csr_array, vstack

from workbench.arrays import Bool, Float, Int8, Int32
from workbench.errors import Cancelled
from workbench.inference.watched import stop_flag, watched
from workbench.network.compiled import compiled, interpreted
from workbench.network.ground_network import BlockKind, GroundNetwork, Relation
from workbench.progress import PLAIN, Conduct, remaining

SLACK = 1e-9
CHOICES = 100
"""Times that an entry is looked at, about, at most: a choice of a small network is propagated."""


class Entries(NamedTuple):
    """A matrix of clauses or constraints, by rows and by atoms."""

    row_ptr: Int32
    row_atom: Int32
    row_slope: Float
    atom_ptr: Int32
    atom_row: Int32
    atom_slope: Float


class Preference(NamedTuple):
    """What decides an atom's value: its own for the first `n_first`, else soft weights.

    Attributes
    ----------
    first : bool array, shape (n_atoms,)
    probability : float64 array, shape (n_atoms,) or (0,)
        Of atoms without a value being true; empty where they count as lost.
    gain : float64 array, shape (n_atoms,)
        By being true, of unit groundings.
    weight : float64 array, shape (n_soft_rows,)
    """

    first: Bool
    n_first: int
    probability: Float
    gain: Float
    weight: Float


def round_state(
    network: GroundNetwork,
    weights: Float,
    relaxed: Float,
    *,
    method: Literal["roundup", "conditional"] = "roundup",
    tolerance: float = 1e-6,
    conduct: Conduct = PLAIN,
) -> Float:
    """Round a relaxed state of a network of clauses.

    `roundup` keeps the integral atoms and takes the fractional ones from last to first: an atom
    becomes true where the unsatisfied clauses it appears in unnegated weigh more than those it
    appears in negated; ties become false. `conditional` makes atom i true with probability 1/4 +
    y_i/2, derandomised by conditional expectations: without negative weights and hard rows, the
    satisfied weight is at least 3/4 of the relaxation's. After each choice hard rows and blocks are
    propagated; a choice that leads to a contradiction is reversed.

    Parameters
    ----------
    network : GroundNetwork
        Soft rows must be clauses.
    weights : float64 array, shape (n_templates,)
    relaxed : float64 array, shape (n_atoms,)
    tolerance : float
        How near 0 or 1 counts as integral.

    Returns
    -------
    float64 array, shape (n_atoms,)
        0 or 1 each. Where propagation ran into a contradiction it may violate hard rows, and wants
        repair. Where time is up before the kernel is ready, the nearest state, ties false.

    References
    ----------
    Huynh & Mooney 2009, Algorithm 2 (after Boros & Hammer 2002); Goemans & Williamson 1994, section
    5.
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
    prefer = Preference(relaxed > 0.5, n_first, probability, gain, effective[rows])
    values, room = np.full(order.size, -1, np.int8), _room(hard, right)
    work = np.zeros(rows.size, np.int32), room, np.empty(order.size, np.int32)
    arguments = (order.astype(np.int32), prefer, _both_ways(soft), _both_ways(hard), values, *work)
    try:
        choices = CHOICES * (soft.nnz + hard.nnz + order.size)
        with interpreted(choices, remaining(conduct.deadline)):
            watched(stop_flag(), conduct, _round, *arguments)
    except Cancelled:
        return np.asarray(relaxed > 0.5, np.float64)
    return np.asarray(values, np.float64)


def _at_most_rows(network: GroundNetwork) -> tuple[csr_array, Float]:
    """Hard rows and blocks as `H y <= right`, equalities twice."""
    rows, blocks = np.flatnonzero(network.hard), network.blocks
    A = csr_array(vstack([network.A[rows], blocks.members], format="csr", dtype=np.float64))
    right = np.concatenate([-network.b[rows].astype(np.float64), blocks.right.astype(np.float64)])
    both = np.concatenate(
        [network.relation[rows] == Relation.EQUAL, blocks.kind == BlockKind.EXACTLY_ONE]
    )
    twice = np.flatnonzero(both)
    return csr_array(vstack([A, -A[twice]], format="csr")), np.concatenate([right, -right[twice]])


def _room(hard: csr_array, right: Float) -> Float:
    """What is left of each hard row once unassigned atoms take their cheapest value."""
    room, owner = right.copy(), np.repeat(np.arange(right.size), np.diff(hard.indptr))
    np.subtract.at(room, owner, np.minimum(hard.data, 0.0))
    return room


def _both_ways(A: csr_array) -> Entries:
    """A matrix by rows and by columns."""
    by_column = A.tocsc()
    return Entries(
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
    prefer: Preference,
    soft: Entries,
    hard: Entries,
    values: Int8,
    satisfied: Int32,
    room: Float,
    trail: Int32,
) -> None:
    """Give the atoms in `order` the values they prefer; propagate hard rows after each."""
    for step in range(order.size):
        atom = order[step]
        if values[atom] >= 0:
            continue
        if step < prefer.n_first:
            preferred = 1 if prefer.first[atom] else 0
        else:
            preferred = 1 if _balance(atom, prefer, soft, values, satisfied) > 0.0 else 0
        n_trail = 0
        for turn in range(3):
            # Where neither value fits the preferred one stays, with what it forces, and is repaired
            # later.
            value = 1 - preferred if turn == 1 else preferred
            n_trail = _assign(atom, value, hard, values, room, trail, turn == 2)
            if n_trail > 0:
                break
        for t in range(n_trail):
            k = trail[t]
            for e in range(soft.atom_ptr[k], soft.atom_ptr[k + 1]):
                if (values[k] == 1) == (soft.atom_slope[e] < 0):
                    satisfied[soft.atom_row[e]] += 1


@compiled
def _balance(atom: int, prefer: Preference, soft: Entries, values: Int8, satisfied: Int32) -> float:
    """What the weights say for an atom being true: of clauses not yet satisfied, by how likely."""
    balance = prefer.gain[atom]
    for e in range(soft.atom_ptr[atom], soft.atom_ptr[atom + 1]):
        r = soft.atom_row[e]
        if satisfied[r] > 0:
            continue
        share = prefer.weight[r]
        if prefer.probability.size > 0:
            for f in range(soft.row_ptr[r], soft.row_ptr[r + 1]):
                k = soft.row_atom[f]
                if k != atom and values[k] < 0:
                    share *= (
                        1.0 - prefer.probability[k]
                        if soft.row_slope[f] < 0
                        else prefer.probability[k]
                    )
        balance -= share * soft.atom_slope[e]
    return float(balance)


@compiled
def _assign(
    atom: int, value: int, hard: Entries, values: Int8, room: Float, trail: Int32, whatever: bool
) -> int:
    """Give an atom a value, and others what hard rows then force; how many in `trail`. A clash
    takes all back, and 0 is returned, unless it is to stand `whatever` happens."""
    values[atom] = value
    trail[0] = atom
    n_trail, n_done, conflict = 1, 0, False
    while n_done < n_trail and (whatever or not conflict):
        k = trail[n_done]
        n_done += 1
        for e in range(hard.atom_ptr[k], hard.atom_ptr[k + 1]):
            room[hard.atom_row[e]] -= hard.atom_slope[e] * values[k] - min(hard.atom_slope[e], 0.0)
        for e in range(hard.atom_ptr[k], hard.atom_ptr[k + 1]):
            r = hard.atom_row[e]
            if room[r] < -SLACK:
                conflict = True
                continue
            for f in range(hard.row_ptr[r], hard.row_ptr[r + 1]):
                u = hard.row_atom[f]
                if values[u] < 0 and abs(hard.row_slope[f]) > room[r] + SLACK:
                    values[u] = 0 if hard.row_slope[f] > 0 else 1
                    trail[n_trail] = u
                    n_trail += 1
    if whatever or not conflict:
        return n_trail
    for t in range(n_done):
        k = trail[t]
        for e in range(hard.atom_ptr[k], hard.atom_ptr[k + 1]):
            room[hard.atom_row[e]] += hard.atom_slope[e] * values[k] - min(hard.atom_slope[e], 0.0)
    for t in range(n_trail):
        values[trail[t]] = -1
    return 0
