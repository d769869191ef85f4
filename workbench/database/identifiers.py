"""Names and texts inside SQL: the one place where they are quoted."""

from __future__ import annotations

from collections.abc import Container, Iterable


def quoted(name: str) -> str:
    """`name` as a double-quoted SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def text_literal(value: object) -> str:
    """`value` as a single-quoted SQL string, for places that take no parameter."""
    return "'" + str(value).replace("'", "''") + "'"


def all_equal(one: str, other: str, columns: Iterable[str]) -> str:
    """The condition that rows of two relations, by their aliases, agree in all the columns."""
    return " AND ".join(f"{one}.{column} = {other}.{column}" for column in columns)


def unused_name(name: str, taken: Iterable[str]) -> str:
    """`name`, or `name_2`, `name_3`, ... when another name that differs at most in case is taken.

    DuckDB folds the case of identifiers, the rules languages do not.
    """
    return unused_among(name, {other.casefold() for other in taken})


def unused_among(name: str, folded: Container[str]) -> str:
    """The same, of names whose case is folded."""
    candidate, number = name, 1
    while candidate.casefold() in folded:
        number += 1
        candidate = f"{name}_{number}"
    return candidate
