"""Clausal form: rules as written to the clauses that grounding reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from workbench.errors import Diagnostic, Span
from workbench.language.asked_dates import bind_asked_dates
from workbench.language.clauses import Clause, LinearRule
from workbench.language.domains import (
    Domains,
    ScopedClause,
    by_domains,
    by_empty_domains,
    quantified_types,
)
from workbench.language.flat_clauses import (
    ClauseMaker,
    is_tautology,
    may_cost,
    merged,
    weight_shares,
)
from workbench.language.formulas import free_sign_choices, rename_apart
from workbench.language.negation_normal_form import clause_count, negation_normal_form
from workbench.language.normal_form import Expansion, NeedsDomain, TooLarge, distribute
from workbench.language.program import ArithmeticRule, FormulaRule, LogicalRule, Program
from workbench.language.psl.clausal import linear_rules, logical_clause
from workbench.language.source import Diagnostics
from workbench.language.terms import Formula, Quantified, Variable
from workbench.language.variable_types import infer_types

MOST_CLAUSES = 4096


def clausal_form(
    program: Program,
    domains: Mapping[str, Sequence[str]] | None = None,
    *,
    limit: int = MOST_CLAUSES,
) -> tuple[Clause | LinearRule, ...]:
    """The clauses of every rule, in order.

    Raises E0115 when a rule has more than `limit` clauses or needs a domain that is not known;
    E0113 for an indivisible formula `[...]` of several clauses; E0306 for a function of an
    existentially quantified variable.

    Parameters
    ----------
    domains : mapping of type to its constants, optional
        Needed only where an existential quantifier stands over a conjunction or over an inner
        universal quantifier, which is expanded. Types with declared constants and no entry here
        take those.
    limit : int
        Most clauses that one rule may give.

    Returns
    -------
    tuple of Clause or LinearRule
        A formula's weight is shared equally by the clauses of its distribution, tautologies (then
        dropped) and repeats (then merged) included; two or more conjoined single literals of a soft
        formula are one clause of the negated weight.
    """
    return clausal_form_by_world(
        program, {0: _declared(program) | dict(domains or {})}, limit=limit
    )


def clausal_form_by_world(
    program: Program, worlds: Mapping[int, Domains], *, limit: int = MOST_CLAUSES
) -> tuple[Clause | LinearRule, ...]:
    """The clauses of every rule, those that depend on a domain for each of the `worlds`.

    A clause is of the worlds in `Clause.worlds`, of all where that is None. Domains are read where
    a quantifier needs them: a formula without one is put in clausal form once.

    Raises what `clausal_form` does.
    """
    diagnostics = Diagnostics(program.sources)
    clauses = _all_clauses(program, worlds, limit, diagnostics)
    diagnostics.raise_errors()
    return tuple(clauses)


def clause_problems(program: Program) -> tuple[Diagnostic, ...]:
    """What `clausal_form` refuses whatever the data: too many clauses, or none to expand.

    Data only add constants, and with them clauses. A formula whose domain the program does not
    declare is left to them.
    """
    diagnostics = Diagnostics(program.sources)
    declared = _declared(program)
    _all_clauses(program, {0: declared}, MOST_CLAUSES, diagnostics, data_to_come=True)
    return diagnostics.sorted()


def _declared(program: Program) -> dict[str, Sequence[str]]:
    return {name: type_.constants for name, type_ in program.types.items() if type_.constants}


def _all_clauses(
    program: Program,
    worlds: Mapping[int, Domains],
    limit: int,
    diagnostics: Diagnostics,
    *,
    data_to_come: bool = False,
) -> list[Clause | LinearRule]:
    clauses: list[Clause | LinearRule] = []
    for number, rule in enumerate(program.rules):
        if isinstance(rule, LogicalRule):
            clauses.append(logical_clause(program, number, rule))
        elif isinstance(rule, ArithmeticRule):
            clauses.extend(linear_rules(program, number, rule))
        else:
            try:
                made = _formula_clauses(program, number, rule, worlds, limit)
                found = tuple(bind_asked_dates(clause, program.predicates) for clause in made)
                clauses.extend(found)
                for clause in found:
                    _check_values(rule, clause, diagnostics)
                if any(_hides_a_function(clause) for clause in found):
                    diagnostics.add(
                        "E0306",
                        "a function of an existentially quantified variable cannot be grounded",
                        rule.span,
                        "give the function's value as a further predicate",
                    )
            except (TooLarge, NeedsDomain, Indivisible) as refused:
                if not (data_to_come and isinstance(refused, NeedsDomain)):
                    diagnostics.add(*_refusal(refused, rule, limit))
    return clauses


def _refusal(
    refused: TooLarge | NeedsDomain | Indivisible, rule: FormulaRule, limit: int
) -> tuple[str, str, Span | None, str]:
    """Why a formula has no clauses: code, message, place and help."""
    match refused:
        case NeedsDomain():
            return (
                "E0115",
                f"`EXIST {refused.variable}` stands over a conjunction, so its domain must be "
                "known first",
                rule.span,
                "declare the constants of its type, or give data",
            )
        case Indivisible():
            return (
                "E0113",
                f"an indivisible formula `[...]` of {refused.count} clauses is not supported",
                rule.span,
                "drop the brackets: the weight is then shared by the clauses",
            )
    return (
        "E0115",
        f"this formula has more than {limit:,} clauses",
        rule.span,
        "split it into several formulas, or avoid `EXIST` over a conjunction",
    )


def _check_values(rule: FormulaRule, clause: Clause, diagnostics: Diagnostics) -> None:
    """Numbers, dates and texts range over no domain: a negated literal must bind such variables."""
    bound = {
        term.name
        for literal in clause.literals
        if not literal.positive
        for term in literal.atom.arguments
        if isinstance(term, Variable)
    }
    for name, type_name in clause.values:
        if name in clause.plus:
            diagnostics.add(
                "E0156",
                f"{name} is a {type_name}, and has no weight for each of its values",
                rule.span,
                f"compare it, multiply the weight by it, or declare constants of {type_name}",
            )
        if name in clause.existential or name not in bound:
            diagnostics.add(
                "E0152",
                f"{name} is a {type_name}, and nothing gives it a value",
                rule.span,
                "let it stand in an atom of the rule's body that is not negated"
                + (
                    ", or give what is asked at it a scope: `P(x, t) open where ...`"
                    if type_name == "date"
                    else ""
                ),
            )


def _hides_a_function(clause: Clause) -> bool:
    """Whether a function's value depends on a variable that is disjoined over its domain."""
    arguments = {argument for computed in clause.function_values for argument in computed.arguments}
    return any(
        isinstance(argument, Variable) and argument.name in clause.existential
        for argument in arguments
    )


@dataclass
class Indivisible(Exception):
    """A formula in brackets that is no single clause."""

    count: int


def _formula_clauses(
    program: Program, number: int, rule: FormulaRule, worlds: Mapping[int, Domains], limit: int
) -> Iterator[Clause]:
    """A formula's clauses: one set for all worlds, or several where they depend on a domain."""
    formula = rename_apart(_without_outer_universals(rule.formula))
    untyped = frozenset([rule.weight.variable]) if rule.weight.variable else frozenset()
    types = infer_types(formula, program, untyped).variables
    if clause_count(formula, limit + 1) > limit:
        raise TooLarge
    named = quantified_types(formula, types)
    sets: list[tuple[list[int], list[Clause]]]
    expansion = Expansion(limit, dict(types), {})
    try:
        scoped = _of_domains(program, number, rule, formula, expansion, tied=False)
    except NeedsDomain:
        sets = []
        for members, domains in by_domains(worlds, named):
            expansion = Expansion(limit, dict(types), domains)
            expanded = _of_domains(program, number, rule, formula, expansion, tied=True)
            sets.append((members, [one.clause for one in expanded]))
    else:
        existential = sorted(
            {expansion.types[name] for one in scoped for name in one.clause.existential}
        )
        alike = sorted(
            by_empty_domains(worlds, existential).items(), key=lambda pair: sorted(pair[0])
        )
        sets = [(members, [one.without(empty) for one in scoped]) for empty, members in alike]
    for members, clauses in sets:
        chosen = None if len(sets) == 1 else tuple(members)
        for clause in clauses:
            if not is_tautology(clause):
                yield replace(clause, worlds=chosen)
            elif may_cost(clause):
                yield replace(clause, worlds=chosen, fixed=True)


def _of_domains(
    program: Program,
    number: int,
    rule: FormulaRule,
    formula: Formula,
    expansion: Expansion,
    *,
    tied: bool,
) -> list[ScopedClause]:
    """A formula's clauses by the expansion's domains; `tied`: under one index a choice of signs."""
    chosen, soft = [], rule.weight.kind != "hard"
    for choice in free_sign_choices(formula):
        shared = weight_shares(distribute(negation_normal_form(choice), expansion), soft=soft)
        n_clauses = sum(not is_tautology(disjunction) for disjunction, _ in shared)
        if rule.indivisible and n_clauses > 1:
            raise Indivisible(n_clauses)
        chosen.append(shared)
    if tied:
        placed = [
            (place, disjunction, share)
            for place, shared in enumerate(chosen)
            for disjunction, share in shared
        ]
    else:
        # Tautologies, few of which are kept, come last.
        together = sorted(
            merged(chain.from_iterable(chosen), soft=soft), key=lambda one: is_tautology(one[0])
        )
        placed = [
            (place, disjunction, share) for place, (disjunction, share) in enumerate(together)
        ]
    made = ClauseMaker(program, rule, number, tied, expansion.types)
    return [made.clause(*one) for one in placed]


def _without_outer_universals(formula: Formula) -> Formula:
    """Variables of outermost universal quantifiers are free: each binding is a grounding."""
    while isinstance(formula, Quantified) and formula.kind == "forall":
        formula = formula.body
    return formula
