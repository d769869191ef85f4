"""From rows of text to staged facts: which columns are arguments, value, world, partition."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import duckdb

from workbench.database.database import DEFAULT_WORLD, Database
from workbench.database.identifiers import quoted, text_literal
from workbench.database.ingest import LoadReport, Partition, ingest
from workbench.database.rows import first_row
from workbench.database.staged_facts import SHOWN, Staged
from workbench.database.stored import StoredPredicate
from workbench.database.text_files import FactSource
from workbench.errors import Diagnostic, InputError, Span, did_you_mean

STAGED_ROWS = "staged_rows"
_PARTITIONS = ("evidence", "truth", "target")
_TRUTH_WORDS = {"true": 1, "t": 1, "yes": 1, "false": 0, "f": 0, "no": 0}


@dataclass(frozen=True)
class RowMapping:
    """What the columns of a table mean; see `load_tables`."""

    columns: Sequence[str] | None = None
    value: str | None = None
    world: str = DEFAULT_WORLD
    world_column: str | None = None
    partition: Partition = "evidence"


def find_predicate(
    database: Database,
    name: str,
    file: str | None,
    *,
    ignored: str = "_",
    help: str = "declare it in the rules, or name the predicate of the file",
) -> StoredPredicate:
    """The stored predicate that a file names: but for case and a character `ignored`."""
    stored = database.predicates()
    if name in stored:
        return stored[name]
    bare = name.casefold().replace(ignored, "")
    folded = [other for other in stored if other.casefold().replace(ignored, "") == bare]
    if len(folded) == 1 and file is not None:
        return stored[folded[0]]
    raise InputError.of(
        "E0203",
        f"no predicate is called {name}",
        span=Span(file, 1, 1, 1, 1) if file else None,
        help=did_you_mean(name, stored, help),
    )


def load_rows(
    database: Database, predicate: StoredPredicate, source: FactSource, mapping: RowMapping
) -> LoadReport:
    """Facts from the rows in `staged_rows`."""
    connection = database.connection
    present = [
        row[0]
        for row in connection.execute(f"DESCRIBE {STAGED_ROWS}").fetchall()
        if row[0] != "line_number_"
    ]
    is_empty = first_row(connection.execute(f"SELECT 1 FROM {STAGED_ROWS} LIMIT 1")) is None
    columns = _columns(present, source, mapping, is_empty=is_empty)
    if len(columns.arguments) != predicate.arity:
        if is_empty and (present == ["column0"] or not present):
            database.world_id(mapping.world)
            return LoadReport({predicate.name: 0}, (mapping.world,))
        raise _other_arity(predicate, columns.arguments, source)
    faults = _cell_faults(connection, columns, source)
    if faults:
        raise InputError(tuple(faults))
    worlds = [mapping.world]
    if columns.world is not None:
        worlds = [
            name
            for (name,) in connection.execute(
                f"SELECT DISTINCT {quoted(columns.world)} FROM {STAGED_ROWS} ORDER BY ALL"
            ).fetchall()
        ]
    ids = [database.world_id(name) for name in worlds]
    table = _stage(connection, predicate, columns, mapping.partition, ids[0] if ids else None)
    report = ingest(database, [Staged(predicate, table)], source, worlds)
    if mapping.columns is not None:
        return report
    doubts = _names_that_are_constants(database, predicate, columns.arguments, source)
    return replace(report, warnings=report.warnings + doubts)


def _names_that_are_constants(
    database: Database, predicate: StoredPredicate, arguments: Sequence[str], source: FactSource
) -> tuple[Diagnostic, ...]:
    """A warning where a text file's columns are called as constants: a fact may stand in its first
    line, which is not read.
    """
    if source.line_text(1) is None:
        return ()
    tables = database.type_tables()
    for name, of_type, kind in zip(arguments, predicate.argument_types, predicate.kinds):
        known = f"SELECT 1 FROM {quoted(tables[of_type])} WHERE name = ?" if kind is None else ""
        if known and first_row(database.connection.execute(known, [name])) is not None:
            doubt = source.diagnostic(
                "E0226",
                f"the first line is read as names of columns, and {name} is a constant",
                1,
                needle=name,
                help=f"if it is a fact of {predicate.name}, put a line of names above it, or let "
                "the file's name end in .txt, as PSL's facts that have none",
            )
            return (replace(doubt, severity="warning"),)
    return ()


@dataclass(frozen=True)
class _Columns:
    """Which columns of a table are arguments, and which say value, world and partition."""

    arguments: list[str]
    value: str | None
    world: str | None
    partition: str | None


def _columns(
    present: Sequence[str], source: FactSource, mapping: RowMapping, *, is_empty: bool
) -> _Columns:
    """What a table's columns are: as told, else by name, and all others arguments."""
    special = {
        name.casefold(): name
        for name in present
        if name.casefold() in ("value", "world", "partition")
    }
    for key, name in (("value", mapping.value), ("world", mapping.world_column)):
        if name is not None:
            special[key] = _column(present, name, source)
    if mapping.columns is not None and (special or not is_empty):
        arguments = [_column(present, name, source) for name in mapping.columns]
        special = {key: name for key, name in special.items() if name not in arguments}
    else:
        arguments = [name for name in present if name not in special.values()]
    return _Columns(arguments, *map(special.get, ("value", "world", "partition")))


def _other_arity(
    predicate: StoredPredicate, arguments: Sequence[str], source: FactSource
) -> InputError:
    return InputError(
        (
            source.diagnostic(
                "E0204",
                f"{predicate.name} has {_counted(predicate.arity, 'argument')}, but the table "
                f"has {_counted(len(arguments), 'column')} for them "
                f"({', '.join(arguments) or 'none'})",
                1 if source.name else None,
                help="name the columns that are the arguments, in order",
            ),
        )
    )


def _stage(
    connection: duckdb.DuckDBPyConnection,
    predicate: StoredPredicate,
    columns: _Columns,
    partition: Partition,
    world: int | None,
) -> str:
    """Make the rows a table of staged facts, in one world where no column says which; its name."""
    cells = "".join(
        f"s.{quoted(name)} AS {column}, "
        for name, column in zip(columns.arguments, predicate.columns)
    )
    value_cell = "1::DOUBLE" if columns.value is None else _value_cell(f"s.{quoted(columns.value)}")
    partition_cell = (
        text_literal(partition) if columns.partition is None else f"s.{quoted(columns.partition)}"
    )
    world_cell, join = str(world), ""
    if columns.world is not None:
        world_cell, join = "w.id", f"JOIN world w ON w.name = s.{quoted(columns.world)}"
    table = quoted(f"staged_{predicate.table_name}")
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE {table} AS SELECT s.line_number_ AS line, "
        f"{cells}{value_cell} AS value, {partition_cell} AS partition, ({world_cell})::INTEGER AS "
        f"world FROM {STAGED_ROWS} s {join}"
    )
    connection.execute(f"DROP TABLE {STAGED_ROWS}")
    return table


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _column(present: Sequence[str], name: str, source: FactSource) -> str:
    folded = {other.casefold(): other for other in present}
    if name.casefold() not in folded:
        cure = did_you_mean(name, present, f"the columns are {', '.join(present)}")
        line = 1 if source.name else None
        raise InputError(
            (source.diagnostic("E0204", f"there is no column {name}", line, help=cure),)
        )
    return folded[name.casefold()]


def _value_cell(cell: str) -> str:
    """A truth value from text: a number, a word for true or false; nothing and `?` are unknown."""
    words = " ".join(f"WHEN '{word}' THEN {number}" for word, number in _TRUTH_WORDS.items())
    return (
        f"CASE lower(trim({cell})) {words} WHEN '?' THEN NULL WHEN '' THEN NULL ELSE "
        f"try_cast({cell} AS DOUBLE) END"
    )


def _cell_faults(
    connection: duckdb.DuckDBPyConnection,
    columns: _Columns,
    source: FactSource,
) -> list[Diagnostic]:
    """Empty arguments and cells of the special columns that cannot be read."""
    checks = [
        ("E0212", f"{quoted(name)} IS NULL OR {quoted(name)} = ''", name, f"{name} is empty here")
        for name in columns.arguments
    ]
    if columns.value is not None:
        cell = quoted(columns.value)
        unreadable = f"{_value_cell(cell)} IS NULL AND trim({cell}) NOT IN ('', '?')"
        checks.append(("E0210", unreadable, columns.value, "{cell} is no truth value"))
    if columns.partition is not None:
        names = ", ".join(_PARTITIONS)
        unknown = (
            f"coalesce({quoted(columns.partition)}, '') NOT IN "
            f"({', '.join(map(text_literal, _PARTITIONS))})"
        )
        checks.append(
            ("E0218", unknown, columns.partition, "{cell} is none of the partitions " + names)
        )
    if columns.world is not None:
        empty = f"coalesce({quoted(columns.world)}, '') = ''"
        checks.append(("E0212", empty, columns.world, "the world is empty here"))
    found: list[Diagnostic] = []
    for code, condition, column, message in checks:
        rows = connection.execute(
            f"SELECT line_number_, {quoted(column)} FROM {STAGED_ROWS} WHERE {condition} ORDER BY "
            f"1 LIMIT {SHOWN}"
        ).fetchall()
        found += [
            source.diagnostic(code, message.replace("{cell}", repr(cell)), line, needle=cell)
            for line, cell in rows
        ]
    return found
