"""Facts that contradict others of the same world, in words."""

from __future__ import annotations

import duckdb

from workbench.database.identifiers import quoted
from workbench.database.staged_facts import SHOWN
from workbench.database.stored import StoredPredicate
from workbench.database.value_columns import text_of_value
from workbench.errors import Diagnostic, InputError


def refuse_contradictions(
    connection: duckdb.DuckDBPyConnection, predicate: StoredPredicate, both: str
) -> None:
    """Raise E0850 for the pairs of a `FROM` clause: a fact `n` and what contradicts it, `t`."""
    if not connection.execute(f"SELECT 1 {both} LIMIT 1").fetchall():
        return
    tables = dict(connection.execute("SELECT name, table_name FROM constant_type").fetchall())
    encoded, values = dict(predicate.constant_columns), dict(predicate.value_columns)

    def arguments(row: str) -> str:
        cells = (
            f"(SELECT name FROM {quoted(tables[encoded[column]])} WHERE id = {row}.{column})"
            if column in encoded
            else text_of_value(f"{row}.{column}", values[column])
            for column in predicate.columns
        )
        return f"[{', '.join(cells)}]::VARCHAR[]"

    rows = connection.execute(
        f"SELECT {arguments('n')}, {arguments('t')}, t.value, n.value {both} ORDER BY ALL "
        f"LIMIT {SHOWN}"
    ).fetchall()
    raise InputError(
        tuple(
            Diagnostic(
                "E0850",
                f"{predicate.name}({', '.join(new)}) contradicts "
                + (
                    f"a fact of the same world: {_said(before)} there, {_said(after)} in the update"
                    if new == old
                    else f"{predicate.name}({', '.join(old)}), a fact of the same world"
                ),
                help="remove the old fact in the same update, or say that it is corrected",
            )
            for new, old, before, after in rows
        )
    )


def _said(value: float | None) -> str:
    return {None: "unknown", 1.0: "true", 0.0: "false"}.get(
        value, f"{value:g}" if value is not None else ""
    )
