"""Columns of two files that mean the same under different names: told by what they hold.

A column is the words of its cells, and how many digits and letters these have, whatever stands
between. Of two files columns are taken together that are each other's most alike by both, and much
more so than any other.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import log2, sqrt
from typing import Any

import numpy as np

from workbench.arrays import Float
from workbench.errors import Diagnostic
from workbench.tables import StagedTable, Staging
from workbench.tables.names import words
from workbench.tables.profile import count_table
from workbench.tables.records import RecordColumn, kind_of, read_columns

SAMPLE = 5000
ALIKE = 0.24
"""Of columns that mean the same, at least."""
BEYOND = 0.08
"""More alike than either is with any other column."""
SOME = 0.01
"""Words in common, of columns that do not hold long numbers."""
DIGITS = 5
CELLS = 0.5
"""What cells of as many letters and digits count for beside common words; names add as much."""
LAST_DIGITS = 7
"""Of a long number, however it is written and whatever country stands before it."""
_WORD = re.compile(r"[^\W\d_]+|\d+")


def alike_columns(
    staging: Staging, tables: Sequence[StagedTable], taken: Sequence[Collection[str | None]]
) -> list[list[str]]:
    """Of two tables the columns that hold the like, each by its names, of those that are not taken.

    Parameters
    ----------
    taken : two collections of str
        Of each table the columns that need no like, or have it.
    """
    held = [
        _columns(staging, table, [name for name in table.columns if name not in others])
        for table, others in zip(tables, taken)
    ]
    if not all(held):
        return []
    alike = np.array([[_alike(one, other) for other in held[1]] for one in held[0]])
    return [[held[0][one].name, held[1][other].name] for one, other in _each_others_most(alike)]


def about_alike(tables: Sequence[StagedTable], alike: Sequence[Sequence[str]]) -> list[Diagnostic]:
    """That columns of other names are compared."""
    if not alike:
        return []
    one, other = (table.source.shown for table in tables)
    return [
        Diagnostic.warning(
            "E0693",
            f"columns of {one} are compared with columns of {other} that have other names and hold "
            f"the like: {', '.join(' with '.join(names) for names in alike)}",
            help="call columns that mean the same by one name in both files, and others not",
        )
    ]


@dataclass(frozen=True)
class _Held:
    """How often each word stands in a column, and cells of so many digits and letters."""

    name: str
    words: Mapping[str, int]
    cells: Mapping[tuple[int, int], int]

    @property
    def of_digits(self) -> bool:
        """Whether most cells are long numbers, which two files may have none of in common."""
        long = sum(number for (digits, _), number in self.cells.items() if digits >= _size(DIGITS))
        return 2 * long > sum(self.cells.values())


def _columns(staging: Staging, table: StagedTable, names: Sequence[str]) -> list[_Held]:
    counted = count_table(staging, table).by_name
    wanted = [
        (name, name, kind_of([counted[name]]), counted[name].reading)
        for name in names
        if counted[name].filled
    ]
    return [_held(column) for column in read_columns(staging, table, wanted).values()]


def _held(column: RecordColumn) -> _Held:
    there = column.codes[column.codes >= 0]
    counts = np.bincount(there[:: max(1, len(there) // SAMPLE)], minlength=len(column.texts))
    said, cells = Counter[str](), Counter[tuple[int, int]]()
    for place in np.flatnonzero(counts):
        text, number = column.texts[place].removesuffix(".0"), int(counts[place])
        digits = "".join(filter(str.isdigit, text))
        of_cell = set(_WORD.findall(text))
        if column.kind == "number":
            of_cell.add(_magnitude(text))
        if len(digits) >= LAST_DIGITS:
            of_cell.add(digits[-LAST_DIGITS:])
        for word in of_cell:
            said[word] += number
        letters = sum(map(str.isalpha, text))
        cells[_size(len(digits)), _size(letters)] += number
    return _Held(column.name, said, cells)


def _magnitude(text: str) -> str:
    """A number to a fifth of it."""
    try:
        return f"about {round(4.0 * log2(1.0 + abs(float(text))))}"
    except ValueError:
        return ""


def _size(number: int) -> int:
    """In steps that grow with it."""
    return round(2.0 * sqrt(number))


def _alike(one: _Held, other: _Held) -> float:
    words_alike = _overlap(one.words, other.words)
    if words_alike < SOME and not (one.of_digits and other.of_digits):
        return 0.0
    more = _overlap(one.cells, other.cells) + _named_alike(one.name, other.name)
    return (words_alike + CELLS * more) / (1.0 + 2.0 * CELLS)


def _overlap(one: Mapping[Any, int], other: Mapping[Any, int]) -> float:
    """The Bhattacharyya coefficient of two counts."""
    shared = sum(sqrt(number * other[key]) for key, number in one.items() if key in other)
    return shared / max(sqrt(sum(one.values()) * sum(other.values())), 1e-9)


def _named_alike(one: str, other: str) -> float:
    """How many letters in threes, or initials, two names share."""
    left, right = words(one), words(other)
    for short, long in ((left, right), (right, left)):
        if len(short) == 1 and len(long) > 1 and short[0] == "".join(word[0] for word in long):
            return 1.0
    joined = ["".join(left), "".join(right)]
    threes = [{text[at : at + 3] for at in range(len(text) - 2)} for text in joined]
    return 2.0 * len(threes[0] & threes[1]) / max(len(threes[0]) + len(threes[1]), 1)


def _each_others_most(alike: Float) -> list[tuple[int, int]]:
    """Places that are each other's most alike, and clearly so, the surest first."""
    left, found = alike.copy(), list[tuple[int, int]]()
    while left.size and left.max() >= ALIKE:
        sure = [
            (float(left[one, other] - _next_best(left, one, other)), one, int(other))
            for one, other in enumerate(left.argmax(axis=1))
            if left[one, other] >= ALIKE and left[:, other].argmax() == one
        ]
        margin, one, other = max(sure)
        if margin < BEYOND:
            break
        found.append((one, other))
        left[one, :] = left[:, other] = 0.0
    return sorted(found)


def _next_best(alike: Float, one: int, other: int) -> float:
    row, column = np.delete(alike[one], other), np.delete(alike[:, other], one)
    return float(max(row.max(initial=0.0), column.max(initial=0.0)))
