"""Bodies of Horn rules as coded literals (see `clauses.py`), grown literal by literal."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import product

import numpy as np

from workbench.arrays import Int32, Int64
from workbench.structure.background import ABSENT, Background, Examples
from workbench.structure.clauses import Interning, component_keys
from workbench.structure.disjunctions import Disjunction


def sharing(
    known: Collection[tuple[int, str]], types: Sequence[str], *, new: bool = True
) -> Iterator[tuple[int, ...]]:
    """Ways to fill places: known variables, one at least and none twice, else -1 for a new one."""
    pools = [[variable for variable, name in known if name == wanted] for wanted in types]
    for shared in product(*([*pool, -1] if new else pool for pool in pools)):
        used = [variable for variable in shared if variable >= 0]
        if used and len(set(used)) == len(used):
            yield shared


def extensions(
    background: Background, body: Int32, known: list[str], head: int, last: bool
) -> list[tuple[Int32, list[str]]]:
    """One more literal sharing a variable; the last has no new one, which could not be closed."""
    width = 1 + background.max_arity
    result: list[tuple[Int32, list[str]]] = []
    n_head = len(background.argument_types[head])
    for predicate, types in enumerate(background.argument_types):
        for shared in sharing(list(enumerate(known)), types, new=not last):
            if predicate == head and tuple(shared) == tuple(range(n_head)):
                continue
            literal = np.full(width, ABSENT, np.int32)
            literal[0] = predicate
            following = list(known)
            for place, variable in enumerate(shared):
                if variable < 0:
                    variable = len(following)
                    following.append(types[place])
                literal[1 + place] = -variable - 1
            if any(np.array_equal(literal, row) for row in body):
                continue
            result.append((literal, following))
    return result


def new_bodies(bodies: Int32, n_head: int, seen: Interning, size: int) -> Int64:
    """New bodies up to renaming: connected ones are one component, others sorted keys."""
    padded = np.full((len(bodies), size, bodies.shape[2]), -1, np.int32)
    padded[:, : bodies.shape[1]] = bodies
    keys, sizes, start = component_keys(padded, n_head)
    rows = np.full((len(bodies), keys.shape[1]), -1, np.int32)
    for row in range(len(bodies)):
        parts = sorted(
            tuple(keys[at, : sizes[at] * bodies.shape[2]].tolist())
            for at in range(start[row], start[row + 1])
        )
        flat = [value for part in parts for value in part]
        rows[row, : len(flat)] = flat
    before = len(seen)
    numbers = seen.number(rows)
    fresh, first = np.unique(numbers, return_index=True)
    return np.sort(first[fresh >= before]).astype(np.int64)


def is_closed(body: Int32, n_head: int) -> bool:
    """Every variable of the rule occurs in two literals (the head is one)."""
    uses: dict[int, int] = dict.fromkeys(range(n_head), 1)
    for literal in body.tolist():
        for term in {t for t in literal[1:] if t < 0}:
            uses[-term - 1] = uses.get(-term - 1, 0) + 1
    return all(times >= 2 for times in uses.values())


def clause_of(background: Background, examples: Examples, body: Int32) -> Disjunction:
    """The rule of a body and the head that its examples are of."""
    head = (background.number[examples.predicate], tuple(range(len(examples.types))), True)
    literals = [
        (int(row[0]), tuple(-term - 1 for term in row[1:].tolist() if term != int(ABSENT)), False)
        for row in body
    ]
    return (head, *literals)
