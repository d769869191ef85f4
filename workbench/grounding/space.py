"""Where ground atoms are: ids by arithmetic on the positions of arguments, in Python and in SQL."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np

from workbench.arrays import Array, Int64
from workbench.grounding.select import ColumnRef, Expression, Value, add

MOST_ATOMS = 2**31 - 2
"""Ids are 32-bit integers."""


@dataclass(frozen=True)
class Grid:
    """The cross product of domains, by world: place = offset + sum of stride x position.

    Attributes
    ----------
    offset : int64 array, shape (n_worlds,)
    shape : int64 array, shape (n_worlds, arity)
        Domain sizes.
    """

    offset: Int64
    shape: Int64

    @classmethod
    def starting_at(cls, start: int, sizes: Sequence[Sequence[int]], arity: int) -> Grid:
        """The grid of the given domain sizes, one sequence a world."""
        counts = [prod(one) for one in sizes]
        offset = start + np.concatenate([[0], np.cumsum(counts[:-1])]).astype(np.int64)
        return cls(offset[: len(counts)], np.array(sizes, np.int64).reshape(len(counts), arity))

    @cached_property
    def count(self) -> Int64:
        """Number of places of each world."""
        return np.asarray(self.shape.prod(axis=1), np.int64)

    @cached_property
    def strides(self) -> Int64:
        """Row-major strides, shape (n_worlds, arity)."""
        strides: Int64 = np.ones(self.shape.shape, np.int64)
        for argument in range(self.shape.shape[1] - 1, 0, -1):
            strides[:, argument - 1] = strides[:, argument] * self.shape[:, argument]
        return strides

    def place(self, positions: Iterable[Expression]) -> Expression:
        """The place as an SQL expression, where there is one world only."""
        terms: list[Expression] = []
        for stride, position in zip(self.strides[0].tolist(), positions):
            if isinstance(position, Value) and isinstance(position.value, int):
                terms.append(Value(stride * position.value))
            else:
                terms.append(position if stride == 1 else Value(stride) * position)
        return add((*terms, Value(int(self.offset[0]))))

    def place_in_world(
        self, positions: Iterable[Expression], geometry: str, number: int
    ) -> Expression:
        """The place as SQL over the columns `o<number>`, `s<number>_<argument>` of a world."""
        scaled = [
            ColumnRef(geometry, f"s{number}_{argument}") * position
            for argument, position in enumerate(positions)
        ]
        return add((ColumnRef(geometry, f"o{number}"), *scaled))


@dataclass(frozen=True)
class AtomSpace:
    """Where the atoms of each open predicate are: predicate by predicate, world by world.

    Attributes
    ----------
    offset : mapping of predicate to int64 array, shape (n_worlds,)
    count : mapping of predicate to int64 array, shape (n_worlds,)
    grids : mapping of predicate to Grid
        Of a cross-product predicate, whose places are its atoms' ids; and of a listed predicate
        whose cross product is small enough for an index, with places from 0.
    size : int
        Number of atoms, known ones included.
    """

    predicates: tuple[str, ...]
    offset: Mapping[str, Int64]
    count: Mapping[str, Int64]
    grids: Mapping[str, Grid]
    size: int


@dataclass(frozen=True)
class Numbering:
    """Atoms of the space and columns of the network: all but those that data decide.

    Attributes
    ----------
    space_of_open, open_of_space : int64 arrays, or None where all atoms are open
        The atom of each column; the column of each atom, -1 where it has none.
    """

    n_open: int
    space_of_open: Int64 | None = None
    open_of_space: Int64 | None = None

    @classmethod
    def without(cls, size: int, known: Int64 | None) -> Numbering:
        """The columns of a space of so many atoms when some are known."""
        if known is None:
            return cls(size)
        is_open = np.ones(size, np.bool_)
        is_open[known] = False
        space_of_open = np.flatnonzero(is_open)
        open_of_space = np.full(size, -1, np.int64)
        open_of_space[space_of_open] = np.arange(space_of_open.size)
        return cls(int(space_of_open.size), space_of_open, open_of_space)

    def to_open(self, ids: Array) -> Array:
        """Columns of atoms of the space; -1 stays, known atoms become -1."""
        if self.open_of_space is None:
            return ids
        return np.asarray(np.where(ids < 0, -1, self.open_of_space[np.maximum(ids, 0)]))

    def to_space(self, ids: Int64) -> Int64:
        """Atoms of the space of columns."""
        return ids if self.space_of_open is None else self.space_of_open[ids]

    def of_open(self, values: Array) -> Array:
        """The entries of an array over the space that belong to columns."""
        return values if self.space_of_open is None else values[self.space_of_open]

    def open_between(self, first: int, end: int) -> Int64 | None:
        """Which atoms of a range are columns, counted from its start; None for all."""
        if self.open_of_space is None:
            return None
        return np.flatnonzero(self.open_of_space[first:end] >= 0)
