"""A disjunction as a clause: its share of the weight, single literals, and variables in
the places of function terms.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from workbench.language.builtin import negated_operator
from workbench.language.clauses import Clause, FunctionValue
from workbench.language.domains import ScopedClause
from workbench.language.formulas import fresh_name, item_variables, plus_variables
from workbench.language.normal_form import Disjunction, Item
from workbench.language.program import FormulaRule, Program
from workbench.language.terms import Apply, Comparison, Constant, Literal, Term, Variable

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
    """Clauses are sets: those of equal literals are one, shares summed (1 where hard).

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
    """Whether some grounding of a clause that always holds costs: one of negative weight."""
    return tautology.weight_variable is not None or (tautology.grounding_weight or 0.0) < 0


@dataclass(frozen=True)
class ClauseMaker:
    """Makes the clauses of one rule of a program.

    `tied` clauses have one weight, of the whole formula; `types` are its variables' types.
    """

    program: Program
    rule: FormulaRule
    number: int
    tied: bool
    types: Mapping[str, str]

    def clause(self, index: int, disjunction: Disjunction, share: float) -> ScopedClause:
        """A disjunction as the clause of an index, with its share of the weight."""
        program, weight = self.program, self.rule.weight
        flat = Flattening(program, set(self.types))
        became = {item: self._simple(flat, item) for item in disjunction.items}
        factor = None if weight.factor is None else flat.simple(weight.factor, None)
        named = [v.name for item in disjunction.items for v in item_variables(item)]
        order = dict.fromkeys([*named, *sorted(disjunction.emptied)])
        plus = plus_variables(self.rule.formula)
        known = [
            (name, self.types[name])
            for name in order
            if name in self.types and name != weight.variable
        ]
        clause = Clause(
            rule=self.number,
            index=index,
            literals=tuple(item for item in became.values() if isinstance(item, Literal)),
            guards=tuple(item for item in became.values() if isinstance(item, Comparison)),
            variable_types=tuple(one for one in known if program.kind_of(one[1]) is None),
            function_values=tuple(flat.found.values()),
            values=tuple(one for one in known if program.kind_of(one[1]) is not None),
            existential=tuple(name for name in order if name in disjunction.existential),
            plus=tuple(name for name in order if name in plus),
            weight=None if weight.value is None else weight.value * (1.0 if self.tied else share),
            share=share,
            fixed=weight.kind in ("fixed", "variable"),
            hard=weight.kind == "hard",
            weight_variable=weight.variable,
            factor=factor,
            tied=self.tied,
            scopes=tuple(
                (became[item], tuple(name for name in order if name in under))
                for item, under in disjunction.parts
                if disjunction.existential
            ),
            span=self.rule.span,
        )
        return ScopedClause(clause, disjunction.parts, became)

    def _simple(self, flat: Flattening, item: Item) -> Item:
        """A literal or comparison without functions inside its terms."""
        if isinstance(item, Literal):
            expected = self.program.predicates[item.atom.predicate].argument_types
            arguments = tuple(
                [flat.simple(term, place) for term, place in zip(item.atom.arguments, expected)]
            )
            return Literal(replace(item.atom, arguments=arguments), item.positive)
        left, right = flat.simple(item.left, None), flat.simple(item.right, None)
        return replace(item, left=left, right=right)


class Flattening:
    """Function terms taken out of a clause: each becomes a variable, equal ones the same."""

    def __init__(self, program: Program, taken: set[str]) -> None:
        self.program = program
        self.taken = taken
        self.found: dict[Apply, FunctionValue] = {}

    def simple(self, term: Term, place: str | None) -> Variable | Constant:
        """The term itself, or the variable for its value; `place` is the type wanted there."""
        if isinstance(term, Variable):
            return replace(term, plus=False) if term.plus else term
        if isinstance(term, Constant):
            return term
        assert isinstance(term, Apply)
        if place is not None and self.program.kind_of(place) is not None:
            place = None
        function = self.program.functions.get(term.function)
        wanted = function.argument_types if function else (None,) * len(term.arguments)
        arguments = tuple(
            [self.simple(argument, type_) for argument, type_ in zip(term.arguments, wanted)]
        )
        value_type = function.return_type if function else place
        known = self.found.get(term)
        if known is None or (known.type_name is None and value_type is not None):
            variable = known.variable if known else fresh_name("value", self.taken)
            self.found[term] = FunctionValue(variable, term.function, arguments, value_type)
        return Variable(self.found[term].variable)
