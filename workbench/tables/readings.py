"""The way a column's cells are written, told by a sample of them: decimal marks, date formats,
words for yes and no.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache, lru_cache

from workbench.tables.measures import SEVERAL, measures_of, without_measure
from workbench.tables.months import abbreviated, in_english, names_a_month
from workbench.tables.values import (
    BETWEEN_THOUSANDS,
    BLANKS,
    DATE_FORMATS,
    MEASURES,
    MORE_BLANKS,
    MORE_DIGITS,
    OR,
    SHORT_OFFSET,
    TIME_FORMATS,
    UNITS,
    YES_NO,
    Alike,
    date_and_time,
)

NUMBER_PATTERNS = {
    ".": re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?"),
    ",": re.compile(r"[+-]?(\d{1,3}(\.\d{3})+|\d+)(,\d+)?"),
    ",.": re.compile(r"[+-]?(\d{1,3}(,\d{3})+|\d+)(\.\d+)?"),
    " .": re.compile(rf"[+-]?([1-9]\d{{0,2}}([{BETWEEN_THOUSANDS}]\d{{3}})+|\d+)(\.\d+)?"),
    " ,": re.compile(rf"[+-]?([1-9]\d{{0,2}}([{BETWEEN_THOUSANDS}]\d{{3}})+|\d+)(,\d+)?"),
    ":": re.compile(r"([01]?\d|2[0-3]):[0-5]\d(:[0-5]\d)?"),
}
BLANKS_BETWEEN = (" .", " ,")
NEARLY_ALL = 0.95
"""Share of the cells that several formats have to read together;
a rarer one than the rest is none of them.
"""
MANY = 20
"""Different numbers that a column has at least in which another word says that there is none;
of fewer it may be one more category.
"""
# A letter that follows a number at once is more often part of a code.
_MEASURE = "|".join(
    rf"\s{one}" if len(one) == 1 else rf"\s?{re.escape(one)}"
    for one in sorted(MEASURES, key=len, reverse=True)
)
_MEASURED = re.compile(rf"[+-]?\d[\d.,{BETWEEN_THOUSANDS}]*?({_MEASURE})")
_IN_MONEY = re.compile(rf"([A-Z]{{3}})\s?[+-]?\d[\d.,{BETWEEN_THOUSANDS}]*")
_HOURS = {
    time: re.compile(
        re.sub(r"%[HMSI]", r"\\d{1,2}", re.escape(time))
        .replace("%f", r"\d{1,9}")
        .replace("%p", "[AaPp][Mm]")
        .replace("%z", r"([+-]\d\d(:?\d\d)?|Z)")
        + "$"
    )
    for time in TIME_FORMATS
    if time
}
"""What a cell ends in that has this time of day."""
_LIKE_A_DATE = re.compile(r"(?=.*\d)[\w.,:/+º -]{6,40}")


@dataclass(frozen=True)
class Reading:
    """How a column's cells are read.

    Attributes
    ----------
    blanks : tuple of str
        Texts that mean that nothing is known.
    decimal : {'.', ',', ',.', ' .', ' ,', ':'} or None
        Of numbers: 1234.5, 1.234,5, 1,234.5, 1 234.5, 1 234,5 and 6:30 for 6.5; None where no cell
        looks like a number.
    other_decimal : {',', ',.'} or None
        Another way to read every number of the sample, a thousand times as large: 1.234 for 1234.
    unit : str or None
        Of numbers: a sign before or behind them, which is left out; or several of one scale, such
        as `g|kg`, and the numbers are in the first.
    format : str or None
        Of dates, as `strptime` takes it; several with `or` between them.
    other_format : str or None
        Another format that fits all of the sample as well, such as month and day exchanged.
    yes, no : tuple of str
        The words of a yes-or-no column.
    alike : {'numbers', 'letters'} or None
        Of keys and references: which are one.
    seen : tuple of str
        Which of `MORE_BLANKS` the sample holds, where its other cells are regular, and the one word
        of all cells that are no number or date.
    """

    blanks: tuple[str, ...] = BLANKS
    decimal: str | None = None
    format: str | None = None
    other_format: str | None = None
    yes: tuple[str, ...] = ()
    no: tuple[str, ...] = ()
    seen: tuple[str, ...] = ()
    other_decimal: str | None = None
    unit: str | None = None
    alike: Alike | None = None


def find_reading(cells: Sequence[str]) -> Reading:
    """The reading that more than half of a sample of cells follow; of several, the commonest."""
    filled = [cell for cell in cells if cell not in BLANKS and cell not in MORE_BLANKS]
    if not filled:
        return Reading()
    unit = _unit_of(filled)
    bare = filled if unit is None else [_bare(cell, unit) for cell in filled]
    counted = Counter(bare)
    fitting = {
        mark: sum(n for cell, n in counted.items() if form.fullmatch(cell))
        for mark, form in NUMBER_PATTERNS.items()
    }
    decimal = max(fitting, key=fitting.__getitem__)
    numbers = fitting[decimal]
    if decimal in BLANKS_BETWEEN and unit is None and not _like_amounts(bare):
        decimal, numbers = ".", 0
    formats = _date_formats(filled)
    written = Counter(filled)
    said = [sum(written[cell] for cell in {*yes, *no}) for yes, no in YES_NO]
    yes, no = YES_NO[said.index(max(said))] if max(said) > 0.5 * len(filled) else ((), ())
    regular = bool(formats or yes) or numbers > 0.5 * len(filled)
    words: tuple[str, ...] = ()
    if formats:
        dated = [any(_is_date(cell, form) for form in formats[0].split(OR)) for cell in filled]
        words = _word_for_nothing(filled, dated)
    elif regular and not yes:
        form = NUMBER_PATTERNS[decimal]
        words = _word_for_nothing(filled, [bool(form.fullmatch(cell)) for cell in bare])
    return Reading(
        BLANKS + MORE_BLANKS + words if regular else BLANKS,
        decimal if numbers else None,
        formats[0] if formats else None,
        formats[1] if len(formats) > 1 else None,
        yes,
        no,
        tuple(mark for mark in MORE_BLANKS + words if regular and mark in cells),
        _other_decimal(decimal, bare) if numbers else None,
        unit if numbers else None,
    )


def _unit_of(cells: Sequence[str]) -> str | None:
    """A sign in most cells, or the measure behind the number of nearly all (of money also before
    it), or several of one scale.
    """
    for sign in UNITS:
        if sum(sign in cell for cell in cells) > 0.5 * len(cells):
            return sign
    for form in (_MEASURED, _IN_MONEY):
        found = [match[1].strip() for cell in cells if (match := form.fullmatch(cell))]
        if found and found[0] in MEASURES and found.count(found[0]) >= NEARLY_ALL * len(cells):
            return found[0]
    return measures_of(cells, NEARLY_ALL)


def _bare(cell: str, unit: str) -> str:
    """A cell without its unit, or the one of several that it has."""
    return without_measure(cell) if SEVERAL in unit else cell.replace(unit, "").strip()


def _word_for_nothing(cells: Sequence[str], read: Sequence[bool]) -> tuple[str, ...]:
    """The one word that is said by all cells that are not read, where many different ones are."""
    odd = [cell for cell, known in zip(cells, read) if not known]
    words = {cell.casefold() for cell in odd}
    if len(words) != 1 or len(odd) == 1 or 2 * len(odd) > len(cells):
        return ()
    if any(map(str.isdigit, odd[0])) or len({*cells} - {*odd}) < MANY:
        return ()
    return tuple(dict.fromkeys(odd))


def _like_amounts(cells: Sequence[str]) -> bool:
    """Whether numbers are of different lengths, or round, as amounts are; codes and telephones in
    groups of digits are all as long.
    """
    lengths = {len(re.sub(r"\D", "", cell)) for cell in cells}
    return len(lengths) > 1 or sum(cell.endswith("0") for cell in cells) > 0.5 * len(cells)


def _other_decimal(decimal: str, cells: Sequence[str]) -> str | None:
    """Another reading of marks that may part thousands: everywhere three digits behind them,
    no zero first.
    """
    mark, other = {".": (".", ","), ",": (",", ",.")}.get(decimal, ("", ""))
    marked = [cell for cell in cells if mark and mark in cell]
    thousands = re.compile(rf"[+-]?[1-9]\d{{0,2}}({re.escape(mark)}\d{{3}})+")
    return other if marked and all(map(thousands.fullmatch, marked)) else None


def agreed(readings: Mapping[str, Reading], separator: str | None) -> dict[str, Reading]:
    """The readings of a table's columns, numbers that can be read in two ways as the table's other
    numbers are.

    Decimal commas elsewhere, or semicolons between cells, speak for 1.234 being 1234 and 1,234
    being no thousand.
    """
    clear = {one.decimal for one in readings.values() if one.other_decimal is None}
    commas = "," in clear or (separator == ";" and ",." not in clear)

    def settled(one: Reading) -> Reading:
        if one.other_decimal == ("," if "," in clear else None) or (
            one.other_decimal == ",." and not commas
        ):
            return replace(one, decimal=one.other_decimal, other_decimal=one.decimal)
        return one

    return {name: settled(one) if one.other_decimal else one for name, one in readings.items()}


def _date_formats(cells: Sequence[str]) -> list[str]:
    """The format that most cells follow, where more than half do, and others that as many follow.

    Where cells are written in several ways that cannot be mistaken for each other, these are one
    format.
    """
    if 2 * sum(bool(_LIKE_A_DATE.fullmatch(cell)) for cell in cells) <= len(cells):
        return []
    formats, tried = _all_formats(cells), cells[:50]
    likely = [
        form for form in formats if 2 * sum(_is_date(cell, form) for cell in tried) > len(tried)
    ]
    counts = {form: sum(_is_date(cell, form) for cell in cells) for form in likely}
    most = max(counts.values(), default=0)
    if most < NEARLY_ALL * len(cells) and _in_several(tried, formats):
        several = _in_several(cells, formats)
        if several:
            return several
    return [form for form in likely if counts[form] == most > 0.5 * len(cells)]


def _in_several(cells: Sequence[str], formats: Sequence[str]) -> list[str]:
    """Several formats that read nearly all cells together as one, and what fits as well in place of
    the first.

    None where a format that is not among them reads more than what one of them does: days and
    months exchanged.
    """
    read = {
        form: frozenset(at for at, cell in enumerate(cells) if _is_date(cell, form))
        for form in formats
    }
    left = frozenset(range(len(cells)))
    found: list[str] = []
    while len(left) > (1 - NEARLY_ALL) * len(cells):
        more = {form: len(read[form] & left) for form in formats}
        best = max(formats, key=more.__getitem__)
        if more[best] < (1 - NEARLY_ALL) * len(cells) or more[best] < len(read[best]):
            return []
        found.append(best)
        left -= read[best]
    for form in formats:
        if any(read[form] & read[one] and not read[form] <= read[one] for one in found):
            return []
    as_well = [form for form in formats if form not in found and read[form] == read[found[0]]]
    # Years of two digits first: DuckDB reads 99 as a year of four, too.
    ordered = sorted(found, key=lambda form: "%y" not in form)
    return [OR.join(ordered), *as_well] if len(found) > 1 else []


def _all_formats(cells: Sequence[str]) -> list[str]:
    """Dates alone; where cells speak of hours, dates with such a time or without."""
    hours = [time for time, ends in _HOURS.items() if any(map(ends.search, cells))]
    return [date + time for time in ("", *hours) for date in DATE_FORMATS]


@lru_cache(1 << 15)
def _is_date(cell: str, form: str) -> bool:
    date, time = date_and_time(form)
    form = date if time and ":" not in cell else form
    # Most cells lack what stands between the parts of most formats: seen sooner than by reading.
    if not _between(form) <= set(cell) or (form == "%Y%m%d" and len(cell) != 8):
        return False
    cell = re.sub(MORE_DIGITS, r"\1", cell) if "%f" in form else cell
    cell = re.sub(SHORT_OFFSET, r"\1:00", cell) if "%z" in form else cell
    if names_a_month(form):
        cell, form = in_english(cell), abbreviated(form)
    with suppress(ValueError):
        year = datetime.strptime(cell, form).year
        # Other numbers have eight digits too.
        return form != "%Y%m%d" or 1800 <= year <= 2100
    return False


@cache
def _between(form: str) -> frozenset[str]:
    """The signs that a cell of a format has beside blanks, digits and letters."""
    return frozenset(re.sub(r"%.|\w|\s", "", form))
