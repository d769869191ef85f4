"""Collective prediction: constraints on the target, hard clauses added to its log-odds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.sparse import csr_array

from workbench.arrays import Bool, Int64, Integer
from workbench.network.build import network_from_rows
from workbench.network.ground_network import GroundNetwork


def relation_network(
    pairs: Integer,
    unit: csr_array,
    *,
    transitive: bool = False,
    antisymmetric: bool = False,
) -> GroundNetwork:
    """A binary target's network: independent unit clauses, hard constraints among its atoms.

    Parameters
    ----------
    pairs : int array, shape (n_atoms, 2)
        The open atoms t(x, y); all others are false.
    unit : csr_array, shape (n_atoms, n_templates)
        What each atom adds to the satisfied count of each clause when it is true, as in
        `GroundNetwork.unit`.
    transitive : bool
        `t(x, y) ^ t(y, z) => t(x, z)`, hard; where t(x, z) is not open the two bodies exclude each
        other.
    antisymmetric : bool
        `!t(x, y) v !t(y, x)`, hard.
    """
    n_atoms = len(pairs)
    rows = [np.zeros((0, 3), np.int64)]
    if transitive:
        rows.append(_transitive(pairs))
    if antisymmetric:
        rows.append(_antisymmetric(pairs))
    clauses = np.unique(np.concatenate(rows), axis=0)
    n_rows = len(clauses)
    negated = (clauses[:, :2] >= 0).sum(axis=1)
    present = clauses >= 0
    signs = np.broadcast_to(np.array([1, 1, -1], np.int8), clauses.shape)[present]
    pointers = np.concatenate([[0], np.cumsum(present.sum(axis=1))])
    matrix: csr_array = csr_array((signs, clauses[present], pointers), shape=(n_rows, n_atoms))
    matrix.sort_indices()
    n_templates = unit.shape[1]
    positive = np.asarray(abs(unit).sum(axis=0)).reshape(-1).astype(np.float64)
    bare = network_from_rows(
        matrix,
        (1 - negated).astype(np.int8),
        np.full(n_rows, -1, np.int32),
        n_templates=n_templates,
    )
    nothing = np.zeros(n_templates)
    return replace(
        bare,
        unit=csr_array(unit.astype(np.float64)),
        constant=np.asarray(unit.sum(axis=0)).reshape(-1).astype(np.float64),
        groundings=np.stack([positive, nothing, nothing], axis=1).astype(np.int64),
        unit_scale=np.stack([positive, nothing], axis=1),
    )


def _lookup(pairs: Integer) -> Int64:
    size = int(pairs.max(initial=-1)) + 1
    table = np.full((size, size), -1, np.int64)
    table[pairs[:, 0], pairs[:, 1]] = np.arange(len(pairs))
    return table


def _joined(pairs: Integer, key: Integer) -> tuple[Int64, Int64]:
    """All (first, second) with `key[first] == pairs[second, 0]`."""
    order = np.argsort(pairs[:, 0], kind="stable")
    size = int(max(key.max(initial=-1), pairs.max(initial=-1))) + 1
    start = np.concatenate([[0], np.cumsum(np.bincount(pairs[:, 0], minlength=size))])
    counts = start[key + 1] - start[key]
    first = np.repeat(np.arange(len(key)), counts)
    within = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
    return first, order[start[key][first] + within]


def _transitive(pairs: Integer) -> Int64:
    """Rows (body, body, head); a head of -1 is an atom known to be false."""
    first, second = _joined(pairs, pairs[:, 1])
    head = _lookup(pairs)[pairs[first, 0], pairs[second, 1]]
    kept = (head != first) & (head != second)
    body = np.sort(np.stack([first, second], axis=1)[kept], axis=1)
    body[body[:, 0] == body[:, 1], 1] = -1
    return np.concatenate([body, head[kept, None]], axis=1)


def _antisymmetric(pairs: Integer) -> Int64:
    reverse = _lookup(pairs)[pairs[:, 1], pairs[:, 0]]
    here = np.arange(len(pairs))
    kept = reverse > here
    return np.stack([here[kept], reverse[kept], np.full(int(kept.sum()), -1)], axis=1)


def intransitive_triples(pairs: Integer, true: Bool) -> int:
    """How many `t(x, y) ^ t(y, z) => t(x, z)` a state violates; pairs not listed are false."""
    size = int(pairs.max(initial=-1)) + 1
    relation = np.zeros((size, size), np.int64)
    relation[pairs[true, 0], pairs[true, 1]] = 1
    return int(((relation @ relation) * (1 - relation)).sum())
