"""The ground rules that one atom is in, evidence and all: the grounder's own queries, with every variable shown.

A network keeps what its solvers need: equal rows are merged, what evidence decides is folded in, and ground rules with
one open atom are summed by template. The database still knows each of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

import duckdb
import numpy as np

from workbench.arrays import Array, Float, Int32, Int64
from workbench.grounding.counting import plan_cases
from workbench.grounding.defined_facts import Teller
from workbench.grounding.definitions import make_definitions, make_scopes
from workbench.grounding.dialect import render
from workbench.grounding.prepare import clauses_of
from workbench.grounding.result import Grounding
from workbench.grounding.select import Column, Expression, Select, Source, Value, all_of, any_of, call, equal, negate
from workbench.grounding.templates import TemplateTable
from workbench.grounding.unification import unify
from workbench.grounding.vocabulary import Vocabulary
from workbench.grounding.wording import GroundRule, in_words, merged
from workbench.language.clauses import Clause
from workbench.language.program import Atom, Constant, Variable
from workbench.language.values import value_text

__all__ = ["GroundRules", "ground_rules"]


@dataclass(frozen=True)
class GroundRules:
    """Ground rules that are one potential, `max(0, constant + sum of coefficient * atom) ** power`.

    Attributes
    ----------
    template : int
        -1 for hard rules.
    atoms : tuple of int
        Ids in the network, ascending.
    coefficients : tuple of float
    constant : float
    unit : bool
        Summed in the network's `unit`; otherwise a row.
    scale : float
        Of all of them.
    groundings : int
    named : tuple of GroundRule
        Those of largest scale, as many as were asked for.
    """

    template: int
    atoms: tuple[int, ...]
    coefficients: tuple[float, ...]
    constant: float
    unit: bool
    scale: float
    groundings: int
    named: tuple[GroundRule, ...]


def ground_rules(grounding: Grounding, atom: int, *, most: int = 200) -> list[GroundRules]:
    """The ground rules that contain an open atom, of each potential at most so many by name.

    Arithmetic rules are left out. The facts are read again, so the answer is that of the data as they are now: compare
    `scale` with the network's. It is empty where the database is closed, or has other constants than it had.

    Cost: the joins of the clauses that the atom unifies with, its constants in the place of their variables.
    """
    try:
        before = grounding.origin.vocabulary
        vocabulary = before.again(grounding.origin.database.cursor())
        try:
            make_definitions(vocabulary, before.made)
            make_scopes(vocabulary)
            return _Finder(grounding, vocabulary, atom, most).find() if _same_domains(vocabulary) else []
        finally:
            vocabulary.drop()
    except duckdb.ConnectionException:
        return []


def _same_domains(vocabulary: Vocabulary) -> bool:
    rows = vocabulary.connection.execute(
        f"SELECT world, type, count(*) FROM domain WHERE world IN ({vocabulary.in_worlds}) GROUP BY ALL"
    ).fetchall()
    return {(world, name): count for world, name, count in rows} == dict(vocabulary.sizes)


@dataclass
class _Found:
    """Ground rules of one clause: entries of `atoms` are -1 and of `coefficients` 0 where there is no open literal."""

    clause: Clause
    bindings: list[Array]
    values: list[Array]
    atoms: Int64
    coefficients: Float
    constant: Float
    scale: Float
    template: Int32 = field(default_factory=lambda: np.zeros(0, np.int32))


@dataclass
class _Finder:
    grounding: Grounding
    vocabulary: Vocabulary
    atom: int
    most: int
    names: dict[str, dict[int, str]] = field(default_factory=dict)

    def find(self) -> list[GroundRules]:
        vocabulary, atoms = self.vocabulary, self.grounding.atoms
        request = vocabulary.request
        (constants,) = atoms.argument_names([self.atom])
        wanted = Atom(atoms.predicates[atoms.predicate[self.atom]], tuple(map(Constant, constants)))
        table = TemplateTable(vocabulary.program, self.grounding.templates)
        found: list[GroundRules] = []
        for clause in clauses_of(self.grounding.origin.database, vocabulary.program, request):
            if not isinstance(clause, Clause):
                continue
            if not clause.hard:
                # Clauses of one formula may share a label, that of the first.
                table.number(clause, ())
            for part in self._read(clause, self._places(clause, wanted)):
                part.template = self._templates(part, table)
                found += self._grouped(part)
        return found

    def _places(self, clause: Clause, wanted: Atom) -> list[tuple[Expression, ...]]:
        """For each literal that can be the atom, the conditions under which it is: no two of them hold together."""
        variables = _universal(clause)
        types = self.vocabulary.arguments(wanted.predicate)
        ids = [self._constant(type_name, term) for term, type_name in zip(wanted.arguments, types)]
        found: list[tuple[Expression, ...]] = []
        before: list[Expression] = []
        for literal in clause.literals:
            if unify(literal.atom, wanted) is None:
                continue
            tests = tuple(
                equal(Column("r", f"t{variables.index(term.name)}"), number)
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

    def _read(self, clause: Clause, places: Sequence[tuple[Expression, ...]]) -> Iterable[_Found]:
        """The ground rules that the clause's queries find at any of the places."""
        if not places:
            return
        vocabulary = self.vocabulary
        shown = replace(clause, plus=_universal(clause))
        identity = int(self.grounding.origin.numbering.to_space(np.array([self.atom]))[0])
        plan = plan_cases(vocabulary, shown)
        for case in plan.cases:
            tests: tuple[Expression, ...]
            if case.listing:
                keys = (Value(2 * identity), Value(2 * identity + 1))
                tests = tuple(call("list_contains", Column("r", "literals"), key) for key in keys)
            else:
                tests = tuple(equal(Column("r", f"l{i}"), identity) for i in range(len(case.signature)))
            if not tests:
                continue
            for columns in self._rows(case.select, places, any_of(tests)):
                if case.listing:
                    yield self._of_lists(clause, columns, plan.scale)
                else:
                    yield self._of_columns(clause, columns, [c for _, c in case.signature], case.constant, plan.scale)

    def _rows(
        self, select: Select, places: Sequence[tuple[Expression, ...]], here: Expression
    ) -> Iterable[dict[str, Any]]:
        shown = tuple((name, Column("r", name)) for name, _ in select.columns)
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

    def _of_columns(
        self, clause: Clause, columns: dict[str, Any], signs: list[int], constant: float | None, scale: float
    ) -> _Found:
        ids = [self.grounding.origin.numbering.to_open(columns[f"l{i}"]) for i in range(len(signs))]
        atoms = np.stack(ids, axis=1).astype(np.int64)
        atoms[atoms < 0] = -1
        coefficients = np.where(atoms >= 0, np.array(signs, np.float64), 0.0)
        if "b" in columns:
            b = np.asarray(columns["b"], np.float64)
        elif constant is not None:
            b = np.full(len(atoms), constant)
        else:
            b = 1.0 - (coefficients > 0).sum(axis=1)
        return self._sorted(clause, columns, atoms, coefficients, b, scale)

    def _of_lists(self, clause: Clause, columns: dict[str, Any], scale: float) -> _Found:
        width = max(map(len, columns["literals"]))
        keys = np.array([[*keys, *[-1] * (width - len(keys))] for keys in columns["literals"]], np.int64)
        atoms = np.where(keys >= 0, self.grounding.origin.numbering.to_open(np.maximum(keys, 0) >> 1), -1)
        coefficients = np.where(atoms >= 0, (keys & 1) * 2.0 - 1.0, 0.0)
        return self._sorted(clause, columns, atoms, coefficients, 1.0 - (coefficients > 0).sum(axis=1), scale)

    def _sorted(
        self, clause: Clause, columns: dict[str, Any], atoms: Int64, coefficients: Float, b: Float, scale: float
    ) -> _Found:
        order = np.argsort(atoms, axis=1, kind="stable")
        return _Found(
            clause,
            [_readable(columns[f"t{i}"], name, clause) for i, name in enumerate(_universal(clause))],
            [np.asarray(columns[f"e{i}"], np.float64) for i in range(len(clause.literals))] if "e0" in columns else [],
            np.take_along_axis(atoms, order, axis=1),
            np.take_along_axis(coefficients, order, axis=1),
            b,
            scale * np.asarray(columns["s"], np.float64) if "s" in columns else np.full(len(atoms), scale),
        )

    def _templates(self, found: _Found, table: TemplateTable) -> Int32:
        clause, count = found.clause, len(found.atoms)
        if clause.hard:
            return np.full(count, -1, np.int32)
        if not clause.plus:
            return np.full(count, table.number(clause, [()])[0], np.int32)
        places = [_universal(clause).index(name) for name in clause.plus]
        combinations, which = np.unique(
            np.stack([found.bindings[place] for place in places], axis=1), axis=0, return_inverse=True
        )
        types = dict(clause.variable_types)
        names = [self._names(types[name], column) for name, column in zip(clause.plus, combinations.T)]
        return table.number(clause, list(zip(*names)))[which.reshape(-1)]

    def _names(self, type_name: str, ids: Array) -> list[str]:
        """Names of constants by their ids."""
        known = self.names.setdefault(type_name, {})
        missing = [number for number in np.unique(ids).tolist() if number not in known]
        if missing:
            known.update(self.vocabulary.names_of(type_name, missing))
        return [known[number] for number in ids.tolist()]

    def _grouped(self, found: _Found) -> Iterable[GroundRules]:
        """One entry a potential; groundings of templates that carry no weight are left out."""
        clause, n_atoms = found.clause, self.grounding.atoms.n_atoms
        columns = (found.template[:, None], found.atoms, found.coefficients, found.constant[:, None])
        keys = np.concatenate([np.asarray(column, np.float64) for column in columns], axis=1)
        kinds, which = np.unique(keys, axis=0, return_inverse=True)
        order = np.argsort(which.reshape(-1), kind="stable")
        ends = np.cumsum(np.bincount(which.reshape(-1), minlength=len(kinds)))
        groups = [
            members
            for members in np.split(order, ends[:-1])
            if (clause.hard or found.template[members[0]] >= 0) and found.atoms[members[0]].max() < n_atoms
        ]
        if not groups:
            return
        largest = [self._largest(found, members) for members in groups]
        told = iter(self._in_words(found, np.concatenate(largest)))
        for members, chosen in zip(groups, largest):
            first = members[0]
            is_open = found.atoms[first] >= 0
            atoms, coefficients = found.atoms[first][is_open], found.coefficients[first][is_open]
            b = float(found.constant[first])
            unit = not clause.hard and clause.power == 1 and atoms.size == 1 and b >= 0 and b + coefficients[0] >= 0
            yield GroundRules(
                int(found.template[first]),
                tuple(atoms.tolist()),
                tuple(coefficients.tolist()),
                b,
                bool(unit),
                float(found.scale[members].sum()),
                int(members.size),
                merged(islice(told, chosen.size)),
            )

    def _largest(self, found: _Found, members: Int64) -> Int64:
        """The members of largest scale, as many as are to be named."""
        if members.size <= self.most:
            return members
        order = np.lexsort((*(column[members] for column in reversed(found.bindings)), -np.abs(found.scale[members])))
        return members[order[: self.most]]

    def _in_words(self, found: _Found, rows: Int64) -> Iterable[GroundRule]:
        clause, variables = found.clause, _universal(found.clause)
        types = dict(clause.variable_types)
        columns = [
            self._names(types[name], column[rows]) if name in types else column[rows].tolist()
            for name, column in zip(variables, found.bindings)
        ]
        ids = np.unique(found.atoms[rows])
        ids = ids[ids >= 0]
        names = dict(zip(ids.tolist(), self.grounding.atoms.names(ids)))
        cells = {name: column[rows].tolist() for name, column in zip(variables, found.bindings)}
        teller = Teller(self.vocabulary, int(self.grounding.atoms.world[self.atom]), self._names)
        made = teller.defined_facts(clause, cells)
        for place, row in enumerate(rows.tolist()):
            binding = {name: column[place] for name, column in zip(variables, columns)}
            values = [float(column[row]) for column in found.values]
            is_open = {names[atom] for atom in found.atoms[row].tolist() if atom >= 0}
            text, given = in_words(clause, binding, values, is_open)
            yield GroundRule(text, float(found.scale[row]), 1, given, tuple(made[place]))


def _universal(clause: Clause) -> tuple[str, ...]:
    """The variables that tell the groundings of a clause apart: of constants, then of values."""
    return tuple(name for name, _ in (*clause.variable_types, *clause.values) if name not in clause.existential)


def _readable(column: Array, name: str, clause: Clause) -> Array:
    """A column of constants' ids as it is; one of values as texts."""
    if name not in dict(clause.values):
        return column
    values = column.astype("datetime64[us]").tolist() if column.dtype.kind == "M" else column.tolist()
    return np.array([value_text(value) for value in values], np.str_)
