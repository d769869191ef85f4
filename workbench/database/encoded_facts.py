"""Facts from rows of wide tables: a column is encoded once, a predicate filled by one insertion."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import duckdb

from workbench.database.database import Database
from workbench.database.identifiers import all_equal, quoted
from workbench.database.ingest import Partition
from workbench.database.rows import first_row, first_value, handed_in
from workbench.database.schema import add_constants
from workbench.database.stored import StoredPredicate
from workbench.errors import InputError

if TYPE_CHECKING:
    import pyarrow

ROWS, CODED = "incoming_rows", "coded_rows"


@dataclass(frozen=True)
class FactColumns:
    """Which columns of the rows make facts of a predicate.

    Attributes
    ----------
    predicate : str
        Declared in the database.
    columns : tuple of str
        A column for each argument: text where it is a constant, else a value. A NULL makes no fact.
    value : str or None
        The column of the truth value, a NULL of which makes no fact; None for true facts.
    asked : bool
        The facts are atoms to be inferred, without a value: those whose `value` is NULL.
    partition : {'evidence', 'truth', 'target'}
    subjects : int or None
        How many leading arguments determine the rest; None where a row may say several things.
    """

    predicate: str
    columns: tuple[str, ...]
    value: str | None = None
    asked: bool = False
    partition: Partition = "evidence"
    subjects: int | None = None


def insert_facts(
    database: Database,
    read: Callable[[Sequence[str]], pyarrow.RecordBatchReader],
    facts: Sequence[FactColumns],
    *,
    world: str,
    source: str,
) -> dict[str, int]:
    """Insert the facts that each row makes; how many were new, by predicate.

    Cost: a distinct for each type and a join for each column of constants, an insertion for each
    predicate; nothing row by row. Rows are read once for each type and once more, so that their
    texts are never held here.

    Raises E0207 where a row contradicts a fact loaded earlier; nothing is inserted then.

    Parameters
    ----------
    read : callable
        Gives the rows anew each time: columns that `facts` name, under those names.
    source : str
        What the rows came from, for messages.
    """
    stored = database.predicates()
    with database.transaction() as connection:
        number = database.world_id(world)
        types = _column_types(facts, stored)
        _code(connection, read, types, database.type_tables(), _order(facts))
        counts: dict[str, int] = {}
        for fact in facts:
            added = _insert(connection, stored[fact.predicate], fact, number, source)
            counts[fact.predicate] = counts.get(fact.predicate, 0) + added
        connection.execute(f"DROP TABLE {CODED}")
        database.refresh_domains([number])
    return counts


def _column_types(
    facts: Sequence[FactColumns], stored: Mapping[str, StoredPredicate]
) -> dict[str, str | None]:
    """The type of the constants in each column; None for values."""
    found: dict[str, str | None] = {}
    for fact in facts:
        constants = dict(stored[fact.predicate].constant_columns)
        for name, column in zip(fact.columns, stored[fact.predicate].columns):
            found[name] = constants.get(column)
        if fact.value is not None:
            found[fact.value] = None
    return found


def _order(facts: Sequence[FactColumns]) -> str:
    return facts[0].columns[0] if facts else "1"


@contextmanager
def incoming(
    connection: duckdb.DuckDBPyConnection, rows: pyarrow.RecordBatchReader
) -> Iterator[None]:
    """Rows that can be read once, as `ROWS`: DuckDB cannot know how many, and would hash them."""
    connection.execute("SET disabled_optimizers = 'build_side_probe_side,join_order'")
    try:
        with handed_in(connection, ROWS, rows):
            yield
    finally:
        connection.execute("RESET disabled_optimizers")


def _code(
    connection: duckdb.DuckDBPyConnection,
    read: Callable[[Sequence[str]], pyarrow.RecordBatchReader],
    types: Mapping[str, str | None],
    type_tables: Mapping[str, str],
    order: str,
) -> None:
    """Ids in place of texts, new ones in order of name; rows in order of what they are about."""
    of_type: dict[str, list[str]] = {}
    for column, type_name in types.items():
        if type_name is not None:
            of_type.setdefault(type_name, []).append(column)
    for type_name, columns in sorted(of_type.items()):
        listed = ", ".join(f"{quoted(column)}::VARCHAR" for column in columns)
        each = listed if len(columns) == 1 else f"unnest([{listed}])"
        names = (
            f"SELECT DISTINCT name FROM (SELECT {each} AS name FROM {ROWS}) WHERE name IS NOT NULL"
        )
        with incoming(connection, read(columns)):
            add_constants(connection, type_tables[type_name], names)
    cells, joins = [], []
    for place, (column, type_name) in enumerate(types.items()):
        if type_name is None:
            cells.append(f"s.{quoted(column)}")
        else:
            table = quoted(type_tables[type_name])
            joins.append(
                f"LEFT JOIN {table} c{place} ON c{place}.name = s.{quoted(column)}::VARCHAR"
            )
            cells.append(f"c{place}.id AS {quoted(column)}")
    with incoming(connection, read(list(types))):
        connection.execute(
            f"CREATE OR REPLACE TEMP TABLE {CODED} AS SELECT {', '.join(cells)} FROM {ROWS} s "
            f"{' '.join(joins)} ORDER BY {quoted(order)}"
        )


def _insert(
    connection: duckdb.DuckDBPyConnection,
    predicate: StoredPredicate,
    fact: FactColumns,
    world: int,
    source: str,
) -> int:
    cells = [f"{quoted(name)} AS {column}" for name, column in zip(fact.columns, predicate.columns)]
    value = (
        "NULL::DOUBLE"
        if fact.asked
        else quoted(fact.value)
        if fact.value is not None
        else "1::DOUBLE"
    )
    conditions = [f"{quoted(name)} IS NOT NULL" for name in fact.columns]
    if fact.value is not None:
        conditions.append(f"{quoted(fact.value)} IS {'' if fact.asked else 'NOT '}NULL")
    distinct = "DISTINCT " if fact.subjects is None else ""
    picked = (
        f"SELECT {distinct}{world} AS world, {', '.join([*cells, f'{value} AS value'])}, "
        f"'{fact.partition}'::fact_partition AS partition FROM {CODED} WHERE "
        f"{' AND '.join(conditions)}"
    )
    table = quoted(predicate.table_name)
    there = f"FROM {table} WHERE world = {world} AND partition = '{fact.partition}' LIMIT 1"
    if first_row(connection.execute(there)) is not None:
        _check_against(connection, predicate, fact, picked, source)
        same = all_equal("t", "n", ("world", *predicate.columns, "partition"))
        picked = f"SELECT * FROM ({picked}) n WHERE NOT EXISTS (FROM {table} t WHERE {same})"
    return int(first_value(connection.execute(f"INSERT INTO {table} BY NAME {picked}")))


def _check_against(
    connection: duckdb.DuckDBPyConnection,
    predicate: StoredPredicate,
    fact: FactColumns,
    picked: str,
    source: str,
) -> None:
    """Refuse facts that say something else of a thing than facts loaded earlier do."""
    if fact.subjects is None or fact.asked:
        return
    subjects, rest = predicate.columns[: fact.subjects], predicate.columns[fact.subjects :]
    same = all_equal("t", "n", ("world", *subjects, "partition"))
    differs = " OR ".join(
        [
            "t.value IS DISTINCT FROM n.value",
            *(f"t.{name} IS DISTINCT FROM n.{name}" for name in rest),
        ]
    )
    names = dict(predicate.constant_columns)
    texts = ", ".join(
        f"(SELECT name FROM {type_table(connection, names[name])} WHERE id = n.{name})"
        for name in subjects
    )
    row = first_row(
        connection.execute(
            f"SELECT {texts} FROM ({picked}) n JOIN {quoted(predicate.table_name)} t ON {same} "
            f"WHERE {differs} ORDER BY ALL LIMIT 1"
        )
    )
    if row is not None:
        raise InputError.of(
            "E0207",
            f"{source} says something else of {', '.join(map(str, row))} for {predicate.name} than "
            "a fact that was loaded earlier into the same world",
            help="load it into another world (--world), or into a new workspace",
        )


def type_table(connection: duckdb.DuckDBPyConnection, type_name: str) -> str:
    return quoted(
        first_value(
            connection.execute("SELECT table_name FROM constant_type WHERE name = ?", [type_name])
        )
    )
