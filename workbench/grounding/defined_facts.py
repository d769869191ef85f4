"""What facts of definitions are made of: the bindings under which a definition says them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import numpy as np

from workbench.arrays import Array
from workbench.grounding.definition_queries import conditions_select
from workbench.grounding.dialect import render, render_expression
from workbench.grounding.select import Expression, Value
from workbench.grounding.templates import clause_text
from workbench.grounding.value_terms import constant_value
from workbench.grounding.vocabulary import Vocabulary
from workbench.language.builtin import DATE_OF
from workbench.language.clauses import Clause
from workbench.language.formulas import (
    change_item,
    item_variables,
    substitution,
    term_variables,
    variable_names,
)
from workbench.language.program import Aggregate, Condition, Definition, Predicate
from workbench.language.terms import Atom, Comparison, Constant, Literal, Variable
from workbench.language.values import value_text
from workbench.language.variable_types import infer_condition_types

__all__ = ["DefinedFact", "Teller", "atom_text"]

MOST_NAMED = 5
"""Bindings that are named; all of them are counted."""

NamesOf = Callable[[str, Array], list[str]]


@dataclass(frozen=True)
class DefinedFact:
    """Why one definition says a fact: what its aggregate was taken over, or what binds its other
    variables.

    Attributes
    ----------
    number : int
        Different bindings of `variables` under which the definition says it.
    named : tuple of tuple of str
        The first few bindings, constants by name.
    """

    number: int
    variables: tuple[str, ...]
    types: tuple[str, ...]
    named: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class _Question:
    """A definition with the conditions of one of its aggregates written out beside it.

    `choice` are the variables outside the aggregate, of which one binding is told; `shown` is what
    is told of it.
    """

    head: Atom
    body: tuple[Condition, ...]
    choice: tuple[str, ...]
    shown: tuple[str, ...]
    greatest_first: bool = False


@dataclass(frozen=True)
class Teller:
    """Tells what the facts of one world were made of.

    Attributes
    ----------
    names : callable
        The names of constants, by type and ids.
    """

    vocabulary: Vocabulary
    world: int
    names: NamesOf

    def defined_facts(
        self,
        clause: Clause,
        cells: Mapping[str, Sequence[Any]],
        above: frozenset[str] = frozenset(),
    ) -> list[list[tuple[str, DefinedFact]]]:
        """For each of some ground clauses, the defined atoms of its body and what their definitions
        made them of.

        After each come the defined atoms that it was itself made of, under the bindings that are
        named. `cells` are the bindings of the clause's variables: ids of constants, texts of
        values; `above` are predicates told already. Cost: two queries a definition and aggregate,
        the joins of its body.
        """
        types, program = dict(clause.variable_types), self.vocabulary.program
        texts = {
            name: self.names(types[name], np.array(column))
            if name in types and len(column)
            else list(column)
            for name, column in cells.items()
        }
        found: list[dict[tuple[str, DefinedFact], None]] = [
            {} for _ in next(iter(cells.values()), [""])
        ]
        for literal in clause.literals:
            predicate = literal.atom.predicate
            bound = {variable.name for variable in item_variables(literal)} <= cells.keys()
            if (
                literal.positive
                or predicate not in program.defined - above - {DATE_OF}
                or not bound
            ):
                continue
            heads = self._heads(literal.atom, cells)
            said = [
                atom_text(
                    clause, literal.atom, {name: column[place] for name, column in texts.items()}
                )
                for place in range(len(heads))
            ]
            mine = (one for one in program.definitions if one.head.predicate == predicate)
            for question in (
                question for definition in mine for question in _questions(definition)
            ):
                for place, fact in self._answers(question, heads):
                    found[place][said[place], fact] = None
                for place, beneath in self._beneath(clause, question, heads, above | {predicate}):
                    found[place] |= dict.fromkeys(beneath)
        return [list(one) for one in found]

    def _beneath(
        self,
        clause: Clause,
        question: _Question,
        heads: Sequence[tuple[Expression, ...]],
        above: frozenset[str],
    ) -> Iterator[tuple[int, list[tuple[str, DefinedFact]]]]:
        """What the defined atoms in a definition's body were made of,
        by the places of the heads.
        """
        program = self.vocabulary.program
        literals = tuple(
            replace(one, positive=False)
            for one in question.body
            if isinstance(one, Literal)
            and one.positive
            and one.atom.predicate in program.defined - above - {DATE_OF}
        )
        variables = tuple(
            dict.fromkeys(variable.name for one in literals for variable in item_variables(one))
        )
        if not variables:
            return
        rows, types = self._rows(replace(question, shown=variables, greatest_first=False), heads)
        if not rows:
            return
        typed = [(name, types[name]) for name in variables]
        body = replace(
            clause,
            literals=literals,
            guards=(),
            function_values=(),
            variable_types=tuple(
                (name, type_name) for name, type_name in typed if program.kind_of(type_name) is None
            ),
            values=tuple(
                (name, type_name)
                for name, type_name in typed
                if program.kind_of(type_name) is not None
            ),
            existential=(),
        )
        cells = {
            name: list(map(value_text, column)) if program.kind_of(type_name) else list(column)
            for (name, type_name), column in zip(typed, list(zip(*rows))[2:])
        }
        for row, told in zip(rows, self.defined_facts(body, cells, above)):
            yield row[0], told

    def _heads(
        self, atom: Atom, cells: Mapping[str, Sequence[Any]]
    ) -> list[tuple[Expression, ...]]:
        """The arguments of an atom in each ground clause."""
        vocabulary = self.vocabulary
        declared = vocabulary.program.predicates[atom.predicate]
        count = len(next(iter(cells.values()), ("",)))
        columns: list[list[Expression]] = []
        for term, type_name, kind in zip(atom.arguments, declared.argument_types, declared.kinds):
            if isinstance(term, Variable):
                given = cells[term.name]
                columns.append(
                    [Value(cell) if kind is None else constant_value(kind, cell) for cell in given]
                )
            else:
                assert isinstance(term, Constant)
                known = (
                    vocabulary.constant(type_name, term.name)
                    if kind is None
                    else constant_value(kind, term.name)
                )
                columns.append([known] * count)
        return list(zip(*columns)) if columns else [()] * count

    def _answers(
        self, question: _Question, heads: Sequence[tuple[Expression, ...]]
    ) -> Iterator[tuple[int, DefinedFact]]:
        """The facts that a question finds bindings of, by their places."""
        rows, types = self._rows(question, heads)
        kind_of = self.vocabulary.program.kind_of
        shown_types = tuple(types[name] for name in question.shown)
        texts = [
            list(map(value_text, column))
            if kind_of(type_name)
            else self.names(type_name, np.array(column))
            for type_name, column in zip(shown_types, list(zip(*rows))[2:])
        ]
        variables = tuple(name.removesuffix("'") for name in question.shown)
        for fact, members in groupby(zip(rows, zip(*texts)), key=lambda member: member[0][0]):
            several = list(members)
            yield (
                fact,
                DefinedFact(
                    several[0][0][1], variables, shown_types, tuple(named for _, named in several)
                ),
            )

    def _rows(
        self, question: _Question, heads: Sequence[tuple[Expression, ...]]
    ) -> tuple[list[tuple[Any, ...]], dict[str, str]]:
        """`place, number, s0, ...` of what a question finds, and the types of its variables."""
        vocabulary = self.vocabulary
        program, head = vocabulary.program, question.head
        types = infer_condition_types(head, question.body, program).variables
        told = (*question.choice, *question.shown)
        declared = program.predicates[head.predicate]
        things = (
            declared.arity + place
            for place, name in enumerate(told)
            if program.kind_of(types[name]) is None
        )
        asked = Predicate(
            f"{head.predicate}'",
            (*declared.argument_types, *(types[name] for name in told)),
            entities=(*declared.entities, *things),
        )
        atom = Atom(asked.name, (*head.arguments, *map(Variable, told)))
        select = conditions_select(
            replace(
                vocabulary,
                program=replace(program, predicates={**program.predicates, asked.name: asked}),
            ),
            atom,
            question.body,
            types,
            vocabulary.given,
        )
        found = vocabulary.connection.execute(
            _statement(render(select), declared.arity, question, self.world, heads)
        )
        return found.fetchall(), types


def atom_text(clause: Clause, atom: Atom, binding: Mapping[str, str]) -> str:
    """An atom of a clause, constants and values in the place of its variables."""
    return clause_text(
        replace(clause, literals=(Literal(atom),), guards=(), existential=(), factor=None), binding
    )


def _questions(definition: Definition) -> Iterator[_Question]:
    outside = [one for one in definition.body if not isinstance(one, Aggregate)]
    aggregates = [one for one in definition.body if isinstance(one, Aggregate)]
    said = variable_names(definition.head.arguments)
    made = {one.variable for one in aggregates}
    local = [name for name in _bound(outside) if name not in said | made]
    if not aggregates and local:
        yield _Question(definition.head, definition.body, (), tuple(local))
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
            yield _Question(
                definition.head, (*definition.body, *written), tuple(local), told, last_first
            )


def _bound(conditions: Sequence[Literal | Comparison]) -> list[str]:
    """The variables that positive atoms bind, in order."""
    literals = (one for one in conditions if isinstance(one, Literal) and one.positive)
    return list(
        dict.fromkeys(variable.name for one in literals for variable in item_variables(one))
    )


def _statement(
    query: str, arity: int, question: _Question, world: int, heads: Sequence[tuple[Expression, ...]]
) -> str:
    """`SELECT place, number, s0, ...`: of each head the first bindings of what is shown,
    under the first choice.
    """
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
