"""An arithmetic rule of PSL as `Select`s: its contributions, summed by grounding and atom, and their counts."""

from __future__ import annotations

from dataclasses import replace

from workbench.grounding.linear_terms import RuleTerms
from workbench.grounding.plans import TOLERANCE, LineForm, Plan, Shape
from workbench.grounding.select import (
    COUNT,
    Call,
    Column,
    Expression,
    Operation,
    Select,
    Source,
    Union,
    Value,
    add,
    all_of,
    equal,
    negate,
    real_sum,
)
from workbench.grounding.vocabulary import Vocabulary
from workbench.language.clauses import LinearRule

__all__ = ["plan_linear_rule"]


def plan_linear_rule(vocabulary: Vocabulary, rule: LinearRule) -> Plan:
    """The queries of an arithmetic rule."""
    terms = RuleTerms(vocabulary, rule)
    lines = terms.lines()
    keys = terms.keys
    in_order = vocabulary.shared or len(lines) > 1
    by_atom = Select(
        (
            *((key, Column("t", key)) for key in keys),
            ("atom", Column("t", "atom")),
            *((name, real_sum(Column("t", name), in_order=in_order)) for name in ("coefficient", "b")),
            ("undefined", Call("sum", (Column("t", "undefined"),))),
        ),
        (Source(Union(lines) if len(lines) > 1 else lines[0], "t"),),
        group_by=(*(Column("t", key) for key in keys), Column("t", "atom")),
    )
    form = LineForm(len(keys), terms.constant, rule.relation, merged=not terms.determined_by_atoms)
    return Plan(
        rule,
        (),
        _counting(terms, by_atom),
        vocabulary.shared,
        integral=False,
        integral_constants=False,
        lines=Shape(_in_order(terms, by_atom), (), lines=form),
    )


def _in_order(terms: RuleTerms, by_atom: Select) -> Select:
    """The lines with positions for ids where these are not in order of names, sorted."""
    vocabulary = terms.vocabulary
    types = dict(terms.rule.variable_types)
    sources = [Source(by_atom, "r")]
    places: list[Expression] = []
    world = [] if vocabulary.one_world else [Column("r", f"g{len(terms.free)}")]
    for number, name in enumerate(terms.free):
        key = Column("r", f"g{number}")
        if vocabulary.positions_are_ids(types[name]):
            places.append(key)
            continue
        alias = f"d{number}"
        on = (equal(Column(alias, "a"), key), *(equal(Column(alias, "world"), one) for one in world))
        sources.append(Source(vocabulary.domain(types[name]), alias, on))
        places.append(Column(alias, "p"))
    ordered = [*world, *places]
    names = tuple(Column("", f"k{i}") for i in range(len(ordered)))
    return Select(
        (
            *((f"k{i}", one) for i, one in enumerate(ordered)),
            ("atom", Call("coalesce", (Column("r", "atom"), Value(-1)))),
            ("coefficient", Column("r", "coefficient")),
            ("b", Column("r", "b")),
            ("undefined", Call("cast INTEGER", (Column("r", "undefined"),))),
        ),
        tuple(sources),
        order_by=(*names, Column("", "atom")),
    )


def _counting(terms: RuleTerms, by_atom: Select) -> Select:
    """Groundings with an open atom that can be violated, and those that evidence violates, in one line."""
    rule = terms.rule
    coefficient = Column("r", "coefficient")
    is_open = Operation(
        "AND", (negate(Operation("IS", (Column("r", "atom"), Value(None)))), Operation("<>", (coefficient, Value(0))))
    )
    b = add((Call("sum", (Column("r", "b"),)), Value(terms.constant)))
    most = Call("sum", (Call("greatest", (coefficient, Value(0))),), filter=is_open)
    by_grounding = Select(
        (
            ("width", replace(COUNT, filter=is_open)),
            ("b", b),
            ("highest", add((b, Call("coalesce", (most, Value(0)))))),
            ("undefined", Call("sum", (Column("r", "undefined"),))),
        ),
        (Source(by_atom, "r"),),
        group_by=tuple(Column("r", key) for key in terms.keys),
    )
    defined = equal(Column("q", "undefined"), Value(0))
    width, excess = Column("q", "width"), Column("q", "b")
    kept = [defined, Operation(">", (width, Value(0)))]
    if rule.relation == "<=":
        kept.append(Operation(">", (Column("q", "highest"), Value(TOLERANCE))))
    distance = Call("abs", (excess,)) if rule.relation == "=" else Call("greatest", (excess, Value(0.0)))
    violated = all_of((defined, equal(width, Value(0)), Operation(">", (distance, Value(TOLERANCE)))))
    potential = distance if rule.power == 1 else Operation("*", (distance, distance))
    decided = replace(COUNT, filter=violated)
    return Select(
        (
            ("part", Value(0)),
            ("n", add((replace(COUNT, filter=all_of(tuple(kept))), decided))),
            ("decided", decided),
            ("positive", Call("coalesce", (terms.vocabulary.sum(potential, violated), Value(0.0)))),
            ("negative", Value(0.0)),
            ("unlisted", Value(0)),
            ("width", Call("coalesce", (Call("max", (width,)), Value(0)))),
            ("total", replace(COUNT, filter=defined)),
            ("undefined", add((COUNT, Operation("*", (Value(-1), replace(COUNT, filter=defined)))))),
        ),
        (Source(by_grounding, "q"),),
    )
