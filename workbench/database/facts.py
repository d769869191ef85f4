"""Single facts, changed one at a time; and by their ids those that came and went."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import duckdb
import numpy as np

from workbench.arrays import Float, Int32
from workbench.database.database import Database
from workbench.database.identifiers import quoted, text_literal
from workbench.database.rows import first_row
from workbench.database.stored import StoredPredicate, value_of_text
from workbench.errors import UsageError
from workbench.language.ground_atoms import parse_atom
from workbench.language.values import parse_value


def set_fact(database: Database, atom: str, value: bool | None) -> None:
    """Put one fact into every world that knows its constants, in place of what evidence said of it
    before.

    Raises E0817 where the text is no ground atom, has another number of arguments than its
    predicate, or a constant that the workspace does not have, or constants of different worlds.

    Parameters
    ----------
    atom : str
        `Predicate(Constant, ...)`.
    value : bool or None
        None for unknown, Alchemy's `?`.
    """
    parsed = parse_atom(atom)
    if parsed is None:
        raise UsageError.of(
            "E0817", f"{atom} is no ground atom", help="write it as Predicate(Constant, Constant)"
        )
    name, arguments = parsed
    predicate = database.predicate(name)
    if len(arguments) != predicate.arity:
        raise UsageError.of(
            "E0817", f"{name} takes {predicate.arity} arguments, not {len(arguments)}"
        )
    tables = database.type_tables()
    with database.transaction() as connection:
        cells = _cells(connection, tables, predicate, arguments)
        worlds = _worlds_of(connection, predicate, cells)
        if not worlds:
            raise UsageError.of("E0817", f"no world has all the constants of {atom}")
        table = quoted(predicate.table_name)
        known = " AND ".join(f"{column} = {cell}" for column, cell in cells.items()) or "true"
        connection.execute(f"DELETE FROM {table} WHERE {known} AND partition = 'evidence'")
        written = "".join(f"{cell}, " for cell in cells.values())
        shown = "NULL" if value is None else str(int(value))
        for world in worlds:
            connection.execute(
                f"INSERT INTO {table} VALUES ({world}, {written}{shown}, 'evidence')"
            )


def _cells(
    connection: duckdb.DuckDBPyConnection,
    tables: Mapping[str, str],
    predicate: StoredPredicate,
    arguments: Sequence[str],
) -> dict[str, str]:
    """What each column of a predicate holds, in SQL, for a fact about these arguments."""
    cells = {}
    for text, column, type_name, kind in zip(
        arguments, predicate.columns, predicate.argument_types, predicate.kinds
    ):
        if kind is not None:
            if parse_value(kind, text) is None:
                raise UsageError.of("E0817", f"{text} is no {kind}")
            cells[column] = value_of_text(text_literal(text), kind)
            continue
        query = f"SELECT id FROM {quoted(tables[type_name])} WHERE name = ?"
        row = first_row(connection.execute(query, [text]))
        if row is None:
            raise UsageError.of("E0817", f"{text} is no {type_name} of this workspace")
        cells[column] = str(row[0])
    return cells


def _worlds_of(
    connection: duckdb.DuckDBPyConnection, predicate: StoredPredicate, cells: Mapping[str, str]
) -> list[int]:
    """The worlds that have all constants among the cells."""
    types = {f"type_{column}": type_name for column, type_name in predicate.constant_columns}
    members = " AND ".join(
        f"EXISTS (FROM domain d WHERE d.world = w.id AND d.constant = {cells[column]} AND d.type = "
        f"$type_{column})"
        for column, _ in predicate.constant_columns
    )
    rows = connection.execute(f"SELECT id FROM world w WHERE {members or 'true'}", types)
    return [world for (world,) in rows.fetchall()]


@dataclass(frozen=True)
class StatedFacts:
    """Some facts.

    Attributes
    ----------
    ids : int32 array, shape (n, 1 + arity)
        World and constants.
    values : float64 array, shape (n,)
        Truth values above 0.
    """

    ids: Int32
    values: Float

    def __len__(self) -> int:
        return len(self.values)

    def __add__(self, other: StatedFacts) -> StatedFacts:
        return StatedFacts(
            np.concatenate([self.ids, other.ids]), np.concatenate([self.values, other.values])
        )


@dataclass(frozen=True)
class FactRows:
    """Facts of the evidence that are not false.

    Attributes
    ----------
    came, went : StatedFacts
        Those that are there now, and those that are there no longer.
    """

    came: StatedFacts
    went: StatedFacts

    @classmethod
    def none(cls, arity: int) -> FactRows:
        """No fact of a predicate of so many arguments."""
        nothing = StatedFacts(np.zeros((0, 1 + arity), np.int32), np.zeros(0))
        return cls(nothing, nothing)

    def __add__(self, other: FactRows) -> FactRows:
        return FactRows(self.came + other.came, self.went + other.went)
