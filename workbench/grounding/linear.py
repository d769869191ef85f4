"""An arithmetic rule of PSL as `Select`s: contributions summed by grounding and atom, counts."""

from __future__ import annotations

from workbench.grounding.linear_terms import RuleTerms
from workbench.grounding.plans import TOLERANCE, LineForm, Plan, RowShape
from workbench.grounding.select import (
    COUNT,
    ColumnRef,
    Expression,
    Operation,
    Select,
    Source,
    Union,
    Value,
    add,
    all_of,
    call,
    count_of,
    equal,
    negate,
    real_sum,
)
from workbench.grounding.vocabulary import Vocabulary
from workbench.language.clauses import LinearRule


def plan_linear_rule(vocabulary: Vocabulary, rule: LinearRule) -> Plan:
    """The queries of an arithmetic rule."""
    terms = RuleTerms(vocabulary, rule)
    lines = terms.lines()
    keys = terms.keys
    in_order = vocabulary.shared or len(lines) > 1
    by_atom = Select(
        (
            *((key, ColumnRef("t", key)) for key in keys),
            ("atom", ColumnRef("t", "atom")),
            *(
                (name, real_sum(ColumnRef("t", name), in_order=in_order))
                for name in ("coefficient", "b")
            ),
            ("undefined", call("sum", ColumnRef("t", "undefined"))),
        ),
        (Source(Union(lines) if len(lines) > 1 else lines[0], "t"),),
        group_by=(*(ColumnRef("t", key) for key in keys), ColumnRef("t", "atom")),
    )
    form = LineForm(len(keys), terms.constant, rule.relation, merged=not terms.determined_by_atoms)
    return Plan(
        rule,
        (),
        _counting(terms, by_atom),
        vocabulary.shared,
        integral=False,
        integral_constants=False,
        open_groundings=(terms.joined,),
        lines=RowShape(_in_order(terms, by_atom), (), lines=form),
    )


def _in_order(terms: RuleTerms, by_atom: Select) -> Select:
    """The lines with positions for ids where these are not in order of names, sorted."""
    vocabulary = terms.vocabulary
    types = dict(terms.rule.variable_types)
    sources = [Source(by_atom, "r")]
    places: list[Expression] = []
    world = [] if vocabulary.one_world else [ColumnRef("r", f"g{len(terms.free)}")]
    for number, name in enumerate(terms.free):
        key = ColumnRef("r", f"g{number}")
        if vocabulary.positions_are_ids(types[name]):
            places.append(key)
            continue
        alias = f"d{number}"
        on = (
            equal(ColumnRef(alias, "a"), key),
            *(equal(ColumnRef(alias, "world"), one) for one in world),
        )
        sources.append(Source(vocabulary.domain(types[name]), alias, on))
        places.append(ColumnRef(alias, "p"))
    ordered = [*world, *places]
    names = tuple(ColumnRef("", f"k{i}") for i in range(len(ordered)))
    return Select(
        (
            *((f"k{i}", one) for i, one in enumerate(ordered)),
            ("atom", call("coalesce", ColumnRef("r", "atom"), -1)),
            ("coefficient", ColumnRef("r", "coefficient")),
            ("b", ColumnRef("r", "b")),
            ("undefined", call("cast INTEGER", ColumnRef("r", "undefined"))),
        ),
        tuple(sources),
        order_by=(*names, ColumnRef("", "atom")),
    )


def _counting(terms: RuleTerms, by_atom: Select) -> Select:
    """In one line: groundings with an open atom that can be violated, those evidence violates."""
    rule = terms.rule
    coefficient = ColumnRef("r", "coefficient")
    is_open = negate(ColumnRef("r", "atom").is_null) & Operation("<>", (coefficient, Value(0)))
    b = add((call("sum", ColumnRef("r", "b")), Value(terms.constant)))
    most = call("sum", call("greatest", coefficient, 0), only=is_open)
    by_grounding = Select(
        (
            ("width", count_of(is_open)),
            ("b", b),
            ("highest", add((b, call("coalesce", most, 0)))),
            ("undefined", call("sum", ColumnRef("r", "undefined"))),
        ),
        (Source(by_atom, "r"),),
        group_by=tuple(ColumnRef("r", key) for key in terms.keys),
    )
    defined = equal(ColumnRef("q", "undefined"), 0)
    width, excess = ColumnRef("q", "width"), ColumnRef("q", "b")
    kept = [defined, width > 0]
    if rule.relation == "<=":
        kept.append(ColumnRef("q", "highest") > TOLERANCE)
    distance = call("abs", excess) if rule.relation == "=" else call("greatest", excess, 0.0)
    violated = all_of((defined, equal(width, 0), distance > TOLERANCE))
    potential = distance if rule.power == 1 else distance * distance
    decided = count_of(violated)
    return Select(
        (
            ("part", Value(0)),
            ("n", add((count_of(all_of(tuple(kept))), decided))),
            ("decided", decided),
            ("positive", call("coalesce", terms.vocabulary.sum(potential, violated), 0.0)),
            ("negative", Value(0.0)),
            ("unlisted", Value(0)),
            ("width", call("coalesce", call("max", width), 0)),
            ("total", count_of(defined)),
            ("undefined", add((COUNT, Value(-1) * count_of(defined)))),
        ),
        (Source(by_grounding, "q"),),
    )
