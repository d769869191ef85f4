"""What stands above the header of a table: a report's title, who made it, empty lines."""

from __future__ import annotations

import re
from collections.abc import Sequence
from statistics import median

from workbench.errors import Diagnostic, Span

_NUMBER = re.compile(r"[+-]?\d[\d.,]*")
LOOKED_AT = 50
"""Rows that are looked at."""
MOST_ABOVE = 20
FEWEST_COLUMNS = 3
"""Of tables of two columns a row with one cell may be the header."""


def rows_above(rows: Sequence[Sequence[str | None]]) -> int:
    """How many of the first rows are above the header: far fewer of their cells are filled than
    elsewhere.

    `rows`: the first `LOOKED_AT`, empty ones among them.
    """
    filled = [sum(bool(cell) for cell in row) for row in rows]
    typical = median([count for count in filled if count] or [0])
    if typical < FEWEST_COLUMNS:
        return 0
    header = next(at for at, count in enumerate(filled) if count > max(1, typical / 3))
    titles = [cell for row in rows[:header] for cell in row if cell]
    # A number alone is a row that says little, and no title.
    return header if header <= MOST_ABOVE and not any(map(_NUMBER.fullmatch, titles)) else 0


def left_out_above(name: str, above: int) -> Diagnostic:
    """A note that so many rows of a source are no part of its table."""
    said = "1 row above the header is" if above == 1 else f"{above} rows above the header are"
    return Diagnostic(
        "E0245",
        f"{said} left out of {name}",
        Span(name, 1, 1, 1, 1),
        "wrong? give each column a name in the first row",
        severity="note",
    )
