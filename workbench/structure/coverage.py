"""Which examples a set of clause bodies covers, and with how many substitutions: the protocol and its in-memory answer.

Candidates are always scored a set at a time. The search asks for components (see `workbench.structure.clauses`) it has
not seen before; who answers is free: `IndexedCoverage` here, on posting lists in memory, or SQL on tables of any size.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from workbench.arrays import Bool, Int32, Int64, UInt64
from workbench.network.compiled import compiled
from workbench.structure.background import Background, Examples

__all__ = ["Coverage", "IndexedCoverage", "pack", "unpack"]


class Coverage(Protocol):
    """Answers for sets of bodies over a fixed list of examples."""

    @property
    def n_examples(self) -> int: ...

    @property
    def n_head(self) -> int:
        """Arguments of the target: variables 0 .. n_head - 1 of every body."""
        ...

    def covers(self, bodies: Int32) -> UInt64:
        """Bit matrix of the covered examples, shape (n_bodies, ceil(n_examples / 64)); see `pack`."""
        ...

    def counts(self, bodies: Int32) -> Int64:
        """Satisfying substitutions, shape (n_bodies, n_examples)."""
        ...


def pack(covered: Bool) -> UInt64:
    """Booleans (..., n) to 64-bit words (..., ceil(n / 64)), example k at bit k % 64 of word k // 64."""
    *leading, size = covered.shape
    words = (size + 63) // 64
    padded = np.zeros((*leading, words * 64), np.bool_)
    padded[..., :size] = covered
    return np.packbits(padded, axis=-1, bitorder="little").view(np.uint64).reshape(*leading, words)


def unpack(bits: UInt64, size: int) -> Bool:
    """The inverse of `pack`."""
    flat = np.ascontiguousarray(bits).view(np.uint8)
    return np.unpackbits(flat, axis=-1, count=size, bitorder="little").astype(np.bool_)


@compiled
def _count(
    body: Int32,
    binding: Int32,
    bound: Bool,
    limit: int,
    facts: Int32,
    start: Int64,
    list_start: Int64,
    pointers: Int64,
    postings: Int32,
    n_constants: Int32,
    remaining: Int64,
    lows: Int64,
    highs: Int64,
    listed: Bool,
    trail: Int32,
    trail_size: Int64,
    steps: Int64,
) -> int:
    """Substitutions that satisfy the body under the head's binding, at most `limit` of them: index nested loops.

    At each depth the open literal with the shortest posting list is joined next. `remaining[d:]` are the literals still
    open at depth d; `trail` remembers the variables bound at each depth. Each fact looked at takes one of `steps[0]`;
    the answer is -1 where none is left.
    """
    width = body.shape[1]
    size = 0
    for literal in range(body.shape[0]):
        if body[literal, 0] >= 0:
            remaining[size] = literal
            size += 1
    found = 0
    depth = 0
    entering = True
    while depth >= 0:
        if entering:
            if depth == size:
                found += 1
                if found >= limit:
                    return found
                depth -= 1
                entering = False
                continue
            best = -1
            best_length = np.int64(0)
            for at in range(depth, size):
                row = body[remaining[at]]
                predicate = row[0]
                low, high, is_list = start[predicate], start[predicate + 1], False
                for place in range(1, width):
                    term = row[place]
                    value = np.int32(-1)
                    if term >= 0:
                        if term == 2147483647:
                            break
                        value = term
                    elif bound[-term - 1]:
                        value = binding[-term - 1]
                    else:
                        continue
                    if value >= n_constants[predicate, place - 1]:
                        low, high = 0, 0
                        break
                    pointer = list_start[predicate, place - 1] + value
                    if pointers[pointer + 1] - pointers[pointer] < high - low:
                        low, high, is_list = pointers[pointer], pointers[pointer + 1], True
                if best < 0 or high - low < best_length:
                    best, best_length = at, high - low
                    lows[depth], highs[depth], listed[depth] = low, high, is_list
                if best_length == 0:
                    break
            remaining[depth], remaining[best] = remaining[best], remaining[depth]
            trail_size[depth] = 0
            entering = False
        for item in range(trail_size[depth]):
            bound[trail[depth, item]] = False
        trail_size[depth] = 0
        if lows[depth] >= highs[depth]:
            depth -= 1
            continue
        steps[0] -= 1
        if steps[0] < 0:
            return -1
        fact = postings[lows[depth]] if listed[depth] else lows[depth]
        lows[depth] += 1
        row = body[remaining[depth]]
        matches = True
        for place in range(1, width):
            term = row[place]
            value = facts[fact, place - 1]
            if term >= 0:
                if term == 2147483647:
                    break
                if term != value:
                    matches = False
                    break
            else:
                variable = -term - 1
                if bound[variable]:
                    if binding[variable] != value:
                        matches = False
                        break
                else:
                    bound[variable] = True
                    binding[variable] = value
                    trail[depth, trail_size[depth]] = variable
                    trail_size[depth] += 1
        if matches:
            depth += 1
            entering = True
    return found


@compiled
def _count_all(
    bodies: Int32,
    heads: Int32,
    n_variables: int,
    limit: int,
    most_steps: int,
    facts: Int32,
    start: Int64,
    list_start: Int64,
    pointers: Int64,
    postings: Int32,
    n_constants: Int32,
    out: Int64,
) -> None:
    """Counts of every body for every head; a body that takes more than `most_steps` in all has -1 from there on."""
    n_literals, width = bodies.shape[1:]
    n_head = heads.shape[1]
    binding = np.empty(n_variables, np.int32)
    bound = np.empty(n_variables, np.bool_)
    remaining = np.empty(n_literals, np.int64)
    lows = np.empty(n_literals, np.int64)
    highs = np.empty(n_literals, np.int64)
    listed = np.empty(n_literals, np.bool_)
    trail = np.empty((n_literals, width), np.int32)
    trail_size = np.zeros(n_literals, np.int64)
    steps = np.empty(1, np.int64)
    for body in range(bodies.shape[0]):
        steps[0] = most_steps
        for head in range(heads.shape[0]):
            bound[:n_head] = True
            bound[n_head:] = False
            binding[:n_head] = heads[head]
            out[body, head] = _count(
                bodies[body], binding, bound, limit, facts, start, list_start, pointers, postings, n_constants,
                remaining, lows, highs, listed, trail, trail_size, steps,
            )  # fmt: skip


class IndexedCoverage:
    """Coverage by index nested loops over facts in memory.

    A body is evaluated once for each distinct value of the head variables that occur in it, not once an example.

    Parameters
    ----------
    background : Background
    examples : Examples
    most_steps : int or None
        Facts that the count of one body may look at, over all examples. A body that takes more has -1 among its
        counts: too many groundings for a rule. None for no limit.
    """

    def __init__(self, background: Background, examples: Examples, *, most_steps: int | None = None) -> None:
        self._index = background.index
        self._most_steps = 2**62 if most_steps is None else most_steps
        self._examples = examples
        self._projections: dict[tuple[int, ...], tuple[Int32, Int64]] = {}

    @property
    def n_examples(self) -> int:
        return len(self._examples)

    @property
    def n_head(self) -> int:
        return len(self._examples.types)

    def covers(self, bodies: Int32) -> UInt64:
        """See `Coverage.covers`."""
        bits = np.zeros((len(bodies), (self.n_examples + 63) // 64), np.uint64)
        for rows, counts, inverse in self._grouped(bodies, 1):
            bits[rows] = pack(counts[:, inverse] > 0)
        return bits

    def counts(self, bodies: Int32) -> Int64:
        """See `Coverage.counts`."""
        result = np.zeros((len(bodies), self.n_examples), np.int64)
        for rows, counts, inverse in self._grouped(bodies, 2**62):
            result[rows] = counts[:, inverse]
        return result

    def _grouped(self, bodies: Int32, limit: int) -> list[tuple[Int64, Int64, Int64]]:
        """Counts of the bodies grouped by the head variables they mention: rows, counts of distinct values, inverse."""
        n_head = self.n_head
        terms = bodies[:, :, 1:]
        used = np.stack([(terms == -variable - 1).any(axis=(1, 2)) for variable in range(n_head)], axis=1)
        n_variables = max(n_head, int(-terms.min(initial=0)))
        groups: list[tuple[Int64, Int64, Int64]] = []
        for pattern in np.unique(used, axis=0):
            rows = np.flatnonzero((used == pattern).all(axis=1))
            heads, inverse = self._projection(tuple(np.flatnonzero(pattern).tolist()))
            for chunk in np.array_split(rows, max(1, len(rows) * len(heads) // 20_000_000 + 1)):
                counts = np.empty((len(chunk), len(heads)), np.int64)
                index = self._index
                _count_all(
                    np.ascontiguousarray(bodies[chunk]), heads, n_variables, limit, self._most_steps,
                    index.facts, index.start, index.list_start, index.pointers, index.postings,
                    index.n_constants, counts,
                )  # fmt: skip
                groups.append((chunk, counts, inverse))
        return groups

    def _projection(self, variables: tuple[int, ...]) -> tuple[Int32, Int64]:
        if variables not in self._projections:
            arguments = self._examples.arguments
            if not variables:
                self._projections[variables] = (arguments[:1], np.zeros(len(arguments), np.int64))
                return self._projections[variables]
            _, first, inverse = np.unique(arguments[:, list(variables)], axis=0, return_index=True, return_inverse=True)
            self._projections[variables] = (np.ascontiguousarray(arguments[first]), inverse.reshape(-1))
        return self._projections[variables]
