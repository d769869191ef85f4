"""The cases of a logical rule of PSL: atoms found, values folded, unviolable rows left out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from workbench.grounding.body import Body
from workbench.grounding.cases import Case, MissingAtom
from workbench.grounding.literal_sources import LiteralSource, indexed, listed
from workbench.grounding.plans import TOLERANCE
from workbench.grounding.roles import closed_atoms, open_literals
from workbench.grounding.select import ColumnRef, Expression, Value, add, all_of, call, negate
from workbench.grounding.unification import Branch
from workbench.grounding.vocabulary import Vocabulary
from workbench.language.clauses import Clause
from workbench.language.formulas import variable_names
from workbench.language.terms import Atom, Term


class _Term(NamedTuple):
    """A term of a row: its atom, and whether that may be an observed one."""

    found: LiteralSource
    coefficient: int
    mixed: bool


@dataclass
class CaseMaker:
    """The steps that make one case.

    `all_open` True or False keeps the rows without or with observed atoms only; None keeps both. A
    clause with `plus`, which no rule of PSL has of itself, is to show those variables in columns
    `t0, ...` and the observed values of its literals' atoms in `e0, ...`.
    """

    vocabulary: Vocabulary
    clause: Clause
    branch: Branch
    mixed: frozenset[str]
    all_open: bool | None
    merged: bool
    violated: bool
    prune: bool = True

    def make(self) -> Case:
        vocabulary, branch = self.vocabulary, self.branch
        self.body = body = Body(vocabulary, dict(self.clause.variable_types))
        self.constant = 1.0 - branch.negated
        self.summands: list[Expression] = []
        self.missing: list[MissingAtom] = []
        self.values: dict[Atom, Expression] = {}
        joined = self._join_observed_body()
        found = self._find_open(joined)
        # What two equal open atoms make equal binds a variable of the head before the head's atoms
        # are looked up.
        body.adopt(branch.required)
        self._add_observed_head()
        body.adopt(branch.required)
        for computed in self.clause.function_values:
            body.define(computed)
        for guard in self.clause.guards:
            if guard.operator in ("~", "!~"):
                self._add_degree(guard.left, negated=guard.operator == "!~")
                continue
            body.where.append(body.test(guard).is_not(True))
        body.require(branch.required)
        body.exclude(branch.excluded)
        return self._finish(found)

    @property
    def has_one_open(self) -> bool:
        """Whether the clause has one open literal."""
        return len(open_literals(self.vocabulary.roles, self.clause)) == 1

    def _join_observed_body(self) -> list[Atom]:
        """Join the closed atoms of the body; their truth values go into the constant."""
        atoms = closed_atoms(self.vocabulary.roles, self.clause, positive=False)
        for atom in self.body.in_turn(atoms) if self.clause.values else atoms:
            alias = self.body.join(atom, self.vocabulary.observed(atom.predicate))
            self.values[atom] = ColumnRef(alias, "value")
            if not self.vocabulary.is_boolean(atom.predicate):
                self.constant -= 1
                self.summands.append(ColumnRef(alias, "value"))
        return atoms

    def _add_observed_head(self) -> None:
        """Subtract the truth values of the head's closed atoms; a prior's, those in the data."""
        for atom in closed_atoms(self.vocabulary.roles, self.clause, positive=True):
            if self.body.binds(atom):
                relation, kind = self.vocabulary.observed(atom.predicate), "left"
            else:
                relation, kind = self.vocabulary.stated(atom.predicate), "inner"
            alias = self.body.join(atom, relation, kind=kind, letter="x")
            self.values[atom] = call("coalesce", ColumnRef(alias, "value"), 0.0)
            self.summands.append(_times(-1, self.values[atom]))

    def _add_degree(self, term: Term, *, negated: bool) -> None:
        """A function's value from 0 to 1 counts like the truth value of an observed atom."""
        degree = call("least", 1.0, call("greatest", 0.0, self.body.number_of(term)))
        if negated:
            self.constant -= 1
        self.summands.append(degree if negated else _times(-1, degree))

    def _find_open(self, joined: list[Atom]) -> list[LiteralSource]:
        """Find the open atoms: the body's must be listed, the head's must be or are missing.

        An index serves the head, and a body atom over variables of one relation that is joined
        anyway. Other body atoms are joined, for they may be what keeps the join small.
        """
        body, vocabulary, branch = self.body, self.vocabulary, self.branch
        found: dict[int, LiteralSource] = {}
        for i in sorted(range(len(branch.terms)), key=lambda i: not branch.negative[i]):
            atom, needed = branch.terms[i][0], branch.negative[i]
            body.adopt(branch.required)
            bound = body.binds(atom)
            # Atoms outside a scope are false, and groundings whose only open atom they would be are
            # left out.
            scoped = vocabulary.roles[atom.predicate].scoped
            left_out = scoped and self.has_one_open
            index = vocabulary.index(atom.predicate) if bound and not scoped else None
            if index is not None and (
                not needed
                or any(
                    variable_names(atom.arguments) <= variable_names(one.arguments)
                    for one in joined
                )
            ):
                found[i] = indexed(body, atom, index)
                if needed:
                    body.where.append(negate(found[i].is_absent))
            else:
                kind = "left" if bound and not needed and not left_out else "inner"
                found[i] = listed(body, atom, kind)
                joined.append(atom)
            self.values[atom] = found[i].value(Value(None))
            if bound and not needed and not scoped:
                types = vocabulary.arguments(atom.predicate)
                ids = tuple(
                    body.constant_of(term, type_name)
                    for term, type_name in zip(atom.arguments, types)
                )
                one = found[i]
                self.missing.append(MissingAtom(atom.predicate, one.alias, one.is_absent, ids))
        return [found[i] for i in range(len(branch.terms))]

    def _finish(self, found: list[LiteralSource]) -> Case:
        """Columns of ids and the constant, and tests that drop rows which nothing can violate."""
        body = self.body
        terms = [
            _Term(one, c, atom.predicate in self.mixed)
            for one, (atom, c) in zip(found, self.branch.terms)
            if c
        ]
        folded = self.all_open is not True and any(one.mixed for one in terms)
        if self.all_open is not None:
            tests = tuple(one.found.is_open for one in terms if one.mixed)
            body.where.append(all_of(tests) if self.all_open else negate(all_of(tests)))
        most: list[Expression] = [Value(self.constant), *self.summands]
        columns: list[tuple[str, Expression]] = []
        for number, one in enumerate(terms):
            highest: Expression = Value(float(one.coefficient > 0))
            identity = one.found.identity
            if folded and one.mixed:
                highest = one.found.value(highest)
                self.summands.append(_times(one.coefficient, one.found.value(Value(0.0))))
                identity = one.found.folded
            columns.append((f"l{number}", identity))
            most.append(_times(one.coefficient, highest))
        b = add((Value(self.constant), *self.summands))
        if self.summands:
            columns.append(("b", b))
        if self.clause.plus:
            columns = [*self._shown(), *columns]
        if self._may_be_unviolable(terms):
            body.where.append(add(tuple(most)) > TOLERANCE)
        if self.violated:
            body.where.append(self._distance(b, terms) > TOLERANCE)
        return Case(
            body.select(columns or [("one", Value(1))]),
            tuple((atom.predicate, c) for atom, c in self.branch.terms if c),
            tuple(folded and one.mixed for one in terms),
            self.constant,
            self.merged,
            missing=tuple(self.missing),
        )

    def _may_be_unviolable(self, terms: list[_Term]) -> bool:
        """Whether rows may be there that nothing can violate, and are to be left out."""
        if self.summands:
            return self.prune
        return self.constant + sum(max(one.coefficient, 0) for one in terms) <= TOLERANCE

    def _distance(self, b: Expression, terms: list[_Term]) -> Expression:
        """How far the state violates a row."""
        value_of = self.vocabulary.state.value_of
        return add((b, *(_times(one.coefficient, value_of(one.found.identity)) for one in terms)))

    def _shown(self) -> list[tuple[str, Expression]]:
        """The clause's `plus` variables, and the observed value of each literal's atom."""
        body, clause = self.body, self.clause
        places = [(f"t{i}", body.column_of(name)) for i, name in enumerate(clause.plus)]
        values = (self.values.get(one.atom, Value(None)) for one in clause.literals)
        return [*places, *((f"e{i}", call("cast DOUBLE", value)) for i, value in enumerate(values))]


def _times(coefficient: int, value: Expression) -> Expression:
    if isinstance(value, Value) and isinstance(value.value, float):
        return Value(coefficient * value.value)
    return value if coefficient == 1 else Value(float(coefficient)) * value
