"""Sheets of Excel workbooks, read by openpyxl:
DuckDB's own reader is an extension that may not be at hand.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import date, datetime, time
from itertools import chain, islice
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import pyarrow

from workbench.database import display_name
from workbench.errors import InputError
from workbench.tables.headers import LOOKED_AT, rows_above

ROWS_PER_BATCH = 50_000


def _open(path: Path) -> Any:
    from openpyxl import load_workbook
    from openpyxl.utils.exceptions import InvalidFileException

    try:
        return load_workbook(path, read_only=True, data_only=True)
    except (OSError, KeyError, ValueError, BadZipFile, InvalidFileException) as error:
        raise InputError.of(
            "E0211",
            f"{display_name(path)} cannot be read as an Excel workbook: {error}",
            help="save it as .xlsx",
        ) from None


def sheet_names(path: Path) -> tuple[str, ...]:
    """The sheets of a workbook that hold more than a header, in order;
    all of them where none does.
    """
    with closing(_open(path)) as book:
        names = [sheet.title for sheet in book.worksheets]
        filled = [name for name in names if len(list(islice(_rows(book[name]), 2))) == 2]
    return tuple(filled or names)


def sheet_batches(
    path: Path, sheet: str
) -> Iterator[tuple[int, tuple[str | None, ...], pyarrow.Table | None]]:
    """The header of a sheet and its rows as text, a batch at a time.

    Raises E0211 for a workbook that cannot be read or has no such sheet.

    Yields
    ------
    above : int
        Rows before the header.
    header : tuple of str or None
        The same each time; as wide as the widest row.
    batch : pyarrow.Table or None
        Columns `c0`, `c1`, ... of text; None once, for a sheet without rows.
    """
    with closing(_open(path)) as book:
        if sheet not in book.sheetnames:
            raise InputError.of(
                "E0211",
                f"{display_name(path)} has no sheet {sheet}",
                help=f"its sheets are {', '.join(book.sheetnames)}",
            )
        rows = _rows(book[sheet])
        first = list(islice(rows, LOOKED_AT))
        above = rows_above(first)
        rows = chain(first[above:], rows)
        header = next(rows, ())
        width = len(header)
        while batch := list(islice(rows, ROWS_PER_BATCH)):
            width = max(width, *map(len, batch))
            columns = [
                pyarrow.array(
                    [row[place] if place < len(row) else None for row in batch], pyarrow.string()
                )
                for place in range(width)
            ]
            table = pyarrow.table(columns, names=[f"c{place}" for place in range(width)])
            yield above, header + (None,) * (width - len(header)), table
        yield above, header + (None,) * (width - len(header)), None


def _rows(sheet: Any) -> Iterator[tuple[str | None, ...]]:
    """Rows as text, without the empty cells at their ends and the empty rows at the sheet's end."""
    held = 0
    for row in sheet.iter_rows(values_only=True):
        cells = [_text(cell) for cell in row]
        while cells and cells[-1] is None:
            cells.pop()
        if not cells:
            held += 1
            continue
        yield from ((),) * held
        held = 0
        yield tuple(cells)


def _text(cell: object) -> str | None:
    """A cell as other files would hold it: dates as ISO writes them,
    whole numbers without a fraction.
    """
    if cell is None or cell == "":
        return None
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 1e15:
        return str(int(cell))
    if isinstance(cell, datetime):
        return cell.date().isoformat() if cell.time() == time() else cell.isoformat(" ")
    if isinstance(cell, date | time):
        return cell.isoformat()
    return str(cell)
