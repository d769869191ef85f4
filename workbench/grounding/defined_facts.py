"""What facts of definitions are made of: the bindings under which a definition says them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import numpy as np

from workbench.arrays import Array
from workbench.grounding.definition_queries import conditions_select
from workbench.grounding.definition_questions import AskedDefinition, question_query, questions_of
from workbench.grounding.dialect import render
from workbench.grounding.select import Expression, Value
from workbench.grounding.templates import clause_text
from workbench.grounding.value_terms import constant_value
from workbench.grounding.vocabulary import Vocabulary
from workbench.language.builtin import DATE_OF
from workbench.language.clauses import Clause
from workbench.language.declarations import Predicate
from workbench.language.formulas import item_variables
from workbench.language.terms import Atom, Constant, Literal, Variable
from workbench.language.values import value_text
from workbench.language.variable_types import infer_condition_types

NamesOf = Callable[[str, Array], list[str]]


@dataclass(frozen=True)
class DefinedFact:
    """Why one definition says a fact: what its aggregate was over, or what binds the rest.

    Attributes
    ----------
    number : int
        Different bindings of `variables` under which the definition says it.
    said_by : tuple of str
        Of each variable, the predicate that says it of other things; empty where none does.
    named : tuple of tuple of str
        The first few bindings, constants by name.
    """

    number: int
    variables: tuple[str, ...]
    types: tuple[str, ...]
    said_by: tuple[str, ...]
    named: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Teller:
    """Tells what the facts of one world were made of.

    `names`: the names of constants, by type and ids.
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
        """For each of some ground clauses, its body's defined atoms and what they were made of.

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
                bound_atom(
                    clause, literal.atom, {name: column[place] for name, column in texts.items()}
                )
                for place in range(len(heads))
            ]
            mine = (one for one in program.definitions if one.head.predicate == predicate)
            for question in (
                question for definition in mine for question in questions_of(definition)
            ):
                for place, fact in self._answers(question, heads):
                    found[place][said[place], fact] = None
                for place, beneath in self._beneath(clause, question, heads, above | {predicate}):
                    found[place] |= dict.fromkeys(beneath)
        return [list(one) for one in found]

    def _beneath(
        self,
        clause: Clause,
        question: AskedDefinition,
        heads: Sequence[tuple[Expression, ...]],
        above: frozenset[str],
    ) -> Iterator[tuple[int, list[tuple[str, DefinedFact]]]]:
        """What the defined atoms in a definition's body are made of, by the places of the heads."""
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
        self, question: AskedDefinition, heads: Sequence[tuple[Expression, ...]]
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
        said = {
            one.atom.arguments[-1].name: one.atom.predicate
            for one in question.body
            if isinstance(one, Literal) and one.positive and len(one.atom.arguments) > 1
            if isinstance(one.atom.arguments[-1], Variable)
        }
        said_by = tuple(said.get(name, "") for name in question.shown)
        for fact, members in groupby(zip(rows, zip(*texts)), key=lambda member: member[0][0]):
            several = list(members)
            yield (
                fact,
                DefinedFact(
                    several[0][0][1],
                    variables,
                    shown_types,
                    said_by,
                    tuple(named for _, named in several),
                ),
            )

    def _rows(
        self, question: AskedDefinition, heads: Sequence[tuple[Expression, ...]]
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
            question_query(render(select), declared.arity, question, self.world, heads)
        )
        return found.fetchall(), types


def bound_atom(clause: Clause, atom: Atom, binding: Mapping[str, str]) -> str:
    """An atom of a clause, constants and values in the place of its variables."""
    return clause_text(
        replace(clause, literals=(Literal(atom),), guards=(), existential=(), factor=None), binding
    )
