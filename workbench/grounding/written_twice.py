"""Constants that read the same and are two: an accent of its own beside the letter that has it."""

from __future__ import annotations

from collections.abc import Mapping

import duckdb

from workbench.database.identifiers import quoted
from workbench.errors import Diagnostic

SHOWN = 3


def written_twice(
    connection: duckdb.DuckDBPyConnection, type_tables: Mapping[str, str]
) -> list[Diagnostic]:
    """E0337 for each type that has such constants. Names in ASCII cost nothing to speak of."""
    found = []
    for type_name, table in sorted(type_tables.items()):
        rows = connection.execute(
            "WITH apart AS (SELECT nfc_normalize(name) AS one FROM "
            f"{quoted(table)} WHERE name <> nfc_normalize(name)) "
            f"SELECT DISTINCT name FROM {quoted(table)} SEMI JOIN apart ON name = one ORDER BY name"
        ).fetchall()
        if rows:
            named = ", ".join(name for (name,) in rows[:SHOWN])
            found.append(
                Diagnostic(
                    "E0337",
                    f"{len(rows):,} constants of {type_name} are written in two ways that read the "
                    f"same, with an accent as a sign of its own and without: {named}",
                    help="each way is a thing of its own: write facts and rules in one, such as "
                    "Unicode's NFC",
                    severity="warning",
                )
            )
    return found
