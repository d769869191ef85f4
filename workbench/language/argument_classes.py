"""Classes of argument places that variables join, each of which is one type."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from workbench.language.terms import (
    Atom,
    Comparison,
    SumVariable,
    Variable,
)
from workbench.language.values import VALUE_TYPES

Place = tuple[str, int]


@dataclass
class ArgumentClasses:
    """Union-find over argument places, with a count of the variable names met in each class."""

    parent: dict[Place, Place] = field(default_factory=dict)
    used: list[tuple[Place, str]] = field(default_factory=list)

    def find(self, place: Place) -> Place:
        self.parent.setdefault(place, place)
        while self.parent[place] != place:
            self.parent[place] = self.parent[self.parent[place]]
            place = self.parent[place]
        return place

    def join(self, one: Place, other: Place) -> None:
        first, second = self.find(one), self.find(other)
        if first != second:
            self.parent[second] = first

    def join_variables(
        self, atoms: Iterable[Atom], comparisons: Iterable[Comparison], arities: Mapping[str, int]
    ) -> dict[str, Place]:
        """Join each variable's places, then both sides of comparisons; a place of each."""
        place_of: dict[str, Place] = {}
        for atom in atoms:
            for position, argument in enumerate(atom.arguments[: arities[atom.predicate]]):
                if isinstance(argument, Variable | SumVariable):
                    place = (atom.predicate, position)
                    self.used.append((place, argument.name))
                    self.join(place_of.setdefault(argument.name, place), place)
        for one in comparisons:
            sides = [
                s.name
                for s in (one.left, one.right)
                if isinstance(s, Variable) and s.name in place_of
            ]
            if len(sides) == 2:
                self.join(place_of[sides[0]], place_of[sides[1]])
        return place_of

    def names(self, given: Mapping[Place, str]) -> dict[Place, str]:
        """A name for each class: the one given, or its commonest variable, lower case, no digits.

        Where that is taken, a number is added.
        """
        counts: dict[Place, Counter[str]] = {}
        for place in self.parent:
            counts.setdefault(self.find(place), Counter())
        for place, variable in self.used:
            counts[self.find(place)][re.sub(r"\d+$", "", variable).casefold() or "t"] += 1
        names = dict(given)
        taken = {*given.values(), *VALUE_TYPES}
        for place, counter in counts.items():
            if place in given:
                continue
            base = counter.most_common(1)[0][0] if counter else f"{place[0].casefold()}_{place[1]}"
            name = base
            number = 2
            while name in taken:
                name, number = f"{base}{number}", number + 1
            taken.add(name)
            names[place] = name
        return names
