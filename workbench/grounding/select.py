"""The relational intermediate form: one small frozen `Select`, which a dialect renders to SQL.

Everything that grounding asks of a database about rules is built from these classes, so that joins,
counts, plans and the statements shown in a preview come from one description. Functions and
operators are closed types: a wrong one is found by the type checker.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import cache
from typing import Any, cast, get_args
from typing import Literal as OneOf

Operator = OneOf[
    "+", "-", "*", "/", "//", "%", "=", "<>", "!=", "<", "<=", ">", ">=",
    "AND", "OR", "IN", "IS", "IS NOT", "IS DISTINCT FROM",
]  # fmt: skip
"""Infix operators: `/` divides real numbers, `//` integers."""

Function = OneOf[
    "abs", "any_value", "asin", "avg", "case", "cast BIGINT", "cast BIGINT[]", "cast DOUBLE",
    "cast INTEGER", "cast TIMESTAMP", "cast VARCHAR", "coalesce", "concat", "contains", "cos",
    "count", "damerau_levenshtein", "distinct", "ends_with", "epoch_us", "greatest", "hour",
    "isodow", "jaro_similarity", "jaro_winkler_similarity", "least", "len", "length",
    "levenshtein", "list", "list_contains", "list_cosine_similarity", "list_distinct",
    "list_extract", "list_intersect", "list_sort", "list_value", "ln", "lower", "max", "min",
    "month", "not", "nullif", "radians", "regexp_extract_all", "row", "sin", "sqrt",
    "starts_with", "sum", "to_seconds", "trunc", "try_cast DOUBLE", "try_cast DOUBLE[]", "upper",
    "year",
]  # fmt: skip
"""Functions and aggregates, by their names in DuckDB."""

OPERATORS: Mapping[str, Operator] = {one: one for one in get_args(Operator)}
"""The operators that a language and SQL write alike, by the language's text."""


Plain = float | int | str | bool | None
"""What stands for its `Value` beside an expression."""


def _infix(operator: Operator) -> Callable[[Operand, Expression | Plain], Operation]:
    return lambda one, other: Operation(operator, (cast(Expression, one), as_expression(other)))


class Operand:
    """What an expression is combined by: `(a + 1) * b`, `a.is_null | (b > 0)`."""

    __slots__ = ()

    __add__ = _infix("+")
    __sub__ = _infix("-")
    __mul__ = _infix("*")
    __truediv__ = _infix("/")
    __floordiv__ = _infix("//")
    __lt__ = _infix("<")
    __gt__ = _infix(">")
    __ge__ = _infix(">=")
    __and__ = _infix("AND")
    __or__ = _infix("OR")
    is_, is_not = _infix("IS"), _infix("IS NOT")

    @property
    def is_null(self) -> Operation:
        return self.is_(None)


@dataclass(frozen=True, slots=True)
class ColumnRef(Operand):
    """`table.name`."""

    table: str
    name: str


@dataclass(frozen=True, slots=True)
class Value(Operand):
    """A number, text, truth value or NULL."""

    value: float | int | str | bool | None


@dataclass(frozen=True, slots=True)
class Operation(Operand):
    """Infix `operator` between two or more operands."""

    operator: Operator
    operands: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Call(Operand):
    """`function(arguments)`, `filter` and `order` for aggregates; `not`, `case`, `distinct` too.

    `cast T` and `try_cast T` convert to type T; `case` takes condition, value, condition, value,
    ..., otherwise.
    """

    function: Function
    arguments: tuple[Expression, ...]
    order: tuple[Expression, ...] = ()
    filter: Expression | None = None


@dataclass(frozen=True, slots=True)
class Registered(Operand):
    """A function of ours, known to the database by a name of its own, of columns."""

    name: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Star(Operand):
    """`*`, as in `count(*)`."""


@dataclass(frozen=True, slots=True)
class Raw(Operand):
    """A scalar subquery."""

    select: Select


Expression = ColumnRef | Value | Operation | Call | Registered | Star | Raw


@dataclass(frozen=True, slots=True)
class Union:
    """`UNION ALL` of selects with equal columns."""

    selects: tuple[Select, ...]


@dataclass(frozen=True, slots=True)
class Source:
    """A relation of a FROM clause, and how it meets those before it (no `on`: a cross join)."""

    relation: str | Select | Union
    alias: str
    on: tuple[Expression, ...] = ()
    kind: OneOf["inner", "left", "anti", "semi"] = "inner"


@dataclass(frozen=True, slots=True)
class Select:
    """A query. `where` is a conjunction; `columns` pairs an output name with its expression."""

    columns: tuple[tuple[str, Expression], ...]
    sources: tuple[Source, ...] = ()
    where: tuple[Expression, ...] = ()
    group_by: tuple[Expression, ...] = ()
    having: tuple[Expression, ...] = ()
    order_by: tuple[Expression, ...] = field(default=())
    distinct: bool = False
    limit: int | None = None


COUNT = Call("count", (Star(),))
"""`count(*)`."""


def count_of(test: Expression) -> Call:
    """How many rows pass a test."""
    return Call("count", (Star(),), filter=test)


def as_expression(value: Expression | Plain) -> Expression:
    """An expression as it is, anything else as a `Value`."""
    return value if isinstance(value, Operand) else Value(value)


def call(
    function: Function, *arguments: Expression | Plain, only: Expression | None = None
) -> Call:
    """`function(arguments)`; an aggregate of the rows that pass the test `only`."""
    return Call(function, tuple(map(as_expression, arguments)), filter=only)


def equal(left: Expression, right: Expression | Plain) -> Operation:
    return Operation("=", (left, as_expression(right)))


def negate(condition: Expression) -> Call:
    return Call("not", (condition,))


def all_of(conditions: tuple[Expression, ...]) -> Expression:
    """The conjunction; TRUE of none."""
    if not conditions:
        return Value(True)
    return conditions[0] if len(conditions) == 1 else Operation("AND", conditions)


def any_of(conditions: tuple[Expression, ...]) -> Expression:
    """The disjunction; FALSE of none."""
    if not conditions:
        return Value(False)
    return conditions[0] if len(conditions) == 1 else Operation("OR", conditions)


def add(terms: tuple[Expression, ...]) -> Expression:
    """The sum, constants folded."""
    number: float | int = 0
    others: list[Expression] = []
    for term in terms:
        if isinstance(term, Value) and isinstance(term.value, int | float):
            number += term.value
        else:
            others.append(term)
    if number or not others:
        others.append(Value(number))
    return others[0] if len(others) == 1 else Operation("+", tuple(others))


def real_sum(value: Expression, only: Expression | None = None, *, in_order: bool) -> Call:
    """A sum of reals, ascending where threads would else add in any order, with other last bits."""
    return Call("sum", (value,), order=(value,) if in_order else (), filter=only)


def independent(select: Select) -> tuple[Select, ...]:
    """Queries whose cross product is `select`, columns left out: no condition ties them.

    The number of its rows is the product of theirs, which is known where the rows themselves are
    beyond number.
    """
    if select.group_by or select.having or select.distinct or select.limit is not None:
        return (select,)
    if not select.sources or any(source.kind != "inner" for source in select.sources):
        return (select,)
    conditions = (
        *select.where,
        *(condition for source in select.sources for condition in source.on),
    )
    tied = {source.alias: frozenset([source.alias]) for source in select.sources}
    for part in (*conditions, *select.sources):
        together = {tied[alias] for alias in tables_of(part) & tied.keys()}
        joined = frozenset().union(*together)
        tied |= dict.fromkeys(joined, joined)
    groups = tuple(dict.fromkeys(tied.values()))
    if len(groups) == 1:
        return (select,)
    apart = []
    for group in groups:
        sources = tuple(
            replace(source, on=()) for source in select.sources if source.alias in group
        )
        where = tuple(one for one in conditions if not tables_of(one) & tied.keys() - group)
        apart.append(Select((("one", Value(1)),), sources, where))
    return tuple(apart)


def relations(query: Select | Union) -> frozenset[str]:
    """The names of all relations that a query reads, those of its subqueries too."""
    sources = (part for part in parts(query) if isinstance(part, Source))
    return frozenset(source.relation for source in sources if isinstance(source.relation, str))


def tables_of(part: Expression | Source) -> frozenset[str]:
    """The tables that a part of a query is about."""
    match part:
        case ColumnRef(table):
            return frozenset([table])
        case Value() | Star():
            return frozenset()
        case Operation(_, operands) | Registered(_, operands) | Call(_, operands, (), None):
            return frozenset().union(*map(tables_of, operands))
    own = frozenset([part.alias]) if isinstance(part, Source) else frozenset()
    return own | {column.table for column in parts(part) if isinstance(column, ColumnRef)}


def parts(part: object) -> Iterator[object]:
    """A part of a query, and all that it is made of."""
    left: list[Any] = [part]
    while left:
        one = left.pop()
        yield one
        names = _names_of(one.__class__)
        inner = one if isinstance(one, tuple) else [getattr(one, name) for name in names]
        left.extend(reversed(inner))


@cache
def _names_of(kind: Any) -> tuple[str, ...]:
    return tuple(own.name for own in fields(kind)) if is_dataclass(kind) else ()
