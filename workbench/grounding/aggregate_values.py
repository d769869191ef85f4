"""The value of an aggregate over the rows of its body."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from workbench.errors import InputError
from workbench.grounding.body import Body
from workbench.grounding.select import Call, Expression, Function, Star, Value, call
from workbench.language.formulas import variable_names
from workbench.language.program import Aggregate, Condition
from workbench.language.terms import Comparison, Literal, Variable
from workbench.language.values import ValueKind

_AGGREGATES: dict[str, Function] = {
    "mean": "avg",
    "latest": "max",
    "sum": "sum",
    "min": "min",
    "max": "max",
}
ZERO = ("count", "sum", "exists")
"""Aggregates that are 0 where nothing matches; the others have no value there."""


def aggregate_value(
    body: Body, aggregate: Aggregate, group: set[str], conditions: Sequence[Condition]
) -> tuple[Expression, ValueKind]:
    """The value of an aggregate over a body's rows, one a binding of all its variables."""
    of = aggregate.of
    if aggregate.function in ("count", "share"):
        counted = tuple(body.column_of(term.name) for term in of if isinstance(term, Variable))
        everything = condition_names(
            one for one in conditions if isinstance(one, Literal) and one.positive
        )
        if everything <= group | variable_names(of):
            # Rows are different bindings already.
            return call("cast DOUBLE", call("count", Star())), ValueKind.NUMBER
        which = counted[0] if len(counted) == 1 else Call("row", counted)
        return call("cast DOUBLE", call("count", call("distinct", which))), ValueKind.NUMBER
    if aggregate.function == "exists":
        return Value(1.0), ValueKind.NUMBER
    typed = body.term(of[0])
    function = _AGGREGATES[aggregate.function]
    if function in ("sum", "avg"):
        if typed.kind is not ValueKind.NUMBER:
            raise InputError.of(
                "E0151",
                f"{aggregate.function} takes numbers, and this is a {typed.kind}",
                span=getattr(of[0], "span", None),
                help="min, max and latest take dates too; days(later, earlier) makes numbers "
                "of them",
            )
        order = (typed.expression,) if body.vocabulary.shared else ()
        return call("cast DOUBLE", Call(function, (typed.expression,), order)), ValueKind.NUMBER
    return Call(function, (typed.expression,)), typed.kind


def condition_names(conditions: Iterable[Condition]) -> set[str]:
    """The variables of literals and comparisons."""
    found: set[str] = set()
    for one in conditions:
        if isinstance(one, Literal):
            found |= variable_names(one.atom.arguments)
        elif isinstance(one, Comparison):
            found |= variable_names((one.left, one.right))
    return found
