"""Background knowledge as arrays: facts indexed by every argument; examples as tuples."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from workbench.arrays import Float, Int32, Int64

ABSENT = np.int32(2**31 - 1)
"""Fills the places of a literal beyond its predicate's arity."""


class FactIndex(NamedTuple):
    """All facts in one array, with posting lists for each argument of each predicate.

    Attributes
    ----------
    facts : int32 array, shape (n_facts, max_arity)
        Constant ids, facts of a predicate together and in source order; unused places are -1.
    start : int64 array, shape (n_predicates + 1,)
        Where each predicate's facts begin.
    list_start : int64 array, shape (n_predicates, max_arity)
        Where the pointers of an argument's posting lists begin in `pointers`.
    pointers : int64 array
        Posting list of constant c at an argument: `postings[pointers[s + c] : pointers[s + c +
        1]]`.
    postings : int32 array
        Fact numbers.
    n_constants : int32 array, shape (n_predicates, max_arity)
        Constants of each argument's type.
    """

    facts: Int32
    start: Int64
    list_start: Int64
    pointers: Int64
    postings: Int32
    n_constants: Int32


@dataclass(frozen=True)
class Background:
    """Facts of the predicates that rules may mention, dictionary-encoded.

    Attributes
    ----------
    facts : tuple of int32 array, shape (n_facts, arity)
        Constant ids of each argument's type, in source order, without duplicates.
    constants : mapping of type to constant names
        Position is id.
    domains : mapping of type to int32 array, or None
        The constants of each type that exist in this world; None for all of them.
    inline : mapping of predicate to function
        Predicates that rules write as something else than an atom: from the arguments' texts to
        what stands in their place.
    """

    predicates: tuple[str, ...]
    argument_types: tuple[tuple[str, ...], ...]
    facts: tuple[Int32, ...]
    constants: Mapping[str, Sequence[str]]
    domains: Mapping[str, Int32] | None = None
    inline: Mapping[str, Callable[[Sequence[str]], tuple[str, ...]]] = field(default_factory=dict)

    def parts(self, predicate: int, cells: Sequence[str]) -> tuple[str, ...]:
        """A predicate of arguments, given as texts, as rules write it: an atom, or an atom with a
        number and a comparison of this.
        """
        name = self.predicates[predicate]
        if name in self.inline:
            return self.inline[name](cells)
        return (f"{name}({', '.join(cells)})" if cells else name,)

    def domain(self, name: str) -> Int32:
        """Ids of the type's constants in this world."""
        if self.domains is None:
            return np.arange(len(self.constants[name]), dtype=np.int32)
        return np.asarray(self.domains.get(name, ()), np.int32)

    def with_domains(self) -> Background:
        """The same with `$type`, true of a type's constants, and `$=type`, true of equal ones."""
        types = sorted({name for names in self.argument_types for name in names})
        domains = [self.domain(name)[:, None] for name in types]
        equal = [np.concatenate([domain, domain], axis=1) for domain in domains]
        return replace(
            self,
            predicates=(
                *self.predicates,
                *(f"${name}" for name in types),
                *(f"$={name}" for name in types),
            ),
            argument_types=(
                *self.argument_types,
                *((name,) for name in types),
                *((name, name) for name in types),
            ),
            facts=(*self.facts, *domains, *equal),
            domains=None,
        )

    @cached_property
    def number(self) -> dict[str, int]:
        """Each predicate's position."""
        return {name: position for position, name in enumerate(self.predicates)}

    @property
    def max_arity(self) -> int:
        return max((len(types) for types in self.argument_types), default=0)

    @cached_property
    def index(self) -> FactIndex:
        """Posting lists of all facts; time and memory linear in facts and constants."""
        width = max(self.max_arity, 1)
        start = np.zeros(len(self.predicates) + 1, np.int64)
        start[1:] = np.cumsum([len(rows) for rows in self.facts])
        facts = np.full((int(start[-1]), width), -1, np.int32)
        list_start = np.zeros((len(self.predicates), width), np.int64)
        n_constants = np.zeros((len(self.predicates), width), np.int32)
        pointers: list[Int64] = []
        postings: list[Int32] = []
        n_pointers = n_postings = 0
        for predicate, (rows, types) in enumerate(zip(self.facts, self.argument_types)):
            facts[start[predicate] : start[predicate + 1], : len(types)] = rows
            for place, name in enumerate(types):
                size = len(self.constants[name])
                column = rows[:, place]
                order = np.argsort(column, kind="stable").astype(np.int32)
                pointer = np.zeros(size + 1, np.int64)
                pointer[1:] = np.cumsum(np.bincount(column, minlength=size))
                list_start[predicate, place] = n_pointers
                n_constants[predicate, place] = size
                pointers.append(pointer + n_postings)
                postings.append(order + np.int32(start[predicate]))
                n_pointers += size + 1
                n_postings += len(rows)
        joined = np.concatenate(pointers) if pointers else np.zeros(1, np.int64)
        posted = np.concatenate(postings) if postings else np.zeros(0, np.int32)
        return FactIndex(facts, start, list_start, joined, posted, n_constants)


@dataclass(frozen=True)
class Examples:
    """Tuples of the target predicate, labelled or not.

    Attributes
    ----------
    arguments : int32 array, shape (n_examples, arity)
        Constant ids.
    label : float64 array, shape (n_examples,)
        1 positive, 0 negative, NaN unlabelled.
    """

    predicate: str
    types: tuple[str, ...]
    arguments: Int32
    label: Float

    def __len__(self) -> int:
        return len(self.arguments)
