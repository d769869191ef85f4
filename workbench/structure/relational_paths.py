"""Paths of facts between the arguments of true atoms (Richards and Mooney 1992)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from workbench.progress import PLAIN, Conduct
from workbench.structure.background import Background

Fact = tuple[int, tuple[int, ...]]
Key = tuple[str, int]
Path = tuple[Fact, ...]

_ATOMS = 200
_BRANCHES = 8


def relational_paths(
    background: Background,
    target: str,
    *,
    max_length: int = 2,
    conduct: Conduct = PLAIN,
) -> Counter[Path]:
    """Variabilised paths around the target's true atoms, and how many atoms have each.

    A path is a sequence of facts, each sharing a constant with one before it, starting at an
    argument of the atom; equal constants of one type become one variable, the atom's arguments the
    first ones. The atom itself is no part.

    Paths of three facts and more go from each constant to some facts of each predicate only
    (`_BRANCHES`, evenly spread), so that a constant of thousands of facts, such as a category,
    costs no more than another.

    Parameters
    ----------
    max_length : int
        Facts of a path.
    conduct : Conduct
        Draws the true atoms looked at, at most 200; those looked at until its deadline, or a
        cancel, are counted.
    """
    number = background.number[target]
    types = background.argument_types[number]
    atoms = background.facts[number]
    rng = np.random.default_rng(conduct.seed)
    if len(atoms) > _ATOMS:
        atoms = atoms[np.sort(rng.choice(len(atoms), _ATOMS, replace=False))]
    touching: dict[Key, list[Fact]] = {}
    for predicate, (rows, names) in enumerate(zip(background.facts, background.argument_types)):
        own: dict[Key, list[Fact]] = {}
        for row in map(tuple, rows.tolist()):
            for name, constant in dict.fromkeys(zip(names, row)):
                own.setdefault((name, constant), []).append((predicate, row))
        for key, facts in own.items():
            touching.setdefault(key, []).extend(_spread(facts) if max_length > 2 else facts)
    walker = _Walker(background, touching, max_length)
    counted: Counter[Path] = Counter()
    for atom in map(tuple, atoms.tolist()):
        if conduct.over:
            break
        counted.update(walker.paths(types, number, atom))
    return counted


def _spread(facts: list[Fact]) -> list[Fact]:
    """Some of the facts, evenly spread."""
    if len(facts) <= _BRANCHES:
        return facts
    return [
        facts[place] for place in np.linspace(0, len(facts) - 1, _BRANCHES).astype(int).tolist()
    ]


@dataclass(frozen=True)
class _Walker:
    """Depth-first walks over facts that share constants."""

    background: Background
    touching: Mapping[Key, list[Fact]]
    max_length: int

    def paths(self, types: tuple[str, ...], number: int, atom: tuple[int, ...]) -> set[Path]:
        """Variabilised paths of at most `max_length` facts from the atom's arguments."""
        variables: dict[Key, int] = {}
        for place, key in enumerate(zip(types, atom)):
            variables.setdefault(key, place)
        found: set[Path] = set()
        stack: list[tuple[Fact, ...]] = [()]
        while stack:
            facts = stack.pop()
            if facts:
                names = dict(variables)
                path = tuple(
                    (
                        predicate,
                        tuple(
                            names.setdefault(key, len(types) + len(names))
                            for key in self._keys(predicate, row)
                        ),
                    )
                    for predicate, row in facts
                )
                found.add(_compact(path, len(types)))
            if len(facts) == self.max_length:
                continue
            reachable = self._keys(*facts[-1]) if facts else list(variables)
            for key in dict.fromkeys(reachable):
                for fact in self.touching.get(key, ()):
                    if fact not in facts and fact != (number, atom):
                        stack.append((*facts, fact))
        return found

    def _keys(self, predicate: int, row: tuple[int, ...]) -> list[Key]:
        return list(zip(self.background.argument_types[predicate], row))


def _compact(path: Path, n_head: int) -> Path:
    names = {variable: variable for variable in range(n_head)}
    return tuple(
        (predicate, tuple(names.setdefault(variable, len(names)) for variable in args))
        for predicate, args in path
    )
