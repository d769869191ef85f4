"""The ids of records: which column of a file holds them, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from workbench.errors import Diagnostic, UsageError, did_you_mean
from workbench.tables import StagedTable
from workbench.tables.names import ID_WORDS, words
from workbench.tables.records import Records

SHOWN = 3
_NAMES_OF_ROWS = frozenset("id ids uuid guid pk record rec row".split())


def id_columns(tables: Sequence[StagedTable], asked: str | None) -> list[str | None]:
    """Of each table the column with the records' names: the one asked for, in one of two tables at
    least; else a column that is called so.
    """
    if asked is None:
        return [_called_id(table) for table in tables]
    found: list[str | None] = []
    for table in tables:
        match = next((name for name in table.columns if name == asked), None)
        match = match or next(
            (name for name in table.columns if name.casefold() == asked.casefold()), None
        )
        if match is None and any(asked in other.columns for other in tables):
            match = _called_id(table)
        if match is None:
            cure = did_you_mean(asked, table.columns, f"its columns are {', '.join(table.columns)}")
            raise UsageError.of("E0663", f"{table.source.shown} has no column {asked}", help=cure)
        found.append(match)
    return found


def _called_id(table: StagedTable) -> str | None:
    """The column called an id, else the first if it is called a number or a code."""
    named = [name for name in table.columns if set(words(name)) & _NAMES_OF_ROWS]
    named = named or [name for name in table.columns[:1] if set(words(name)) & ID_WORDS]
    return min(named, key=lambda name: len(words(name)), default=None)


def rows_instead(fault: Diagnostic) -> Diagnostic:
    """The fault as a warning that rows' numbers are taken in the place of such ids."""
    return replace(
        fault, code="E0672", severity="warning",
        message=f"{fault.message}: records are called by their rows' numbers",
        help="mend the column, or name another by --id",
    )  # fmt: skip


def fault_of_ids(
    records: Records, tables: Sequence[StagedTable], columns: Sequence[str | None]
) -> Diagnostic | None:
    """The first table whose ids repeat or are blank."""
    for place, (table, column) in enumerate(zip(tables, columns)):
        if column is None:
            continue
        rows = np.flatnonzero(records.source == place)
        ids = records.ids[rows]
        first: dict[object, int] = {}
        blank = [row for row, text in enumerate(ids) if text is None or text == ""]
        repeated = [
            row
            for row, text in enumerate(ids)
            if first.setdefault(text, row) != row and text not in (None, "")
        ]
        if blank:
            return Diagnostic(
                "E0664",
                f"{len(blank):,} records of {table.source.shown} have no {column}, the first in "
                f"row {blank[0] + table.first_row}",
                table.span(blank[0] + table.first_row, column),
                "fill them, or leave --id out: then rows are numbered",
            )
        if repeated:
            named = ", ".join(dict.fromkeys(str(ids[row]) for row in repeated[:SHOWN]))
            return Diagnostic(
                "E0664",
                f"{column} does not tell the records of {table.source.shown} apart: "
                f"{len(repeated):,} repeat an earlier one, such as {named} in rows "
                f"{first[ids[repeated[0]]] + table.first_row} and {repeated[0] + table.first_row}",
                table.span(repeated[0] + table.first_row, column),
                "name a column that differs in every row, or leave "
                "--id out: then rows are numbered",
            )
    return None
