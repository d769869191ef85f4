"""Table files as DuckDB sees them: every column as text, and complaints at their line."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

import duckdb

from workbench.database.identifiers import quoted, text_literal
from workbench.database.outside import first_line, outside
from workbench.database.text_files import (
    FactSource,
    cells_of_line,
    chunks_of_lines,
    display_name,
    ending_of,
    line_reader,
)
from workbench.errors import Diagnostic, InputError, UsageError

TEXT_SUFFIXES = (".csv", ".tsv", ".tab")
PARQUET_SUFFIXES = (".parquet", ".pq")


@dataclass(frozen=True)
class TablePreview:
    """The head of a table file."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str | None, ...], ...]


def preview_table(
    source: str | os.PathLike[str], *, rows: int = 20, header: bool = True
) -> TablePreview:
    """The columns and first rows of a CSV, TSV or Parquet file, without loading it."""
    path = Path(source)
    place = FactSource(
        display_name(path), (lambda line: None) if is_parquet(path) else line_reader(path)
    )
    with outside() as reader:
        try:
            result = reader.execute(
                f"SELECT COLUMNS(*)::VARCHAR FROM {scan(path, header)} LIMIT {int(rows)}"
            )
            names = tuple(item[0] for item in result.description or ())
            return TablePreview(names, tuple(tuple(row) for row in result.fetchall()))
        except duckdb.Error as error:
            raise InputError((read_fault(error, place),)) from None


def is_parquet(path: Path) -> bool:
    """Whether a table file is Parquet, and not text.

    Raises E0211 for a file of another ending than tables have.
    """
    ending, packed = ending_of(path)
    if ending not in TEXT_SUFFIXES + PARQUET_SUFFIXES or (packed and ending in PARQUET_SUFFIXES):
        raise UsageError.of(
            "E0211",
            f"{display_name(path)} is none of the table files "
            f"{', '.join(TEXT_SUFFIXES + PARQUET_SUFFIXES)}",
            help="rename it, or load it as .db facts",
        )
    return ending in PARQUET_SUFFIXES


def scan(path: Path, header: bool) -> str:
    """The table function that reads a file with every column as text."""
    if is_parquet(path):
        return f"read_parquet({text_literal(path)})"
    longest, first_text, skipped, blank = 0, "", 0, True
    for first, text in chunks_of_lines(path):
        blank &= not text.strip()
        if not first_text:
            rest = _BLANK_LINES.sub("", text)
            skipped = first - 1 + len(text[: len(text) - len(rest)].splitlines())
            first_text = rest.split("\n", 1)[0]
        longest = max(longest, max(map(len, text.split("\n"))))
    if blank:
        return "(SELECT NULL::VARCHAR AS column0 WHERE false)"
    delimiter = (
        "\t"
        if ending_of(path)[0] in (".tsv", ".tab")
        else max(",;\t|", key=lambda c: (first_text.count(c), c == ","))
    )
    names = _column_names(first_text, delimiter, header)
    read = (
        f"read_csv({text_literal(path)}, auto_detect = false, skip = {skipped}, header = {header}, "
        f"delim = '{delimiter}', quote = '\"', escape = '\"', max_line_size = "
        f"{max(4 * longest + 64, 1 << 21)}, null_padding = false, "
        f"allow_quoted_nulls = {len(names) > 1}, columns = {{"
        + ", ".join(f"{text_literal(name)}: 'VARCHAR'" for name in names)
        + "})"
    )
    # A blank line is no row, as it is none of several columns.
    return read if len(names) > 1 else f"(FROM {read} WHERE {quoted(names[0])} IS NOT NULL)"


_BLANK_LINES = re.compile(r"\A(?: *(?:\r\n|\r|\n))+")
"""Those before the first line."""


def _column_names(first_text: str, delimiter: str, header: bool) -> list[str]:
    # A carriage return alone ends a line as well.
    cells = cells_of_line(first_text.split("\r")[0], delimiter)
    names: list[str] = []
    for position, cell in enumerate(cells):
        name = cell.strip() if header and cell.strip() else f"column{position}"
        while name.casefold() in {other.casefold() for other in names}:
            name += "_2"
        names.append(name)
    return names


def read_fault(error: duckdb.Error, source: FactSource) -> Diagnostic:
    """DuckDB's complaint about a file, at its line."""
    text = str(error)
    found = re.search(r"(?:on|at|in) [Ll]ine:? (\d+)", text) or re.search(r"LINE:? (\d+)", text)
    expected = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", text)
    message, help = first_line(error), None
    if expected:
        first, here = int(expected[1]), int(expected[2])
        more = " or more" if here > first else ""  # one too many, and the rest is not read
        message = f"cells in this line: {here}{more}, in the first: {first}"
        help = "put quotation marks around a cell that holds a separator, and give each line as "
        help += "many cells"
    if "unterminated quote" in text:
        message = "a quotation mark is opened in this line and not closed again"
    return source.diagnostic(
        "E0204" if expected else "E0211", message, int(found[1]) if found else None, help=help
    )


def numbered(scan: str, *, first: int) -> str:
    return (
        f"SELECT row_number() OVER () + {first - 1} AS line_number_, COLUMNS(*)::VARCHAR FROM "
        f"{scan}"
    )
