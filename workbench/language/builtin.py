"""Internal predicates, functions and aggregates: Alchemy's, as infix, and those of values."""

from __future__ import annotations

COMPARISONS = {"greaterThan": ">", "lessThan": "<", "greaterThanEq": ">=", "lessThanEq": "<="}
"""Predicates of two terms that are another spelling of an order test."""

STRING_PREDICATES = ("substr", "contains", "startsWith", "endsWith", "hasWord", "oneOf")
"""`substr(a, b)`: a occurs in b. `contains(b, a)`: the same; `startsWith(b, a)`, `endsWith(b, a)`.
`hasWord(b, a)`: a is one of the words of b, whatever their case. `oneOf(b, a)`: b is one of the
values of a, which stand between bars."""

ARITHMETIC = {"plus": "+", "minus": "-", "times": "*", "dividedBy": "/", "mod": "%"}
"""Functions of two integers that are another spelling of an operator."""

STRING_FUNCTIONS = {"concat": 2, "length": 1, "lower": 1, "upper": 1}

DATE_OF = "date of"
"""The date that a constant's name is: a function and definition that no rule can spell."""

DATE_FUNCTIONS = {"year": 1, "month": 1, "weekday": 1, "hour": 1, "days": 2}
"""Those of dates; constants that are written as dates are dates there."""

VALUE_FUNCTIONS = {
    DATE_OF: 1,
    "abs": 1,
    "log": 1,
    **DATE_FUNCTIONS,
    "levenshtein": 2,
    "damerau": 2,
    "jaro": 2,
    "jaro_winkler": 2,
    "jaccard": 2,
    "tfidf": 2,
    "cosine": 2,
    "countWords": 2,
    "closeness": 3,
    "km": 4,
    "apart": 4,
    "standardised": 1,
    "scaled": 1,
}
"""Functions and their number of arguments; each but `DATE_OF` gives a number: `km` and `apart` from
one place to another, `(latitude, longitude, latitude, longitude)` and `(x, y, x, y)`."""

FITTED = ("standardised", "scaled")
"""`(a - mean) / deviation` and `(a - least) / (greatest - least)`: functions of a number and of two
that data give.

Their author writes `standardised(a)`; fitted to data it is `standardised(a, 41.5, 12.1)`.
"""

DEGREES = {"jaro", "jaro_winkler", "jaccard", "tfidf", "cosine", "closeness", "scaled"}
"""Functions from 0 to 1: in soft logic they may stand like atoms, as truth values."""

FUNCTIONS = {
    "succ": 1,
    **dict.fromkeys(ARITHMETIC.values(), 2),
    "min": 2,
    "max": 2,
    **STRING_FUNCTIONS,
    **VALUE_FUNCTIONS,
}
"""Every internal function and its number of arguments."""

AGGREGATES = ("count", "sum", "mean", "min", "max", "share", "exists", "latest")
"""What a definition may take of a set of bindings: `n = count(c: Directs(x, c))`."""

_NEGATED = {"=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


def negated_operator(operator: str) -> str:
    """The operator that holds exactly when this does not; a leading `!` for string tests."""
    if operator in _NEGATED:
        return _NEGATED[operator]
    return operator[1:] if operator.startswith("!") else "!" + operator
