"""A nested-loop grounder for PSL: rules by binding, over dictionaries of listed atoms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

from workbench.language.clauses import Clause, LinearRule
from workbench.language.program import Calculation, Cardinality, Factor, LinearTerm
from workbench.language.terms import (
    And,
    Atom,
    Comparison,
    Constant,
    Formula,
    Not,
    Or,
    SumVariable,
    Term,
)

Key = tuple[str, ...]


@dataclass
class Listed:
    """Truth values of listed atoms, None where open; predicates that have targets; constants."""

    values: Mapping[Key, float | None]
    open_predicates: set[str]
    constants: Sequence[str]


@dataclass
class Row:
    """`ell = b + sum of coefficient * atom`."""

    b: float = 0.0
    coefficients: dict[Key, float] = field(default_factory=dict)

    def add(self, coefficient: float, key: Key | None, value: float | None) -> None:
        if value is None:
            assert key is not None
            self.coefficients[key] = self.coefficients.get(key, 0.0) + coefficient
        else:
            self.b += coefficient * value


class UnlistedError(Exception):
    """An open atom of a head is not listed."""


def logical_rows(clause: Clause, listed: Listed) -> Iterator[Row]:
    """One row per binding of a logical rule, decided ones included, unviolable ones too."""
    names = [name for name, _ in clause.variable_types]
    binders = [one.atom for one in clause.literals if not one.positive]
    if not binders and names:
        binders = [one.atom for one in clause.literals]
    for constants in product(listed.constants, repeat=len(names)):
        binding = dict(zip(names, constants))
        if any(_key(atom, binding) not in listed.values for atom in binders):
            continue
        if any(_holds(guard, binding) for guard in clause.guards):
            continue
        row = Row(1.0 - sum(not one.positive for one in clause.literals))
        for literal in clause.literals:
            key = _key(literal.atom, binding)
            value = listed.values.get(key, 0.0)
            if key not in listed.values and literal.atom.predicate in listed.open_predicates:
                raise UnlistedError(key)
            row.add(-1.0 if literal.positive else 1.0, key, value)
        yield row


def linear_rows(rule: LinearRule, listed: Listed) -> Iterator[Row]:
    """One row per binding of an arithmetic rule's free variables."""
    summed = {
        t.name
        for term in rule.terms
        for a in term.atoms
        for t in a.arguments
        if isinstance(t, SumVariable)
    }
    names = [name for name, _ in rule.variable_types if name not in summed]
    for constants in product(listed.constants, repeat=len(names)):
        binding = dict(zip(names, constants))
        if all(_binds(atom, binding, listed) for term in rule.terms for atom in term.atoms):
            row = Row()
            try:
                for term in rule.terms:
                    _add_term(rule, term, binding, listed, row)
            except ZeroDivisionError:
                continue
            yield row


def _substitutions(
    atoms: Sequence[Atom], binding: Mapping[str, str], listed: Listed
) -> Iterator[dict[str, str]]:
    """Bindings of the atoms' summation variables for which all of them are listed."""
    summed = sorted({t.name for a in atoms for t in a.arguments if isinstance(t, SumVariable)})
    for constants in product(listed.constants, repeat=len(summed)):
        full = {**binding, **dict(zip(summed, constants))}
        if all(_key(atom, full) in listed.values for atom in atoms):
            yield full


def _binds(atom: Atom, binding: Mapping[str, str], listed: Listed) -> bool:
    return next(_substitutions([atom], binding, listed), None) is not None


def _filtered(
    rule: LinearRule, atoms: Sequence[Atom], binding: Mapping[str, str], listed: Listed
) -> Iterator[dict[str, str]]:
    summed = {t.name for a in atoms for t in a.arguments if isinstance(t, SumVariable)}
    for full in _substitutions(atoms, binding, listed):
        if all(_condition(f.condition, full, listed) for f in rule.filters if f.variable in summed):
            yield full


def _add_term(
    rule: LinearRule, term: LinearTerm, binding: Mapping[str, str], listed: Listed, row: Row
) -> None:
    factor = term.coefficient * (
        1.0 if term.factor is None else _factor(rule, term.factor, binding, listed)
    )
    if not term.atoms:
        row.b += factor
        return
    for full in _filtered(rule, term.atoms, binding, listed):
        product_ = factor
        open_key = None
        for atom in term.atoms:
            value = listed.values[_key(atom, full)]
            if value is None:
                open_key = _key(atom, full)
            else:
                product_ *= value
        row.add(product_, open_key, None if open_key is not None else 1.0)


def _factor(rule: LinearRule, factor: Factor, binding: Mapping[str, str], listed: Listed) -> float:
    match factor:
        case Cardinality(variable):
            found: set[str] = set()
            for term in rule.terms:
                if any(
                    isinstance(t, SumVariable) and t.name == variable
                    for a in term.atoms
                    for t in a.arguments
                ):
                    found |= {
                        full[variable] for full in _filtered(rule, term.atoms, binding, listed)
                    }
            return float(len(found))
        case Calculation(operator, left, right):
            a, b = _factor(rule, left, binding, listed), _factor(rule, right, binding, listed)
            match operator:
                case "min":
                    return min(a, b)
                case "max":
                    return max(a, b)
                case "/":
                    return a / b
                case "+":
                    return a + b
                case "-":
                    return a - b
                case "*":
                    return a * b
    assert isinstance(factor, int | float)
    return float(factor)


def _condition(formula: Formula, binding: Mapping[str, str], listed: Listed) -> bool:
    match formula:
        case And(items):
            return all(_condition(item, binding, listed) for item in items)
        case Or(items):
            return any(_condition(item, binding, listed) for item in items)
        case Not(body):
            return not _condition(body, binding, listed)
        case Comparison():
            return _holds(formula, binding)
        case Atom():
            return bool(listed.values.get(_key(formula, binding)))
    raise AssertionError(formula)


def _value(term: Term, binding: Mapping[str, str]) -> str:
    return term.name if isinstance(term, Constant) else binding[term.name]  # type: ignore[union-attr]


def _key(atom: Atom, binding: Mapping[str, str]) -> Key:
    return (atom.predicate, *(_value(t, binding) for t in atom.arguments))


def _holds(comparison: Comparison, binding: Mapping[str, str]) -> bool:
    left, right = _value(comparison.left, binding), _value(comparison.right, binding)
    return {"=": left == right, "!=": left != right, "%": left < right, "!%": left >= right}[
        comparison.operator
    ]
