"""Functions of numbers, dates and texts as SQL expressions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from workbench.errors import InputError, WorkbenchError
from workbench.grounding.select import (
    OPERATORS,
    Call,
    Expression,
    Function,
    Operation,
    Value,
    all_of,
    call,
    equal,
)
from workbench.language.builtin import DATE_OF, FITTED
from workbench.language.values import ValueKind, parse_value

EARTH = 6371.0088
"""Kilometres: the mean radius of the earth (Moritz 2000)."""
_DAY = 86_400_000_000.0
"""Microseconds."""


@dataclass(frozen=True, slots=True)
class Typed:
    """An expression and the kind of value it has."""

    kind: ValueKind
    expression: Expression


def constant_value(kind: ValueKind, text: str) -> Expression:
    """A constant of the rules as a value; NULL where it is none of its kind."""
    value = parse_value(kind, text)
    if kind is ValueKind.DATE and value is not None:
        return call("cast TIMESTAMP", text)
    return Value(value)  # type: ignore[arg-type]


def value_function(name: str, arguments: Sequence[Typed]) -> Typed:
    """A function or an operator applied to values. What has no value (a logarithm of 0) is NULL."""
    if name in FITTED and len(arguments) == 1:
        raise unfitted(name)
    kinds = tuple(argument.kind for argument in arguments)
    values = tuple(argument.expression for argument in arguments)
    if name in ("+", "-") and ValueKind.DATE in kinds:
        return _date_arithmetic(name, kinds, values)
    if name == DATE_OF:
        return Typed(ValueKind.DATE, Call("cast TIMESTAMP", values))
    if name in ("min", "max"):
        return Typed(kinds[0], Call("least" if name == "min" else "greatest", values))
    return Typed(ValueKind.NUMBER, _FUNCTIONS[name](*values))


def unfitted(name: str) -> WorkbenchError:
    """What a rule that was not fitted to data is answered."""
    return InputError.of(
        "E0328",
        f"{name} takes its numbers from data, and this program was not fitted to any",
        help=FIT_HELP,
    )


FIT_HELP = "call workbench.grounding.fitted(database, program) first; a workspace does it by itself"


def _date_arithmetic(
    name: str, kinds: tuple[ValueKind, ...], values: tuple[Expression, ...]
) -> Typed:
    """Dates and numbers of days."""
    if kinds == (ValueKind.DATE, ValueKind.DATE):
        return Typed(ValueKind.NUMBER, _days(*values))
    date, days = values if kinds[0] is ValueKind.DATE else values[::-1]
    seconds = call("to_seconds", call("cast DOUBLE", days) * 86400.0)
    return Typed(ValueKind.DATE, Operation(OPERATORS[name], (date, seconds)))


def _days(later: Expression, earlier: Expression) -> Expression:
    microseconds = call("epoch_us", later) - call("epoch_us", earlier)
    return microseconds / _DAY


def _number(value: Expression) -> Expression:
    return call("cast DOUBLE", value)


def _where(condition: Expression, value: Expression) -> Expression:
    return call("case", condition, value, None)


def _call(function: Function) -> Callable[..., Expression]:
    return lambda *values: _number(Call(function, values))


def words_of(text: Expression) -> Expression:
    """The different words of a text, in lower case."""
    words = call("regexp_extract_all", call("lower", text), r"[\p{L}\p{N}]+")
    return call("list_distinct", words)


def _jaccard(left: Expression, right: Expression) -> Expression:
    """Shared words by all words (Jaccard 1912); DuckDB's own `jaccard` compares letters."""
    one, other = words_of(left), words_of(right)
    both = _number(call("len", call("list_intersect", one, other)))
    all_words = call("len", one) + call("len", other) - both
    return both / call("nullif", all_words, 0)


def _count_words(text: Expression, words: Expression) -> Expression:
    """How many different ones of some words a text has."""
    return _number(call("len", call("list_intersect", words_of(text), words_of(words))))


def _cosine(left: Expression, right: Expression) -> Expression:
    """The cosine of vectors `[0.1, 0.2]`; no value for others, of two lengths or of length 0."""
    one, other = (call("try_cast DOUBLE[]", text) for text in (left, right))
    lengths = tuple(call("len", vector) for vector in (one, other))
    fits = all_of((equal(*lengths), lengths[0] > 0))
    return _where(fits, call("list_cosine_similarity", one, other))


def _closeness(left: Expression, right: Expression, width: Expression) -> Expression:
    """1 where two numbers are equal, falling to 0 where they are `width` apart."""
    apart = call("abs", left - right) / call("nullif", width, 0)
    return call("greatest", 0.0, Value(1.0) - apart)


def _km(*places: Expression) -> Expression:
    """Along the great circle between two places (haversine formula; Sinnott 1984); no value where
    one is not on the globe.
    """
    latitude, longitude, latitude_too, longitude_too = places
    north, north_too = call("radians", latitude), call("radians", latitude_too)
    up, across = (
        call("sin", call("radians", one - other) / 2.0)
        for one, other in ((latitude_too, latitude), (longitude_too, longitude))
    )
    root = up * up + call("cos", north) * call("cos", north_too) * across * across
    half = call("asin", call("sqrt", call("least", 1.0, root)))
    limits = zip(places, (90.0, 360.0) * 2)
    are_on_it = all_of(tuple(Value(limit) >= call("abs", one) for one, limit in limits))
    return _where(are_on_it, Value(2 * EARTH) * half)


def _apart(x: Expression, y: Expression, x_too: Expression, y_too: Expression) -> Expression:
    """In the plane, in the unit of its coordinates."""
    return call("sqrt", (x - x_too) * (x - x_too) + (y - y_too) * (y - y_too))


def _scaled(value: Expression, least: Expression, greatest: Expression) -> Expression:
    """0 at the least number or below, 1 at the greatest or above."""
    share = (value - least) / (greatest - least)
    return call("least", 1.0, call("greatest", 0.0, share))


_FUNCTIONS: dict[str, Callable[..., Expression]] = {
    "+": lambda left, right: left + right,
    "-": lambda left, right: left - right,
    "*": lambda left, right: left * right,
    "/": lambda left, right: _number(left) / call("nullif", right, 0),
    "%": lambda left, right: Operation("%", (left, call("nullif", right, 0))),
    "abs": _call("abs"),
    "log": lambda value: _where(value > 0, call("ln", value)),
    "year": _call("year"),
    "month": _call("month"),
    "weekday": _call("isodow"),
    "hour": _call("hour"),
    "days": _days,
    "levenshtein": _call("levenshtein"),
    "damerau": _call("damerau_levenshtein"),
    "jaro": _call("jaro_similarity"),
    "jaro_winkler": _call("jaro_winkler_similarity"),
    "jaccard": _jaccard,
    "cosine": _cosine,
    "countWords": _count_words,
    "km": _km,
    "apart": _apart,
    "closeness": _closeness,
    "standardised": lambda value, mean, deviation: (value - mean) / deviation,
    "scaled": _scaled,
}

TEXT_FUNCTIONS = (
    "levenshtein", "damerau", "jaro", "jaro_winkler", "jaccard", "cosine", "countWords",
)  # fmt: skip
"""Functions of texts; of constants they take the names."""
