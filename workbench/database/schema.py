"""Tables of types and predicates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import duckdb

from workbench.database.identifiers import quoted, unused_among, unused_name
from workbench.database.rows import first_row, insert_rows
from workbench.database.stored import SQL_TYPES, StoredPredicate, is_no_value
from workbench.errors import InputError
from workbench.language.declarations import Function, Predicate


def declare_type(connection: duckdb.DuckDBPyConnection, name: str) -> str:
    """The table of constants of type `name`, made when missing."""
    tables = dict(connection.execute("SELECT name, table_name FROM constant_type").fetchall())
    if name not in tables:
        tables[name] = unused_name(f"c_{name}", tables.values())
        connection.execute("INSERT INTO constant_type VALUES (?, ?)", [name, tables[name]])
        create_type_table(connection, tables[name])
    return str(tables[name])


def create_type_table(connection: duckdb.DuckDBPyConnection, table: str) -> None:
    connection.execute(f"CREATE TABLE {quoted(table)} (id INTEGER NOT NULL, name VARCHAR NOT NULL)")


def stored_form(declared: Predicate | Function) -> StoredPredicate:
    """The table that a predicate or function asks for: a function's arguments, then its value."""
    name = declared.name
    if isinstance(declared, Function):
        types = (*declared.argument_types, declared.return_type)
        return StoredPredicate(name, f"p_{name}", name, types, "function", closed=True)
    return StoredPredicate(
        name,
        f"p_{name}",
        name,
        declared.argument_types,
        "predicate",
        declared.value_last,
        declared.closed,
        declared.exactly_one,
        declared.at_most_one,
        declared.entities,
    )


def declare_stored(
    connection: duckdb.DuckDBPyConnection,
    wanted: Iterable[StoredPredicate],
    stored: Mapping[str, StoredPredicate],
) -> dict[str, StoredPredicate]:
    """Make the tables and views of predicates, or bring what is `stored` of them up to date; all
    that is there then.

    Raises E0202 where one has facts that the wanted columns do not fit.
    """
    found, new = dict(stored), []
    tables = {one.table_name.casefold() for one in stored.values()}
    views = {one.view_name.casefold() for one in stored.values()}
    for one in wanted:
        present = found.get(one.name)
        if present is not None:
            tables.discard(present.table_name.casefold())
            views.discard(present.view_name.casefold())
        named = replace(
            one,
            table_name=unused_among(one.table_name, tables),
            view_name=unused_among(one.view_name, views),
        )
        if present is None:
            new.append(named)
        else:
            named = _brought_up_to_date(connection, present, named)
        found[one.name] = named
        tables.add(named.table_name.casefold())
        views.add(named.view_name.casefold())
    _create(connection, new)
    return found


def _brought_up_to_date(
    connection: duckdb.DuckDBPyConnection, present: StoredPredicate, wanted: StoredPredicate
) -> StoredPredicate:
    if wanted.closed is None:
        wanted = replace(wanted, closed=present.closed)
    if present.shape == wanted.shape:
        return _remarked(connection, present, wanted)
    _make_anew(connection, present, wanted)
    return wanted


def _remarked(
    connection: duckdb.DuckDBPyConnection, present: StoredPredicate, wanted: StoredPredicate
) -> StoredPredicate:
    """What is there, closed and marked as is wanted."""
    marks = {name: getattr(wanted, name) for name in ("closed", "exactly_one", "at_most_one")}
    kept = replace(present, **marks)
    if kept != present:
        connection.execute(
            "UPDATE predicate SET closed = $closed, exactly_one = $exactly_one, at_most_one = "
            "$at_most_one WHERE name = $name",
            {
                "closed": kept.closed,
                "exactly_one": list(kept.exactly_one),
                "at_most_one": list(kept.at_most_one),
                "name": kept.name,
            },
        )
    return kept


def _make_anew(
    connection: duckdb.DuckDBPyConnection, present: StoredPredicate, wanted: StoredPredicate
) -> None:
    """Put a predicate in the place of one of the same name, whose facts are encoded again."""
    table = quoted(present.table_name)
    has_facts = first_row(connection.execute(f"FROM {table} LIMIT 1")) is not None
    if has_facts:
        _save_texts(connection, present, wanted)
    connection.execute(f"DROP VIEW facts.{quoted(present.view_name)}")
    connection.execute(f"DROP TABLE {table}")
    connection.execute("DELETE FROM predicate WHERE name = ?", [wanted.name])
    connection.execute("DELETE FROM predicate_argument WHERE predicate = ?", [wanted.name])
    _create(connection, [wanted])
    if has_facts:
        _encode_texts(connection, wanted)


def _save_texts(
    connection: duckdb.DuckDBPyConnection, present: StoredPredicate, wanted: StoredPredicate
) -> None:
    """Keep a predicate's facts in `kept_facts` while its table is made anew with other types."""
    tables = dict(connection.execute("SELECT name, table_name FROM constant_type").fetchall())
    coded = present.as_texts(tables)
    connection.execute(
        "CREATE OR REPLACE TEMP TABLE kept_facts AS "
        f"SELECT {', '.join(['f.world', *coded.cells, 'f.value', 'f.partition'])} "
        f"FROM {quoted(present.table_name)} f {coded.joins}"
    )
    fits = (present.kind, present.arity) == (wanted.kind, wanted.arity)
    if fits:
        unread = (
            " OR ".join(is_no_value(column, kind) for column, kind in wanted.value_columns)
            or "false"
        )
        fits = first_row(connection.execute(f"FROM kept_facts WHERE {unread} LIMIT 1")) is None
    if not fits:
        raise InputError.of(
            "E0202",
            f"{wanted.name} is declared as {_signature(wanted)}, but the workspace holds facts of "
            f"{_signature(present)}",
            help="change the declaration, or remove the facts of the old one first",
        )


def _encode_texts(connection: duckdb.DuckDBPyConnection, predicate: StoredPredicate) -> None:
    tables = {}
    for column, type_name in predicate.constant_columns:
        tables[type_name] = declare_type(connection, type_name)
        add_constants(
            connection, tables[type_name], f"SELECT DISTINCT {column} AS name FROM kept_facts"
        )
    coded = predicate.as_ids(tables)
    order = ", ".join(["f.world", *(f"f.{column}" for column in predicate.columns), "f.partition"])
    connection.execute(
        f"INSERT INTO {quoted(predicate.table_name)} "
        f"SELECT {', '.join(['f.world', *coded.cells, 'f.value', 'f.partition'])} "
        f"FROM kept_facts f {coded.joins} ORDER BY {order}"
    )
    connection.execute("DROP TABLE kept_facts")


def add_constants(connection: duckdb.DuckDBPyConnection, table: str, names: str) -> None:
    """Give ids, in order of name, to results of the query `names(name)` that a table lacks."""
    connection.execute(
        f"INSERT INTO {quoted(table)} SELECT (SELECT coalesce(max(id) + 1, 0) FROM "
        f"{quoted(table)}) + row_number() OVER (ORDER BY name) - 1, name FROM ({names}) n WHERE "
        f"NOT EXISTS (FROM {quoted(table)} c WHERE c.name = n.name)"
    )


def take_constants(
    connection: duckdb.DuckDBPyConnection, table: str, names: str, made: str, *, grow: bool
) -> None:
    """Take the constants with the names of a query without doubles, `names(name)`, into a temporary
    table `made`; `grow` gives ids to those that lack one. All names are looked through once.
    """
    wanted = f"{made}_wanted"
    take = f"CREATE OR REPLACE TEMP TABLE {made} AS FROM {quoted(table)} SEMI JOIN {wanted} USING "
    make = f"CREATE OR REPLACE TEMP TABLE {wanted} AS {names}"
    ((n_wanted,),) = connection.execute(make).fetchall()
    ((n_found,),) = connection.execute(f"{take} (name)").fetchall()
    if grow and n_found < n_wanted:
        add_constants(connection, table, f"FROM {wanted}")
        connection.execute(f"{take} (name)")
    connection.execute(f"DROP TABLE {wanted}")


def _create(connection: duckdb.DuckDBPyConnection, predicates: Sequence[StoredPredicate]) -> None:
    """The tables and views of predicates, and their rows in the tables of predicates."""
    if not predicates:
        return
    types = [name for one in predicates for _, name in one.constant_columns]
    tables = {name: declare_type(connection, name) for name in dict.fromkeys(types)}
    own = "name table_name view_name arity kind value_last closed exactly_one at_most_one".split()
    insert_rows(
        connection,
        "predicate",
        "VARCHAR VARCHAR VARCHAR INTEGER VARCHAR BOOLEAN BOOLEAN INTEGER[] INTEGER[]".split(),
        [[getattr(one, name) for name in own] for one in predicates],
    )
    insert_rows(
        connection,
        "predicate_argument",
        "VARCHAR INTEGER VARCHAR BOOLEAN".split(),
        [
            [one.name, position, type_name, value is None]
            for one in predicates
            for position, (type_name, value) in enumerate(zip(one.argument_types, one.kinds))
        ],
    )
    for one in predicates:
        create_predicate_table(connection, one, tables)


def create_predicate_table(
    connection: duckdb.DuckDBPyConnection, predicate: StoredPredicate, tables: Mapping[str, str]
) -> None:
    """The table of a predicate and its readable view; `tables` names each type's table."""
    kinds = ["INTEGER" if kind is None else SQL_TYPES[kind] for kind in predicate.kinds]
    typed = zip(("world", *predicate.columns), ("INTEGER", *kinds))
    columns = ", ".join(f"{column} {kind} NOT NULL" for column, kind in typed)
    connection.execute(
        f"CREATE TABLE {quoted(predicate.table_name)} ({columns}, value DOUBLE, partition "
        "fact_partition NOT NULL)"
    )
    create_view(connection, predicate, tables)


def create_view(
    connection: duckdb.DuckDBPyConnection, predicate: StoredPredicate, tables: Mapping[str, str]
) -> None:
    """Make or replace the readable view of a predicate.

    Its tables are named with their schema: in a view, a bare `world` would be the view of a
    predicate called World.
    """
    encoded = dict(predicate.constant_columns)
    shown, joins = ["w.name AS world"], ["JOIN main.world w ON w.id = f.world"]
    for column, name in zip(predicate.columns, predicate.argument_names):
        if column in encoded:
            joins.append(
                f"JOIN main.{quoted(tables[encoded[column]])} c_{column} ON c_{column}.id = "
                f"f.{column}"
            )
        shown.append(
            f"{f'c_{column}.name' if column in encoded else f'f.{column}'} AS {quoted(name)}"
        )
    connection.execute(
        f"CREATE OR REPLACE VIEW facts.{quoted(predicate.view_name)} AS SELECT {', '.join(shown)}, "
        f"f.value, f.partition FROM main.{quoted(predicate.table_name)} f {' '.join(joins)}"
    )


def _signature(predicate: StoredPredicate) -> str:
    types = predicate.argument_types
    if predicate.kind == "function":
        return f"{types[-1]} {predicate.name}({', '.join(types[:-1])})"
    return f"{predicate.name}({', '.join(types)})"
