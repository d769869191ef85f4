"""Covers of clause bodies by SQL: sets of bodies against all examples at once, on tables of any size.

Bodies that differ in their constants alone are one query: the constants become columns, joined with the wanted
combinations and grouped by. Bodies that share a prefix of joins share it in the query too, as one materialised
subquery. Terms are coded as in `workbench.structure.clauses`: a term >= 0 is a constant id, a term < 0 is variable
`-term - 1`, variables 0 .. n_head - 1 are the example's arguments.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import duckdb
import numpy as np

from workbench.arrays import Float, Int32, Int64, Integer, UInt64
from workbench.database.database import DEFAULT_WORLD, Database
from workbench.database.identifiers import quoted

__all__ = ["RelationArrays", "SqlCoverage", "read_examples", "read_relations"]

_ABSENT = 2**31 - 1
_SHAPES_A_QUERY = 40


@dataclass(frozen=True)
class RelationArrays:
    """Evidence of some predicates, dictionary-encoded, as the database holds it.

    Attributes
    ----------
    predicates : tuple of str
    argument_types : tuple of tuple of str
    facts : tuple of int32 array, shape (n_facts, arity)
        In order of insertion.
    constants : mapping of type to tuple of str
        Position is id.
    domains : mapping of type to int32 array
        The constants of each type in the world read.
    """

    predicates: tuple[str, ...]
    argument_types: tuple[tuple[str, ...], ...]
    facts: tuple[Int32, ...]
    constants: Mapping[str, tuple[str, ...]]
    domains: Mapping[str, Int32]


def read_relations(
    database: Database,
    predicates: Sequence[str],
    *,
    world: str = DEFAULT_WORLD,
    partitions: Sequence[str] = ("evidence",),
    value: float = 1.0,
) -> RelationArrays:
    """Facts of the predicates in one world, the true ones or those of another truth `value`.

    They are of the evidence alone unless other `partitions` are named.
    """
    stored = database.predicates()
    number = database.world_id(world)
    facts: list[Int32] = []
    for name in predicates:
        columns = stored[name].columns
        cells = ", ".join(columns) or "0 AS a0"
        rows = database.execute(
            f"SELECT {cells} FROM {quoted(stored[name].table_name)} "
            "WHERE world = $world AND value = $value AND list_contains($partitions, partition::VARCHAR) ORDER BY rowid",
            {"world": number, "value": value, "partitions": list(partitions)},
        ).fetchnumpy()
        facts.append(np.stack([np.asarray(rows[c], np.int32) for c in columns], axis=1) if columns else _no_columns())
    types = tuple(stored[name].argument_types for name in predicates)
    return RelationArrays(tuple(predicates), types, tuple(facts), _constants(database), _domains(database, number))


def _domains(database: Database, world: int) -> dict[str, Int32]:
    rows = database.execute(
        "SELECT type, list(constant ORDER BY position) FROM domain WHERE world = $world GROUP BY type", {"world": world}
    ).fetchall()
    return {name: np.array(constants, np.int32) for name, constants in rows}


def _no_columns() -> Int32:
    return np.zeros((0, 0), np.int32)


def _constants(database: Database) -> dict[str, tuple[str, ...]]:
    result: dict[str, tuple[str, ...]] = {}
    for name, table in database.type_tables().items():
        rows = database.execute(f"SELECT id, name FROM {quoted(table)} ORDER BY id").fetchall()
        names = [""] * (max((number for number, _ in rows), default=-1) + 1)
        for number, text in rows:
            names[number] = text
        result[name] = tuple(names)
    return result


def read_examples(database: Database, target: str, *, world: str = DEFAULT_WORLD) -> tuple[Int32, Float, Int64]:
    """The target's labelled atoms in order of insertion: arguments, label (0 or 1), fold (-1 where none is given)."""
    stored = database.predicate(target)
    number = database.world_id(world)
    cells = ", ".join(stored.columns)
    ids = f"[{', '.join('p.' + column for column in stored.columns)}]"
    rows = database.execute(
        f"SELECT {cells}, value, coalesce(f.fold, -1) AS fold FROM {quoted(stored.table_name)} p "
        f"LEFT JOIN folds f ON f.predicate = $target AND f.world = p.world AND f.arguments = {ids} "
        "WHERE p.world = $world AND value IS NOT NULL ORDER BY p.rowid",
        {"world": number, "target": target},
    ).fetchnumpy()
    arguments = np.stack([np.asarray(rows[column], np.int32) for column in stored.columns], axis=1)
    return arguments, np.asarray(rows["value"], np.float64), np.asarray(rows["fold"], np.int64)


@dataclass(frozen=True)
class SqlCoverage:
    """Answers `covers` and `counts` (the protocol of `workbench.structure.coverage`) by SQL.

    Parameters
    ----------
    database : Database
    predicates : sequence of str
        Predicate number k of the bodies is `predicates[k]`.
    examples : int32 array, shape (n_examples, n_head)
        Constant ids of the target's arguments.
    world : str

    Notes
    -----
    Evidence alone is read: the partitions `truth` and `target` are left out of every join. A query joins at most 40
    shapes (bodies up to constants). Memory is DuckDB's; results are the covered (body, example) pairs.
    """

    database: Database
    predicates: Sequence[str]
    examples: Int32
    world: str = DEFAULT_WORLD
    tables: tuple[str, ...] = field(init=False, default=())

    def __post_init__(self) -> None:
        stored = self.database.predicates()
        object.__setattr__(self, "tables", tuple(stored[name].table_name for name in self.predicates))

    @property
    def n_examples(self) -> int:
        return len(self.examples)

    @property
    def n_head(self) -> int:
        return int(self.examples.shape[1])

    def covers(self, bodies: Int32) -> UInt64:
        """Bit matrix of the covered examples, shape (n_bodies, ceil(n_examples / 64))."""
        body, example, _ = self._pairs(bodies)
        words = np.zeros((len(bodies), (self.n_examples + 63) // 64), np.uint64)
        np.bitwise_or.at(words, (body, example // 64), np.uint64(1) << (example % 64).astype(np.uint64))
        return words

    def counts(self, bodies: Int32) -> Int64:
        """Satisfying substitutions, shape (n_bodies, n_examples)."""
        body, example, count = self._pairs(bodies)
        result = np.zeros((len(bodies), self.n_examples), np.int64)
        result[body, example] = count
        return result

    def statements(self, bodies: Int32) -> list[str]:
        """The queries that would be run, for review."""
        return [_statement(self, chunk) for chunk in _chunks(_shapes(bodies, self.n_head))]

    def _pairs(self, bodies: Int32) -> tuple[Int64, Int64, Int64]:
        found: list[tuple[Int64, Int64, Int64]] = []
        connection = self.database.cursor()
        columns = {f"h{place}": self.examples[:, place] for place in range(self.n_head)}
        _create(connection, "coverage_example", {"example": np.arange(self.n_examples), **columns})
        empty = np.flatnonzero((bodies[:, :, 0] < 0).all(axis=1))
        for chunk in _chunks(_shapes(bodies, self.n_head)):
            for number, shape in enumerate(chunk):
                keys = {f"k{place}": shape.constants[:, place] for place in range(shape.constants.shape[1])}
                _create(connection, f"coverage_shape_{number}", {"body": shape.rows, **keys})
            rows = connection.execute(_statement(self, chunk)).fetchnumpy()
            body, example, count = (np.asarray(rows[name], np.int64) for name in ("body", "example", "count"))
            found.append((body, example, count))
        everything = np.tile(np.arange(self.n_examples), len(empty))
        found.append((np.repeat(empty, self.n_examples), everything, np.ones(len(everything), np.int64)))
        body, example, count = (np.concatenate([part[k] for part in found]) for k in range(3))
        return body, example, count


@dataclass(frozen=True)
class _Shape:
    """Bodies equal up to their constants: a pattern of literals whose constants are keys, and the bodies' own keys."""

    literals: tuple[tuple[int, tuple[str, ...]], ...]
    rows: Int64
    constants: Int32


def _shapes(bodies: Int32, n_head: int) -> list[_Shape]:
    """Group the bodies; literals are ordered so that each joins with what stands before it."""
    groups: dict[tuple[tuple[int, tuple[str, ...]], ...], list[tuple[int, list[int]]]] = {}
    for row, body in enumerate(bodies.tolist()):
        literals = [literal for literal in body if literal[0] >= 0]
        if not literals:
            continue
        pattern: list[tuple[int, tuple[str, ...]]] = []
        keys: list[int] = []
        names = {-variable - 1: f"h{variable}" for variable in range(n_head)}
        left = sorted(literals, key=lambda literal: (literal[0], [abs(term) for term in literal[1:]]))
        while left:
            joined = [literal for literal in left if any(term in names for term in literal[1:])] or left
            literal = joined[0]
            left.remove(literal)
            cells: list[str] = []
            for term in literal[1:]:
                if term == _ABSENT:
                    break
                if term >= 0:
                    cells.append(f"k{len(keys)}")
                    keys.append(term)
                else:
                    cells.append(names.setdefault(term, f"v{len(names) - n_head}"))
            pattern.append((literal[0], tuple(cells)))
        groups.setdefault(tuple(pattern), []).append((row, keys))
    return [
        _Shape(
            pattern,
            np.array([row for row, _ in members], np.int64),
            np.array([keys for _, keys in members], np.int32).reshape(len(members), -1),
        )
        for pattern, members in sorted(groups.items())
    ]


def _chunks(shapes: list[_Shape]) -> list[list[_Shape]]:
    return [shapes[at : at + _SHAPES_A_QUERY] for at in range(0, len(shapes), _SHAPES_A_QUERY)]


def _create(connection: duckdb.DuckDBPyConnection, name: str, columns: Mapping[str, Integer]) -> None:
    import pandas as pd

    frame = pd.DataFrame(dict(columns))
    connection.register("incoming_coverage", frame)
    connection.execute(f"CREATE OR REPLACE TEMP TABLE {name} AS SELECT * FROM incoming_coverage")
    connection.unregister("incoming_coverage")


def _statement(coverage: SqlCoverage, shapes: Sequence[_Shape]) -> str:
    """One query for all shapes: shared prefixes once, then for each shape its pairs with their counts."""
    prefixes: dict[tuple[tuple[int, tuple[str, ...]], ...], int] = {}
    for shape in shapes:
        for size in range(1, len(shape.literals)):
            prefix = shape.literals[:size]
            prefixes[prefix] = prefixes.get(prefix, 0) + 1
    names: dict[tuple[tuple[int, tuple[str, ...]], ...], str] = {}
    subqueries: list[str] = []
    for prefix in sorted((prefix for prefix, uses in prefixes.items() if uses > 1), key=lambda p: (len(p), p)):
        name = f"prefix_{len(names)}"
        source, bound = _join(coverage, prefix, names)
        cells = ", ".join(f"{cell} AS {column}" for column, cell in bound.items())
        subqueries.append(f"{name} AS MATERIALIZED (SELECT {cells} FROM {source})")
        names[prefix] = name
    parts: list[str] = []
    for number, shape in enumerate(shapes):
        source, bound = _join(coverage, shape.literals, names)
        wanted = f"coverage_shape_{number}"
        keys = [column for column in bound if column.startswith("k")]
        match = " AND ".join(f"w.{column} = {bound[column]}" for column in keys) or "TRUE"
        parts.append(
            f"SELECT w.body AS body, {bound['example']} AS example, count(*) AS count "
            f"FROM {source} JOIN {wanted} w ON {match} GROUP BY ALL"
        )
    head = f"WITH {', '.join(subqueries)} " if subqueries else ""
    return head + " UNION ALL ".join(parts)


def _join(
    coverage: SqlCoverage,
    literals: tuple[tuple[int, tuple[str, ...]], ...],
    names: Mapping[tuple[tuple[int, tuple[str, ...]], ...], str],
) -> tuple[str, dict[str, str]]:
    """The FROM clause that joins the literals with the examples, and where each of its columns comes from."""
    done = max((size for size in range(len(literals)) if literals[:size] in names), default=0)
    head = [f"h{place}" for place in range(coverage.n_head)]
    if done:
        columns = ["example", *head]
        for _, cells in literals[:done]:
            columns += [cell for cell in cells if cell not in columns]
        source = f"{names[literals[:done]]} b"
        bound = {column: f"b.{column}" for column in columns}
    else:
        source = "coverage_example b"
        bound = {column: f"b.{column}" for column in ["example", *head]}
    number = coverage.database.world_id(coverage.world)
    for position, (predicate, cells) in enumerate(literals[done:], done):
        alias = f"t{position}"
        tests = [f"{alias}.world = {number}", f"{alias}.value = 1", f"{alias}.partition = 'evidence'"]
        for place, cell in enumerate(cells):
            if cell in bound:
                tests.append(f"{alias}.a{place} = {bound[cell]}")
            else:
                bound[cell] = f"{alias}.a{place}"
        source += f" JOIN {quoted(coverage.tables[predicate])} {alias} ON {' AND '.join(tests)}"
    return source, bound
