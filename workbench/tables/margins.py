"""What stands around the rows of a sheet or text file and is none of them: empty rows and columns,
notes beside and below, totals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import duckdb

from workbench.errors import Diagnostic
from workbench.tables.headers import rows_above
from workbench.tables.readings import find_reading
from workbench.tables.staged import StagedTable
from workbench.tables.values import number_value

_TOTALS = frozenset(
    "total totals sum sums average mean subtotal summe gesamt gesamtsumme insgesamt mittelwert "
    "durchschnitt somme totaux moyenne suma razem totaal som gemiddelde totale media média soma "
    "celkem summa toplam итого всего сумма 合計 合计 总计 總計".split()
)
LOOKED_AT = 50
MOST_BELOW = 20
MOST_BESIDE = 20
FEWEST_WORDS = 2
MOSTLY = 0.95
CLOSE = 1e-6


def without_margins(
    connection: duckdb.DuckDBPyConnection, table: StagedTable, header: bool
) -> StagedTable:
    """The table without what stands around its rows; what said something is said in a note."""
    if header:
        table = _without_unnamed(connection, table)
    return _without_totals(connection, _without_notes_below(connection, table))


def without_empty_rows(connection: duckdb.DuckDBPyConnection, table: StagedTable) -> StagedTable:
    """The table without rows of which nothing is known; in a text file such a row is one."""
    empty = " AND ".join(f"coalesce({cell}, '') = ''" for cell in _cells(table))
    return _without_rows(connection, table, empty)


def _without_rows(
    connection: duckdb.DuckDBPyConnection, table: StagedTable, condition: str
) -> StagedTable:
    sql = f"DELETE FROM {table.relation} WHERE {condition}"
    gone = int(connection.execute(sql).fetchall()[0][0])
    return replace(table, rows=table.rows - gone)


def _without_unnamed(connection: duckdb.DuckDBPyConnection, table: StagedTable) -> StagedTable:
    """Without columns that have no name and hold nothing, and notes behind such a column."""
    unnamed = [place for place, name in enumerate(table.columns) if name == f"column{place + 1}"]
    if not unnamed:
        return table
    wanted = ", ".join(f"count(*) FILTER (c{place} <> '')" for place in unnamed)
    counts = connection.execute(f"SELECT {wanted} FROM {table.relation}").fetchall()[0]
    filled = dict(zip(unnamed, map(int, counts)))
    empty = {place for place, count in filled.items() if count == 0}
    few = min(MOST_BESIDE, table.rows / 3)
    beside = [
        place for place, count in filled.items()
        if 0 < count <= few and any(gap < place for gap in empty)
        and all(later in filled for later in range(place, len(table.columns)))
    ]  # fmt: skip
    gone = {*empty, *beside}
    if not gone or len(gone) == len(table.columns):
        return table
    kept = [place for place in range(len(table.columns)) if place not in gone]
    for place in gone:
        connection.execute(f"ALTER TABLE {table.relation} DROP COLUMN c{place}")
    for now, place in enumerate(kept):
        if now != place:
            connection.execute(f"ALTER TABLE {table.relation} RENAME COLUMN c{place} TO c{now}")
    names = tuple(table.columns[place] for place in kept)
    said = [f"notes beside the columns of {table.source.shown} are left out"] if beside else []
    return _noted(replace(table, columns=names), said, 1, "give their column a name")


def _without_notes_below(connection: duckdb.DuckDBPyConnection, table: StagedTable) -> StagedTable:
    """Without last rows of which far fewer cells are filled than of others, such as sources: where
    a text of several words is longer than any of its column. A key alone is a row of blanks.
    """
    last = _last_rows(connection, table)
    below = rows_above([row[1:] for row in last])
    if not 0 < below <= MOST_BELOW:
        return table
    first = last[below - 1][0]
    notes = {place: text for row in last[:below] for place, text in enumerate(row[1:]) if text}
    longest = max(notes, key=lambda place: len(notes[place]))
    (most,) = connection.execute(
        f"SELECT max(length(c{longest})) FROM {table.relation} WHERE rowid < {first}"
    ).fetchall()[0]
    if len(notes[longest]) <= int(most or 0) or len(notes[longest].split()) < FEWEST_WORDS:
        return table
    said = f"{_rows(below)} left out below the table of {table.source.shown}: "
    said += f"{notes[longest][:60]!r}"
    row = table.first_row + int(first)
    table = _without_rows(connection, table, f"rowid >= {first}")
    return _noted(table, [said], row, "fill the other cells of these rows")


def _without_totals(connection: duckdb.DuckDBPyConnection, table: StagedTable) -> StagedTable:
    """Without last rows that say a total, of others' cells in one of their columns or by a word."""
    for rowid, *row in _last_rows(connection, table)[:3]:
        blank = [place for place, text in enumerate(row) if not text]
        words = [text for text in row if text and _says_total(text)]
        if not words or not (
            (blank and _mostly_filled(connection, table, blank, rowid))
            or _adds_up(connection, table, row, rowid)
        ):
            break
        said = f"the last row of {table.source.shown}, {words[0]}, is left out: it is of all others"
        place = table.first_row + int(rowid)
        table = _without_rows(connection, table, f"rowid = {rowid}")
        table = _noted(table, [said], place, "fill its other cells")
    return table


def _says_total(text: str) -> bool:
    words = text.casefold().strip(" :.").split()
    return len(words) <= 3 and bool(_TOTALS.intersection(words))


def _mostly_filled(
    connection: duckdb.DuckDBPyConnection, table: StagedTable, places: Sequence[int], before: int
) -> bool:
    """Whether the rows before fill one of the columns."""
    shares = ", ".join(f"avg((coalesce(c{place}, '') <> '')::INT)" for place in places)
    found = connection.execute(
        f"SELECT {shares} FROM {table.relation} WHERE rowid < {before}"
    ).fetchall()[0]
    return any(share is not None and share >= MOSTLY for share in found)


def _adds_up(
    connection: duckdb.DuckDBPyConnection,
    table: StagedTable,
    row: Sequence[str | None],
    before: int,
) -> bool:
    """Whether a cell is the sum of those before in its column."""
    for place, text in enumerate(row):
        if not text:
            continue
        cells = connection.execute(
            f"SELECT c{place} FROM {table.relation} WHERE c{place} <> '' LIMIT 500"
        ).fetchall()
        reading = find_reading([cell for (cell,) in cells])
        if reading.decimal is None:
            continue
        value = number_value(f"c{place}", reading.decimal, reading.unit)
        total, said = connection.execute(
            f"SELECT sum({value}) FILTER (rowid < {before}), sum({value}) FILTER "
            f"(rowid = {before}) FROM {table.relation}"
        ).fetchall()[0]
        if total and said and abs(total - said) <= CLOSE * abs(total):
            return True
    return False


def _last_rows(
    connection: duckdb.DuckDBPyConnection, table: StagedTable
) -> list[tuple[int, *tuple[str | None, ...]]]:
    """The last rows with their numbers, the last first."""
    return connection.execute(
        f"SELECT rowid, {', '.join(_cells(table))} FROM {table.relation} "
        f"ORDER BY rowid DESC LIMIT {LOOKED_AT}"
    ).fetchall()


def _cells(table: StagedTable) -> list[str]:
    return [f"c{place}" for place in range(len(table.columns))]


def _rows(count: int) -> str:
    return "1 row is" if count == 1 else f"{count} rows are"


def _noted(table: StagedTable, said: Sequence[str], row: int, otherwise: str) -> StagedTable:
    notes = [
        Diagnostic("E0245", one, table.span(row), f"wrong? {otherwise}", severity="note")
        for one in said
    ]
    return replace(table, notes=(*table.notes, *notes))
