"""Further predicates for searches without modes: constants of categories, thresholds of numbers.

`Grade(x, "D")` and `Age(x, age_x) ^ age_x >= 30` are literals with one variable less than their
predicate has arguments. A search handles each as a predicate of its own, whose facts are those of
the data that meet the condition.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from workbench.arrays import Float, Int32
from workbench.structure.background import Background
from workbench.structure.rules import constant_text
from workbench.structure.terms import plain_between

LEAST_FACTS = 5
"""Fewest facts that meet a condition."""
_QUANTILES = np.arange(1, 10) / 10


class NumberFacts(NamedTuple):
    """Facts of a predicate whose last argument is a number.

    Attributes
    ----------
    types : tuple of str
        Of the other arguments.
    arguments : int32 array, shape (n_facts, n_others)
    values : float64 array, shape (n_facts,)
    """

    types: tuple[str, ...]
    arguments: Int32
    values: Float


_BOUND = re.compile(r"(\$\d+(?:>=|<)).*", re.DOTALL)
"""The end of a comparison's name."""


@dataclass(frozen=True)
class AtomCondition:
    """An atom with a constant at one place; with a `comparison`, with a number there that meets it.

    Attributes
    ----------
    predicate : str
    place : int
        The argument that is no variable of the literal.
    value : str
        The constant, or what the number is compared with, as rules write it.
    comparison : {'', '>=', '<'}
    """

    predicate: str
    place: int
    value: str
    comparison: str = ""

    @property
    def name(self) -> str:
        """Of the further predicate; rules never have it."""
        return f"{self.predicate}${self.place}{self.comparison}{self.value}"

    def written(self, cells: Sequence[str]) -> tuple[str, ...]:
        """The literal over variables, as rules write it: the atom, and a comparison."""
        term = f"{self.predicate.lower()}_{'_'.join(cells)}" if self.comparison else self.value
        arguments = ", ".join([*cells[: self.place], term, *cells[self.place :]])
        atom = f"{self.predicate}({arguments})"
        return (atom, f"{term} {self.comparison} {self.value}") if self.comparison else (atom,)


def without_bound(name: str) -> str:
    """The predicate's name without what a number is compared with: of such that differ in it."""
    return _BOUND.sub(r"\1", name)


def with_conditions(
    worlds: Sequence[Background],
    numbers: Sequence[Mapping[str, NumberFacts]],
    targets: Collection[str],
    most: int,
) -> list[Background]:
    """The worlds with the predicates of all conditions that a rule about the targets may have.

    Parameters
    ----------
    numbers : sequence, a world each, of predicate to facts
    most : int
        Constants of a place; a place of more is no category, and has no condition.
    """
    if not worlds:
        return []
    made = [
        *_constants(worlds, _things(worlds[0], numbers[0], targets), targets, most),
        *(_thresholds(numbers) if most else ()),
    ]
    names = tuple(condition.name for condition, _, _ in made)
    return [
        replace(
            world,
            predicates=(*world.predicates, *names),
            argument_types=(*world.argument_types, *(types for _, types, _ in made)),
            facts=(*world.facts, *(facts[at] for _, _, facts in made)),
            inline={condition.name: condition.written for condition, _, _ in made},
        )
        for at, world in enumerate(worlds)
    ]


Made = tuple[AtomCondition, tuple[str, ...], list[Int32]]
"""A condition, the types of its literal's variables, and the facts of each world."""


def _things(
    world: Background, numbers: Mapping[str, NumberFacts], targets: Collection[str]
) -> set[str]:
    """Types of which something is said, or asked: their constants are no categories."""
    said = {types[0] for types in world.argument_types if types}
    asked = {name for target in targets for name in world.argument_types[world.number[target]]}
    return said | asked | {of.types[0] for of in numbers.values()}


def _constants(
    worlds: Sequence[Background], things: Collection[str], targets: Collection[str], most: int
) -> list[Made]:
    """Properties with a constant of a type that is a category."""
    first = worlds[0]
    made: list[Made] = []
    for number, (name, types) in enumerate(zip(first.predicates, first.argument_types)):
        if name in targets or len(types) != 2:
            continue
        for place in (place for place, of_type in enumerate(types) if of_type not in things):
            columns = [world.facts[number][:, place] for world in worlds]
            ids, counts = np.unique(np.concatenate(columns), return_counts=True)
            if not 2 <= len(ids) <= most:
                continue
            rest = (*types[:place], *types[place + 1 :])
            names = first.constants[types[place]]
            made += [
                (
                    AtomCondition(name, place, constant_text(names[constant])),
                    rest,
                    [
                        np.delete(world.facts[number][column == constant], place, axis=1)
                        for world, column in zip(worlds, columns)
                    ],
                )
                for constant in ids[counts >= LEAST_FACTS].tolist()
            ]
    return made


def _thresholds(numbers: Sequence[Mapping[str, NumberFacts]]) -> list[Made]:
    """Numbers at least, and below, some of their quantiles; of things that have one number each."""
    made: list[Made] = []
    for name in numbers[0]:
        facts = [world[name] for world in numbers]
        if any(len(np.unique(of.arguments, axis=0)) < len(of.values) for of in facts):
            continue
        values = np.unique(np.concatenate([of.values for of in facts]))
        place = len(facts[0].types)
        for cut in _cuts(np.concatenate([of.values for of in facts]), values):
            for comparison in (">=", "<"):
                met = [of.arguments[(of.values >= cut) == (comparison == ">=")] for of in facts]
                if sum(map(len, met)) >= LEAST_FACTS:
                    condition = AtomCondition(name, place, f"{cut:.10g}", comparison)
                    made.append((condition, facts[0].types, met))
    return made


def _cuts(numbers: Float, values: Float) -> list[float]:
    """Plain numbers between neighbouring values, near the quantiles."""
    if len(values) < 2:
        return []
    at = np.searchsorted(values, np.quantile(numbers, _QUANTILES, method="lower"))
    return [
        plain_between(float(values[place - 1]), float(values[place]))
        for place in np.unique(np.clip(at, 1, len(values) - 1)).tolist()
    ]
