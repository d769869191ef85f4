"""Refinements of clauses along a bottom clause, Aleph's pruning and accepting; compiled."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from workbench.arrays import Bool, Float, Int32, Int64
from workbench.network.compiled import allocating, compiled


class Feeding(NamedTuple):
    """Which literals of a bottom clause can follow which.

    `dependents[start[k + 1] : start[k + 2]]` are the literals that literal k feeds (k = -1: the
    head), latest first; `inputs` and `outputs` are the variables that a literal needs and gives,
    -1 beyond; the head gives those below `n_head`.
    """

    dependents: Int64
    start: Int64
    inputs: Int32
    outputs: Int32
    n_head: int


class Siblings(NamedTuple):
    """A node's later siblings, `low` to `high`; a sibling's last literal, whether it is kept."""

    low: Int64
    high: Int64
    literal: Int64
    alive: Bool


class Evaluated(NamedTuple):
    """Clauses with what they cover, their scores and the bounds of their refinements' scores.

    `alive` (worth refining) and `good` (acceptable as they are) are filled by `replay`.
    """

    positives: Int64
    negatives: Int64
    scores: Float
    bounds: Float
    alive: Bool
    good: Bool


class Acceptance(NamedTuple):
    """Aleph's settings of these names, and the number of positive examples."""

    nodes: int
    minpos: int
    noise: int
    minacc: float
    minscore: float
    explore: bool
    all_positives: int


@compiled
def _may_follow(path: Int64, candidate: int, inputs: Int32, outputs: Int32, n_head: int) -> bool:
    """Whether a literal is new to a path and all its inputs are given by the head or the path."""
    for place in range(path.size):
        if path[place] == candidate:
            return False
    for slot in range(inputs.shape[1]):
        variable = inputs[candidate, slot]
        if variable < 0:
            break
        given = variable < n_head
        for place in range(path.size):
            for out in range(outputs.shape[1]):
                given |= outputs[path[place], out] == variable
        if not given:
            return False
    return True


@compiled
def _is_among(candidate: int, literals: Int64) -> bool:
    found = False
    for literal in literals:
        found |= literal == candidate
    return found


@allocating
def refinements(paths: Int64, siblings: Siblings, feeding: Feeding) -> tuple[Int64, Int64]:
    """Each node's refinements: literals its last one feeds, later siblings (indices, start)."""
    # An array taken from a tuple is counted as one more reference, so that is done once.
    dependents, first, inputs, outputs, _ = feeding
    low, high, literal_of, alive = siblings
    n_nodes, depth = paths.shape
    start = np.zeros(n_nodes + 1, np.int64)
    total = 0
    for node in range(n_nodes):
        last = paths[node, depth - 1] if depth else -1
        total += first[last + 2] - first[last + 1] + high[node] - low[node]
    literals = np.empty(total, np.int64)
    count = 0
    for node in range(n_nodes):
        last = paths[node, depth - 1] if depth else -1
        fed = dependents[first[last + 1] : first[last + 2]]
        for candidate in fed:
            if _may_follow(paths[node], candidate, inputs, outputs, feeding.n_head):
                literals[count] = candidate
                count += 1
        for sibling in range(low[node], high[node]):
            if alive[sibling] and not _is_among(literal_of[sibling], fed):
                literals[count] = literal_of[sibling]
                count += 1
        start[node + 1] = count
    return literals[:count], start


@compiled
def replay(
    start: Int64,
    parent_bound: Float,
    evaluated: Evaluated,
    acceptance: Acceptance,
    best: float,
    nodes: int,
) -> tuple[int, int, float, int]:
    """Aleph's loop over evaluated candidates: prune, accept, stop. (best, nodes, best, stop)."""
    asked = acceptance
    chosen = -1
    for parent in range(start.size - 1):
        if not asked.explore and parent_bound[parent] <= best:
            continue
        for child in range(start[parent], start[parent + 1]):
            if nodes >= asked.nodes:
                return chosen, nodes, best, 1
            nodes += 1
            p, n = evaluated.positives[child], evaluated.negatives[child]
            score = evaluated.scores[child]
            if p < asked.minpos or (not asked.explore and evaluated.bounds[child] <= best):
                continue
            evaluated.alive[child] = True
            if n > asked.noise or p < asked.minacc * (p + n) or score < asked.minscore:
                continue
            evaluated.good[child] = True
            if score > best:
                best, chosen = score, child
                if p == asked.all_positives and not asked.explore:
                    return chosen, nodes, best, 2
    return chosen, nodes, best, 0
