"""Constants that are written as dates, where functions take them."""

from __future__ import annotations

from workbench.language.builtin import DATE_FUNCTIONS
from workbench.language.terms import Constant, Term
from workbench.language.values import ValueKind, parse_value

DATED = frozenset(("+", "-", "min", "max", *DATE_FUNCTIONS))
"""Functions that take dates."""


def date_as_written(function: str, term: Term) -> ValueKind | None:
    """That an argument of a function is a date, where it is a constant that is written as one and
    the function takes dates; else None, for a constant beside a date is a number of days.
    """
    if function not in DATED or not isinstance(term, Constant):
        return None
    return ValueKind.DATE if parse_value(ValueKind.DATE, term.name) is not None else None
