"""What people call things, and things by what people call them."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import pyarrow

from workbench.database.database import Database
from workbench.database.encoded_facts import CODED, ROWS, incoming, type_table
from workbench.database.identifiers import quoted
from workbench.database.rows import first_value
from workbench.database.workspace_format import DISPLAY_NAMES

MOST = 200
"""Things that a search for a part of a name takes."""


def has_display_names(database: Database) -> bool:
    """Whether some table gave its things names."""
    query = "SELECT 1 FROM duckdb_tables() WHERE table_name = 'display_name'"
    return bool(database.execute(query).fetchall())


def name_things(database: Database, type_name: str, rows: pyarrow.RecordBatchReader) -> int:
    """Keep what people call the things of a type: columns `thing` and `name`; how many names.

    A later name takes the place of an earlier one. Things without facts have no name.
    """
    with database.transaction() as connection:
        connection.execute(DISPLAY_NAMES)
        with incoming(connection, rows):
            connection.execute(
                f"CREATE OR REPLACE TEMP TABLE {CODED} AS SELECT c.id, any_value(n.name) AS name "
                f"FROM {ROWS} n JOIN {type_table(connection, type_name)} c ON c.name = n.thing "
                "WHERE n.name <> '' GROUP BY c.id"
            )
        connection.execute(
            f"DELETE FROM display_name WHERE type = $type AND constant IN (SELECT id FROM {CODED})",
            {"type": type_name},
        )
        connection.execute(
            f"INSERT INTO display_name SELECT $type, id, name FROM {CODED} ORDER BY id",
            {"type": type_name},
        )
        named = first_value(connection.execute(f"SELECT count(*) FROM {CODED}"))
        connection.execute(f"DROP TABLE {CODED}")
    return int(named)


def display_names(
    database: Database, among: Mapping[str, Collection[str]] | None = None
) -> dict[str, dict[str, str]]:
    """What people call things, by type and constant; empty where no table gave names."""
    if not has_display_names(database):
        return {}
    found: dict[str, dict[str, str]] = {}
    for type_name, table in database.type_tables().items():
        wanted = "" if among is None else " AND c.name IN (SELECT unnest($wanted::VARCHAR[]))"
        rows = database.execute(
            f"SELECT c.name, d.name FROM display_name d JOIN {quoted(table)} c ON c.id = "
            f"d.constant WHERE d.type = $type{wanted}",
            {"type": type_name}
            | ({} if among is None else {"wanted": list(among.get(type_name, ()))}),
        ).fetchall()
        if rows:
            found[type_name] = dict(rows)
    return found


def called_so(database: Database, search: str) -> list[str]:
    """Constants of all types whose display name contains `search`; at most 200."""
    if not search or not has_display_names(database):
        return []
    found: list[str] = []
    for type_name, table in database.type_tables().items():
        rows = database.execute(
            f"SELECT c.name FROM display_name d JOIN {quoted(table)} c ON c.id = d.constant "
            "WHERE d.type = $type AND contains(lower(d.name), lower($search)) "
            f"ORDER BY c.id LIMIT {MOST - len(found)}",
            {"type": type_name, "search": search},
        ).fetchall()
        found += [name for (name,) in rows]
    return found
