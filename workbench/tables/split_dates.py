"""Dates whose year, month and day stand in columns of their own."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.tables.kinds import NEARLY_ALL, share
from workbench.tables.mapping import ColumnMapping
from workbench.tables.names import plain_words
from workbench.tables.profile import ColumnCounts, TableCounts
from workbench.tables.readings import Reading
from workbench.tables.staged import StagedTable, Staging
from workbench.tables.values import date_from_parts, is_blank

_PARTS = (
    ("year", "month", "day"),
    ("jahr", "monat", "tag"),
    ("annee", "mois", "jour"),
    ("ano", "mes", "dia"),
    ("anno", "mese", "giorno"),
    ("jaar", "maand", "dag"),
    ("rok", "miesiac", "dzien"),
)


def find_split_dates(staging: Staging, counts: TableCounts) -> list[ColumnMapping]:
    """The dates that three columns make, as columns beside these: `birth_year`, `Geburtsjahr`."""
    by_words = {plain_words(column.name): column for column in counts.columns}
    found = []
    for parts, year in by_words.items():
        for name, month, day in _called_alike(parts):
            columns = [year, *(by_words.get(other) for other in (month, day))]
            whole = [one for one in columns if one is not None and _is_whole(one)]
            if len(whole) == len(columns):
                made = _date_of(staging, counts.table, name, whole)
                found += [] if made is None else [made]
    return found


def _called_alike(
    year: tuple[str, ...],
) -> Iterator[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    """For the words of a column called as a year: what the date is called, and the words of the
    columns of its month and day."""
    for place, word in enumerate(year):
        before, behind = year[:place], year[place + 1 :]
        for called, month, day in _PARTS:
            if word.endswith(called):
                stem = word.removesuffix(called)
                yield (
                    "_".join(filter(None, (*before, stem, *behind, "date"))),
                    (*before, stem + month, *behind),
                    (*before, stem + day, *behind),
                )


def _date_of(
    staging: Staging, table: StagedTable, name: str, parts: list[ColumnCounts]
) -> ColumnMapping | None:
    """A date of year, month and day, where nearly all of these make dates."""
    columns, blanks_of = tuple(one.name for one in parts), parts[0].reading.blanks
    cells = [table.cell(column) for column in columns]
    blank = " OR ".join(is_blank(cell, blanks_of) for cell in cells)
    (dates, blanks) = staging.rows(
        f"SELECT count({date_from_parts(*cells)}), count(*) FILTER ({blank}) FROM {table.relation}"
    )[0]
    filled = table.rows - int(blanks)
    if not filled or int(dates) < NEARLY_ALL * filled:
        return None
    make = f"{share(int(dates), filled)} make dates"
    return ColumnMapping(
        name,
        "date",
        reading=Reading(blanks=blanks_of),
        parts=columns,
        unreadable="error" if int(dates) == filled else "blank",
        reason=f"year, month and day stand in {', '.join(columns)}: {make}",
        missing=int(blanks),
    )


def _is_whole(column: ColumnCounts) -> bool:
    return column.filled > 0 and column.whole >= NEARLY_ALL * column.filled
