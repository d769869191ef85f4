"""Bottom clauses: all that the modes allow of one example (Muggleton 1995; Aleph)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from workbench.arrays import Int32
from workbench.language.ilp.problem import Mode
from workbench.structure.background import ABSENT, Background, Examples
from workbench.structure.refinement import Feeding


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
    """

    literals: Int32
    layer: Int32
    feeding: Feeding

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

    Equal constants of one type share one variable, so a clause is maximally co-referent, as in
    Aleph without variable splitting. A mode's recall bounds the answers per instantiation of its
    inputs, in the facts' order. A constant at a `#` place gives no input. Time: one posting list
    look-up for each mode and combination of inputs.

    Parameters
    ----------
    modes : sequence of Mode
        Body modes, in the order in which their literals shall enter a layer.
    depth : int
        Aleph's `i`: layers of literals; layer k takes inputs from terms of earlier layers, at least
        one of them from layer k - 1.
    """
    growing = _Growing(1 + background.max_arity, len(examples.types))
    for place, value in enumerate(examples.arguments[example].tolist()):
        growing.begin((examples.types[place], value), place, head.arguments[place].mark == "+")
    lookup = _Lookup(background)
    for layer in range(1, depth + 1):
        for mode in modes:
            predicate = background.number.get(mode.predicate)
            if predicate is None or not len(background.facts[predicate]):
                continue
            for places, values in growing.inputs(mode, layer):
                answers = lookup.rows(predicate, places, values)
                for row in answers if mode.recall is None else answers[: mode.recall]:
                    growing.add(mode, predicate, row, layer)
        if not growing.take_outputs():
            break
    return growing.clause()


Key = tuple[str, int]
"""A type and a constant of it: what has a variable."""


class _Growing:
    """A bottom clause as its literals enter, layer by layer."""

    def __init__(self, width: int, n_head: int) -> None:
        self.width, self.n_head = width, n_head
        self.n_variables = n_head
        self.variable: dict[Key, int] = {}
        self.layer_of: dict[Key, int] = {}
        self.usable: dict[str, list[int]] = {}
        self.fresh: list[Key] = []
        self.literals: dict[tuple[int, ...], int] = {}
        self.layers: list[int] = []
        self.taken: list[list[int]] = []
        self.given: list[list[int]] = []

    def begin(self, key: Key, place: int, is_input: bool) -> None:
        """Give a term of the head its variable; one at an input can be taken from now on."""
        self.variable.setdefault(key, place)
        if is_input and key not in self.layer_of:
            self.layer_of[key] = 0
            self.usable.setdefault(key[0], []).append(key[1])

    def inputs(self, mode: Mode, layer: int) -> Iterator[tuple[list[int], tuple[int, ...]]]:
        """A mode's input places, with all values for them of which one is of the layer before."""
        places = [place for place, argument in enumerate(mode.arguments) if argument.mark == "+"]
        types = [mode.arguments[place].type for place in places]
        for values in product(*(self.usable.get(name, []) for name in types)):
            if max((self.layer_of[key] for key in zip(types, values)), default=0) == layer - 1:
                yield places, values

    def add(self, mode: Mode, predicate: int, row: Int32, layer: int) -> None:
        """The literal of a fact, with new variables where it names new constants."""
        literal = [predicate] + [int(ABSENT)] * (self.width - 1)
        taken: list[int] = []
        given: list[int] = []
        for place, argument in enumerate(mode.arguments):
            value = int(row[place])
            if argument.mark == "#":
                literal[1 + place] = value
                continue
            key = (argument.type, value)
            if key not in self.variable:
                self.variable[key] = self.n_variables
                self.n_variables += 1
            (taken if argument.mark == "+" else given).append(self.variable[key])
            literal[1 + place] = -self.variable[key] - 1
            if argument.mark == "-" and key not in self.layer_of:
                self.layer_of[key] = layer
                self.fresh.append(key)
        if self.literals.setdefault(tuple(literal), len(self.literals)) == len(self.layers):
            self.layers.append(layer)
            self.taken.append(taken)
            self.given.append(given)

    def take_outputs(self) -> bool:
        """Let the next layer take what this one gave; False where it gave nothing."""
        for name, value in self.fresh:
            self.usable.setdefault(name, []).append(value)
        gave, self.fresh = bool(self.fresh), []
        return gave

    def clause(self) -> BottomClause:
        literals = np.array(list(self.literals), np.int32).reshape(-1, self.width)
        return _bottom(literals, self.layers, self.taken, self.given, self.n_head)


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
    feeding = Feeding(
        np.array(dependents, np.int64), np.array(start, np.int64), takes, gives, n_head
    )
    return BottomClause(literals, np.array(layers, np.int32), feeding)
