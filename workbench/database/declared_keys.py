"""The keys that tables of databases declare, and what refers to them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.database.attached import attach
from workbench.database.identifiers import quoted
from workbench.database.outside import outside
from workbench.database.postgres_tables import postgres_rows


@dataclass(frozen=True)
class ForeignKey:
    """Columns of a table that hold the named columns of another; tables as `database_tables`
    names them."""

    columns: tuple[str, ...]
    table: str
    others: tuple[str, ...]


@dataclass(frozen=True)
class DeclaredKeys:
    """By table of a database: the columns of its primary key, and its foreign keys."""

    primary: dict[str, tuple[str, ...]]
    foreign: dict[str, tuple[ForeignKey, ...]]


def declared_keys(source: str | os.PathLike[str], kind: str) -> DeclaredKeys:
    """The keys that the tables of a DuckDB, SQLite or PostgreSQL database declare.

    Raises E0213, as for `load_attached`.
    """
    found = {"sqlite": _of_sqlite, "duckdb": _of_duckdb, "postgres": _of_postgres}
    return found[kind](os.fspath(source))


def _of_sqlite(source: str) -> DeclaredKeys:
    import sqlite3

    primary: dict[str, tuple[str, ...]] = {}
    foreign: dict[str, tuple[ForeignKey, ...]] = {}
    address = Path(source).resolve().as_uri() + "?mode=ro"
    with closing(sqlite3.connect(address, uri=True)) as connection:
        listed = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        called = {name.casefold(): name for (name,) in listed.fetchall()}
        for table in called.values():
            columns = connection.execute(f"PRAGMA table_info({quoted(table)})").fetchall()
            keys = sorted((place, name) for _, name, *_, place in columns if place)
            primary[table] = tuple(name for _, name in keys)
        for table in called.values():
            references: dict[int, list[tuple[str, str, str | None]]] = {}
            rows = connection.execute(f"PRAGMA foreign_key_list({quoted(table)})").fetchall()
            for number, _, other, column, to, *_ in sorted(rows, key=lambda row: row[:2]):
                references.setdefault(number, []).append((other, column, to))
            foreign[table] = tuple(
                ForeignKey(
                    tuple(column for _, column, _ in of_one),
                    other,
                    # Without columns it is the other table's key that is meant.
                    tuple(to for _, _, to in of_one if to) or primary[other],
                )
                for of_one in references.values()
                if (other := called.get(of_one[0][0].casefold())) is not None
            )
    return DeclaredKeys(primary, foreign)


def _of_duckdb(source: str) -> DeclaredKeys:
    with outside() as reader:
        attach(reader, source)
        rows = reader.execute(
            # A foreign key of DuckDB's stays within its schema.
            "SELECT schema_name, table_name, constraint_type, constraint_column_names, "
            "schema_name, referenced_table, referenced_column_names FROM duckdb_constraints() "
            "WHERE database_name = 'attached' AND constraint_type IN ('PRIMARY KEY', 'FOREIGN KEY')"
        ).fetchall()
    return _keys(rows, "main")


_COLUMNS = """(SELECT array_agg(a.attname::text ORDER BY o.at)
    FROM unnest(k.{numbers}) WITH ORDINALITY o(n, at)
    JOIN pg_attribute a ON a.attrelid = k.{table} AND a.attnum = o.n)"""
_CONSTRAINTS = f"""
    SELECT n.nspname, c.relname, CASE k.contype WHEN 'p' THEN 'PRIMARY KEY' END,
      {_COLUMNS.format(numbers="conkey", table="conrelid")}, m.nspname, d.relname,
      {_COLUMNS.format(numbers="confkey", table="confrelid")}
    FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid
      JOIN pg_namespace n ON n.oid = c.relnamespace
      LEFT JOIN pg_class d ON d.oid = k.confrelid LEFT JOIN pg_namespace m ON m.oid = d.relnamespace
    WHERE k.contype IN ('p', 'f') AND k.conparentid = 0 ORDER BY k.oid"""


def _of_postgres(source: str) -> DeclaredKeys:
    return _keys(postgres_rows(source, _CONSTRAINTS), "public")


def _keys(rows: Iterable[tuple[Any, ...]], plain: str) -> DeclaredKeys:
    """Keys from rows of constraints; tables of the schema `plain` are named without it."""
    primary: dict[str, tuple[str, ...]] = {}
    foreign: dict[str, tuple[ForeignKey, ...]] = {}
    for schema, table, what, columns, other_schema, other, others in rows:
        named = table if schema == plain else f"{schema}.{table}"
        if what == "PRIMARY KEY":
            primary[named] = tuple(columns)
        else:
            there = other if other_schema == plain else f"{other_schema}.{other}"
            key = ForeignKey(tuple(columns), there, tuple(others))
            foreign[named] = (*foreign.get(named, ()), key)
    return DeclaredKeys(primary, foreign)
