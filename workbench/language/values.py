"""Value types: arguments that are numbers, dates or texts and not constants of a domain."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from enum import StrEnum
from math import isfinite

from workbench.language.builtin import DATE_FUNCTIONS
from workbench.language.terms import Constant, Term

VALUE_TYPES = ("number", "date", "text")
"""Types that hold values; a program that declares constants for one makes it ordinary."""


class ValueKind(StrEnum):
    """What a value is, by the name of its type."""

    NUMBER = "number"
    DATE = "date"
    TEXT = "text"


def argument_kinds(
    types: Sequence[str], entities: Iterable[int] = (), *, value_last: bool
) -> tuple[ValueKind | None, ...]:
    """The kind of value of each argument; None for a constant of a domain.

    Parameters
    ----------
    entities : iterable of int
        Positions whose type is an ordinary one in spite of its name.
    value_last : bool
        The last argument is a number, whatever its type is called.
    """
    kinds = [
        ValueKind(name) if name in VALUE_TYPES and position not in entities else None
        for position, name in enumerate(types)
    ]
    if value_last and kinds:
        kinds[-1] = kinds[-1] or ValueKind.NUMBER
    return tuple(kinds)


_DATE = re.compile(r"\d{4}-\d{2}-\d{2}([ T]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?)?")


def parse_value(kind: ValueKind, text: str) -> float | datetime | str | None:
    """The value that a text is; None where it is none of its kind.

    Numbers are finite; dates are written `2020-01-31`, perhaps with a time after them.
    """
    try:
        if kind is ValueKind.NUMBER:
            number = float(text)
            return number if isfinite(number) else None
        if kind is ValueKind.DATE:
            return datetime.fromisoformat(text) if _DATE.fullmatch(text) else None
    except ValueError:
        return None
    return text


def value_text(value: float | datetime | str) -> str:
    """A value as rules and data write it: `30`, `0.5`, `2020-01-31`; the caller quotes texts."""
    if isinstance(value, datetime):
        midnight = value.hour == value.minute == value.second == value.microsecond == 0
        return value.date().isoformat() if midnight else value.isoformat(sep=" ")
    if isinstance(value, str):
        return value
    return repr(float(value)).removesuffix(".0")


DATED = frozenset(("+", "-", "min", "max", *DATE_FUNCTIONS))
"""Functions that take dates."""


def date_as_written(function: str, term: Term) -> ValueKind | None:
    """That an argument of a function is a date, where it is a constant that is written as one and
    the function takes dates; else None, for a constant beside a date is a number of days.
    """
    if function not in DATED or not isinstance(term, Constant):
        return None
    return ValueKind.DATE if parse_value(ValueKind.DATE, term.name) is not None else None
