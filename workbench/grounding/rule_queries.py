"""The ground rules that a clause's own queries find an atom in, every variable shown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from workbench.arrays import Array, Float, Int32, Int64
from workbench.grounding.dialect import render
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
from workbench.grounding.space import Numbering
from workbench.grounding.unification import unify
from workbench.grounding.vocabulary import Vocabulary
from workbench.language.clauses import Clause
from workbench.language.terms import Atom, Variable
from workbench.language.values import value_text


@dataclass
class Found:
    """A clause's ground rules; where there is no open literal `atoms` is -1, `coefficients` 0."""

    clause: Clause
    bindings: list[Array]
    values: list[Array]
    atoms: Int64
    coefficients: Float
    constant: Float
    scale: Float
    template: Int32 = field(default_factory=lambda: np.zeros(0, np.int32))


def found_in_columns(
    clause: Clause,
    columns: Mapping[str, Any],
    numbering: Numbering,
    *,
    signs: Sequence[int],
    constant: float | None,
    scale: float,
) -> Found:
    """What a case with a column for each open literal found; `constant` where rows have no `b`."""
    ids = [numbering.to_open(columns[f"l{i}"]) for i in range(len(signs))]
    atoms = np.stack(ids, axis=1).astype(np.int64)
    atoms[atoms < 0] = -1
    coefficients = np.where(atoms >= 0, np.array(signs, np.float64), 0.0)
    if "b" in columns:
        b = np.asarray(columns["b"], np.float64)
    elif constant is not None:
        b = np.full(len(atoms), constant)
    else:
        b = 1.0 - (coefficients > 0).sum(axis=1)
    return _sorted(clause, columns, atoms, coefficients, b, scale)


def found_in_lists(
    clause: Clause, columns: Mapping[str, Any], numbering: Numbering, scale: float
) -> Found:
    """What a case has found whose rows list their open literals."""
    width = max(map(len, columns["literals"]))
    keys = np.array(
        [[*keys, *[-1] * (width - len(keys))] for keys in columns["literals"]], np.int64
    )
    atoms = np.where(keys >= 0, numbering.to_open(np.maximum(keys, 0) >> 1), -1)
    coefficients = np.where(atoms >= 0, (keys & 1) * 2.0 - 1.0, 0.0)
    return _sorted(
        clause, columns, atoms, coefficients, 1.0 - (coefficients > 0).sum(axis=1), scale
    )


def _sorted(
    clause: Clause,
    columns: Mapping[str, Any],
    atoms: Int64,
    coefficients: Float,
    b: Float,
    scale: float,
) -> Found:
    order = np.argsort(atoms, axis=1, kind="stable")
    return Found(
        clause,
        [_readable(columns[f"t{i}"], name, clause) for i, name in enumerate(universal(clause))],
        [np.asarray(columns[f"e{i}"], np.float64) for i in range(len(clause.literals))]
        if "e0" in columns
        else [],
        np.take_along_axis(atoms, order, axis=1),
        np.take_along_axis(coefficients, order, axis=1),
        b,
        scale * np.asarray(columns["s"], np.float64)
        if "s" in columns
        else np.full(len(atoms), scale),
    )


def universal(clause: Clause) -> tuple[str, ...]:
    """The variables that tell the groundings of a clause apart: of constants, then of values."""
    return tuple(
        name
        for name, _ in (*clause.variable_types, *clause.values)
        if name not in clause.existential
    )


def _readable(column: Array, name: str, clause: Clause) -> Array:
    """A column of constants' ids as it is; one of values as texts."""
    if name not in dict(clause.values):
        return column
    values = (
        column.astype("datetime64[us]").tolist() if column.dtype.kind == "M" else column.tolist()
    )
    return np.array([value_text(value) for value in values], np.str_)


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
