"""Clauses with existential variables: a row per binding of the others, literals as lists."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from workbench.grounding.body import Body
from workbench.grounding.cases import Case, count_case, summed_scales
from workbench.grounding.clauses import plan_total, scale_of, varying_scale
from workbench.grounding.literal_sources import in_place, listed
from workbench.grounding.plans import WIDEST_INTEGRAL, Plan
from workbench.grounding.roles import open_literals
from workbench.grounding.select import (
    COUNT,
    ColumnRef,
    Expression,
    Raw,
    Select,
    Source,
    Union,
    Value,
    call,
    equal,
)
from workbench.grounding.vocabulary import Vocabulary
from workbench.language.clauses import Clause
from workbench.language.terms import Comparison, Literal, Term, Variable

FALSE, TRUE = Value(-1), Value(-2)


def plan_existential(vocabulary: Vocabulary, clause: Clause) -> Plan:
    """The query of a clause whose existential variables are disjoined over their domains."""
    scale, varying = scale_of(clause)
    # Each open literal gives lines of its own; a line without a literal keeps groundings that have
    # none.
    literals = open_literals(vocabulary.roles, clause)
    selects = tuple(_line(vocabulary, clause, literal, varying) for literal in (None, *literals))
    grouped = _grouped(selects, literals)
    widest = sum(max((1, *_bindings(vocabulary, clause, one).values())) for one in literals)
    case = Case(grouped, listing=True)
    templates = (name for name, _ in grouped.columns if name.startswith("t"))
    counted = Select(
        tuple((name, ColumnRef("q", name)) for name in templates), (Source(grouped, "q"),)
    )
    sums = summed_scales(ColumnRef("q", "s"), case.none_open, 0.0, in_order=vocabulary.shared)
    return Plan(
        clause,
        (case,),
        count_case(0, counted, case.none_open, sums),
        vocabulary.shared,
        plan_total(vocabulary, clause, varying),
        scale,
        widest,
        integral_constants=widest < WIDEST_INTEGRAL,
        open_groundings=selects[:1],
    )


def _grouped(selects: tuple[Select, ...], literals: Sequence[Literal]) -> Select:
    """The lines of each grounding as one row, but for those that are satisfied."""
    keys = [name for name, _ in selects[0].columns if name not in ("key", "s")]
    key = ColumnRef("u", "key")
    is_open = key >= 0
    distinct = call("list_distinct", call("list", key, only=is_open))
    in_order = call("list_sort", distinct)
    # A grounding is satisfied when data make a literal true, or when it holds an atom and its
    # negation.
    unsatisfied = [call("min", key) > TRUE]
    if {one.atom.predicate for one in literals if one.positive} & {
        one.atom.predicate for one in literals if not one.positive
    }:
        atoms = call("list_distinct", call("list", key // 2, only=is_open))
        lengths = [call("coalesce", call("len", one), 0) for one in (distinct, atoms)]
        unsatisfied.append(equal(*lengths))
    return Select(
        (
            *((name, ColumnRef("u", name)) for name in keys),
            ("literals", call("coalesce", in_order, call("cast BIGINT[]", call("list_value")))),
            ("s", call("any_value", ColumnRef("u", "s"))),
        ),
        (Source(Union(selects), "u"),),
        group_by=tuple(ColumnRef("u", name) for name in keys),
        having=tuple(unsatisfied),
    )


def _line(vocabulary: Vocabulary, clause: Clause, literal: Literal | None, varying: bool) -> Select:
    """The universal part of the clause with one literal: the binding's keys and the literal's."""
    body = Body(vocabulary, dict(clause.variable_types), worlds=clause.worlds)
    closed = [one for one in clause.literals if not vocabulary.roles[one.atom.predicate].open]
    inside, outside = (
        [one for one in closed if bool(_existential_in(clause, one.atom.arguments)) == is_inside]
        for is_inside in (True, False)
    )
    # What binds variables is joined before domains are, which would multiply what it then filters.
    for one in outside:
        if not one.positive:
            body.join(one.atom, vocabulary.facts(one.atom.predicate))
    for computed in clause.function_values:
        body.define(computed)
    body.bind_domains(_universal(clause))
    if not vocabulary.one_world and body.world is None:
        _ = body.geometry
    # Bindings that evidence satisfies go before the existential variables multiply the rest.
    for one in outside:
        if one.positive:
            body.join(one.atom, vocabulary.facts(one.atom.predicate), kind="anti", letter="x")
    for guard in clause.guards:
        body.where.append(_unsatisfied_by_guard(body, clause, guard))
    for one in inside:
        body.where.append(_unsatisfied_by_facts(body, clause, one))
    columns = _binding_columns(body, clause)
    scale = varying_scale(body, clause) if varying else Value(1.0)
    if clause.weight_variable is not None:
        columns.append(("weight", scale))
    identity: Expression = FALSE
    if literal is not None:
        body.bind_domains(_existential_in(clause, literal.atom.arguments))
        identity = _key(body, literal)
    columns += [("key", call("cast BIGINT", identity)), ("s", call("cast DOUBLE", scale))]
    return body.select(columns)


def _universal(clause: Clause) -> list[str]:
    return [name for name, _ in clause.variable_types if name not in clause.existential]


def _existential_in(clause: Clause, terms: Iterable[Term]) -> list[str]:
    """The existential variables among some terms, each once."""
    names = (one.name for one in terms if isinstance(one, Variable))
    return list(dict.fromkeys(name for name in names if name in clause.existential))


def _unsatisfied_by_guard(body: Body, clause: Clause, guard: Comparison) -> Expression:
    """The test that no binding of its existential variables makes a guard true."""
    names = _existential_in(clause, (guard.left, guard.right))
    if not names:
        return body.test(guard).is_not(True)
    inner = _inner(body, "y")
    for name in names:
        inner.bind_domain(name)
    inner.where.append(inner.test(guard).is_(True))
    return equal(_count(inner), 0)


def _unsatisfied_by_facts(body: Body, clause: Clause, literal: Literal) -> Expression:
    """The test that evidence makes no binding of a literal's existential variables true."""
    vocabulary, inner = body.vocabulary, _inner(body, "z")
    inner.join(literal.atom, vocabulary.facts(literal.atom.predicate))
    if literal.positive:
        return equal(_count(inner), 0)
    return equal(_count(inner), body.by_world(_bindings(vocabulary, clause, literal)))


def _binding_columns(body: Body, clause: Clause) -> list[tuple[str, Expression]]:
    """What tells one binding of the universal variables from another."""
    columns = body.plus_columns(clause.plus)
    if body.world is not None:
        columns.append(("w", body.world))
    for i, name in enumerate(_universal(clause)):
        columns.append((f"x{i}", body.constant_of(Variable(name), body.types[name])))
    columns += [(f"y{i}", body.column_of(name)) for i, (name, _) in enumerate(clause.values)]
    for i, computed in enumerate(clause.function_values):
        value = body.bound[computed.variable].constant
        if value is not None:
            columns.append((f"v{i}", value))
    return columns


def _inner(body: Body, prefix: str) -> Body:
    """A body for a correlated subquery: the outer variables are bound already."""
    inner = Body(body.vocabulary, body.types, prefix=f"{body.prefix}{prefix}{body.serial}_")
    inner.bound = dict(body.bound)
    inner.world = body.world
    inner.geometry_alias = body.geometry_alias
    return inner


def _count(inner: Body) -> Expression:
    return Raw(Select((("n", COUNT),), *inner.parts()))


def _bindings(vocabulary: Vocabulary, clause: Clause, literal: Literal) -> dict[int, int]:
    """How many bindings of its existential variables a literal has in each world."""
    names = _existential_in(clause, literal.atom.arguments)
    return vocabulary.bindings(kind for name, kind in clause.variable_types if name in names)


def _key(body: Body, literal: Literal) -> Expression:
    """`2 * atom + negated`; -1 where data make the literal false, -2 where they make it true."""
    atom = literal.atom
    negated = 0 if literal.positive else 1
    is_listed = body.vocabulary.roles[atom.predicate].listed
    found = listed(body, atom, "left") if is_listed else in_place(body, atom)
    encoded = _encoded(found.identity, negated)
    if found.always_open:
        return encoded
    holds = equal(found.value(Value(0.0)), 1 - negated)
    return call("case", found.is_open, encoded, holds, TRUE, FALSE)


def _encoded(identity: Expression, negated: int) -> Expression:
    doubled = call("cast BIGINT", identity) * 2
    return doubled + negated if negated else doubled
