"""A naive reading of formulas, clauses and PSL rules over Boolean states: nested loops,
nothing clever.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from workbench.language.clauses import Clause
from workbench.language.program import ArithmeticRule, Cardinality, LinearTerm, LogicalRule, Program
from workbench.language.terms import (
    And,
    Atom,
    Comparison,
    Constant,
    Formula,
    Iff,
    Implies,
    Literal,
    Not,
    Or,
    Quantified,
    SumVariable,
    Term,
    Variable,
)

State = Mapping[tuple[str, ...], bool]
Binding = Mapping[str, str]
Domains = Mapping[str, Sequence[str]]


def ground_atoms(program: Program, domains: Domains) -> list[tuple[str, ...]]:
    return [
        (predicate.name, *arguments)
        for predicate in program.predicates.values()
        for arguments in product(*(domains[name] for name in predicate.argument_types))
    ]


def states(atoms: Sequence[tuple[str, ...]]) -> Iterator[dict[tuple[str, ...], bool]]:
    for values in product((False, True), repeat=len(atoms)):
        yield dict(zip(atoms, values))


def bindings(names: Sequence[tuple[str, str]], domains: Domains) -> Iterator[dict[str, str]]:
    for values in product(*(domains[type_name] for _, type_name in names)):
        yield dict(zip((name for name, _ in names), values))


def value(term: Term, binding: Binding) -> str:
    if isinstance(term, Constant):
        return term.name
    assert isinstance(term, Variable | SumVariable)
    return binding[term.name]


def key(atom: Atom, binding: Binding) -> tuple[str, ...]:
    return (atom.predicate, *(value(term, binding) for term in atom.arguments))


def compare(comparison: Comparison, binding: Binding) -> bool:
    left, right = value(comparison.left, binding), value(comparison.right, binding)
    return {"=": left == right, "!=": left != right}[comparison.operator]


def holds(formula: Formula, state: State, binding: Binding, domain: Sequence[str]) -> bool:
    """The truth of a formula; every variable ranges over one domain."""
    match formula:
        case Atom():
            return state[key(formula, binding)]
        case Comparison():
            return compare(formula, binding)
        case Not(body):
            return not holds(body, state, binding, domain)
        case And(items):
            return all(holds(item, state, binding, domain) for item in items)
        case Or(items):
            return any(holds(item, state, binding, domain) for item in items)
        case Implies(left, right):
            return not holds(left, state, binding, domain) or holds(right, state, binding, domain)
        case Iff(left, right):
            return holds(left, state, binding, domain) == holds(right, state, binding, domain)
        case Quantified(kind, variables, body):
            inner = (
                holds(body, state, {**binding, **dict(zip(variables, values))}, domain)
                for values in product(domain, repeat=len(variables))
            )
            return all(inner) if kind == "forall" else any(inner)
    raise TypeError(type(formula).__name__)


def clause_holds(clause: Clause, state: State, binding: Binding, domains: Domains) -> bool:
    """One grounding: `binding` fixes every variable that is not existential."""
    existential = [
        (name, type_name) for name, type_name in clause.variable_types if name in clause.existential
    ]
    return any(
        any(state[key(literal.atom, full)] == literal.positive for literal in clause.literals)
        or any(compare(guard, full) for guard in clause.guards)
        for full in ({**binding, **extra} for extra in bindings(existential, domains))
    )


def clause_bindings(clause: Clause, domains: Domains) -> list[dict[str, str]]:
    return list(
        bindings(
            [pair for pair in clause.variable_types if pair[0] not in clause.existential], domains
        )
    )


def satisfied_weight(clauses: Sequence[Clause], state: State, domains: Domains) -> float | None:
    """The summed weight of satisfied groundings; None where a hard one is violated."""
    total = 0.0
    for clause in clauses:
        count = sum(
            clause_holds(clause, state, b, domains) for b in clause_bindings(clause, domains)
        )
        if clause.hard:
            if count < len(clause_bindings(clause, domains)):
                return None
        else:
            total += (clause.weight or 0.0) * (clause.share if clause.tied else 1.0) * count
    return total


def soft_energy(program: Program, state: State, domains: Domains) -> float | None:
    """PSL's weighted distances on a Boolean state; None where a hard rule is violated."""
    total = 0.0
    for rule in program.rules:
        for distance in distances(rule, program, state, domains):  # type: ignore[arg-type]
            if rule.weight.kind == "hard":
                if distance > 1e-9:
                    return None
            else:
                total += (rule.weight.value or 0.0) * distance ** (2 if rule.squared else 1)  # type: ignore[union-attr]
    return total


def distances(
    rule: LogicalRule | ArithmeticRule, program: Program, state: State, domains: Domains
) -> Iterator[float]:
    types: dict[str, str] = {}
    atoms = (
        [i.atom for i in (*rule.body, *rule.head) if isinstance(i, Literal)]
        if isinstance(rule, LogicalRule)
        else [atom for term in rule.terms for atom in term.atoms]
    )
    for atom in atoms:
        for term, type_name in zip(
            atom.arguments, program.predicates[atom.predicate].argument_types
        ):
            if isinstance(term, Variable):
                types[term.name] = type_name
    for binding in bindings(list(types.items()), domains):
        if isinstance(rule, LogicalRule):
            if all(compare(i, binding) for i in rule.body if isinstance(i, Comparison)) and not any(
                compare(i, binding) for i in rule.head if isinstance(i, Comparison)
            ):
                body = [
                    float(state[key(i.atom, binding)] == i.positive)
                    for i in rule.body
                    if isinstance(i, Literal)
                ]
                head = [
                    float(state[key(i.atom, binding)] == i.positive)
                    for i in rule.head
                    if isinstance(i, Literal)
                ]
                yield (
                    max(0.0, sum(body) - max(0, len(body) - 1) - sum(head))
                    if body
                    else max(0.0, 1 - sum(head))
                )
        else:
            ell = sum(linear_value(term, program, state, binding, domains) for term in rule.terms)
            yield {"<=": max(0.0, ell), ">=": max(0.0, -ell), "=": abs(ell)}[rule.relation]


def linear_value(
    term: LinearTerm, program: Program, state: State, binding: Binding, domains: Domains
) -> float:
    if isinstance(term.factor, Cardinality):
        return term.coefficient * len(next(iter(domains.values())))
    assert term.factor is None
    if not term.atoms:
        return term.coefficient
    (atom,) = term.atoms
    types = program.predicates[atom.predicate].argument_types
    sums = {a.name: t for a, t in zip(atom.arguments, types) if isinstance(a, SumVariable)}
    return term.coefficient * sum(
        state[key(atom, {**binding, **b})] for b in bindings(list(sums.items()), domains)
    )
