"""The ground rules that one atom is in: the grounder's queries with every variable shown.

A network keeps what its solvers need: equal rows are merged, what evidence decides is folded in,
and ground rules with one open atom are summed by template. The database still knows each of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice

import duckdb
import numpy as np

from workbench.arrays import Array, Int32, Int64
from workbench.grounding.defined_facts import Teller
from workbench.grounding.definitions import make_definitions, make_scopes
from workbench.grounding.program_clauses import clauses_of
from workbench.grounding.result import Grounding
from workbench.grounding.rule_queries import Found, RuleQueries, universal
from workbench.grounding.templates import TemplateTable
from workbench.grounding.vocabulary import Vocabulary
from workbench.grounding.wording import GroundRule, in_words, merged
from workbench.language.clauses import Clause
from workbench.language.terms import Atom, Constant


@dataclass(frozen=True)
class GroundRules:
    """Ground rules that are one potential, `max(0, constant + sum of coefficient * atom) ** power`.

    Attributes
    ----------
    template : int
        -1 for hard rules.
    atoms : tuple of int
        Ids in the network, ascending.
    unit : bool
        Summed in the network's `unit`; otherwise a row.
    scale : float
        Of all of them.
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

    Arithmetic rules are left out. The facts are read again, so the answer is that of the data as
    they are now: compare `scale` with the network's. It is empty where the database is closed, or
    has other constants than it had.

    Cost: the joins of the clauses that the atom unifies with, its constants in the place of their
    variables.
    """
    try:
        before = grounding.origin.vocabulary
        vocabulary = before.again(grounding.origin.database.cursor())
        try:
            make_definitions(vocabulary, before.made)
            make_scopes(vocabulary)
            return (
                _Finder(grounding, vocabulary, atom, most).find()
                if _same_domains(vocabulary)
                else []
            )
        finally:
            vocabulary.drop()
    except duckdb.ConnectionException:
        return []


def _same_domains(vocabulary: Vocabulary) -> bool:
    rows = vocabulary.connection.execute(
        f"SELECT world, type, count(*) FROM domain WHERE world IN ({vocabulary.in_worlds}) GROUP "
        "BY ALL"
    ).fetchall()
    return {(world, name): count for world, name, count in rows} == {
        key: one.size for key, one in vocabulary.domains.items()
    }


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
        queries = RuleQueries(self.grounding, vocabulary, self.atom)
        found: list[GroundRules] = []
        for clause in clauses_of(self.grounding.origin.database, vocabulary.program, request):
            if not isinstance(clause, Clause):
                continue
            if not clause.hard:
                # Clauses of one formula may share a label, that of the first.
                table.number(clause, ())
            for part in queries.found(clause, wanted):
                part.template = self._templates(part, table)
                found += self._grouped(part)
        return found

    def _templates(self, found: Found, table: TemplateTable) -> Int32:
        clause, count = found.clause, len(found.atoms)
        if clause.hard:
            return np.full(count, -1, np.int32)
        if not clause.plus:
            return np.full(count, table.number(clause, [()])[0], np.int32)
        places = [universal(clause).index(name) for name in clause.plus]
        combinations, which = np.unique(
            np.stack([found.bindings[place] for place in places], axis=1),
            axis=0,
            return_inverse=True,
        )
        types = dict(clause.variable_types)
        names = [
            self._names(types[name], column) for name, column in zip(clause.plus, combinations.T)
        ]
        return table.number(clause, list(zip(*names)))[which.reshape(-1)]

    def _names(self, type_name: str, ids: Array) -> list[str]:
        """Names of constants by their ids."""
        known = self.names.setdefault(type_name, {})
        missing = [number for number in np.unique(ids).tolist() if number not in known]
        if missing:
            known.update(self.vocabulary.names_of(type_name, missing))
        return [known[number] for number in ids.tolist()]

    def _grouped(self, found: Found) -> Iterable[GroundRules]:
        """One entry a potential; groundings of templates that carry no weight are left out."""
        clause, n_atoms = found.clause, self.grounding.atoms.n_atoms
        columns = found.template[:, None], found.atoms, found.coefficients, found.constant[:, None]
        keys = np.concatenate([np.asarray(column, np.float64) for column in columns], axis=1)
        kinds, which = np.unique(keys, axis=0, return_inverse=True)
        order = np.argsort(which.reshape(-1), kind="stable")
        ends = np.cumsum(np.bincount(which.reshape(-1), minlength=len(kinds)))
        groups = [
            members
            for members in np.split(order, ends[:-1])
            if (clause.hard or found.template[members[0]] >= 0)
            and found.atoms[members[0]].max() < n_atoms
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
            is_soft = not clause.hard and clause.power == 1
            unit = is_soft and atoms.size == 1 and b >= 0 and b + coefficients[0] >= 0
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

    def _largest(self, found: Found, members: Int64) -> Int64:
        """The members of largest scale, as many as are to be named."""
        if members.size <= self.most:
            return members
        order = np.lexsort(
            (
                *(column[members] for column in reversed(found.bindings)),
                -np.abs(found.scale[members]),
            )
        )
        return members[order[: self.most]]

    def _in_words(self, found: Found, rows: Int64) -> Iterable[GroundRule]:
        clause, variables = found.clause, universal(found.clause)
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
            text, given, literals = in_words(clause, binding, values, is_open)
            scale = float(found.scale[row])
            yield GroundRule(text, scale, 1, given, tuple(made[place]), literals)
