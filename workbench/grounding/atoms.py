"""Open atoms as keys: predicate, world, constants of each column of a network, in plain arrays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from workbench.arrays import Array, Bool, Int32, Int64
from workbench.errors import UsageError, did_you_mean
from workbench.grounding.names import Names
from workbench.language.ground_atoms import parse_atom
from workbench.language.printing import quote_constant


@dataclass(frozen=True)
class AtomTable:
    """Which ground atom each column of a network is.

    Atoms run predicate by predicate, world by world, in order of the names of their arguments.
    Atoms that the data decide are not among them. The key of an atom is (world, predicate,
    constants); its text is made on demand.

    Attributes
    ----------
    predicates : tuple of str
        The open predicates.
    types : tuple of tuples of str
        The types of each predicate's arguments.
    hidden : tuple of bool
        For each of them, whether it is open without being asked about.
    predicate : int32 array, shape (n_atoms,)
        Index into `predicates`, ascending.
    world : int32 array, shape (n_atoms,)
        The world's id.
    constants : tuple of int32 arrays, one a predicate, shape (its atoms, its arguments)
        Ids of the arguments, in the dictionaries of their types.
    worlds : mapping of int to str
        The names of the worlds that were grounded, by id, ascending.
    names_of : mapping of str to Names
        The dictionary of each type.
    """

    predicates: tuple[str, ...]
    types: tuple[tuple[str, ...], ...]
    hidden: tuple[bool, ...]
    predicate: Int32
    world: Int32
    constants: tuple[Int32, ...]
    worlds: Mapping[int, str]
    names_of: Mapping[str, Names]

    @property
    def n_atoms(self) -> int:
        return int(self.predicate.size)

    @property
    def start(self) -> Int64:
        """The first atom of each predicate, and the end; shape (n_predicates + 1,)."""
        counts = [len(rows) for rows in self.constants]
        return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)

    @property
    def is_hidden(self) -> Bool:
        """Whether each atom's predicate is open without being asked about, shape (n_atoms,)."""
        if not any(self.hidden):
            return np.zeros(self.n_atoms, np.bool_)
        return np.array(self.hidden, np.bool_)[self.predicate]

    def arguments(self, ids: npt.ArrayLike | None = None) -> Int32:
        """Constants of each atom (all when None), shape (n, most arguments),
        -1 where a predicate takes fewer.
        """
        chosen = self._chosen(ids)
        width = max((len(types) for types in self.types), default=0)
        found = np.full((chosen.size, width), -1, np.int32)
        for _, rows, constants in self._by_predicate(chosen):
            found[rows, : constants.shape[1]] = constants
        return found

    def names(self, ids: npt.ArrayLike | None = None) -> list[str]:
        """Each atom (all when None) as the rules language writes it, in order of `ids`.

        Cost: linear in the atoms asked for.
        """
        chosen = self._chosen(ids)
        texts = np.empty(chosen.size, object)
        for number, rows, constants in self._by_predicate(chosen):
            texts[rows] = written_atoms(
                self.predicates[number], self.types[number], constants, self.names_of
            )
        return list(texts.tolist())

    def argument_names(self, ids: npt.ArrayLike | None = None) -> list[tuple[str, ...]]:
        """The names of each atom's constants, in order of `ids`, or all."""
        chosen = self._chosen(ids)
        found: list[tuple[str, ...]] = [()] * chosen.size
        for number, rows, constants in self._by_predicate(chosen):
            columns = [
                self.names_of[name].at(column)
                for name, column in zip(self.types[number], constants.T)
            ]
            for row, names in zip(rows.tolist(), zip(*columns)):
                found[row] = names
        return found

    def world_names(self, ids: npt.ArrayLike | None = None) -> Array:
        """The world's name of each atom, object array of shape (n,)."""
        names = np.empty(max(self.worlds, default=-1) + 1, object)
        names[list(self.worlds)] = list(self.worlds.values())
        return np.asarray(names[self.world[self._chosen(ids)]])

    def begin_with(self, number: int, rows: Int32) -> Bool:
        """Which atoms of the table's predicate of that number begin as one of the rows: a world,
        and the first constants of an atom.
        """
        mine = slice(int(self.start[number]), int(self.start[number + 1]))
        leading = self.constants[number][:, : rows.shape[1] - 1]
        here = np.column_stack([self.world[mine], leading])
        key = _ranked(np.concatenate([here, rows]))
        return np.isin(key[: len(here)], key[len(here) :])

    def locate(self, predicate: str, world: Int32, constants: Int32) -> Int64:
        """The ids of atoms by their keys, -1 where there is no such open atom.

        Cost: a sort of the predicate's atoms and the keys together.

        Parameters
        ----------
        world : int32 array, shape (n,)
        constants : int32 array, shape (n, arguments)
        """
        if predicate not in self.predicates:
            return np.full(world.size, -1, np.int64)
        number = self.predicates.index(predicate)
        mine, first = self.constants[number], int(self.start[number])
        if constants.shape[1] != mine.shape[1]:
            return np.full(world.size, -1, np.int64)
        here = np.column_stack([self.world[first : first + len(mine)], mine])
        key = _ranked(np.concatenate([here, np.column_stack([world, constants])]))
        own, wanted = key[: len(mine)], key[len(mine) :]
        place = np.full(int(key.max(initial=-1)) + 1, -1, np.int64)
        place[own] = np.arange(first, first + len(mine))
        return place[wanted]

    def find(self, text: str, *, world: int | str | None = None) -> int:
        """The id of an atom written as `Predicate(Constant, ...)`, in a world, by id or name, where
        several have it.

        Raises E0305 when no open atom is written so, E0247 when atoms of several worlds are and
        none is chosen.
        """
        name, constants = parse_atom(text) or (text, ())
        rows = np.zeros(0, np.int64)
        if name in self.predicates:
            number = self.predicates.index(name)
            rows = self._rows_named(number, constants) + int(self.start[number])
        having = [self.worlds[one] for one in self.world[rows].tolist()]
        chosen = [
            row
            for row, here, called in zip(rows.tolist(), self.world[rows].tolist(), having)
            if world is None or world in (here, called)
        ]
        if len(chosen) == 1:
            return int(chosen[0])
        shown = ", ".join(having[:10]) + (
            f" and {len(having) - 10} more" if len(having) > 10 else ""
        )
        if chosen:
            raise UsageError.of(
                "E0247",
                f"{text} is an atom of {len(chosen)} worlds",
                help=f"choose one, by world= or --only: {shown}",
            )
        if having:
            raise UsageError.of(
                "E0305",
                f"{text} is no open atom of the world {world}",
                help=f"it is one of {shown}",
            )
        decided = "what the data decide is known, not predicted; names are those of the data"
        asked = f"predicted are atoms of {', '.join(self.predicates)}"
        known = name in self.predicates
        help = decided if known else did_you_mean(name, self.predicates, asked)
        raise UsageError.of("E0305", f"{text} is no open atom", help=help)

    def _by_predicate(self, chosen: Int64) -> Iterator[tuple[int, Int64, Int32]]:
        """Predicate by predicate: its number, which chosen atoms it has, their constants."""
        start, predicate = self.start, self.predicate[chosen]
        for number in np.unique(predicate).tolist():
            rows = np.flatnonzero(predicate == number)
            yield number, rows, self.constants[number][chosen[rows] - start[number]]

    def _rows_named(self, number: int, constants: tuple[str, ...]) -> Int64:
        """The rows of a predicate whose arguments have these names."""
        columns, types = self.constants[number], self.types[number]
        if len(types) != len(constants):
            return np.zeros(0, np.int64)
        same = np.ones(len(columns), np.bool_)
        for column, type_name, name in zip(columns.T, types, constants):
            same &= column == self.names_of[type_name].place(name)
        return np.flatnonzero(same)

    def _chosen(self, ids: npt.ArrayLike | None) -> Int64:
        return np.arange(self.n_atoms) if ids is None else np.atleast_1d(np.asarray(ids, np.int64))


def written_atoms(
    predicate: str, types: tuple[str, ...], constants: Int32, names_of: Mapping[str, Names]
) -> list[str]:
    """Atoms of a predicate as the rules language writes them; constants of shape (n, arguments)."""
    if not types:
        return [predicate] * len(constants)
    columns = []
    for column, type_name in zip(constants.T, types):
        # A constant occurs in many atoms: each is quoted once.
        known, which = np.unique(column, return_inverse=True)
        quoted = np.array([quote_constant(name) for name in names_of[type_name].at(known)], object)
        columns.append(quoted[which.reshape(-1)].tolist())
    return [f"{predicate}({', '.join(parts)})" for parts in zip(*columns)]


def _ranked(rows: Int32) -> Int64:
    """A number for each row, equal where rows are equal; numbers are dense."""
    key = np.zeros(len(rows), np.int64)
    for column in rows.T:
        known, which = np.unique(column, return_inverse=True)
        # Both factors are below 2^31, so the product fits; ranking anew keeps the next one small.
        key = np.unique(key * known.size + which.reshape(-1), return_inverse=True)[1].reshape(-1)
    return key
