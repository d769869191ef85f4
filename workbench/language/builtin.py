"""Alchemy's internal predicates and functions, with their infix spelling."""

from __future__ import annotations

__all__ = ["ARITHMETIC", "COMPARISONS", "FUNCTIONS", "STRING_FUNCTIONS", "STRING_PREDICATES", "negated_operator"]

COMPARISONS = {"greaterThan": ">", "lessThan": "<", "greaterThanEq": ">=", "lessThanEq": "<="}
"""Predicates of two terms that are another spelling of an order test."""

STRING_PREDICATES = ("substr", "contains", "startsWith", "endsWith")
"""`substr(a, b)`: a occurs in b. `contains(b, a)`: the same; `startsWith(b, a)`, `endsWith(b, a)`."""

ARITHMETIC = {"plus": "+", "minus": "-", "times": "*", "dividedBy": "/", "mod": "%"}
"""Functions of two integers that are another spelling of an operator."""

STRING_FUNCTIONS = {"concat": 2, "length": 1, "lower": 1, "upper": 1}

FUNCTIONS = {"succ": 1, **dict.fromkeys(ARITHMETIC.values(), 2), **STRING_FUNCTIONS}
"""Every internal function and its number of arguments."""

_NEGATED = {"=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


def negated_operator(operator: str) -> str:
    """The operator that holds exactly when `operator` does not; string predicates get or lose a leading `!`."""
    if operator in _NEGATED:
        return _NEGATED[operator]
    return operator[1:] if operator.startswith("!") else "!" + operator
