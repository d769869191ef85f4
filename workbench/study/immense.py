"""Columns of numbers that nothing can be computed with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from workbench.errors import Diagnostic
from workbench.tables import IMMENSE, Staging, TypedTable


def immense_numbers(
    staging: Staging, typed: Mapping[str, TypedTable]
) -> Iterator[tuple[str, str, Diagnostic]]:
    """Tables and columns whose numbers are too large for sums of their squares, with what is said
    of each. One pass a table.
    """
    for name, table in typed.items():
        numbers = [
            one.name
            for one in table.mapping.columns
            if one.kind == "number" and one.name in table.columns
        ]
        largest = [f"max(abs(CAST({table.columns[one]} AS DOUBLE)))" for one in numbers]
        for column, value in zip(numbers, staging.counts(table.relation, largest)):
            if value is not None and float(value) > IMMENSE:
                yield name, column, _left_out(name, column, float(value))


def _left_out(table: str, column: str, value: float) -> Diagnostic:
    return Diagnostic(
        "E0649",
        f"{table}.{column} holds numbers as large as {value:.3g}: it is left out",
        help="write them in another unit, or as logarithms",
        severity="warning",
    )
