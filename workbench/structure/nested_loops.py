"""Counting a body's satisfying substitutions: compiled index nested loops over postings."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from workbench.arrays import Bool, Int32, Int64
from workbench.network.compiled import allocating, compiled
from workbench.structure.background import ABSENT, FactIndex


class Bounds(NamedTuple):
    """Where counting ends: enough substitutions of a head, facts a body may look at in all."""

    limit: int
    most_steps: int


class _Join(NamedTuple):
    """The working state of one join; variables by number, the rest by depth.

    `remaining[depth:]` are the literals still open; `low` to `high` are what is left of the posting
    list joined at a depth (of the predicate's facts themselves where `listed` is false); `trail`
    has the variables bound there.
    """

    binding: Int32
    bound: Bool
    remaining: Int64
    low: Int64
    high: Int64
    listed: Bool
    trail: Int32
    trail_size: Int64


@compiled
def _shortest_list(
    row: Int32,
    binding: Int32,
    bound: Bool,
    start: Int64,
    list_start: Int64,
    pointers: Int64,
    n_constants: Int32,
) -> tuple[np.int64, np.int64, bool]:
    """The facts to hold a literal against: the shortest list of a place whose value is known."""
    predicate = row[0]
    low, high, listed = start[predicate], start[predicate + 1], False
    for place in range(row.size - 1):
        term = row[place + 1]
        if term == ABSENT:
            break
        if term < 0 and not bound[-term - 1]:
            continue
        value = term if term >= 0 else binding[-term - 1]
        if value >= n_constants[predicate, place]:
            return np.int64(0), np.int64(0), listed
        pointer = list_start[predicate, place] + value
        if pointers[pointer + 1] - pointers[pointer] < high - low:
            low, high, listed = pointers[pointer], pointers[pointer + 1], True
    return low, high, listed


@compiled
def _bind(fact: Int32, row: Int32, binding: Int32, bound: Bool, trail: Int32) -> tuple[bool, int]:
    """Whether a fact agrees with a literal; its free variables are bound onto the trail."""
    size = 0
    for place in range(row.size - 1):
        term, value = row[place + 1], fact[place]
        if term == ABSENT:
            break
        if term >= 0:
            if term != value:
                return False, size
        elif not bound[-term - 1]:
            bound[-term - 1], binding[-term - 1] = True, value
            trail[size] = -term - 1
            size += 1
        elif binding[-term - 1] != value:
            return False, size
    return True, size


@compiled
def _count(
    index: FactIndex, body: Int32, heads: Int32, join: _Join, bounds: Bounds, out: Int64
) -> None:
    """Substitutions of one body under each head's binding; -1 from where the steps are used up.

    At each depth the open literal with the shortest list is joined next. Each fact looked at is a
    step.
    """
    # An array taken from a tuple is counted as one more reference, so that is done once.
    facts, start, list_start, pointers, postings, n_constants = index
    binding, bound, remaining, low, high, listed, trail, trail_size = join
    n_head, steps, size = heads.shape[1], bounds.most_steps, 0
    for literal in range(body.shape[0]):
        if body[literal, 0] >= 0:
            remaining[size] = literal
            size += 1
    for head in range(heads.shape[0]):
        for variable in range(bound.size):
            bound[variable] = variable < n_head
        for variable in range(n_head):
            binding[variable] = heads[head, variable]
        found, depth, entering = 0, 0, True
        while depth >= 0 and steps >= 0:
            if entering and depth == size:
                found += 1
                if found >= bounds.limit:
                    break
                depth -= 1
                entering = False
                continue
            if entering:
                best, least = depth, np.int64(-1)
                for at in range(depth, size):
                    first, last, by_list = _shortest_list(
                        body[remaining[at]],
                        binding,
                        bound,
                        start,
                        list_start,
                        pointers,
                        n_constants,
                    )
                    if least < 0 or last - first < least:
                        best, least = at, last - first
                        low[depth], high[depth], listed[depth] = first, last, by_list
                    if least == 0:
                        break
                remaining[depth], remaining[best] = remaining[best], remaining[depth]
                trail_size[depth] = 0
            for item in range(trail_size[depth]):
                bound[trail[depth, item]] = False
            trail_size[depth], entering = 0, False
            if low[depth] >= high[depth]:
                depth -= 1
                continue
            steps -= 1
            fact = postings[low[depth]] if listed[depth] else low[depth]
            low[depth] += 1
            entering, trail_size[depth] = _bind(
                facts[fact], body[remaining[depth]], binding, bound, trail[depth]
            )
            if entering:
                depth += 1
        out[head] = found if steps >= 0 else -1


@allocating
def count_all(
    index: FactIndex, bodies: Int32, heads: Int32, n_variables: int, bounds: Bounds, out: Int64
) -> None:
    """Every body's counts for every head; -1 from where one looks at too many facts.

    Parameters
    ----------
    bodies : int32 array, shape (n_bodies, n_literals, 1 + max_arity)
        See `workbench.structure.clauses`.
    heads : int32 array, shape (n_heads, n_head)
        Values of the variables 0 .. n_head - 1.
    out : int64 array, shape (n_bodies, n_heads)
        Filled.
    """
    n_literals, width = bodies.shape[1:]
    join = _Join(
        np.empty(n_variables, np.int32),
        np.empty(n_variables, np.bool_),
        np.empty(n_literals, np.int64),
        np.empty(n_literals, np.int64),
        np.empty(n_literals, np.int64),
        np.empty(n_literals, np.bool_),
        np.empty((n_literals, width), np.int32),
        np.zeros(n_literals, np.int64),
    )
    for body in range(bodies.shape[0]):
        _count(index, bodies[body], heads, join, bounds, out[body])
