"""The rows of staged tables as records: columns of one name side by side,
each cell a code into its column's texts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow
import pyarrow.compute as pc

from workbench.arrays import Array, Int32
from workbench.database import arrow_column
from workbench.database.arrow_columns import integers
from workbench.tables.measures import DIGITS as FRACTION
from workbench.tables.measures import size_of
from workbench.tables.one_scale import in_one_scale
from workbench.tables.pair_conditions import raw_cell
from workbench.tables.profile import ColumnCounts, TableCounts, count_table
from workbench.tables.readings import Reading
from workbench.tables.staged import StagedTable, Staging
from workbench.tables.values import date_value, is_blank, number_value

MOSTLY = 0.6
MOSTLY_CODES = 0.9
DIGITS = 7
"""Of fewer digits a whole number may be a measure."""
SPELLED = {"ß": "ss", "ø": "o", "ł": "l", "đ": "d", "æ": "ae", "œ": "oe"}
"""Letters that are no others with accents, as they are written without."""


@dataclass(frozen=True)
class RecordColumn:
    """One column of all records.

    Attributes
    ----------
    kind : {'date', 'number', 'text'}
        What most cells are. Dates are texts `2020-01-31` where they can be read and as written
        where not.
    texts : list of str
        The different cells: lower case, without accents and punctuation; dates and numbers in one
        form.
    codes : int32 array, shape (n_records,)
        Of each record, the place in `texts`; -1 where nothing is known.
    readings : tuple of Reading
        How the cells of each table are read.
    """

    name: str
    kind: str
    texts: list[str]
    codes: Int32
    readings: tuple[Reading, ...] = ()


@dataclass(frozen=True)
class Records:
    """The records of one or two sources, one source after the other.

    Attributes
    ----------
    sources : tuple of str
        Names of the tables.
    source : int32 array, shape (n_records,)
        Which of them a record is of.
    ids : object array, shape (n_records,)
        Texts that tell the records of a source apart.
    id_column : str or None
        Where they stand; None where they are row numbers.
    """

    sources: tuple[str, ...]
    source: Int32
    ids: Array
    id_column: str | None
    columns: tuple[RecordColumn, ...]

    def __len__(self) -> int:
        return len(self.source)


def read_records(
    staging: Staging,
    tables: Sequence[StagedTable],
    names: Sequence[Sequence[str]],
    id_columns: Sequence[str | None],
) -> Records:
    """Read columns of staged tables.

    Parameters
    ----------
    names : sequence of sequences of str
        The columns to be compared: of each, its name in every table.
    id_columns : sequence of (str or None)
        Of each table the column with the records' names; None takes the rows' numbers.
    """
    counted = [count_table(staging, table) for table in tables]
    columns = tuple(_column(staging, counted, of_tables) for of_tables in names)
    source = np.repeat(np.arange(len(tables), dtype=np.int32), [table.rows for table in tables])
    ids = [read_ids(staging, table, name) for table, name in zip(tables, id_columns)]
    return Records(
        tuple(table.name for table in tables), source, np.concatenate(ids), id_columns[0], columns
    )


def read_ids(staging: Staging, table: StagedTable, name: str | None) -> Array:
    """The texts that records are called by: a column's cells, or the rows' numbers from 1."""
    if name is None:
        return np.array([str(row + 1) for row in range(table.rows)], object)
    return np.array(_in_order(staging, table, [table.cell(name)])[0].to_pylist(), object)


def _in_order(
    staging: Staging, table: StagedTable, cells: Sequence[str]
) -> list[pyarrow.ChunkedArray]:
    """Cells of columns in the order of the rows: batches of large tables come in any order."""
    named = ", ".join(f"{cell} AS x{place}" for place, cell in enumerate(cells))
    with staging.record_batches(f"SELECT rowid AS row, {named} FROM {table.relation}") as batches:
        found = batches.read_all()
    if found.num_rows > 1:
        rows = np.concatenate([integers(chunk) for chunk in found.column(0).chunks])
        if not (rows[1:] > rows[:-1]).all():
            found = found.take(arrow_column(np.argsort(rows)))
    return list(found.columns[1:])


def _column(staging: Staging, counted: Sequence[TableCounts], names: Sequence[str]) -> RecordColumn:
    found = [table.by_name[name] for table, name in zip(counted, names)]
    readings = tuple(column.reading for column in found)
    kind = kind_of(found)
    if kind == "number" and any(
        _of_one_length(staging, table.table, column) for table, column in zip(counted, found)
    ):
        kind = "text"
    tables = [table.table for table in counted]
    if kind == "number":
        readings = in_one_scale(staging, tables, found)
    return _read_column(staging, tables, names, kind, readings)


def read_columns(
    staging: Staging, table: StagedTable, wanted: Sequence[tuple[str, str, str, Reading]]
) -> dict[str, RecordColumn]:
    """Columns of a table in one look at it: of each what it is to be called, its name there, its
    kind and reading.

    Of kind `cell` it is as it is written.
    """
    if not wanted:
        return {}
    cells = _in_order(
        staging,
        table,
        [_cell(table.cell(name), reading, kind) for _, name, kind, reading in wanted],
    )
    return {
        called: _encoded_column(called, kind, found.chunks, (reading,))
        for (called, _, kind, reading), found in zip(wanted, cells)
    }


def _read_column(
    staging: Staging,
    tables: Sequence[StagedTable],
    names: Sequence[str],
    kind: str,
    readings: Sequence[Reading],
) -> RecordColumn:
    """One column of tables, of a kind and way of reading that are known."""
    chunks = []
    for table, name, reading in zip(tables, names, readings):
        chunks += _in_order(staging, table, [_cell(table.cell(name), reading, kind)])[0].chunks
    return _encoded_column(names[0], kind, chunks, tuple(readings))


def _encoded_column(
    name: str, kind: str, chunks: Sequence[pyarrow.Array], readings: tuple[Reading, ...]
) -> RecordColumn:
    cells = pyarrow.chunked_array(chunks, type=pyarrow.string())
    texts, codes = _encoded(cells, plain=kind == "text")
    return RecordColumn(name, kind, texts, codes, readings)


def kind_of(columns: Sequence[ColumnCounts]) -> str:
    """What most cells of a column are that stands in one or two tables: `RecordColumn.kind`."""
    filled = [column for column in columns if column.filled]
    if filled and all(
        column.dates >= MOSTLY * column.filled and column.reading.format for column in filled
    ):
        return "date"
    if filled and all(
        column.numbers >= 0.95 * column.filled and not _are_codes(column) for column in filled
    ):
        return "number"
    return "text"


def _of_one_length(staging: Staging, table: StagedTable, column: ColumnCounts) -> bool:
    """Whether nearly all cells are long whole numbers of as many digits: registers' numbers, some
    of them mistyped.
    """
    if column.whole < MOSTLY_CODES * column.filled or (column.high or 0) < 10 ** (DIGITS - 1):
        return False
    cell = table.cell(column.name)
    filled = f"NOT {is_blank(cell, column.reading.blanks)}"
    ((length, share),) = staging.rows(
        f"SELECT length, number / sum(number) OVER () FROM (SELECT strlen({cell}) AS length, "
        f"count(*) AS number FROM {table.relation} WHERE {filled} GROUP BY 1) "
        "ORDER BY number DESC LIMIT 1"
    )
    return int(str(length)) >= DIGITS and float(str(share)) >= MOSTLY_CODES


def _are_codes(column: ColumnCounts) -> bool:
    """Whether digits tell things apart and measure nothing: article numbers, telephones."""
    long = column.whole == column.filled and (column.low or 0) >= 10**6
    return bool(column.leading_zeros) or (long and (column.high or 0) >= 10**8)


def _cell(cell: str, reading: Reading, kind: str) -> str:
    """A cell as text in the one form of its kind; NULL where nothing is known."""
    if kind == "cell":
        return raw_cell(cell)
    value = f"lower({cell})"
    if kind == "date" and reading.format:
        value = f"coalesce(strftime({date_value(cell, reading.format)}, '%Y-%m-%d'), {value})"
    elif kind == "number":
        # Two files may write one thing in two units of its scale.
        number = number_value(cell, reading.decimal or ".", reading.unit)
        size = size_of(reading.unit or "")
        value = f"({number if size == 1.0 else f'round({number} * {size!r}, {FRACTION})'})::VARCHAR"
    return f"CASE WHEN NOT {is_blank(cell, reading.blanks)} THEN {value} END"


def _encoded(cells: pyarrow.ChunkedArray, *, plain: bool) -> tuple[list[str], Int32]:
    """Cells as codes into their different texts; `plain` keeps letters and digits only."""
    raw = pc.dictionary_encode(cells, null_encoding="encode").combine_chunks()
    if isinstance(raw, pyarrow.ChunkedArray):
        raw = raw.chunk(0)
    values = raw.dictionary
    if plain:
        values = pc.replace_substring_regex(pc.utf8_normalize(values, form="NFKD"), r"\p{Mn}+", "")
        for letter, spelled in SPELLED.items():
            values = pc.replace_substring(values, letter, spelled)
        values = pc.utf8_trim_whitespace(pc.replace_substring_regex(values, r"[^\p{L}\p{N}]+", " "))
    again = pc.dictionary_encode(values, null_encoding="encode")
    texts = again.dictionary.to_pylist()
    there = np.array([bool(text) for text in texts], np.bool_)
    code = np.where(there, np.cumsum(there) - 1, -1).astype(np.int32)
    return list(filter(None, texts)), code[integers(again.indices)[integers(raw.indices)]]
