"""Sheets of Excel workbooks, read by openpyxl:
DuckDB's own reader is an extension that may not be at hand.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import date, datetime, time
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

from workbench.database import display_name
from workbench.errors import InputError
from workbench.tables.headers import LOOKED_AT, Header, find_header

if TYPE_CHECKING:
    import pyarrow

ROWS_PER_BATCH = 50_000
_LONGEST_REFERENCE = 60
_MERGED = re.compile(rb'<(?:\w+:)?mergeCell ref="([A-Z]+)(\d+):[A-Z]+(\d+)"')


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
        filled = [name for name in names if len(list(islice(_rows(book[name], {}), 2))) == 2]
    return tuple(filled or names)


def sheet_batches(path: Path, sheet: str) -> Iterator[tuple[Header, pyarrow.Table | None]]:
    """The header of a sheet and its rows as text, a batch at a time.

    Raises E0211 for a workbook that cannot be read or has no such sheet.

    Yields
    ------
    header : Header
        The same each time, but that it is as wide as the widest row.
    batch : pyarrow.Table or None
        Columns `c0`, `c1`, ... of text; None once, for a sheet without rows.
    """
    import pyarrow

    with closing(_open(path)) as book:
        if sheet not in book.sheetnames:
            raise InputError.of(
                "E0211",
                f"{display_name(path)} has no sheet {sheet}",
                help=f"its sheets are {', '.join(book.sheetnames)}",
            )
        rows = _rows(book[sheet], _merged(book[sheet]))
        first = list(islice(rows, LOOKED_AT))
        header = find_header(first)
        rows = chain(first[header.above + header.rows :], rows)
        while batch := list(islice(rows, ROWS_PER_BATCH)):
            header = _as_wide(header, max(map(len, batch)))
            width = len(header.cells)
            columns = [
                pyarrow.array(
                    [row[place] if place < len(row) else None for row in batch], pyarrow.string()
                )
                for place in range(width)
            ]
            table = pyarrow.table(columns, names=[f"c{place}" for place in range(width)])
            yield header, table
        yield header, None


def _as_wide(header: Header, width: int) -> Header:
    more = (None,) * (width - len(header.cells))
    return replace(header, cells=(*header.cells, *more))


def _rows(
    sheet: Any, merged: Mapping[int, Sequence[tuple[int, int]]]
) -> Iterator[tuple[str | None, ...]]:
    """Rows as text, without the empty cells at their ends and the empty rows at the sheet's end;
    cells that are merged over several rows stand in each.
    """
    # What a file says of its size may be wrong, and cells would be left out.
    sheet.reset_dimensions()
    held = 0
    over: dict[int, tuple[int, str | None]] = {}
    for number, row in enumerate(sheet.iter_rows(values_only=True), 1):
        cells = [_text(cell) for cell in row]
        for place, last in merged.get(number, ()):
            over[place] = (last, cells[place] if place < len(cells) else None)
        for place, (last, text) in over.items():
            if number <= last:
                cells += [None] * (place + 1 - len(cells))
                cells[place] = text
        while cells and cells[-1] is None:
            cells.pop()
        if not cells:
            held += 1
            continue
        yield from ((),) * held
        held = 0
        yield tuple(cells)


def _merged(sheet: Any) -> Mapping[int, list[tuple[int, int]]]:
    """Of each row the columns in which cells are merged from it on, each with the last row.

    openpyxl tells them only of workbooks that it reads into memory as a whole.
    """
    from openpyxl.utils import column_index_from_string

    found: dict[int, list[tuple[int, int]]] = {}
    rest = b""
    with sheet._get_source() as source:
        while more := source.read(1 << 20):
            text, end = rest + more, 0
            for one in _MERGED.finditer(text):
                first, last, end = int(one[2]), int(one[3]), one.end()
                if last > first:
                    place = column_index_from_string(one[1].decode()) - 1
                    found.setdefault(first, []).append((place, last))
            rest = text[max(end, len(text) - _LONGEST_REFERENCE) :]
    return found


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
