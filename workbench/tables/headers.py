"""What stands above the rows of a table: a report's title, empty lines, a header of one or two
rows.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from statistics import median

from workbench.errors import Diagnostic, Span
from workbench.tables.values import BLANKS, MORE_BLANKS

_NUMBER = re.compile(r"[+-]?\d[\d.,]*")
_FIGURES = re.compile(r"[+-]?\d[\d.,:/\s%-]*")
YEAR = re.compile(r"(1[5-9]|20|21)\d\d")
LOOKED_AT = 50
"""Rows that are looked at."""
MOST_ABOVE = 20
FEWEST_COLUMNS = 3
"""Of tables of two columns a row with one cell may be the header."""
FEWEST_ROWS = 2
LONGEST_UNIT = 15

Cells = Sequence[str | None]


@dataclass(frozen=True)
class Header:
    """Where a table's header stands, and what its columns are called.

    Attributes
    ----------
    above : int
        Rows before the header.
    rows : int
        Rows of the header, 1 or 2.
    cells : tuple of str or None
    """

    above: int
    rows: int
    cells: tuple[str | None, ...]


def find_header(rows: Sequence[Cells]) -> Header:
    """The header among the first `LOOKED_AT` rows, empty ones among them.

    One over two rows is told by cells that stand over several others, by names that stand more than
    once, or by texts such as units over columns of numbers.
    """
    above = rows_above(rows)
    first, *rest = rows[above:] or [()]
    if above and _names_groups(rows[above - 1], first):
        return Header(above - 1, 2, _joined(rows[above - 1], first))
    if rest and _goes_on(first, rest[0], rest[1:]):
        return Header(above, 2, _joined(first, rest[0]))
    return Header(above, 1, tuple(first))


def rows_above(rows: Sequence[Cells]) -> int:
    """How many of the first rows are above the header: far fewer of their cells are filled than
    elsewhere.
    """
    filled = [sum(bool(cell) for cell in row) for row in rows]
    typical = median([count for count in filled if count] or [0])
    if typical < FEWEST_COLUMNS:
        return 0
    header = next(at for at, count in enumerate(filled) if count > max(1, typical / 3))
    titles = [cell for row in rows[:header] for cell in row if cell]
    # A number alone is a row that says little, and no title.
    numbers = any(_NUMBER.fullmatch(title) and not YEAR.fullmatch(title) for title in titles)
    return header if header <= MOST_ABOVE and not numbers else 0


def _names_groups(groups: Cells, names: Cells) -> bool:
    """Whether a sparse row above the names of columns says what several of them are of."""
    filled = [name for name in names if name]
    under = any(group and name in (None, "", group) for group, name in zip_longest(groups, names))
    return any(groups) and (under or len(set(filled)) < len(filled))


def _goes_on(first: Cells, second: Cells, below: Sequence[Cells]) -> bool:
    """Whether the row below a header is one of it, too, and none of the table's."""
    width = max(map(len, (first, second, *below)), default=0)
    upper = _wide(first, width)
    lower = [cell if cell != above else None for cell, above in zip(_wide(second, width), upper)]
    columns = [[row[place] or "" for row in below if row[place:] and row[place]]
               for place in range(width)]  # fmt: skip
    figures = [len(column) >= FEWEST_ROWS and all(map(_FIGURES.fullmatch, column))
               for column in columns]  # fmt: skip
    # Over numbers stand texts: a row of the table would have a number there.
    told = [cell for cell, numbers in zip(lower, figures) if cell and numbers]
    said = [cell for cell in lower if cell and _FIGURES.fullmatch(cell)]
    if any(cell in BLANKS + MORE_BLANKS for cell in told):
        return False
    if all(above or not cell for above, cell in zip(upper, lower)):
        short = all(len(cell or "") <= LONGEST_UNIT for cell in lower)
        return len(told) >= FEWEST_COLUMNS - 1 and not said and short
    half = len(below) / 2
    places = list(zip(upper, lower, columns))
    named = all(above or cell or len(column) <= half for above, cell, column in places)
    under = any(above and not cell and len(column) > half for above, cell, column in places)
    years = all(map(YEAR.fullmatch, said))
    return any(upper) and named and ((bool(told) and not said) or (under and years))


def _joined(groups: Cells, names: Cells) -> tuple[str | None, ...]:
    """The names of columns, behind what stands over them; a cell stands over the empty ones behind
    it, too.
    """
    found: list[str | None] = []
    group: str | None = None
    for above, name in zip_longest(groups, names):
        group = above or (group if name else None)
        found.append(" ".join(dict.fromkeys(filter(None, (group, name)))) or None)
    return tuple(found)


def _wide(row: Cells, width: int) -> tuple[str | None, ...]:
    return (*(cell or None for cell in row), *(None,) * (width - len(row)))


def left_out_above(name: str, above: int) -> Diagnostic:
    """A note that so many rows of a source are no part of its table."""
    said = "1 row above the header is" if above == 1 else f"{above} rows above the header are"
    return _note(name, f"{said} left out of {name}", "give each column a name in the first row")


def over_two_rows(name: str) -> Diagnostic:
    """A note that the names of columns stand in two rows."""
    said = f"the columns of {name} are called by two rows, a group's name before each of its own"
    return _note(name, said, "put their names into one row")


def _note(name: str, said: str, otherwise: str) -> Diagnostic:
    place = Span(name, 1, 1, 1, 1)
    return Diagnostic("E0245", said, place, f"wrong? {otherwise}", severity="note")
