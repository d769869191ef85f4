"""A clause of Markov logic as `Select`s: what each case joins, its row, its count."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from workbench.grounding.body import Body
from workbench.grounding.cases import Case, count_case, open_rows, summed_scales
from workbench.grounding.literal_sources import LiteralSource, in_place, listed
from workbench.grounding.plans import WIDEST_INTEGRAL, Plan
from workbench.grounding.roles import closed_atoms, open_literals
from workbench.grounding.select import (
    Expression,
    Operation,
    Select,
    Union,
    Value,
    call,
    count_of,
    equal,
    negate,
)
from workbench.grounding.unification import Branch, branches, merging_is_needless
from workbench.grounding.vocabulary import Vocabulary
from workbench.language.clauses import Clause
from workbench.language.terms import Atom
from workbench.language.values import ValueKind


def plan_clause(vocabulary: Vocabulary, clause: Clause, *, violated: bool) -> Plan:
    """The cases of an MLN clause without existential variables.

    With `violated`, only the groundings that the state in `vocabulary.state` violates: open
    literals then join (negated) or anti join (positive) the atoms that are true.
    """
    literals = open_literals(vocabulary.roles, clause)
    scale, varying = scale_of(clause)
    cases = tuple(
        _CaseMaker(vocabulary, clause, branch, violated).make()
        for branch in branches(clause, literals)
    )
    folded = any(case.folded for case in cases)
    only_one = {name for name, _ in clause.variable_types} <= set(
        clause.plus
    ) and not clause.function_values
    merged = not only_one and (folded or not merging_is_needless(clause, literals))
    width = max((len(case.signature) for case in cases), default=0)
    return Plan(
        clause,
        tuple(replace(case, merged=merged) for case in cases),
        Union(tuple(_count(number, case, vocabulary.shared) for number, case in enumerate(cases)))
        if cases
        else None,
        vocabulary.shared,
        plan_total(vocabulary, clause, varying),
        scale,
        width,
        integral_constants=width < WIDEST_INTEGRAL,
        open_groundings=tuple(open_rows(case) for case in cases if case.signature),
    )


def _count(number: int, case: Case, shared: bool) -> Select:
    none_open, scale = case.none_open, dict(case.select.columns).get("s")
    if scale is not None:
        sums = summed_scales(scale, none_open, 0, in_order=shared)
    else:
        decided = Value(0) if none_open is None else count_of(none_open)
        sums = [("positive", decided), ("negative", Value(0))]
    return count_case(number, case.select, none_open, sums)


def scale_of(clause: Clause) -> tuple[float, bool]:
    """The common factor of the scale, and whether groundings differ in a further one."""
    scale = 1.0
    if not clause.hard and (clause.tied or clause.weight_variable):
        scale = clause.share
    return scale, clause.weight_variable is not None or clause.factor is not None


def varying_scale(body: Body, clause: Clause) -> Expression:
    """The number that data give each grounding for its weight."""
    if clause.factor is not None:
        return body.value_of(clause.factor, ValueKind.NUMBER)
    assert clause.weight_variable is not None
    number = body.bound[clause.weight_variable].number
    assert number is not None
    return number


def _start(vocabulary: Vocabulary, clause: Clause) -> Body:
    return Body(vocabulary, dict(clause.variable_types), worlds=clause.worlds)


def _in_order(body: Body, clause: Clause, atoms: list[Atom]) -> Iterable[Atom]:
    """The order of joins: as written, and by shared variables where values are compared."""
    return body.in_turn(atoms) if clause.values else atoms


@dataclass
class _CaseMaker:
    """The steps that make one case: joins that bind, variables left over, tests, columns.

    `columns` holds the atom's id of each term of the branch, by its place there.
    """

    vocabulary: Vocabulary
    clause: Clause
    branch: Branch
    violated: bool
    columns: dict[int, Expression] = field(default_factory=dict)

    def make(self) -> Case:
        clause, branch = self.clause, self.branch
        self.body = body = _start(self.vocabulary, clause)
        if _scoped_head(self.vocabulary, clause) is not None:
            self._join_scope()
        self._join_conditions()
        body.adopt(branch.required)
        for computed in clause.function_values:
            body.define(computed)
        for name, _ in clause.variable_types:
            if name not in body.bound:
                body.bind_domain(name)
                body.adopt(branch.required)
        self._leave_out_satisfied()
        for guard in clause.guards:
            body.where.append(body.test(guard).is_not(True))
        body.require(branch.required)
        body.exclude(branch.excluded)
        folded = [self._place(i, atom) for i, (atom, _) in self._terms(listed=False)]
        return self._finish(folded=any(folded) or any(self._terms(listed=True)))

    def _closed(self, *, positive: bool) -> list[Atom]:
        return closed_atoms(self.vocabulary.roles, self.clause, positive=positive)

    def _terms(self, *, listed: bool) -> Iterator[tuple[int, tuple[Atom, int]]]:
        """The branch's terms over predicates whose atoms are listed, or over the others."""
        for i, (atom, coefficient) in enumerate(self.branch.terms):
            if self.vocabulary.roles[atom.predicate].listed == listed:
                yield i, (atom, coefficient)

    def _join_scope(self) -> None:
        """The scope comes first: it relates what the facts beside it would cross."""
        given = self._join_listed(0).given
        self.body.where.append(Operation("IS DISTINCT FROM", (given, Value(1))))

    def _join_listed(self, i: int, kind: str = "inner") -> LiteralSource:
        found = listed(self.body, self.branch.terms[i][0], kind)
        self.columns[i] = found.folded
        return found

    def _join_conditions(self) -> None:
        """Join a negated literal's facts, listed atoms that may be true, the state's true atoms."""
        body, vocabulary = self.body, self.vocabulary
        for atom in _in_order(body, self.clause, self._closed(positive=False)):
            body.join(atom, vocabulary.facts(atom.predicate))
        for i, (_, coefficient) in self._terms(listed=True):
            if coefficient > 0 and i not in self.columns:
                found = self._join_listed(i)
                body.where.append(found.is_open | equal(found.given, 1))
        self._join_state(1, "inner")

    def _leave_out_satisfied(self) -> None:
        """Leave out what an atom that is true satisfies: listed, a fact or in the state."""
        body, vocabulary = self.body, self.vocabulary
        for i, _ in self._terms(listed=True):
            if i not in self.columns:
                found = self._join_listed(i, "left")
                given = found.identity.is_null & equal(found.given, 1)
                body.where.append(negate(call("coalesce", given, False)))
        for atom in self._closed(positive=True):
            body.join(atom, vocabulary.facts(atom.predicate), kind="anti", letter="x")
        self._join_state(-1, "anti")

    def _join_state(self, sign: int, kind: str) -> None:
        """Join atoms that the state makes true, where only what it violates is asked for."""
        for _, (atom, coefficient) in self._terms(listed=False):
            if self.violated and coefficient * sign > 0:
                true = self.vocabulary.state.true_atoms(atom.predicate)
                self.body.join(atom, true, kind=kind, letter="w")

    def _place(self, i: int, atom: Atom) -> bool:
        """Take the atom's place as its id; whether known values may stand there instead."""
        found = in_place(self.body, atom)
        self.columns[i] = found.folded
        if found.always_open:
            return False
        no_effect = equal(found.given, 0 if self.branch.terms[i][1] < 0 else 1)
        self.body.where.append(found.is_open | no_effect)
        return True

    def _finish(self, *, folded: bool) -> Case:
        body, terms = self.body, self.branch.terms
        shown = body.plus_columns(self.clause.plus)
        shown += [(f"l{i}", self.columns[i]) for i in range(len(terms))]
        if scale_of(self.clause)[1]:
            shown.append(("s", varying_scale(body, self.clause)))
        signature = tuple((atom.predicate, coefficient) for atom, coefficient in terms)
        return Case(body.select(shown), signature, (folded,) * len(signature))


def plan_total(vocabulary: Vocabulary, clause: Clause, varying: bool) -> Select:
    """How many groundings there are before evidence is looked at.

    Cross products are computed from domain sizes in a subquery per variable; only functions and
    weights from data join. Where there are numbers, dates or texts, all evidence that binds
    variables does, so that no two unrelated relations are crossed; and a clause about a scoped atom
    has groundings inside the scope only.
    """
    body = _start(vocabulary, clause)
    scoped = _scoped_head(vocabulary, clause)
    if scoped is not None:
        body.join(scoped, vocabulary.listed(scoped.predicate), letter="o")
    predicates = vocabulary.program.predicates
    chosen = [
        atom
        for atom in closed_atoms(vocabulary.roles, clause, positive=False)
        if clause.values or scoped or predicates[atom.predicate].has_values
    ]
    for joined in _in_order(body, clause, chosen):
        body.join(joined, vocabulary.facts(joined.predicate))
    for computed in clause.function_values:
        body.define(computed)
    body.bind_domains(clause.plus)
    counted = [
        type_
        for name, type_ in clause.variable_types
        if name not in (*body.bound, *clause.existential)
    ]
    factors = [body.by_world(_real(vocabulary.bindings([type_name]))) for type_name in counted]
    size: Expression = Value(1)
    if factors:
        size = factors[0] if len(factors) == 1 else Operation("*", tuple(factors))
    size = call("cast DOUBLE", size)
    shown = body.plus_columns(clause.plus)
    keys = tuple(value for _, value in shown)
    shown.append(("n", call("sum", size)))
    if varying:
        scale = varying_scale(body, clause)
        for name, sign in (("positive", 1.0), ("negative", -1.0)):
            part = call("greatest", scale * sign, 0.0)
            shown.append((name, vocabulary.sum(size * part)))
    else:
        shown += [("positive", call("sum", size)), ("negative", Value(0.0))]
    return body.select(shown, group_by=keys)


def _scoped_head(vocabulary: Vocabulary, clause: Clause) -> Atom | None:
    """The only open literal of a clause, where it is positive and its predicate has a scope.

    Atoms outside are false, so evidence alone would violate each such grounding: a constant, and
    mostly of every pair.
    """
    literals = open_literals(vocabulary.roles, clause)
    if len(literals) != 1 or not literals[0].positive:
        return None
    atom = literals[0].atom
    return atom if vocabulary.roles[atom.predicate].scoped else None


def _real(counts: dict[int, int]) -> dict[int, float]:
    """As real numbers: their products may pass what integers hold."""
    return {world: float(count) for world, count in counts.items()}
