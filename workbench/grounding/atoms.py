"""Open ground atoms by id: predicate, world, arguments, names and labels, read from the database when asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt

from workbench.arrays import Array, Bool, Float, Int32, Int64
from workbench.database.database import Database
from workbench.database.identifiers import quoted
from workbench.errors import UsageError, nearest
from workbench.grounding.roles import Role
from workbench.grounding.vocabulary import Vocabulary
from workbench.language.ground_atoms import parse_atom
from workbench.language.printing import quote_constant

__all__ = ["AtomTable"]


@dataclass(frozen=True)
class _Segment:
    """The atoms of one predicate in one world: cross-product ids `start .. start + count`."""

    predicate: int
    world: int
    start: int
    count: int
    shape: tuple[int, ...] | None


@dataclass(frozen=True)
class AtomTable:
    """Which ground atom each column of a network is.

    Atoms run predicate by predicate, world by world, in order of the names of their arguments. Atoms that the data
    decide are not among them (`known` has those of query predicates).

    Attributes
    ----------
    n_atoms : int
    predicates : tuple of str
        The open predicates.
    hidden : tuple of bool
        For each of them, whether it is open without being asked about.
    """

    n_atoms: int
    predicates: tuple[str, ...]
    hidden: tuple[bool, ...]
    worlds: tuple[int, ...]
    role: str
    _database: Database = field(repr=False)
    _vocabulary: Vocabulary = field(repr=False)
    _segments: tuple[_Segment, ...] = field(repr=False)
    _full_of_open: Int64 | None = field(default=None, repr=False)
    _open_of_full: Int64 | None = field(default=None, repr=False)
    _listings: dict[tuple[int, int], list[Int64]] = field(default_factory=dict, repr=False)
    _written: dict[tuple[int, str], list[str]] = field(default_factory=dict, repr=False)
    _places: dict[tuple[int, str], dict[str, int]] = field(default_factory=dict, repr=False)
    _decided: list[tuple[str, float]] = field(default_factory=list, repr=False)

    @classmethod
    def build(cls, database: Database, vocabulary: Vocabulary) -> AtomTable:
        """The table of a vocabulary's open atoms; known atoms of cross-product predicates drop out."""
        space = vocabulary.space
        segments = []
        for number, name in enumerate(space.predicates):
            listed = vocabulary.roles[name].listed
            for index, world in enumerate(vocabulary.worlds):
                shape = None if listed else tuple(space.grids[name].shape[index].tolist())
                segments.append(
                    _Segment(number, world, int(space.offset[name][index]), int(space.count[name][index]), shape)
                )
        known = [
            np.asarray(vocabulary.connection.execute(f"SELECT atom FROM {vocabulary.known(name)}").fetchnumpy()["atom"])
            for name in space.predicates
            if vocabulary.has_known(name)
        ]
        full_of_open = open_of_full = None
        n_atoms = space.size
        if known:
            is_open = np.ones(space.size, bool)
            is_open[np.concatenate(known).astype(np.int64)] = False
            full_of_open = np.flatnonzero(is_open)
            n_atoms = int(full_of_open.size)
            open_of_full = np.full(space.size, -1, np.int64)
            open_of_full[full_of_open] = np.arange(n_atoms)
        hidden = tuple(vocabulary.roles[name].role is not Role.QUERY for name in space.predicates)
        return cls(
            n_atoms,
            space.predicates,
            hidden,
            vocabulary.worlds,
            vocabulary.request.role,
            database,
            vocabulary,
            tuple(segments),
            full_of_open,
            open_of_full,
        )

    def open_ids(self, ids: Array) -> Array:
        """Ids within the network of ids within the whole space; -1 stays, known atoms become -1."""
        if self._open_of_full is None:
            return ids
        return np.where(ids < 0, -1, self._open_of_full[np.maximum(ids, 0)])

    def ids_in_space(self, ids: npt.ArrayLike) -> Int64:
        """Ids within the whole space of ids within the network."""
        return self._full(ids)

    def _full(self, ids: npt.ArrayLike | None) -> Int64:
        chosen = np.arange(self.n_atoms) if ids is None else np.atleast_1d(np.asarray(ids, np.int64))
        return chosen if self._full_of_open is None else self._full_of_open[chosen]

    def _segment_of(self, full: Int64) -> Int64:
        starts = np.array([segment.start for segment in self._segments], np.int64)
        ends = starts + np.array([segment.count for segment in self._segments], np.int64)
        return np.searchsorted(ends, full, side="right").astype(np.int64)

    def predicate_of(self, ids: npt.ArrayLike | None = None) -> Int32:
        """Index into `predicates` of each atom (all when None), shape (n,)."""
        number = np.array([segment.predicate for segment in self._segments], np.int32)
        return number[self._segment_of(self._full(ids))]

    def world_of(self, ids: npt.ArrayLike | None = None) -> Int32:
        """The world's id of each atom, shape (n,)."""
        worlds = np.array([segment.world for segment in self._segments], np.int32)
        return worlds[self._segment_of(self._full(ids))]

    def world_names(self, ids: npt.ArrayLike | None = None) -> Array:
        """The world's name of each atom, object array of shape (n,)."""
        name = {number: text for text, number in self._database.worlds().items()}
        return np.array([name[segment.world] for segment in self._segments], object)[self._segment_of(self._full(ids))]

    def hidden_of(self, ids: npt.ArrayLike | None = None) -> Bool:
        """Whether each atom's predicate is open without being asked about."""
        return np.array(self.hidden, bool)[self.predicate_of(ids)] if self.hidden else np.zeros(0, bool)

    def names(self, ids: npt.ArrayLike | None = None) -> list[str]:
        """Each atom as the rules language writes it; in order of `ids`, or all."""
        return self.names_in_space(self._full(ids))

    def names_in_space(self, full: Int64) -> list[str]:
        """Written atoms by their ids in the whole space, known atoms included."""
        found: list[str] = [""] * full.size
        segment_of = self._segment_of(full)
        for number in np.unique(segment_of).tolist():
            segment = self._segments[number]
            rows = np.flatnonzero(segment_of == number)
            name = self.predicates[segment.predicate]
            columns = self._argument_names(segment, full[rows] - segment.start)
            texts = [f"{name}({', '.join(parts)})" for parts in zip(*columns)] if columns else [name] * rows.size
            for row, text in zip(rows.tolist(), texts):
                found[row] = text
        return found

    def _argument_names(self, segment: _Segment, local: Int64) -> list[list[str]]:
        types = self._vocabulary.arguments(self.predicates[segment.predicate])
        positions = self._positions(segment, local)
        return [
            np.asarray(self._texts(segment.world, type_name), object)[place].tolist()
            for type_name, place in zip(types, positions)
        ]

    def _positions(self, segment: _Segment, local: Int64) -> Sequence[Int64]:
        if segment.shape is not None:
            return np.unravel_index(local, segment.shape) if segment.shape else ()
        return [column[local] for column in self._listing(segment)]

    def _listing(self, segment: _Segment) -> list[Int64]:
        """Argument positions of a listed predicate's open atoms in one world, by id."""
        key = segment.predicate, segment.world
        if key not in self._listings:
            name = self.predicates[segment.predicate]
            arity = len(self._vocabulary.arguments(name))
            shown = ", ".join(["atom", *(f"p{number}" for number in range(arity))])
            rows = (
                self._database.cursor()
                .execute(
                    f"SELECT {shown} FROM ({self._vocabulary.listing_query(name)}) "
                    f"WHERE atom IS NOT NULL AND world = {segment.world} ORDER BY atom"
                )
                .fetchnumpy()
            )
            self._listings[key] = [np.asarray(rows[f"p{number}"], np.int64) for number in range(arity)]
        return self._listings[key]

    def _texts(self, world: int, type_name: str) -> list[str]:
        """Written constants of a domain, by position."""
        key = world, type_name
        if key not in self._written:
            table = quoted(self._vocabulary.type_tables[type_name])
            rows = (
                self._database.cursor()
                .execute(
                    f"SELECT c.name FROM domain d JOIN {table} c ON c.id = d.constant "
                    "WHERE d.world = $world AND d.type = $type ORDER BY d.position",
                    {"world": world, "type": type_name},
                )
                .fetchall()
            )
            self._written[key] = [quote_constant(name) for (name,) in rows]
        return self._written[key]

    def find(self, text: str, *, world: int | None = None) -> int:
        """The id of an atom written as `Predicate(Constant, ...)`, in `world` or the first world that has it.

        Raises
        ------
        UsageError
            E0305 when no open atom is written so.
        """
        name, constants = parse_atom(text) or (text, ())
        arguments = [quote_constant(constant) for constant in constants]
        for segment in self._segments:
            if self.predicates[segment.predicate] != name or (world is not None and segment.world != world):
                continue
            types = self._vocabulary.arguments(name)
            if len(types) != len(arguments):
                break
            places = []
            for type_name, argument in zip(types, arguments):
                index = self._index(segment.world, type_name)
                if argument not in index:
                    break
                places.append(index[argument])
            else:
                full = self._full_id(segment, tuple(places))
                if full is not None:
                    identity = full if self._open_of_full is None else int(self._open_of_full[full])
                    if identity >= 0:
                        return identity
        close = nearest(name, self.predicates) if name not in self.predicates else None
        raise UsageError.of("E0305", f"{text} is no open atom", help=f"did you mean {close}?" if close else None)

    def _index(self, world: int, type_name: str) -> Mapping[str, int]:
        key = world, type_name
        if key not in self._places:
            self._places[key] = {text: place for place, text in enumerate(self._texts(world, type_name))}
        return self._places[key]

    def _full_id(self, segment: _Segment, places: tuple[int, ...]) -> int | None:
        if segment.shape is not None:
            return segment.start + (int(np.ravel_multi_index(places, segment.shape)) if places else 0)
        columns = self._listing(segment)
        same = np.ones(segment.count, bool)
        for column, place in zip(columns, places):
            same &= column == place
        hit = np.flatnonzero(same)
        return segment.start + int(hit[0]) if hit.size else None

    def truth(self) -> Float:
        """Labels of all atoms, float64 of shape (n_atoms,), NaN where there is none.

        In `learn` the facts of an MLN's query and hidden predicates are labels under the closed world: an atom without
        a fact is false, one marked `?` has no label, and a hidden predicate without any fact has none at all. In
        `infer`, and for PSL, labels are the facts of the partition `truth`.
        """
        full = np.full(self._vocabulary.space.size, np.nan)
        for number, name in enumerate(self.predicates):
            self._label(full, number, name)
        return full if self._full_of_open is None else full[self._full_of_open]

    def listed_values(self) -> Float:
        """The values that the data list beside targets (PSL), float64 of shape (n_atoms,), NaN where there is none."""
        full = np.full(self._vocabulary.space.size, np.nan)
        for segment in self._segments:
            name = self.predicates[segment.predicate]
            if segment.count and self._vocabulary.roles[name].facts.target:
                ids, values = self._facts(segment, name, "('target')")
                full[ids] = values
        return full if self._full_of_open is None else full[self._full_of_open]

    def _label(self, full: Float, number: int, name: str) -> None:
        vocabulary = self._vocabulary
        role = vocabulary.roles[name]
        psl = vocabulary.program.language == "psl"
        learns = self.role == "learn" and not psl
        partitions = "('evidence', 'truth')" if learns else "('truth')"
        has_facts = role.facts.truth or (learns and role.facts.evidence)
        closed_world = not psl and (has_facts or (learns and role.role is Role.QUERY))
        if role.listed and not psl:
            closed_world = has_facts = False
        for segment in self._segments:
            if segment.predicate != number:
                continue
            if closed_world:
                full[segment.start : segment.start + segment.count] = 0.0
            if not has_facts:
                continue
            ids, values = self._facts(segment, name, partitions)
            full[ids] = values

    def held_out(self, fold: int) -> Bool:
        """Whether each atom is held out, by name or with its world, in a fold of the workspace; shape (n_atoms,)."""
        full = np.zeros(self._vocabulary.space.size, bool)
        cursor = self._database.cursor()
        members = "SELECT DISTINCT world, predicate FROM folds WHERE fold = $fold AND role = 'test'"
        tested = set(cursor.execute(members, {"fold": fold}).fetchall())
        for segment in self._segments:
            name = self.predicates[segment.predicate]
            if (segment.world, None) in tested:
                full[segment.start : segment.start + segment.count] = True
            elif (segment.world, name) in tested:
                columns = self._vocabulary.stored[name].columns
                cells = "".join(f"arguments[{place}] AS {column}, " for place, column in enumerate(columns, 1))
                where = f"fold = {int(fold)} AND predicate = '{name}' AND role = 'test'"
                source = f"SELECT world, {cells}1.0 AS value FROM folds WHERE {where}"
                full[self._placed(segment, name, source)[0]] = True
        return full if self._full_of_open is None else full[self._full_of_open]

    def _facts(self, segment: _Segment, name: str, partitions: str) -> tuple[Int64, Float]:
        """Full ids and values of a predicate's facts in the given partitions."""
        table = quoted(self._vocabulary.stored[name].table_name)
        return self._placed(segment, name, f"FROM {table} WHERE partition IN {partitions}")

    def _placed(self, segment: _Segment, name: str, source: str) -> tuple[Int64, Float]:
        """Full ids and values of rows `(world, constants.., value)` of a predicate."""
        vocabulary = self._vocabulary
        stored = vocabulary.stored[name]
        joins, shown = [], []
        for number, (column, type_name) in enumerate(stored.constant_columns):
            joins.append(
                f"JOIN domain d{number} ON d{number}.world = t.world AND d{number}.constant = t.{column} "
                f"AND d{number}.type = '{type_name.replace(chr(39), chr(39) * 2)}'"
            )
            shown.append(f"d{number}.position AS p{number}")
        cursor: duckdb.DuckDBPyConnection = self._database.cursor()
        if segment.shape is None:
            keys = " AND ".join(f"l.p{number} = f.p{number}" for number in range(len(shown))) or "TRUE"
            rows = cursor.execute(
                f"SELECT l.atom, f.value FROM ({vocabulary.listing_query(name)}) l JOIN (SELECT t.world, "
                f"{', '.join([*shown, 't.value'])} FROM ({source}) t {' '.join(joins)}) f "
                f"ON f.world = l.world AND {keys} "
                f"WHERE l.atom IS NOT NULL AND l.world = {segment.world}"
            ).fetchnumpy()
            return np.asarray(rows["atom"], np.int64), _floats(rows["value"])
        rows = cursor.execute(
            f"SELECT {', '.join([*shown, 't.value'])} FROM ({source}) t {' '.join(joins)} "
            f"WHERE t.world = {segment.world}"
        ).fetchnumpy()
        values = _floats(rows["value"])
        places = tuple(np.asarray(rows[f"p{number}"], np.int64) for number in range(len(shown)))
        if not places:
            return np.full(values.size, segment.start, np.int64), values
        return segment.start + np.ravel_multi_index(places, segment.shape).astype(np.int64), values

    def known(self) -> list[tuple[str, float]]:
        """Atoms of query predicates that the data decide, with their values; in order of predicate and arguments."""
        if self._decided:
            return list(self._decided)
        found: list[tuple[str, float]] = []
        for number, name in enumerate(self.predicates):
            if self.hidden[number] or not self._vocabulary.roles[name].facts.evidence or self.role != "infer":
                continue
            for segment in self._segments:
                if segment.predicate != number:
                    continue
                if segment.shape is None:
                    found += self._observed(segment, name)
                    continue
                ids, values = self._facts(segment, name, "('evidence')")
                decided = (values == 0) | (values == 1)
                order = np.argsort(ids[decided])
                columns = self._argument_names(segment, ids[decided][order] - segment.start)
                texts = [f"{name}({', '.join(parts)})" for parts in zip(*columns)] if columns else [name] * order.size
                found += list(zip(texts, values[decided][order].tolist()))
        self._decided.extend(found)
        return found

    def _observed(self, segment: _Segment, name: str) -> list[tuple[str, float]]:
        types = self._vocabulary.arguments(name)
        shown = ", ".join([*(f"p{number}" for number in range(len(types))), "value"])
        rows = (
            self._database.cursor()
            .execute(
                f"SELECT {shown} FROM ({self._vocabulary.listing_query(name)}) "
                f"WHERE atom IS NULL AND world = {segment.world} ORDER BY ALL"
            )
            .fetchall()
        )
        texts = [self._texts(segment.world, type_name) for type_name in types]
        return [
            (f"{name}({', '.join(text[p] for text, p in zip(texts, row))})" if types else name, float(row[-1]))
            for row in rows
        ]


def _floats(column: Any) -> Float:
    """A column of doubles, NULL as NaN."""
    if isinstance(column, np.ma.MaskedArray):
        return np.asarray(np.ma.filled(column.astype(np.float64), np.nan), np.float64)
    return np.asarray(column, np.float64)
