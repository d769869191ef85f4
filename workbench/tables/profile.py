"""What a table's columns hold: a look at a sample to choose how cells are read,
then one pass over all rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.tables.epochs import reading_of
from workbench.tables.readings import Reading, agreed
from workbench.tables.staged import StagedTable, Staging
from workbench.tables.values import (
    BLANKS,
    EPOCHS,
    MORE_BLANKS,
    date_value,
    is_blank,
    number_value,
    truth_value,
)

SAMPLE = 500
FEW = 64
NEARLY_UNIQUE = 0.9
COLUMNS_A_QUERY = 6


@dataclass(frozen=True)
class ColumnCounts:
    """One column in numbers; all are counts of rows unless said otherwise.

    Attributes
    ----------
    reading : Reading
        The way of reading that most cells of a sample follow.
    blanks : int
        Cells that say nothing.
    filled : int
        All others: the next counts are of these.
    distinct : int
        Different texts: exact where they are few or nearly as many as rows, else within some
        percents.
    numbers, whole, dates, truths : int
        Cells that the reading takes for a number, a whole number, a date, a yes or no.
    leading_zeros : int
        Cells such as 0123 and +4970012, which are codes and no numbers.
    pointed : int
        Cells such as 12.0, which end in a point and a zero.
    spaced, long : int
        Cells with a space in them; cells of more than 40 characters.
    low, high : float or None
        The smallest and largest number.
    values : tuple of (str, int)
        The commonest texts with their counts, where they are at most `FEW`; else empty.
    """

    name: str
    reading: Reading
    blanks: int
    filled: int
    distinct: int
    numbers: int
    whole: int
    dates: int
    truths: int
    leading_zeros: int
    pointed: int
    spaced: int
    long: int
    low: float | None
    high: float | None
    values: tuple[tuple[str, int], ...]

    @property
    def unique(self) -> bool:
        """Whether no text occurs twice."""
        return self.filled > 0 and self.distinct == self.filled


@dataclass(frozen=True)
class TableCounts:
    """The columns of a staged table in numbers; `different` are its rows, those that repeat another
    left out.

    Repeated rows are counted only where no column tells all rows apart and one nearly does.
    """

    table: StagedTable
    columns: tuple[ColumnCounts, ...]
    different: int

    @property
    def by_name(self) -> Mapping[str, ColumnCounts]:
        return {column.name: column for column in self.columns}


def count_table(staging: Staging, table: StagedTable) -> TableCounts:
    """Count a table's columns: a sample to choose how they are read, one pass over all rows, exact
    counts of different values where they matter.

    Cost: one scan of the table with a dozen aggregates a column.
    """
    readings = readings_of(staging, table)
    counted = _counted(staging, table, readings)
    exact = _exact_distinct(staging, table, readings, counted)
    columns = []
    for name, row in counted.items():
        filled = int(row["filled"])
        distinct = exact.get(name, min(int(row["distinct"]), filled))
        values = (
            _values(staging, table, table.cell(name), readings[name]) if 0 < distinct <= FEW else ()
        )
        whole = {
            key: int(row[key])
            for key in _COUNTS
            if key not in ("distinct", "filled", "low", "high")
        }
        columns.append(
            ColumnCounts(
                name=name,
                reading=readings[name],
                filled=filled,
                distinct=distinct,
                low=row["low"],
                high=row["high"],
                values=values,
                **whole,
            )
        )
    return TableCounts(table, tuple(columns), _different_rows(staging, table, columns))


def _different_rows(staging: Staging, table: StagedTable, columns: Sequence[ColumnCounts]) -> int:
    most = max((column.distinct for column in columns), default=0)
    if not NEARLY_UNIQUE * table.rows <= most < table.rows:
        return table.rows
    cells = ", ".join(map(table.cell, table.columns))
    return int(
        str(
            staging.rows(f"SELECT count(*) FROM (SELECT DISTINCT {cells} FROM {table.relation})")[
                0
            ][0]
        )
    )


def readings_of(staging: Staging, table: StagedTable) -> dict[str, Reading]:
    """The way to read each column, told by cells of rows spread evenly over the table."""
    found = {}
    step = max(1, table.rows // SAMPLE)
    rows = staging.rows(
        f"SELECT * FROM {table.relation} WHERE rowid % {step} = 0 LIMIT {2 * SAMPLE}"
    )
    for place, column in enumerate(table.columns):
        cells = [str(row[place]) for row in rows if row[place] is not None]
        if all(cell in BLANKS + MORE_BLANKS for cell in cells):
            cells = _filled_cells(staging, table.relation, table.cell(column))
        found[column] = reading_of(column, cells)
    return agreed(found, table.source.separator)


def _filled_cells(staging: Staging, relation: str, cell: str) -> list[str]:
    """The first cells that say something, of a column that says little."""
    blank = is_blank(cell, BLANKS + MORE_BLANKS)
    return [
        str(text)
        for (text,) in staging.rows(
            f"SELECT {cell} FROM {relation} WHERE NOT {blank} LIMIT {SAMPLE}"
        )
    ]


_COUNTS = (
    "blanks filled distinct numbers whole dates truths leading_zeros pointed spaced long low "
    "high".split()
)


def _counted(
    staging: Staging, table: StagedTable, readings: Mapping[str, Reading]
) -> dict[str, dict[str, Any]]:
    """The one pass over all rows: every column is read once.

    A few columns a query: the time that DuckDB takes to plan one grows with the square of its
    aggregates, and each count of different texts takes megabytes at once.
    """
    found = {}
    for start in range(0, len(table.columns), COLUMNS_A_QUERY):
        columns = table.columns[start : start + COLUMNS_A_QUERY]
        cells = [
            sql
            for n, column in enumerate(columns)
            for sql in _read_cells(n, table.cell(column), readings[column])
        ]
        wanted = ", ".join(
            aggregate for number in range(len(columns)) for aggregate in _aggregates(number)
        )
        row = staging.rows(
            f"SELECT {wanted} FROM (SELECT {', '.join(cells)} FROM {table.relation})"
        )[0]
        width = len(_COUNTS)
        for place, column in enumerate(columns):
            found[column] = dict(zip(_COUNTS, row[place * width : (place + 1) * width]))
    return found


def _read_cells(number: int, cell: str, reading: Reading) -> list[str]:
    """A cell's text where it says something, and what it says as a number, a date,
    and yes or no.
    """
    text = f"CASE WHEN NOT {is_blank(cell, reading.blanks)} THEN {cell} END"
    if reading.format in EPOCHS:
        cell = text  # Among these 0 may be a word for nothing, and is a number all the same.
    as_number = (
        number_value(cell, reading.decimal, reading.unit) if reading.decimal else "NULL::DOUBLE"
    )
    as_date = date_value(cell, reading.format) if reading.format else "NULL"
    as_truth = truth_value(cell, reading.yes, reading.no) if reading.yes else "NULL"
    return [
        f"{text} AS x{number}",
        f"{as_number} AS n{number}",
        f"{as_date} AS d{number}",
        f"{as_truth} AS b{number}",
    ]


def _aggregates(number: int) -> list[str]:
    x, n, d, b = (f"{kind}{number}" for kind in "xndb")
    return [
        f"count(*) - count({x})",
        f"count({x})",
        f"approx_count_distinct({x})",
        f"count({n})",
        f"count(*) FILTER ({n} = floor({n}))",
        f"count({d})",
        f"count({b})",
        f"count(*) FILTER (({x} >= '00' AND {x} < '0:') "
        f"OR ({x} >= '+1' AND {x} < '+:' AND strlen({x}) > 7))",
        f"count(*) FILTER (suffix({x}, '.0'))",
        f"count(*) FILTER (contains({x}, ' '))",
        f"count(*) FILTER (strlen({x}) > 40)",
        f"min({n})",
        f"max({n})",
    ]


def _exact_distinct(
    staging: Staging,
    table: StagedTable,
    readings: Mapping[str, Reading],
    counted: Mapping[str, Mapping[str, Any]],
) -> dict[str, int]:
    """Exact counts of different texts, where they are few (categories) or many (keys)."""
    close = [
        name
        for name, row in counted.items()
        if row["filled"] and (row["distinct"] <= 2 * FEW or row["distinct"] >= 0.8 * row["filled"])
    ]
    found: dict[str, int] = {}
    for start in range(0, len(close), COLUMNS_A_QUERY):
        columns = close[start : start + COLUMNS_A_QUERY]
        wanted = ", ".join(
            f"count(DISTINCT {table.cell(name)}) FILTER (NOT "
            f"{is_blank(table.cell(name), readings[name].blanks)})"
            for name in columns
        )
        row = staging.rows(f"SELECT {wanted} FROM {table.relation}")[0]
        found |= {name: int(str(count)) for name, count in zip(columns, row)}
    return found


def _values(
    staging: Staging, table: StagedTable, cell: str, reading: Reading
) -> tuple[tuple[str, int], ...]:
    rows = staging.rows(
        f"SELECT {cell}, count(*) FROM {table.relation} WHERE NOT {is_blank(cell, reading.blanks)} "
        f"GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT {FEW}"
    )
    return tuple((str(text), int(str(count))) for text, count in rows)
