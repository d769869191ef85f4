"""Text files of tables: which encoding, separator and line ends,
and whether the first line names the columns.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.database import cells_of_line, display_name, open_binary
from workbench.errors import Diagnostic, Span
from workbench.tables.encodings import LONGEST_LINE, WINDOW, copy_as_utf8, scanned
from workbench.tables.headers import (
    LOOKED_AT,
    YEAR,
    find_header,
    left_out_above,
    over_two_rows,
    rows_above,
)
from workbench.tables.names import column_names

HEAD = 1 << 18
LINES = 200
SEPARATORS = ",;\t|"
_QUOTED = re.compile(r'"(?:[^"]|"")*"')
_OPENED = re.compile(r'(?:^|[,;\t|])[ \t]*"')
"""Where a quoted cell begins, in a text without whole ones: it goes on in the next line."""
BREAKS = 10
"""Lines of a row, at most: beyond, a quotation mark is taken for one that was never closed."""
_DECIMAL = re.compile(r"(?<=\d),(?=\d)")
_NUMBER = re.compile(r"[+-]?\d+([.,]\d+)?")


@dataclass(frozen=True)
class Delimited:
    """How a text file is to be read.

    Attributes
    ----------
    path : Path
        The file itself, or a copy in UTF-8 with plain line ends.
    names : tuple of str
        The columns, `column1`, `column2`, ... where the file names none.
    above : int
        Lines before the header's last, or before the first row where there is none.
    longest_line : int
        A bound on the bytes of a line.
    notes : tuple of Diagnostic
        What was found out and may be wrong.
    """

    path: Path
    separator: str
    encoding: str
    header: bool
    names: tuple[str, ...]
    above: int
    longest_line: int
    notes: tuple[Diagnostic, ...]


def read_form(
    path: Path, workplace: Path, *, separator: str | None, encoding: str | None, header: bool | None
) -> Delimited:
    """Find out how a text file is written; what is given is taken as given.

    A file that is not UTF-8, that ends lines as old Macs did, or whose header goes over several, is
    copied into `workplace` first.
    Cost: one pass over the file's bytes, and one more where it is copied.

    Raises E0209 for bytes of no known encoding and for NUL, E0211 for a file that cannot be read,
    E0232 for a column named twice.
    """
    name = display_name(path)
    scan = scanned(path, encoding)
    notes: list[Diagnostic] = []
    if encoding is None and scan.encoding not in ("utf-8", "utf-16"):
        said = f"not UTF-8 and is read as {scan.encoding} (Western European, as Windows writes it)"
        notes.append(_guess(name, f"{name} is {said}", 'encoding = "..."'))
    source = path
    if scan.encoding != "utf-8" or not scan.plain_ends:
        source = _copied(path, workplace, scan.encoding)
    head = _rows_whole(_head(source))
    if separator is not None and not any(separator in line for line in head):
        # Files of the same shape may be written otherwise: the mapping's separator is that of the
        # file it was made of.
        separator = None
    above = 0 if header is False else _lines_above(head, separator)
    lines = [line for line in head[above:] if line]
    ending = path.name.removesuffix(".gz").rsplit(".", 1)[-1].lower()
    if lines and separator is not None and separator not in lines[0]:
        separator = None
    chosen = separator or ("\t" if ending in ("tsv", "tab") else _separator(lines))
    cells: Sequence[str | None] = _cells(lines[0], chosen) if lines else []
    found = find_header(_rows(head[:LOOKED_AT], chosen)) if header is not False else None
    two = found is not None and found.rows == 2
    if found is not None and two:
        above, cells = found.above, found.cells
        notes.append(over_two_rows(name))
    if any(head[:above]):
        notes.append(left_out_above(name, above))
    named = two or (_is_header(lines, chosen) if header is None else header)
    if header is None and not named:
        said = (
            f"the first line of {name} holds numbers, so it is taken for a row: the columns "
            "are column1, column2, ..."
        )
        notes.append(_guess(name, said, "header = true"))
    line = lines[0] if lines and not two else None
    names = column_names(cells, name, line) if named and lines else _numbered(len(cells))
    longest = LONGEST_LINE if scan.long_lines else 2 * WINDOW
    if source == path and any("\n" in row for row in head[: above + 1]):
        # DuckDB takes the first line break, be it in a cell, for the end of all lines.
        source = _copied(path, workplace, scan.encoding)
    above += two
    return Delimited(source, chosen, scan.encoding, named, names, above, longest, tuple(notes))


def _copied(path: Path, workplace: Path, encoding: str) -> Path:
    """A copy in UTF-8 with plain line ends."""
    copy = workplace / f"{len(list(workplace.iterdir()))}.csv"
    copy_as_utf8(path, copy, encoding)
    return copy


def _guess(name: str, said: str, otherwise: str) -> Diagnostic:
    """A note on what was found out, and how to say it otherwise."""
    place = Span(name, 1, 1, 1, 1)
    return Diagnostic("E0245", said, place, f"wrong? say {otherwise}", severity="note")


def _lines_above(head: Sequence[str], separator: str | None) -> int:
    """How many lines stand above the header: empty ones, and titles."""
    filled = [line for line in head if line]
    # A title has no separators: those of the lines farther down tell which it is.
    chosen = separator or _separator(filled[len(filled) // 2 :])
    titles = rows_above(_rows(head[:LOOKED_AT], chosen))
    return titles or next((at for at, line in enumerate(head) if line), 0)


def _rows(lines: Sequence[str], separator: str) -> list[list[str]]:
    return [_cells(line, separator) if line else [] for line in lines]


def _head(path: Path) -> list[str]:
    """The first lines, whole ones only, of a file in UTF-8, empty ones among them."""
    with open_binary(path) as stream:
        data = stream.read(HEAD)
        if len(data) == HEAD:
            rest = b""
            while (
                b"\n" not in data + rest
                and len(rest) < LONGEST_LINE
                and (more := stream.read(WINDOW))
            ):
                rest += more
            data = (data + rest)[: (data + rest).rfind(b"\n") + 1] or data + rest
    text = data.decode("utf-8-sig", "replace")
    return [line.rstrip("\r") for line in text.split("\n")[:LINES]]


def _rows_whole(lines: Sequence[str]) -> list[str]:
    """Lines put together where a quoted cell goes over several."""
    found: list[str] = []
    at = 0
    while at < len(lines):
        ends = range(at + 1, min(at + BREAKS, len(lines)) + 1)
        joined = ("\n".join(lines[at:end]) for end in ends)
        row = next((one for one in joined if not _OPENED.search(_QUOTED.sub("", one))), lines[at])
        found.append(row)
        at += 1 + row.count("\n")
    return found


def _separator(lines: Sequence[str]) -> str:
    """The separator that most lines hold as often as the first does; of equals, one that is no
    decimal mark, and that is there more often.
    """
    bare = [_QUOTED.sub("", line) for line in lines]
    marks = all(line.count(",") == len(_DECIMAL.findall(line)) for line in bare)

    def fit(candidate: str) -> tuple[float, bool, int, bool]:
        first = bare[0].count(candidate) if bare else 0
        same = sum(line.count(candidate) == first for line in bare) / max(len(bare), 1)
        comma = candidate == ","
        return (round(same, 1) if first else 0.0, not (comma and marks), first, comma)

    return max(SEPARATORS, key=fit)


def _cells(line: str, separator: str) -> list[str]:
    return [" ".join(map(str.strip, cell.split("\n"))) for cell in cells_of_line(line, separator)]


def _is_header(lines: Sequence[str], separator: str) -> bool:
    """False where the first line looks like a row: a number stands where the column has numbers,
    and is no year.
    """
    if len(lines) < 2:
        return True
    first = _cells(lines[0], separator)
    numbers = [place for place, cell in enumerate(first) if _NUMBER.fullmatch(cell)]
    years = all(YEAR.fullmatch(first[place]) for place in numbers)
    below = [
        cells[place : place + 1]
        for cells in (_cells(line, separator) for line in lines[1:6])
        for place in numbers
    ]
    return not numbers or years or not any(cell and _NUMBER.fullmatch(cell[0]) for cell in below)


def _numbered(count: int) -> tuple[str, ...]:
    return tuple(f"column{place + 1}" for place in range(count))
