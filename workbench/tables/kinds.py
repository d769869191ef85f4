"""What a column is, told by its counts: number, date, yes or no, category, text, constant, empty.
No data is read.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from workbench.tables.epochs import day_of, said_time
from workbench.tables.measures import SEVERAL
from workbench.tables.names import ID_WORDS, words
from workbench.tables.profile import FEW, ColumnCounts
from workbench.tables.readings import Reading
from workbench.tables.values import EPOCHS, MORE_BLANKS

ColumnKind = Literal[
    "key",
    "reference",
    "category",
    "number",
    "date",
    "yes/no",
    "text",
    "constant",
    "empty",
    "ignore",
]

MOST_CATEGORIES = 1_000_000
NEARLY_ALL = 0.95
_POSTAL_WORDS = frozenset("plz zip zipcode postcode postal postleitzahl postnummer postnr".split())
_PARTED_WORDS = _POSTAL_WORDS | frozenset("code codes schluessel".split())
"""Words for codes whose first digits say of which kind they are."""
_COUNTERS = frozenset(("column1", "unnamed: 0", "index", "row", "rownum", "x", "_c0", "level_0"))
_CODE_WORDS = (
    ID_WORDS
    | _POSTAL_WORDS
    | frozenset("type class group status state category kind typ klasse gruppe".split())
)
_SCALE_WORDS = frozenset("class group klasse gruppe".split())
_TELEPHONE_WORDS = frozenset("phone telephone telefon tel mobile handy fax iban".split())


@dataclass(frozen=True)
class Finding:
    """What a column was found to be, and why.

    Attributes
    ----------
    kind : str
    reason : str
        One phrase without a full stop.
    mixed : str
        What cells of another kind the column holds, for a warning; empty where there are none.
    """

    kind: ColumnKind
    reason: str
    mixed: str = ""


def share(part: int, whole: int) -> str:
    """A share in words: all, or per cent."""
    return "all" if part == whole else f"{100 * part / max(whole, 1):.3g} %"


def kind_of(column: ColumnCounts) -> Finding:
    """The kind of a column that is neither key nor reference."""
    filled, reading = column.filled, column.reading
    if not filled:
        return Finding("empty", "no cell says anything")
    if _says_yes_or_no(column):
        named = ", ".join(text for text, _ in column.values[:4])
        rest = _rest(column.truths, filled, "yes or no")
        return Finding("yes/no", f"the cells say {named}", rest)
    if column.distinct == 1 and not column.blanks:
        return Finding("constant", f"every cell says {column.values[0][0]}")
    if reading.format and _mostly(column.dates, filled):
        return Finding("date", _about_dates(column), _rest(column.dates, filled, "dates"))
    if counts_rows(column):
        return Finding("ignore", "the rows' own numbers, from first to last")
    few_words = (
        column.numbers < filled
        and 0 < len(column.values) < FEW
        and len(column.values) < 0.2 * filled
    )
    if _mostly(column.numbers, filled) and not few_words:
        return _of_numbers(column)
    for count, what in ((column.numbers, "numbers"), (column.dates, "dates")):
        if 0.2 * filled < count < filled:
            found = _as_text(column, f"only {share(count, filled)} are {what}")
            mixed = f"{share(filled - count, filled)} of its cells are no {what}"
            return Finding(found.kind, found.reason, mixed)
    return _as_text(column, "")


def _says_yes_or_no(column: ColumnCounts) -> bool:
    """Whether cells are words for yes and no; 1 and 0 only where both are there."""
    yes = column.reading.yes
    if not _mostly(column.truths, column.filled) or (column.distinct != 2 and yes[0] in ("1", "0")):
        return False
    return column.distinct > 1 or bool(column.blanks and yes[0] != "1")


def _of_numbers(column: ColumnCounts) -> Finding:
    """What cells that are numbers stand for: codes, telephones, categories or numbers."""
    filled, all_whole = column.filled, column.whole == column.filled
    of_the_day = column.reading.decimal == ":"
    if column.leading_zeros and all_whole and (column.low or 0) >= 0 and not of_the_day:
        led = share(column.leading_zeros, filled)
        return _as_text(column, f"{led} are codes with zeros or a plus in front")
    telephone = set(words(column.name)) & _TELEPHONE_WORDS
    if telephone and all_whole:
        return _as_text(column, f"numbers, and the name says {min(telephone)}")
    parted = set(words(column.name)) & _PARTED_WORDS
    if parted and all_whole and not like_years(column) and (digits := _digits(column)):
        said = f"codes of {digits} digits, and the name says {min(parted)}"
        return _as_text(column, said)
    codes = set(words(column.name)) & _CODE_WORDS
    is_scale = codes <= _SCALE_WORDS and _like_scale(column)
    if codes and all_whole and column.distinct <= 50 and not like_years(column) and not is_scale:
        said = f"{column.distinct} whole numbers, and the name says {min(codes)}"
        return Finding("category", said)
    return Finding("number", _about_numbers(column), _rest(column.numbers, filled, "numbers"))


def _digits(column: ColumnCounts) -> int:
    """How many digits all cells have, of numbers that are not below 0; 0 where some have more than
    others, or few.
    """
    if column.low is None or column.high is None or column.low < 100:
        return 0
    least, most = (len(f"{number:.0f}") for number in (column.low, column.high))
    return least if least == most else 0


def like_years(column: ColumnCounts) -> bool:
    """Whether numbers are all between 1500 and 2200."""
    return (
        column.low is not None
        and column.high is not None
        and 1500 <= column.low <= column.high <= 2200
    )


def counts_rows(column: ColumnCounts) -> bool:
    """Whether a column is what programs write beside a table of their own accord: 0, 1, 2, ..."""
    return (
        column.name.casefold() in _COUNTERS
        and column.filled == column.distinct == column.whole
        and column.low in (0, 1)
        and column.high == column.low + column.filled - 1
    )


FEWEST_STEPS = 10


def _like_scale(column: ColumnCounts) -> bool:
    """Whether whole numbers are steps of a scale: many, none left out."""
    return (
        column.low is not None
        and column.high is not None
        and FEWEST_STEPS <= column.distinct == column.high - column.low + 1
    )


def _mostly(part: int, whole: int) -> bool:
    return part > 0 and part >= NEARLY_ALL * whole


def _rest(part: int, whole: int, what: str) -> str:
    return "" if part == whole else f"{whole - part:,} of its {whole:,} cells are no {what}"


def _about_numbers(column: ColumnCounts) -> str:
    reading = column.reading
    said = {
        ".": "", ",": ", with decimal commas", ",.": ", with commas between thousands",
        " .": ", with blanks between thousands", " ,": ", with blanks between thousands",
        ":": ", 6:30 read as 6.5",
    }  # fmt: skip
    reason = f"{share(column.numbers, column.filled)} numbers from {_short(column.low)} to "
    reason += _short(column.high) + said[reading.decimal or "."]
    if reading.unit:
        first, *others = reading.unit.split(SEVERAL)
        reason += f", in {first}" + (
            f" ({', '.join(others)} are turned into that)" if others else ""
        )
    reason += _about_blanks(reading)
    if reading.other_decimal:
        reason += f' (decimal = "{reading.other_decimal}" fits as well: look at it)'
    return reason


def _about_blanks(reading: Reading) -> str:
    words = [word for word in reading.seen if word not in MORE_BLANKS]
    return f"; {', '.join(words)} taken for blank" if words else ""


def _about_dates(column: ColumnCounts) -> str:
    reading = column.reading
    reason = f"{share(column.dates, column.filled)} dates written as {reading.format}"
    if reading.format in EPOCHS and column.low is not None and column.high is not None:
        low, high = (day_of(number, reading.format) for number in (column.low, column.high))
        reason += f", from {low} to {high}, and the name says {said_time(column.name)}"
    reason += _about_blanks(reading)
    if reading.other_format and {"%d", "%m"} <= set(
        reading.other_format.replace("/", " ").replace(".", " ").split()
    ):
        reason += f" ({reading.other_format} fits as well: look at it)"
    return reason


def _as_text(column: ColumnCounts, because: str) -> Finding:
    lead = f"{because}; " if because else ""
    repeated = (
        column.distinct <= max(20, 0.2 * column.filled) and column.distinct < 0.9 * column.filled
    )
    if column.distinct == 1:
        return Finding("category", f"{lead}one text, or blank")
    if repeated and column.distinct <= MOST_CATEGORIES and column.long <= 0.1 * column.filled:
        return Finding("category", f"{lead}{column.distinct:,} texts that repeat")
    if repeated and column.distinct > MOST_CATEGORIES:
        return Finding(
            "text", f"{lead}{column.distinct:,} texts, more than {MOST_CATEGORIES:,} categories"
        )
    return Finding("text", f"{lead}{column.distinct:,} different texts in {column.filled:,} cells")


def _short(number: float | None) -> str:
    return "" if number is None else f"{number:.10g}"


def may_be_key(column: ColumnCounts) -> bool:
    """Whether the cells could name things: texts without long ones, or whole numbers; no dates
    (months may be things of a table), no fractions.
    """
    if not column.filled or column.long > 0.01 * column.filled:
        return False
    if (
        column.reading.format
        and column.reading.format not in ("%Y%m%d", "%Y-%m", "%m/%Y")
        and _mostly(column.dates, column.filled)
    ):
        return False
    return column.numbers == 0 or column.whole == column.numbers
