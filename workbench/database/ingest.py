"""From staged text facts to encoded rows: the checks and the insertion that all loaders share.

A loader stages one table per predicate, `(line BIGINT, a0 .., value DOUBLE, partition VARCHAR,
world INTEGER)`, with arguments as text, and hands it over here. All of it happens inside the
loader's transaction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal as OneOf
from typing import get_args

import duckdb

from workbench.database.database import Database
from workbench.database.fact_texts import FactTexts
from workbench.database.identifiers import all_equal, quoted, text_literal
from workbench.database.rows import first_value
from workbench.database.schema import add_constants
from workbench.database.staged_facts import (
    SHOWN,
    Staged,
    argument_faults,
    declared_elsewhere,
    new_to_declared_type,
    value_faults,
)
from workbench.database.stored import Coded, StoredPredicate, text_of_value
from workbench.database.text_files import FactSource
from workbench.errors import Diagnostic, InputError, UsageError

Partition = OneOf["evidence", "truth", "target"]


def check_partition(name: str) -> None:
    """Raises E0845 for a partition that there is not."""
    known = get_args(Partition)
    if name not in known:
        raise UsageError.of(
            "E0845", f"there is no partition {name}", help=f"choose from {', '.join(known)}"
        )


@dataclass(frozen=True)
class LoadReport:
    """What a load brought in.

    Attributes
    ----------
    facts : mapping of str to int
        New facts by predicate (duplicates are not counted).
    """

    facts: Mapping[str, int]
    worlds: tuple[str, ...]
    warnings: tuple[Diagnostic, ...] = field(default=())

    @property
    def n_facts(self) -> int:
        return sum(self.facts.values())

    def __add__(self, other: LoadReport) -> LoadReport:
        facts = dict(self.facts)
        for name, count in other.facts.items():
            facts[name] = facts.get(name, 0) + count
        return LoadReport(
            facts,
            tuple(dict.fromkeys(self.worlds + other.worlds)),
            tuple(dict.fromkeys(self.warnings + other.warnings)),
        )


def ingest(
    database: Database, staged: Sequence[Staged], source: FactSource, worlds: Sequence[str]
) -> LoadReport:
    """Check staged facts of some worlds, give ids to new constants, insert what is new, and drop
    what was staged.

    Raises InputError with every fault found (at most 20 of a kind), and nothing inserted.
    """
    connection, type_tables = database.connection, database.type_tables()
    _refuse(_faults(connection, staged, source))
    warnings = new_to_declared_type(connection, staged, source)
    _encode(connection, staged, type_tables)
    faults: list[Diagnostic] = []
    counts: dict[str, int] = {}
    for part in staged:
        _merge(connection, part, part.predicate.as_ids(type_tables, "s"))
        faults += _contradictions(connection, part, source, stored=True)
        counts[part.predicate.name] = _insert(connection, part.predicate)
        _drop(connection, part)
    _refuse(faults)
    known = database.worlds()
    database.refresh_domains([known[name] for name in worlds])
    return LoadReport(counts, tuple(worlds), warnings)


def texts_of_staged(
    connection: duckdb.DuckDBPyConnection, staged: Sequence[Staged], source: FactSource, world: str
) -> list[FactTexts]:
    """Staged facts checked and merged, but not stored; what was staged is dropped.

    Raises InputError with the faults that `ingest` finds in the facts themselves.
    """
    faults = _faults(connection, staged, source)
    _refuse(faults)
    found = []
    for part in staged:
        predicate = part.predicate
        _merge(connection, part, predicate.as_written("s"))
        faults += _contradictions(connection, part, source, stored=False)
        values = dict(predicate.value_columns)
        cells = (
            f"{text_of_value(column, values[column])} AS {column}" if column in values else column
            for column in predicate.columns
        )
        shown = ", ".join([f"{text_literal(world)} AS world", *cells, "nullif(value, -1) AS value"])
        rows = connection.sql(
            f"SELECT {shown}, partition::VARCHAR AS partition FROM merged_facts"
        ).to_arrow_table()
        found.append(FactTexts(predicate.name, rows))
        _drop(connection, part)
    _refuse(faults)
    return found


def _faults(
    connection: duckdb.DuckDBPyConnection, staged: Sequence[Staged], source: FactSource
) -> list[Diagnostic]:
    """What is wrong with staged facts, each by itself."""
    faults: list[Diagnostic] = []
    for part in staged:
        faults += value_faults(connection, part, source)
        faults += argument_faults(connection, part, source)
    return faults + declared_elsewhere(connection, staged, source)


def _refuse(faults: Sequence[Diagnostic]) -> None:
    if faults:
        raise InputError(tuple(sorted(faults, key=_place)))


def _drop(connection: duckdb.DuckDBPyConnection, part: Staged) -> None:
    connection.execute("DROP TABLE merged_facts")
    connection.execute(f"DROP TABLE {part.table}")


def _place(diagnostic: Diagnostic) -> tuple[int, int]:
    return (diagnostic.span.line, diagnostic.span.column) if diagnostic.span else (0, 0)


def _encode(
    connection: duckdb.DuckDBPyConnection, staged: Sequence[Staged], type_tables: Mapping[str, str]
) -> None:
    """Give the constants of each type that are new an id, in order of name."""
    columns: dict[str, list[str]] = {}
    for part in staged:
        for column, type_name in part.predicate.constant_columns:
            columns.setdefault(type_name, []).append(
                f"SELECT DISTINCT {column} AS name FROM {part.table}"
            )
    for type_name, selects in sorted(columns.items()):
        add_constants(connection, type_tables[type_name], " UNION ".join(selects))


def _merge(connection: duckdb.DuckDBPyConnection, part: Staged, coded: Coded) -> None:
    """Take the staged facts as `coded` and merge those of one key, into `merged_facts`.

    The key is all arguments, or all but the value of a function. `low` and `high` bound the values
    given to a key, with -1 for unknown; where they differ, or a function's results do, the facts
    contradict each other.
    """
    predicate = part.predicate
    shown = [
        "s.line",
        "s.world",
        "s.partition::fact_partition AS partition",
        "coalesce(s.value, -1) AS value",
    ]
    clash, merged = "min(value) < max(value)", list(predicate.key)
    if predicate.kind == "function":
        result = predicate.columns[-1]
        clash += f" OR min({result}) < max({result})"
        merged.append(f"min({result}) AS {result}")
    connection.execute(
        "CREATE OR REPLACE TEMP TABLE merged_facts AS SELECT "
        f"{', '.join(['world', *merged, 'partition'])}, "
        f"min(value) AS value, min(line) AS line, max(line) AS last_line, {clash} AS clash "
        f"FROM (SELECT {', '.join([*shown, *coded.cells])} FROM {part.table} s {coded.joins}) "
        f"GROUP BY {', '.join(['world', *predicate.key, 'partition'])}"
    )


def _contradictions(
    connection: duckdb.DuckDBPyConnection, part: Staged, source: FactSource, *, stored: bool
) -> list[Diagnostic]:
    """Facts that disagree with each other, or with those that are stored."""
    predicate = part.predicate
    key = predicate.key
    arguments = ", ".join(f"s.{column}::VARCHAR" for column in key)
    differs = " OR ".join(
        [
            "coalesce(t.value, -1) <> m.value",
            *(f"t.{column} <> m.{column}" for column in predicate.columns[len(key) :]),
        ]
    )
    earlier = (
        f" UNION ALL SELECT NULL, m.line FROM merged_facts m JOIN {quoted(predicate.table_name)} t "
        f"ON {all_equal('t', 'm', ['world', 'partition', *key])} WHERE NOT m.clash AND ({differs})"
    )
    rows = connection.execute(
        f"SELECT b.first, b.line, [{arguments}]::VARCHAR[] FROM ("
        f"SELECT line, last_line FROM merged_facts WHERE clash{earlier if stored else ''}"
        f") b(first, line) JOIN {part.table} s ON s.line = b.line ORDER BY b.line LIMIT {SHOWN}"
    ).fetchall()
    return [
        source.diagnostic(
            "E0207",
            f"{predicate.name}({', '.join(names)}) "
            + (
                "contradicts a fact loaded earlier into the same world"
                if first is None
                else f"is given different values on lines {first} and {last}"
            ),
            last,
            help="keep one of them"
            + (", or load this file into another world" if first is None else ""),
        )
        for first, last, names in rows
    ]


def _insert(connection: duckdb.DuckDBPyConnection, predicate: StoredPredicate) -> int:
    """Insert the merged facts that are not there yet, ordered by world and arguments; how many."""
    columns = ["world", *predicate.columns, "partition"]
    table = quoted(predicate.table_name)
    inserted = connection.execute(
        f"INSERT INTO {table} SELECT {', '.join(columns[:-1])}, nullif(value, -1), partition "
        f"FROM merged_facts m WHERE NOT EXISTS (FROM {table} t "
        f"WHERE {all_equal('t', 'm', columns)}) ORDER BY {', '.join(columns)}"
    )
    return int(first_value(inserted))
