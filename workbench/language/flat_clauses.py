"""A disjunction as a clause: its share of the weight, single literals conjoined,
function terms taken out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from workbench.language.builtin import negated_operator
from workbench.language.clauses import Clause
from workbench.language.domains import ScopedClause
from workbench.language.flattening import Flattening
from workbench.language.formulas import formula_terms, item_variables, term_variables
from workbench.language.normal_form import Disjunction, Item
from workbench.language.program import FormulaRule, Program
from workbench.language.terms import Comparison, Literal

__all__ = ["flat_clause", "is_tautology", "may_cost", "merged", "weight_shares"]

ROUNDING = 1e-12
"""Shares of a weight below this are what adding them up left over."""


def weight_shares(
    disjunctions: list[Disjunction], *, soft: bool
) -> list[tuple[Disjunction, float]]:
    """Each clause with its share of the weight, single literals conjoined in one."""
    units = [d for d in disjunctions if len(d.items) == 1 and not d.existential and not d.narrowed]
    if soft and len(units) > 1:
        together = Disjunction(
            tuple(dict.fromkeys((_negated(unit.items[0]), frozenset()) for unit in units))
        )
        first = disjunctions.index(units[0])
        chosen = [
            together if i == first else d
            for i, d in enumerate(disjunctions)
            if i == first or d not in units
        ]
    else:
        together, chosen = None, disjunctions
    part = 1.0 / len(chosen)
    return merged([(one, -part if one is together else part) for one in chosen], soft=soft)


def merged(
    shared: Iterable[tuple[Disjunction, float]], *, soft: bool
) -> list[tuple[Disjunction, float]]:
    """Clauses are sets: those of the same literals are one, of their summed shares (1 where they
    are hard).

    Shares that cancel leave nothing: `(P v Q) ^ !P ^ !Q` says of every world the same.
    """
    first: dict[object, Disjunction] = {}
    total: dict[object, float] = {}
    for disjunction, share in shared:
        key = disjunction.as_set
        first.setdefault(key, disjunction)
        total[key] = total.get(key, 0.0) + share if soft else 1.0
    return [
        (disjunction, total[key])
        for key, disjunction in first.items()
        if abs(total[key]) > ROUNDING
    ]


def _negated(item: Literal | Comparison) -> Literal | Comparison:
    if isinstance(item, Literal):
        return Literal(item.atom, not item.positive)
    return replace(item, operator=negated_operator(item.operator))


def is_tautology(disjunction: Disjunction | Clause) -> bool:
    items = disjunction.items if isinstance(disjunction, Disjunction) else disjunction.literals
    literals = {(i.atom, i.positive) for i in items if isinstance(i, Literal)}
    return any((atom, not positive) in literals for atom, positive in literals)


def may_cost(tautology: Clause) -> bool:
    """Whether some grounding of a clause that always holds costs something:
    those of negative weight do.
    """
    return tautology.weight_variable is not None or (tautology.grounding_weight or 0.0) < 0


def flat_clause(
    program: Program,
    rule: FormulaRule,
    number: int,
    index: int,
    disjunction: Disjunction,
    share: float,
    tied: bool,
    types: Mapping[str, str],
) -> ScopedClause:
    flat = Flattening(program, set(types))
    became: dict[Item, Item] = {}
    for item in disjunction.items:
        if isinstance(item, Literal):
            expected = program.predicates[item.atom.predicate].argument_types
            arguments = tuple(
                [flat.simple(term, place) for term, place in zip(item.atom.arguments, expected)]
            )
            became[item] = Literal(replace(item.atom, arguments=arguments), item.positive)
        else:
            became[item] = replace(
                item, left=flat.simple(item.left, None), right=flat.simple(item.right, None)
            )
    factor = None if rule.weight.factor is None else flat.simple(rule.weight.factor, None)
    plus = {v.name for term in formula_terms(rule.formula) for v in term_variables(term) if v.plus}
    named = [v.name for item in disjunction.items for v in item_variables(item)]
    order = dict.fromkeys([*named, *sorted(disjunction.emptied)])
    weight = rule.weight
    known = [(name, types[name]) for name in order if name in types and name != weight.variable]
    clause = Clause(
        rule=number,
        index=index,
        literals=tuple(item for item in became.values() if isinstance(item, Literal)),
        guards=tuple(item for item in became.values() if isinstance(item, Comparison)),
        variable_types=tuple(
            (name, type_name) for name, type_name in known if program.kind_of(type_name) is None
        ),
        function_values=tuple(flat.found.values()),
        values=tuple(
            (name, type_name) for name, type_name in known if program.kind_of(type_name) is not None
        ),
        existential=tuple(name for name in order if name in disjunction.existential),
        plus=tuple(name for name in order if name in plus),
        weight=None if weight.value is None else weight.value * (1.0 if tied else share),
        share=share,
        fixed=weight.kind in ("fixed", "variable"),
        hard=weight.kind == "hard",
        weight_variable=weight.variable,
        factor=factor,
        tied=tied,
        outside=tuple(
            became[item]
            for item, under in disjunction.parts
            if disjunction.existential and not under
        ),
        span=rule.span,
    )
    return ScopedClause(clause, disjunction.parts, became)
