"""The ground rules that a clause's own queries find an atom in, every variable shown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from workbench.grounding.dialect import render
from workbench.grounding.found_rules import Found, found_in_columns, found_in_lists, universal
from workbench.grounding.planning import plan_cases
from workbench.grounding.result import Grounding
from workbench.grounding.select import (
    ColumnRef,
    Expression,
    Select,
    Source,
    Value,
    all_of,
    any_of,
    call,
    equal,
    negate,
)
from workbench.grounding.unification import unify
from workbench.grounding.vocabulary import Vocabulary
from workbench.language.clauses import Clause
from workbench.language.terms import Atom, Variable


@dataclass(frozen=True)
class RuleQueries:
    """Asks the database for the ground rules of one atom."""

    grounding: Grounding
    vocabulary: Vocabulary
    atom: int

    def found(self, clause: Clause, wanted: Atom) -> Iterable[Found]:
        """The ground rules of a clause that have the wanted atom, whose id is `atom`."""
        places = self._places(clause, wanted)
        if not places:
            return
        vocabulary = self.vocabulary
        shown = replace(clause, plus=universal(clause))
        numbering = self.grounding.origin.numbering
        identity = int(numbering.to_space(np.array([self.atom]))[0])
        plan = plan_cases(vocabulary, shown)
        for case in plan.cases:
            tests: tuple[Expression, ...]
            if case.listing:
                keys = (Value(2 * identity), Value(2 * identity + 1))
                tests = tuple(
                    call("list_contains", ColumnRef("r", "literals"), key) for key in keys
                )
            else:
                tests = tuple(
                    equal(ColumnRef("r", f"l{i}"), identity) for i in range(len(case.signature))
                )
            if not tests:
                continue
            for columns in self._rows(case.select, places, any_of(tests)):
                if case.listing:
                    yield found_in_lists(clause, columns, numbering, plan.scale)
                else:
                    signs = [sign for _, sign in case.signature]
                    yield found_in_columns(
                        clause,
                        columns,
                        numbering,
                        signs=signs,
                        constant=case.constant,
                        scale=plan.scale,
                    )

    def _rows(
        self, select: Select, places: Sequence[tuple[Expression, ...]], here: Expression
    ) -> Iterable[dict[str, Any]]:
        shown = tuple((name, ColumnRef("r", name)) for name, _ in select.columns)
        for tests in places:
            query = Select(shown, (Source(select, "r"),), (*tests, here))
            table = self.vocabulary.connection.sql(render(query)).to_arrow_table()
            if table.num_rows:
                yield {
                    name: table.column(name).to_pylist()
                    if name == "literals"
                    else table.column(name).to_numpy(zero_copy_only=False)
                    for name in table.column_names
                }

    def _places(self, clause: Clause, wanted: Atom) -> list[tuple[Expression, ...]]:
        """For each literal that can be the atom, when it is; no two conditions hold together."""
        variables = universal(clause)
        types = self.vocabulary.arguments(wanted.predicate)
        ids = [self._constant(type_name, term) for term, type_name in zip(wanted.arguments, types)]
        found: list[tuple[Expression, ...]] = []
        before: list[Expression] = []
        for literal in clause.literals:
            if unify(literal.atom, wanted) is None:
                continue
            tests = tuple(
                equal(ColumnRef("r", f"t{variables.index(term.name)}"), number)
                for term, number in zip(literal.atom.arguments, ids)
                if isinstance(term, Variable) and term.name in variables
            )
            found.append((*tests, *before))
            if not tests:
                break
            before.append(negate(all_of(tests)))
        return found

    def _constant(self, type_name: str, term: Any) -> int:
        query = f"SELECT id FROM {self.vocabulary.names(type_name)} WHERE name = $name"
        ((number,),) = self.vocabulary.connection.execute(query, {"name": term.name}).fetchall()
        return int(number)
