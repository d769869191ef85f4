"""How texts in cells are read as numbers, dates and yes or no:
one SQL expression for each way of writing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import chain
from typing import Literal

from workbench.database import text_literal
from workbench.tables.measures import DIGITS, SEVERAL, sizes_within
from workbench.tables.months import abbreviated, english_value, names_a_month

BLANKS = ("", "NULL", "null", "Null", "N/A", "n/a", "\\N", "?")
"""Texts that mean that nothing is known, in any column."""

MORE_BLANKS = tuple(
    "NA na N.A. n.a. NaN nan - -- . none None NONE k.A. "
    "#N/A #NV #DIV/0! #REF! #VALUE! #NUM! #NAME? #NULL! #WERT! #BEZUG! #ZAHL! "
    "unknown Unknown UNKNOWN unbekannt Unbekannt UNBEKANNT inconnu "
    "Inconnu desconocido Desconocido".split(" ")
)
"""Texts that mean so in a column whose other cells are numbers, dates, or yes and no."""


def _spelled(words: str, initial: bool) -> tuple[str, ...]:
    """Words in small letters, with a capital, and in capitals; their first letters too."""
    said = [
        (word, word.capitalize(), word.upper(), *((word[0], word[0].upper()) if initial else ()))
        for word in words.split(",")
    ]
    return tuple(dict.fromkeys(chain.from_iterable(said)))


_PAIRS = "yes/no true/false ja/nein oui/non si,sí,sì/no vrai/faux"
_MORE_PAIRS = (
    "ja/nee ja/nej,nei sim/não,nao tak/nie ano,áno/ne,nie evet/hayır igen/nem kyllä/ei да/нет "
    "так,да/ні,не ναι/όχι wahr/falsch vero/falso verdadero,verdadeiro/falso 是/否 はい/いいえ"
)
YES_NO = (
    *(
        (_spelled(yes, initial), _spelled(no, initial))
        for pairs, initial in ((_PAIRS, True), (_MORE_PAIRS, False))
        for yes, _, no in (pair.partition("/") for pair in pairs.split())
    ),
    (("1", "1.0"), ("0", "0.0")),
)
"""Pairs of words: true, false."""

UNITS = ("%", "€", "$", "£", "¥", "₹", "₽", "₺", "₴", "₩")
"""Signs before or behind numbers."""

MEASURES = tuple(
    "EUR USD GBP CHF JPY CAD AUD SEK NOK DKK PLN CZK HUF TRY RUB BRL INR CNY zł Kč kr Ft "
    "TL руб руб. грн km/h kmh mph m/s kWh kW W V A Hz kg mg g t lbs lb oz km cm mm m mi "
    "ft in km² m² m³ m2 m3 ha ml cl l gal days day d hours hrs hr h minutes mins min "
    "seconds secs sec s ms weeks months years yrs °C °F K kB MB GB TB kcal cal kJ bar hPa "
    "mmHg mmol/l mg/dl g/dl bpm".split()
)
"""Words behind numbers."""

DATE_FORMATS = (
    "%Y-%m-%d",
    "%d.%m.%Y",
    "%d/%m/%Y",
    "%m/%d/%Y",
    "%Y/%m/%d",
    "%d-%m-%Y",
    "%d.%m.%y",
    "%d/%m/%y",
    "%m/%d/%y",
    "%d %b %Y",
    "%b %d, %Y",
    "%d-%b-%Y",
    "%d/%b/%Y",
    "%d-%b-%y",
    "%b %d %Y",
    "%Y %b %d",
    "%Y%m%d",
    "%Y-%m",
    "%m/%Y",
    "%b %Y",
    "%b-%Y",
    "%b-%y",
    "%Y年%m月%d日",
    "%Y년 %m월 %d일",
)
"""Dates; each also with a time behind it. Where several fit, the first does.
A month is its first day; its name may be of any language that `months` has.
"""

EPOCHS = {
    "seconds since 1970": 1.0,
    "milliseconds since 1970": 1e3,
    "microseconds since 1970": 1e6,
}
"""Times written as numbers, with how many make a second."""

OR = " or "
"""Between the formats of a column whose dates are written in several ways."""

TIME_FORMATS = (
    "",
    " %H:%M:%S",
    " %H:%M",
    "T%H:%M:%S",
    "T%H:%M:%SZ",
    "T%H:%M",
    " %H:%M:%S.%f",
    "T%H:%M:%S.%f",
    "T%H:%M:%S.%fZ",
    " %H:%M:%S%z",
    "T%H:%M:%S%z",
    " %H:%M:%S.%f%z",
    "T%H:%M:%S.%f%z",
    " %I:%M %p",
    " %I:%M:%S %p",
)
"""Hours behind a date. What says how far it is from UTC is read as the hour there."""

SHORT_OFFSET = r"([+-]\d\d)$"
MORE_DIGITS = r"(\.\d{6})\d+"
"""An offset of hours alone, as PostgreSQL writes it; digits beyond microseconds."""

BETWEEN_THOUSANDS = " '\u2019\u00a0\u202f"
"""Blanks, also those that do not break a line, and apostrophes."""

_PATTERNS = {
    ",": r"[+-]?(\d{1,3}(\.\d{3})+|\d+)(,\d+)?([eE][+-]?\d+)?",
    ",.": r"[+-]?(\d{1,3}(,\d{3})+|\d+)(\.\d+)?",
    " .": rf"[+-]?([1-9]\d{{0,2}}([{BETWEEN_THOUSANDS}]\d{{3}})+|\d+)(\.\d+)?",
    " ,": rf"[+-]?([1-9]\d{{0,2}}([{BETWEEN_THOUSANDS}]\d{{3}})+|\d+)(,\d+)?",
    ":": r"([01]?\d|2[0-3]):[0-5]\d(:[0-5]\d)?",
}


def listed(texts: Iterable[str]) -> str:
    """Texts as an SQL list, for IN."""
    return f"({', '.join(map(text_literal, texts))})"


@cache
def date_and_time(form: str) -> tuple[str, str]:
    """The parts of a format that speak of the day and of the hour; of several, the hour of any."""
    if OR in form:
        several = [date_and_time(one) for one in form.split(OR)]
        return OR.join(date for date, _ in several), max(time for _, time in several)
    if form in EPOCHS:
        return "", form
    time = next((end for end in TIME_FORMATS if end and form.endswith(end)), "")
    return form.removesuffix(time), time


_AROUND = r"\s\x0B\x{A0}\x{2007}\x{200B}\x{202F}\x{3000}\x{FEFF}"
_TRIMS = text_literal(rf"^[{_AROUND}]+|[{_AROUND}]+$")


def trimmed(cell: str) -> str:
    """A text without what is blank around it: tabs, and blanks that do not break a line, too."""
    # To look costs a tenth of what it costs to cut.
    blank = text_literal(f"^[{_AROUND}]|[{_AROUND}]$")
    cut = f"regexp_replace({cell}, {_TRIMS}, '', 'g')"
    return f"CASE WHEN regexp_matches({cell}, {blank}) THEN {cut} ELSE {cell} END"


Alike = Literal["numbers", "letters"]
"""Keys that are one though they are written in two ways: 12.0, 0012, 12; AB1, ab1; accents."""


def alike_value(cell: str, alike: Alike | None) -> str:
    """A key in the one way of writing that stands for all which are alike."""
    if alike == "numbers":
        return rf"regexp_replace({cell}, '^(-?)0*([0-9]+)(\.0+)?$', '\1\2')"
    return f"nfc_normalize(lower({cell}))" if alike == "letters" else cell


def is_blank(cell: str, blanks: Sequence[str]) -> str:
    """Whether a cell means that nothing is known."""
    return f"({cell} IS NULL OR {cell} IN {listed(blanks)})" if blanks else f"({cell} IS NULL)"


def number_value(cell: str, form: str, unit: str | None = None) -> str:
    """The number that a cell says, NULL where it says none; never infinite.

    Forms: `.` is 1234.5, `,` is 1.234,5, `,.` is 1,234.5, ` .` is 1 234.5 and ` ,` is 1 234,5 (or
    with apostrophes), `:` is 6:30, which is 6.5; `unit` is a sign before or behind it, as in 12 %,
    or several of one scale as `measures_of` tells them: the number is in the first.
    """
    if unit is not None and SEVERAL in unit:
        return _measured_value(cell, form, unit)
    if unit is not None:
        cell = f"trim(replace({cell}, {text_literal(unit)}, ''))"
    pattern = text_literal(_PATTERNS.get(form, ""))
    if form == ".":
        text = cell
    elif form == ":":
        part = [
            f"coalesce(try_cast(split_part({cell}, ':', {at}) AS DOUBLE), 0)" for at in (1, 2, 3)
        ]
        sexagesimal = f"{part[0]} + {part[1]} / 60 + {part[2]} / 3600"
        return f"CASE WHEN regexp_full_match({cell}, {pattern}) THEN {sexagesimal} END"
    else:
        mark, between = {",": (",", "."), ",.": (".", ",")}.get(form, (form[-1], BETWEEN_THOUSANDS))
        plain = cell
        for one in between:
            plain = f"replace({plain}, {text_literal(one)}, '')"
        plain = f"replace({plain}, '{mark}', '.')"
        text = f"CASE WHEN regexp_full_match({cell}, {pattern}) THEN {plain} END"
    value = f"try_cast({text} AS DOUBLE)"
    return f"CASE WHEN isfinite({value}) THEN {value} END"


def _measured_value(cell: str, form: str, units: str) -> str:
    """The number that a cell says in one of several units."""
    cases = []
    for unit, size in sizes_within(units).items():
        said = text_literal(rf"[^\p{{L}}]*{re.escape(unit)}")
        bare = f"trim(left({cell}, length({cell}) - {len(unit)}))"
        number = f"round({number_value(bare, form)} * {size!r}, {DIGITS})"
        cases.append(f"WHEN regexp_full_match(lower({cell}), {said}) THEN {number}")
    return f"CASE {' '.join(cases)} END"


ISO = r"^\d{4}-\d\d-\d\d([ T]\d\d:\d\d(:\d\d(\.\d+)?)?)?$"
"""Dates as databases and data frames write them."""

CENTURIES = 6e10
"""In seconds: what is farther from 1970 than the year 3871 is no time."""


def date_value(cell: str, form: str) -> str:
    """The timestamp that a cell says, NULL where it says none, such as on 31 February;
    without a time midnight.
    """
    if OR in form:
        return f"coalesce({', '.join(date_value(cell, one) for one in form.split(OR))})"
    if form in EPOCHS:
        seconds = f"(try_cast({cell} AS DOUBLE) / {EPOCHS[form]!r})"
        moment = f"make_timestamp((round({seconds}, 6) * 1e6)::BIGINT)"
        return f"CASE WHEN abs({seconds}) < {CENTURIES!r} THEN {moment} END"
    date, time = date_and_time(form)
    if time:
        return f"coalesce({_moment(cell, form)}, {date_value(cell, date)})"
    # A cast reads ISO's way of writing several times faster than strptime does.
    if form == "%Y-%m-%d":
        return (
            f"CASE WHEN length({cell}) = 10 THEN try_cast(try_cast({cell} AS DATE) AS "
            "TIMESTAMP) END"
        )
    value = _parsed(cell, form)
    # DuckDB reads the year 99 as the first century, where a year of four digits is asked for.
    return (
        f"CASE WHEN regexp_matches({cell}, '\\d{{4}}') THEN {value} END" if "%Y" in form else value
    )


def any_date_value(cell: str, form: str) -> str:
    """As `date_value`, and what is written in ISO's way, whatever the format."""
    written_so = f"regexp_matches({cell}, {text_literal(ISO)})"
    moment = f"CASE WHEN {written_so} THEN try_cast({cell} AS TIMESTAMP) END"
    return f"coalesce({date_value(cell, form)}, {moment})"


def _moment(cell: str, form: str) -> str:
    """The timestamp of a day and an hour; of one with an offset the hour in UTC."""
    if "%f" in form:
        cell = f"regexp_replace({cell}, '{MORE_DIGITS}', '\\1')"
    if "%z" in form:
        # `epoch_us` of a time with its zone needs no time zone of the session's.
        return f"make_timestamp(epoch_us(try_strptime({cell}, {text_literal(form)})))"
    return _parsed(cell, form)


def _parsed(cell: str, form: str) -> str:
    """What a format reads of a cell; of one with a month's name also in other languages."""
    value = f"try_strptime({cell}, {text_literal(form)})"
    if not names_a_month(form):
        return value
    english = f"try_strptime({english_value(cell)}, {text_literal(abbreviated(form))})"
    return f"coalesce({value}, {english})"


def date_from_parts(year: str, month: str, day: str) -> str:
    """The timestamp that three cells say, NULL where one is blank or they make no date."""
    padded = f"lpad({year}, 4, '0') || '-' || lpad({month}, 2, '0') || '-' || lpad({day}, 2, '0')"
    return f"try_cast(try_cast({padded} AS DATE) AS TIMESTAMP)"


def truth_value(cell: str, yes: Sequence[str], no: Sequence[str]) -> str:
    """1 for the words of `yes`, 0 for those of `no`, else NULL;
    with no words for `no` all else is 0.
    """
    otherwise = "0" if not no else f"CASE WHEN {cell} IN {listed(no)} THEN 0 END"
    return (
        f"CASE WHEN {cell} IS NULL THEN NULL WHEN {cell} IN {listed(yes)} THEN 1 ELSE "
        f"{otherwise} END"
    )
