"""A clause of Markov logic as `Select`s: what each case of it joins, what its row is,
and how it is counted.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from workbench.grounding.body import Body
from workbench.grounding.cases import Case, count_case, open_rows, summed_scales
from workbench.grounding.plans import WIDEST_INTEGRAL, Plan
from workbench.grounding.select import (
    Column,
    Expression,
    Operation,
    Select,
    Source,
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
from workbench.language.terms import Atom, Literal
from workbench.language.values import ValueKind

__all__ = ["plan_clause", "plan_total", "scale_of", "varying_scale"]

NOBODY = Value(-1)


def plan_clause(vocabulary: Vocabulary, clause: Clause, *, violated: bool = False) -> Plan:
    """The cases of an MLN clause without existential variables.

    With `violated`, only the groundings that the state in `vocabulary.state` violates: open
    literals then join (negated) or anti join (positive) the atoms that are true.
    """
    open_literals = tuple(
        one for one in clause.literals if vocabulary.roles[one.atom.predicate].open
    )
    closed = tuple(one for one in clause.literals if not vocabulary.roles[one.atom.predicate].open)
    scale, varying = scale_of(clause)
    cases = tuple(
        _case(vocabulary, clause, branch, closed, varying, violated)
        for branch in branches(open_literals, multiset=False)
    )
    folded = any(case.folded for case in cases)
    only_one = {name for name, _ in clause.variable_types} <= set(
        clause.plus
    ) and not clause.function_values
    merged = not only_one and (folded or not merging_is_needless(clause, open_literals))
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


def _gives_values(vocabulary: Vocabulary, literal: Literal) -> bool:
    """Whether a literal binds numbers, dates or texts: it is part of what a grounding is."""
    return not literal.positive and vocabulary.program.predicates[literal.atom.predicate].has_values


def _case(
    vocabulary: Vocabulary,
    clause: Clause,
    branch: Branch,
    closed: tuple[Literal, ...],
    varying: bool,
    violated: bool,
) -> Case:
    body = _start(vocabulary, clause)
    listed = {
        i for i, (atom, _) in enumerate(branch.terms) if vocabulary.roles[atom.predicate].listed
    }
    columns: dict[int, Expression] = {}
    if _scoped_head(vocabulary, clause) is not None:
        # The scope comes first: it relates what the facts beside it would cross.
        ((atom, _),) = branch.terms
        alias = body.join(atom, vocabulary.listed(atom.predicate), letter="o")
        columns[0] = call("coalesce", Column(alias, "atom"), NOBODY)
        body.where.append(Operation("IS DISTINCT FROM", (Column(alias, "value"), Value(1))))
    for atom in _in_order(body, clause, [one.atom for one in closed if not one.positive]):
        body.join(atom, vocabulary.facts(atom.predicate))
    for i in sorted(listed - set(columns)):
        atom, coefficient = branch.terms[i]
        if coefficient > 0:
            alias = body.join(atom, vocabulary.listed(atom.predicate), letter="o")
            columns[i] = call("coalesce", Column(alias, "atom"), NOBODY)
            body.where.append(
                negate(Column(alias, "atom").is_null) | equal(Column(alias, "value"), 1)
            )
    if violated:
        for i, (atom, coefficient) in enumerate(branch.terms):
            if coefficient > 0 and i not in listed:
                body.join(atom, vocabulary.state.true_atoms(atom.predicate), letter="w")
    body.adopt(branch.required)
    for computed in clause.function_values:
        body.define(computed)
    for name, _ in clause.variable_types:
        if name not in body.bound:
            body.bind_domain(name)
            body.adopt(branch.required)
    for i in sorted(listed - set(columns)):
        atom, _ = branch.terms[i]
        alias = body.join(atom, vocabulary.listed(atom.predicate), kind="left", letter="o")
        columns[i] = call("coalesce", Column(alias, "atom"), NOBODY)
        given = Column(alias, "atom").is_null & equal(Column(alias, "value"), 1)
        body.where.append(negate(call("coalesce", given, False)))
    for literal in closed:
        if literal.positive:
            body.join(
                literal.atom, vocabulary.facts(literal.atom.predicate), kind="anti", letter="x"
            )
    if violated:
        for i, (atom, coefficient) in enumerate(branch.terms):
            if coefficient < 0 and i not in listed:
                body.join(
                    atom, vocabulary.state.true_atoms(atom.predicate), kind="anti", letter="w"
                )
    for guard in clause.guards:
        body.where.append(body.test(guard).is_not(True))
    body.require(branch.required)
    body.exclude(branch.excluded)
    folded = bool(listed)
    for i, (atom, coefficient) in enumerate(branch.terms):
        if i in columns:
            continue
        identity = body.place(atom)
        if vocabulary.has_known(atom.predicate):
            folded = True
            alias = body.alias("k")
            on = (equal(Column(alias, "atom"), identity),)
            body.sources.append(Source(vocabulary.known(atom.predicate), alias, on, "left"))
            no_effect = equal(Column(alias, "value"), 0 if coefficient < 0 else 1)
            body.where.append(Column(alias, "value").is_null | no_effect)
            identity = call("case", Column(alias, "value").is_null, identity, NOBODY)
        columns[i] = identity
    shown: list[tuple[str, Expression]] = [
        (f"t{number}", body.column_of(name)) for number, name in enumerate(clause.plus)
    ]
    shown += [(f"l{i}", columns[i]) for i in range(len(branch.terms))]
    if varying:
        shown.append(("s", varying_scale(body, clause)))
    signature = tuple((atom.predicate, coefficient) for atom, coefficient in branch.terms)
    return Case(body.select(shown), signature, (folded,) * len(signature))


def plan_total(vocabulary: Vocabulary, clause: Clause, varying: bool) -> Select:
    """How many groundings there are before evidence is looked at.

    Cross products are computed from domain sizes in a subquery per variable; only functions and
    weights from data join. Where there are numbers, dates or texts, all evidence that binds
    variables does, so that no two unrelated relations are crossed; and a clause about a scoped atom
    has groundings inside the scope only.
    """
    body = _start(vocabulary, clause)
    closed = [one for one in clause.literals if not vocabulary.roles[one.atom.predicate].open]
    scoped = _scoped_head(vocabulary, clause)
    if scoped is not None:
        body.join(scoped, vocabulary.listed(scoped.predicate), letter="o")
    chosen = [
        one
        for one in closed
        if not one.positive and (clause.values or scoped or _gives_values(vocabulary, one))
    ]
    for joined in _in_order(body, clause, [one.atom for one in chosen]):
        body.join(joined, vocabulary.facts(joined.predicate))
    for computed in clause.function_values:
        body.define(computed)
    plus = list(clause.plus)
    for name in plus:
        if name not in body.bound:
            body.bind_domain(name)
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
    shown: list[tuple[str, Expression]] = [
        (f"t{i}", body.column_of(name)) for i, name in enumerate(plus)
    ]
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
    open_literals = [one for one in clause.literals if vocabulary.roles[one.atom.predicate].open]
    if len(open_literals) != 1 or not open_literals[0].positive:
        return None
    atom = open_literals[0].atom
    return atom if vocabulary.roles[atom.predicate].scoped else None


def _real(counts: dict[int, int]) -> dict[int, float]:
    """As real numbers: their products may pass what integers hold."""
    return {world: float(count) for world, count in counts.items()}
