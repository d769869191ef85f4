"""What is asked to tell what a definition made a fact of, as one query over its body."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from workbench.grounding.dialect import render_expression
from workbench.grounding.select import Expression
from workbench.language.formulas import (
    change_item,
    item_variables,
    substitution,
    term_variables,
    variable_names,
)
from workbench.language.program import Aggregate, Condition, Definition
from workbench.language.terms import Atom, Comparison, Literal, Variable

MOST_NAMED = 5
"""Bindings that are named; all of them are counted."""


@dataclass(frozen=True)
class AskedDefinition:
    """A definition with the conditions of one of its aggregates written out beside it.

    `choice` are the variables outside the aggregate, of which one binding is told; `shown` is what
    is told of it.
    """

    head: Atom
    body: tuple[Condition, ...]
    choice: tuple[str, ...]
    shown: tuple[str, ...]
    greatest_first: bool = False


def questions_of(definition: Definition) -> Iterator[AskedDefinition]:
    outside = [one for one in definition.body if not isinstance(one, Aggregate)]
    aggregates = [one for one in definition.body if isinstance(one, Aggregate)]
    said = variable_names(definition.head.arguments)
    made = {one.variable for one in aggregates}
    local = [name for name in _bound(outside) if name not in said | made]
    if not aggregates and local:
        yield AskedDefinition(definition.head, definition.body, (), tuple(local))
    for aggregate in aggregates:
        inside = [*aggregate.body, *aggregate.among]
        own = [name for name in _bound(inside) if name not in {*local, *said, *made}]
        # The aggregate keeps its variables to itself, so those written out beside it take others.
        fresh = substitution({name: Variable(f"{name}'") for name in own})
        written = [change_item(one, fresh) for one in inside]
        of = [variable.name for term in aggregate.of for variable in term_variables(term)]
        last_first = aggregate.function in ("max", "latest")
        extremes = last_first or aggregate.function == "min"
        counts = aggregate.function in ("count", "exists", "share")
        shown = of if counts else [*of, *own] if extremes else own
        shown = [name for name in dict.fromkeys(shown) if name in own]
        if shown:
            told = tuple(f"{name}'" for name in shown)
            yield AskedDefinition(
                definition.head, (*definition.body, *written), tuple(local), told, last_first
            )


def _bound(conditions: Sequence[Literal | Comparison]) -> list[str]:
    """The variables that positive atoms bind, in order."""
    literals = (one for one in conditions if isinstance(one, Literal) and one.positive)
    return list(
        dict.fromkeys(variable.name for one in literals for variable in item_variables(one))
    )


def question_query(
    query: str,
    arity: int,
    question: AskedDefinition,
    world: int,
    heads: Sequence[tuple[Expression, ...]],
) -> str:
    """`SELECT place, number, s0, ...`: each head's first bindings, under the first choice."""
    cells = [[render_expression(cell) for cell in head] for head in heads]
    rows = ", ".join(f"({', '.join([str(place), *row])})" for place, row in enumerate(cells))
    places = [f"a{place}" for place in range(arity)]
    # The lists reach the facts below the joins, which a join with the heads alone need not.
    among = [
        f"q.{name} IN ({', '.join(sorted(set(column)))})"
        for name, column in zip(places, zip(*cells))
    ]
    same = [f"q.{name} = h.{name}" for name in places]
    told = [f"a{arity + place}" for place in range(len(question.choice) + len(question.shown))]
    choice, shown = told[: len(question.choice)], told[len(question.choice) :]
    order = ", ".join(
        f"{name} DESC" if question.greatest_first and not place else name
        for place, name in enumerate(shown)
    )
    first = (
        f"QUALIFY rank() OVER (PARTITION BY place ORDER BY {', '.join(choice)}) = 1"
        if choice
        else ""
    )
    return f"""
        WITH heads({", ".join(["place", *places])}) AS (VALUES {rows}),
        found AS (
            SELECT h.place, {", ".join(f"q.{name}" for name in told)}
            FROM (\n{query}\n) q
            JOIN heads h ON {" AND ".join([f"q.world = {world}", *same, *among])}
            {first}
        )
        SELECT place, count(*) OVER (PARTITION BY place), {", ".join(shown)} FROM found
        QUALIFY row_number() OVER (PARTITION BY place ORDER BY {order}) <= {MOST_NAMED}
        ORDER BY place, {order}"""
