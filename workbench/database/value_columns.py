"""Numbers, dates and texts as columns: their SQL types, and their way from text and back."""

from __future__ import annotations

from workbench.language.values import ValueKind

SQL_TYPES = {ValueKind.NUMBER: "DOUBLE", ValueKind.DATE: "TIMESTAMP", ValueKind.TEXT: "VARCHAR"}
"""The column type that holds each kind of value."""

# DuckDB reads more as a date than the one form that rules and data share ("epoch", "infinity",
# years of six digits).
_DATE = r"\d{4}-\d{2}-\d{2}([ T]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?)?"


def value_of_text(cell: str, kind: ValueKind) -> str:
    """The value that a cell of text is, as an SQL expression; NULL where it is none of its kind."""
    match kind:
        case ValueKind.NUMBER:
            return f"try_cast({cell} AS DOUBLE)"
        case ValueKind.DATE:
            return (
                f"CASE WHEN regexp_full_match({cell}, '{_DATE}') THEN try_cast({cell} AS "
                "TIMESTAMP) END"
            )
        case ValueKind.TEXT:
            return f"{cell}"


def is_no_value(cell: str, kind: ValueKind) -> str:
    """Whether a cell of text is no value of its kind; infinity and not-a-number are no numbers."""
    if kind is ValueKind.NUMBER:
        return f"NOT coalesce(isfinite({value_of_text(cell, kind)}), false)"
    return f"{value_of_text(cell, kind)} IS NULL"


def text_of_value(cell: str, kind: ValueKind) -> str:
    """A value as rules and data write it: `30`, `0.5`, `2020-01-31`, `2020-01-31 10:20:30`."""
    match kind:
        case ValueKind.NUMBER:
            return f"regexp_replace({cell}::VARCHAR, '\\.0$', '')"
        case ValueKind.DATE:
            return (
                f"CASE WHEN {cell} = date_trunc('day', {cell}) THEN {cell}::DATE::VARCHAR ELSE "
                f"{cell}::VARCHAR END"
            )
        case ValueKind.TEXT:
            return f"{cell}"
