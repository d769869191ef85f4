"""Facts staged as text, and what is wrong with them before any is stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import duckdb

from workbench.database.identifiers import quoted, text_literal
from workbench.database.rows import first_row
from workbench.database.stored import StoredPredicate, is_no_value, text_of_value
from workbench.database.text_files import FactSource
from workbench.errors import Diagnostic, InputError
from workbench.language.values import ValueKind

SHOWN = 20


@dataclass(frozen=True)
class Staged:
    """One predicate's staged table."""

    predicate: StoredPredicate
    table: str


def value_faults(
    connection: duckdb.DuckDBPyConnection, part: Staged, source: FactSource
) -> list[Diagnostic]:
    """Truth values outside [0, 1]."""
    rows = connection.execute(
        f"SELECT line, value FROM {part.table} WHERE value < 0 OR value > 1 OR isnan(value) ORDER "
        f"BY line LIMIT {SHOWN}"
    ).fetchall()
    return [
        source.diagnostic(
            "E0206",
            f"the value {value:g} of a fact of {part.predicate.name} is outside [0, 1]",
            line,
            help="1 is true, 0 false; values between are degrees of truth",
        )
        for line, value in rows
    ]


def argument_faults(
    connection: duckdb.DuckDBPyConnection, part: Staged, source: FactSource
) -> list[Diagnostic]:
    """Arguments that should be numbers or dates and are not."""
    predicate, found = part.predicate, []
    for column, kind in predicate.value_columns:
        rows = connection.execute(
            f"SELECT line, {column} FROM {part.table} WHERE {is_no_value(column, kind)} ORDER BY "
            f"line LIMIT {SHOWN}"
        ).fetchall()
        place = predicate.columns.index(column) + 1
        which = "the last argument" if place == predicate.arity else f"argument {place}"
        found += [
            source.diagnostic(
                "E0210",
                f"{which} of {predicate.name} is a {kind}, not {text!r}",
                line,
                needle=str(text),
                help="write it as 2020-01-31, or 2020-01-31 10:20:30"
                if kind is ValueKind.DATE
                else None,
            )
            for line, text in rows
        ]
    return found


def declared_elsewhere(
    connection: duckdb.DuckDBPyConnection, staged: Sequence[Staged], source: FactSource
) -> list[Diagnostic]:
    """Constants that the program declares, but only for another type."""
    if (
        first_row(connection.execute("SELECT 1 FROM program_constant WHERE declared LIMIT 1"))
        is None
    ):
        return []
    columns = [
        f"SELECT line, {column} AS name, {text_literal(type_name)} AS type, {number} AS part FROM "
        f"{part.table}"
        for number, part in enumerate(staged)
        for column, type_name in part.predicate.constant_columns
    ]
    if not columns:
        return []
    rows = connection.execute(
        "SELECT min(s.line), s.name, min(p.type), s.type, s.part FROM "
        f"({' UNION ALL '.join(columns)}) s JOIN program_constant p ON p.name = s.name AND "
        "p.declared AND p.type <> s.type WHERE NOT EXISTS (FROM program_constant q WHERE q.name = "
        f"s.name AND q.type = s.type) GROUP BY s.part, s.type, s.name ORDER BY 1, 2 LIMIT {SHOWN}"
    ).fetchall()
    return [
        source.diagnostic(
            "E0208",
            f"{constant} is a constant of {other}, but {staged[part].predicate.name} takes one of "
            f"{type_name} here",
            line,
            needle=constant,
        )
        for line, constant, other, type_name, part in rows
    ]


def new_to_declared_type(
    connection: duckdb.DuckDBPyConnection, staged: Sequence[Staged], source: FactSource
) -> tuple[Diagnostic, ...]:
    """One warning for each type with declared constants that the facts add to."""
    declared = {
        name
        for (name,) in connection.execute(
            "SELECT DISTINCT type FROM program_constant WHERE declared"
        ).fetchall()
    }
    selects: dict[str, list[str]] = {}
    for part in staged:
        for column, type_name in part.predicate.constant_columns:
            if type_name in declared:
                selects.setdefault(type_name, []).append(
                    f"SELECT line, {column} AS name FROM {part.table}"
                )
    warnings = []
    for type_name, parts in sorted(selects.items()):
        rows = connection.execute(
            f"SELECT min(line), name, count(*) OVER () FROM ({' UNION ALL '.join(parts)}) s WHERE "
            "NOT EXISTS (FROM program_constant p WHERE p.type = $type AND p.name = s.name) GROUP "
            "BY name ORDER BY 1, 2 LIMIT 3",
            {"type": type_name},
        ).fetchall()
        if rows:
            line, first, count = rows[0]
            names = ", ".join(name for _, name, _ in rows) + (", ..." if count > len(rows) else "")
            who = f"the constant {first} is" if count == 1 else f"{count} constants ({names}) are"
            message = f"{who} not declared in {type_name}, which takes them in"
            shown = source.diagnostic("E0208", message, line, needle=first)
            warnings.append(replace(shown, severity="warning"))
    return tuple(warnings)


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
