"""A hash of the data that names, not ids or row order, decide."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

import duckdb

from workbench.database.database import Database
from workbench.database.identifiers import quoted
from workbench.database.rows import filled, first_row

TablePrint = tuple[int, int | None]
"""How many rows a table has, and the exclusive or of their hashes."""


@dataclass(frozen=True)
class FactSum:
    """How many facts, and the exclusive or of their MD5 sums; or by how much both changed."""

    count: int = 0
    md5: int = 0

    def changed(self, by: FactSum) -> FactSum:
        """The sum after a change."""
        return FactSum(self.count + by.count, self.md5 ^ by.md5)

    def since(self, before: FactSum) -> FactSum:
        """The change from another sum to this one."""
        return FactSum(self.count - before.count, self.md5 ^ before.md5)


def data_hash(database: Database) -> str:
    """Hexadecimal SHA-256 over every fact's world, arguments, value and partition, in any row
    order.

    Each predicate contributes its signature and the exclusive or of its facts' MD5 sums. Cost: one
    scan of all facts with joins to their names; about a second for a million facts.
    """
    return hash_of(database, fact_sums(database))


def hash_of(database: Database, sums: Mapping[str, FactSum]) -> str:
    """The hash of the data from the sum of each predicate's facts."""
    texts = []
    for name, predicate in database.predicates().items():
        found = sums[name]
        texts.append(
            repr((name, predicate.argument_types, (found.count, found.md5))) if found.count else ""
        )
    return sha256("".join(texts).encode()).hexdigest()


def fact_sums(database: Database) -> dict[str, FactSum]:
    """The sum of each predicate's facts."""
    cursor, stored = database.cursor(), database.predicates()
    with_facts = filled(cursor, (one.table_name for one in stored.values()))
    return {
        name: sum_of_facts(cursor, one.argument_names, f"FROM facts.{quoted(one.view_name)}")
        if one.table_name in with_facts
        else FactSum()
        for name, one in stored.items()
    }


def sum_of_facts(
    connection: duckdb.DuckDBPyConnection, arguments: Sequence[str], source: str
) -> FactSum:
    """The sum of facts that a `FROM` clause gives as text, `arguments` the names of its columns."""
    shown = ", ".join(f"{quoted(name)}::VARCHAR" for name in arguments)
    cells = ", ".join(
        filter(None, ["world", shown, "coalesce(value::VARCHAR, '?')", "partition::VARCHAR"])
    )
    row = first_row(
        connection.execute(f"SELECT count(*), bit_xor(md5_number([{cells}]::VARCHAR)) {source}")
    )
    return FactSum(row[0], row[1]) if row and row[0] else FactSum()


def hash_of_rows(connection: duckdb.DuckDBPyConnection, source: str) -> TablePrint:
    """How many rows a relation has, and the exclusive or of their hashes."""
    row = first_row(connection.execute(f"SELECT count(*), bit_xor(hash(t)) FROM {source} t"))
    assert row is not None
    return row[0], row[1]


def fact_print(database: Database, tables: Mapping[str, TablePrint] | None = None) -> str:
    """A fingerprint of the facts as this workspace numbers them: equal as long as no fact and no
    name has changed; of `table_prints`, where they are at hand.

    Several times as fast as `data_hash`, and told apart with probability 1 - 2 ** -64; of no use in
    another workspace.
    """
    rows = list((table_prints(database) if tables is None else tables).items())
    types = [one.argument_types for one in database.predicates().values()]
    return sha256(repr((rows, types)).encode()).hexdigest()


def table_prints(
    database: Database,
    known: Mapping[str, TablePrint] | None = None,
    changed: Mapping[str, TablePrint] | None = None,
) -> dict[str, TablePrint]:
    """How many rows each table of facts and of names has, and the exclusive or of their hashes.

    `known`: of before facts came or went, and names came with them; `changed`: by how much, by
    predicate. What is known so is not read.
    """
    cursor, known, changed = database.cursor(), known or {}, changed or {}
    facts = {one.table_name: name for name, one in database.predicates().items()}
    with_facts = filled(cursor, (table for table in facts if table not in known))
    found: dict[str, TablePrint] = {}
    for table in ("world", *database.type_tables().values(), *facts):
        before = known.get(table)
        if before is not None and table in facts:
            count, together = changed_print(before, changed.get(facts[table], (0, None)))
            found[table] = count, together if count else None
        elif before is None and table in facts and table not in with_facts:
            found[table] = 0, None
        elif before is not None and before[0] == _n_rows(cursor, table):
            found[table] = before
        else:
            found[table] = hash_of_rows(cursor, quoted(table))
    return dict(sorted(found.items()))


def changed_print(before: TablePrint, by: TablePrint) -> TablePrint:
    """The print of a table after a change, or of two changes together."""
    return before[0] + by[0], (before[1] or 0) ^ (by[1] or 0)


def _n_rows(connection: duckdb.DuckDBPyConnection, table: str) -> int:
    return int(connection.execute(f"SELECT count(*) FROM {quoted(table)}").fetchall()[0][0])
