"""Times as numbers: seconds, or thousandths or millionths of them, since 1970."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from workbench.tables.names import plain_words
from workbench.tables.readings import Reading, find_reading
from workbench.tables.values import EPOCHS

EARLIEST, LATEST = 631_152_000, 2_208_988_800
"""1990 and 2040, in seconds: other numbers may be anything."""
FEWEST = 3
"""Different times, at least."""
_TIMES = frozenset(
    "at created date dates datetime datum epoch fecha heure modified time times timestamp ts unix "
    "unixtime updated utc when zeit zeitpunkt zeitstempel".split()
)
_ENDS = ("at", "date", "time", "timestamp", "datum")
_WHOLE_OR_NOT = re.compile(r"\d{9,16}(\.\d+)?")


def reading_of(name: str, cells: Sequence[str]) -> Reading:
    """The reading of a column of that name: as its cells have it, but for numbers that are times
    beyond doubt, for what they are and what they are called."""
    return possible_reading(cells) if said_time(name) else find_reading(cells)


def said_time(name: str) -> str:
    """The word of a column's name that says time; empty where none does."""
    parts = plain_words(name)
    named = [word for word in parts if word in _TIMES]
    ends = parts and len(parts) == 1 and parts[0].endswith(_ENDS) and parts[0]
    return named[-1] if named else ends or ""


def possible_reading(cells: Sequence[str]) -> Reading:
    """The reading of cells, that of numbers that could be times as times, too; 0, which is 1970,
    says nothing then."""
    found = find_reading(cells)
    filled = [cell for cell in cells if cell not in (*found.blanks, "0", "0.0")]
    if found.format or found.decimal != "." or len(set(filled)) < FEWEST:
        return found
    if not all(map(_WHOLE_OR_NOT.fullmatch, filled)):
        return found
    numbers = list(map(float, filled))
    for form, of_a_second in EPOCHS.items():
        if min(numbers) / of_a_second >= EARLIEST and max(numbers) / of_a_second <= LATEST:
            nothing = tuple(cell for cell in ("0", "0.0") if cell in cells)
            blanks, seen = (*found.blanks, *nothing), (*found.seen, *nothing)
            return replace(found, format=form, blanks=blanks, seen=seen)
    return found


def day_of(number: float, form: str) -> str:
    """The day that a number says, `2021-03-04`."""
    return f"{datetime.fromtimestamp(number / EPOCHS[form], UTC):%Y-%m-%d}"
