"""Bottom clauses: every literal that the modes allow about one example,
layer by layer (Muggleton 1995; Aleph).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from workbench.arrays import Int32, Int64
from workbench.language.ilp.problem import Mode
from workbench.structure.background import ABSENT, Background, Examples

__all__ = ["BottomClause", "saturate"]


@dataclass(frozen=True)
class BottomClause:
    """The most specific clause of one example.

    Attributes
    ----------
    literals : int32 array, shape (n_literals, 1 + max_arity)
        As `workbench.structure.clauses` describes; one variable for each (constant, type), the
        head's first.
    layer : int32 array, shape (n_literals,)
        Depth of the variable chain at which the literal entered, from 1.
    inputs, outputs : int32 arrays, shape (n_literals, max_arity)
        Variable numbers at `+` and `-` places, padded with -1.
    dependents : int64 array, and dependents_start, shape (n_literals + 2,)
        For the head (entry 0) and each literal: the literals that take one of its outputs as an
        input, latest first.
    """

    literals: Int32
    layer: Int32
    inputs: Int32
    outputs: Int32
    dependents: Int64
    dependents_start: Int64

    def __len__(self) -> int:
        return len(self.literals)


def saturate(
    background: Background,
    examples: Examples,
    example: int,
    head: Mode,
    modes: Sequence[Mode],
    *,
    depth: int = 2,
) -> BottomClause:
    """The bottom clause of one example.

    Parameters
    ----------
    modes : sequence of Mode
        Body modes, in the order in which their literals shall enter a layer.
    depth : int
        Aleph's `i`: layers of literals; layer k takes inputs from terms of earlier layers, at least
        one of them from layer k - 1.

    Notes
    -----
    Equal constants of one type share one variable, so a clause is maximally co-referent, as in
    Aleph without variable splitting. A mode's recall bounds the answers per instantiation of its
    inputs, in the facts' order. A constant at a `#` place gives no input. Time: one posting list
    look-up for each mode and combination of inputs.
    """
    width = 1 + background.max_arity
    variable: dict[tuple[str, int], int] = {}
    layer_of: dict[tuple[str, int], int] = {}
    usable: dict[str, list[int]] = {}
    for place, value in enumerate(examples.arguments[example].tolist()):
        key = (examples.types[place], value)
        variable.setdefault(key, place)
        if head.arguments[place].mark == "+" and key not in layer_of:
            layer_of[key] = 0
            usable.setdefault(key[0], []).append(value)
    n_variables = len(examples.types)
    literals: dict[tuple[int, ...], int] = {}
    layers: list[int] = []
    inputs: list[list[int]] = []
    outputs: list[list[int]] = []
    lookup = _Lookup(background)
    for layer in range(1, depth + 1):
        fresh: list[tuple[str, int]] = []
        for mode in modes:
            predicate = background.number.get(mode.predicate)
            if predicate is None or not len(background.facts[predicate]):
                continue
            places = [
                place for place, argument in enumerate(mode.arguments) if argument.mark == "+"
            ]
            pools = [usable.get(mode.arguments[place].type, []) for place in places]
            for values in product(*pools):
                keys = [(mode.arguments[place].type, value) for place, value in zip(places, values)]
                newest = max((layer_of[key] for key in keys), default=0)
                if newest != layer - 1:
                    continue
                answers = lookup.rows(predicate, places, values)
                for row in answers if mode.recall is None else answers[: mode.recall]:
                    literal = [predicate] + [int(ABSENT)] * (width - 1)
                    taken: list[int] = []
                    given: list[int] = []
                    for place, argument in enumerate(mode.arguments):
                        value = int(row[place])
                        key = (argument.type, value)
                        if argument.mark == "#":
                            literal[1 + place] = value
                            continue
                        if key not in variable:
                            variable[key] = n_variables
                            n_variables += 1
                        (taken if argument.mark == "+" else given).append(variable[key])
                        literal[1 + place] = -variable[key] - 1
                        if argument.mark == "-" and key not in layer_of:
                            layer_of[key] = layer
                            fresh.append(key)
                    if literals.setdefault(tuple(literal), len(literals)) == len(layers):
                        layers.append(layer)
                        inputs.append(taken)
                        outputs.append(given)
        for name, value in fresh:
            usable.setdefault(name, []).append(value)
        if not fresh:
            break
    return _bottom(
        np.array(list(literals), np.int32).reshape(-1, width),
        layers,
        inputs,
        outputs,
        len(examples.types),
    )


class _Lookup:
    """Facts of a predicate with given values at given places, in source order."""

    def __init__(self, background: Background) -> None:
        self._facts = background.facts
        self._index = background.index

    def rows(self, predicate: int, places: Sequence[int], values: Sequence[int]) -> Int32:
        facts = self._facts[predicate]
        if not places:
            return facts
        index = self._index
        pointer = index.list_start[predicate, places[0]] + values[0]
        listed = (
            index.postings[index.pointers[pointer] : index.pointers[pointer + 1]]
            - index.start[predicate]
        )
        rows: Int32 = facts[listed]
        for place, value in zip(places[1:], values[1:]):
            rows = rows[rows[:, place] == value]
        return rows


def _bottom(
    literals: Int32,
    layers: list[int],
    inputs: list[list[int]],
    outputs: list[list[int]],
    n_head: int,
) -> BottomClause:
    width = max(literals.shape[1] - 1, 1)
    takes = np.full((len(layers), width), -1, np.int32)
    gives = np.full((len(layers), width), -1, np.int32)
    for row, (taken, given) in enumerate(zip(inputs, outputs)):
        takes[row, : len(taken)] = taken
        gives[row, : len(given)] = given
    producers = [list(range(n_head)), *outputs]
    takers: dict[int, list[int]] = {}
    for row, taken in enumerate(inputs):
        for name in set(taken):
            takers.setdefault(name, []).append(row)
    free = [row for row, taken in enumerate(inputs) if not taken]
    dependents: list[int] = []
    start = [0]
    for position, given in enumerate(producers):
        found = {row for name in given for row in takers.get(name, ())} | (
            set(free) if position == 0 else set()
        )
        dependents += sorted(found - {position - 1}, reverse=True)
        start.append(len(dependents))
    return BottomClause(
        literals,
        np.array(layers, np.int32),
        takes,
        gives,
        np.array(dependents, np.int64),
        np.array(start, np.int64),
    )
