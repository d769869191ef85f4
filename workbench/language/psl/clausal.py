"""PSL rules to the clauses and linear rules that grounding reads."""

from __future__ import annotations

from dataclasses import replace

from workbench.language.builtin import negated_operator
from workbench.language.clauses import Clause, LinearRule
from workbench.language.flat_clauses import Flattening
from workbench.language.formulas import rule_atoms, term_variables
from workbench.language.linear import combine
from workbench.language.program import ArithmeticRule, LogicalRule, Program
from workbench.language.terms import Literal, SumVariable


def logical_clause(program: Program, number: int, rule: LogicalRule) -> Clause:
    """`A & B -> C` as `!A v !B v C`, each literal once; comparisons guard, the body's negated."""
    literals = []
    guards = []
    for item in rule.body:
        if isinstance(item, Literal):
            literals.append(Literal(item.atom, not item.positive))
        else:
            guards.append(replace(item, operator=negated_operator(item.operator)))
    for item in rule.head:
        if isinstance(item, Literal):
            literals.append(item)
        else:
            guards.append(item)
    types = _variable_types(program, rule)
    flat = Flattening(program, {name for name, _ in types})
    simple = (
        replace(one, left=flat.simple(one.left, None), right=flat.simple(one.right, None))
        for one in guards
    )
    return Clause(
        rule=number,
        index=0,
        literals=tuple(dict.fromkeys(literals)),
        guards=tuple(dict.fromkeys(simple)),
        variable_types=tuple(
            (name, type_name) for name, type_name in types if program.kind_of(type_name) is None
        ),
        function_values=tuple(flat.found.values()),
        values=tuple(
            (name, type_name) for name, type_name in types if program.kind_of(type_name) is not None
        ),
        weight=rule.weight.value,
        fixed=rule.weight.kind == "fixed",
        hard=rule.weight.kind == "hard",
        power=2 if rule.squared else 1,
        multiset=True,
        span=rule.span,
    )


def linear_rules(program: Program, number: int, rule: ArithmeticRule) -> tuple[LinearRule, ...]:
    """The rule as `ell <= 0`, a hard equality as `ell = 0`, a soft one as two inequalities."""
    hard = rule.weight.kind == "hard"
    sides = [rule.terms] if rule.relation in ("<=", "=") else []
    if rule.relation == ">=" or (rule.relation == "=" and not hard):
        sides.append(combine((), rule.terms, -1.0))
    return tuple(
        LinearRule(
            rule=number,
            index=0,
            terms=terms,
            relation="=" if hard and rule.relation == "=" else "<=",
            filters=rule.filters,
            variable_types=_variable_types(program, rule),
            weight=rule.weight.value,
            fixed=rule.weight.kind == "fixed",
            hard=hard,
            power=2 if rule.squared else 1,
            span=rule.span,
        )
        for terms in sides
    )


def _variable_types(
    program: Program, rule: LogicalRule | ArithmeticRule
) -> tuple[tuple[str, str], ...]:
    found: dict[str, str] = {}
    for atom in rule_atoms(rule):
        for argument, type_name in zip(
            atom.arguments, program.predicates[atom.predicate].argument_types
        ):
            if isinstance(argument, SumVariable):
                found.setdefault(argument.name, type_name)
            for variable in term_variables(argument):
                found.setdefault(variable.name, type_name)
    return tuple(found.items())
