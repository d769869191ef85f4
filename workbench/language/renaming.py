"""Variables with names of their own, and starred atoms by sign: ready for the normal form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product

from workbench.language.formulas import (
    formula_parts,
    formula_terms,
    leaves,
    map_parts,
    map_terms,
    substitution,
    term_variables,
)
from workbench.language.terms import Atom, Formula, FreeSign, Not, Quantified, Term, Variable


def rename_apart(formula: Formula) -> Formula:
    """Give each quantified variable a name of its own (a prime where it is taken)."""
    if not _has_quantifier(formula):
        return formula
    return _rename(formula, set(_free_names(formula, frozenset())))


def _has_quantifier(formula: Formula) -> bool:
    return isinstance(formula, Quantified) or any(
        _has_quantifier(part) for part in formula_parts(formula)
    )


def _free_names(formula: Formula, bound: frozenset[str]) -> Iterator[str]:
    if isinstance(formula, Quantified):
        bound |= set(formula.variables)
    parts = formula_parts(formula)
    for part in parts:
        yield from _free_names(part, bound)
    if not parts:
        for term in formula_terms(formula):
            yield from (
                variable.name for variable in term_variables(term) if variable.name not in bound
            )


def _rename(formula: Formula, taken: set[str]) -> Formula:
    if not isinstance(formula, Quantified):
        return map_parts(formula, lambda part: _rename(part, taken))
    fresh = [fresh_name(name, taken) for name in formula.variables]
    changed = {old: Variable(new) for old, new in zip(formula.variables, fresh) if old != new}
    body = _substitute_free(formula.body, changed) if changed else formula.body
    return Quantified(formula.kind, tuple(fresh), _rename(body, taken))


def fresh_name(name: str, taken: set[str]) -> str:
    """`name` with as many primes as make it new; it is added to `taken`."""
    while name in taken:
        name += "'"
    taken.add(name)
    return name


def _substitute_free(formula: Formula, values: Mapping[str, Term]) -> Formula:
    """Substitute free variables only: a quantifier of the same name shields its body."""
    if isinstance(formula, Quantified):
        values = {name: value for name, value in values.items() if name not in formula.variables}
    if not formula_parts(formula):
        return map_terms(formula, substitution(values))
    return map_parts(formula, lambda part: _substitute_free(part, values))


def free_sign_choices(formula: Formula) -> tuple[Formula, ...]:
    """The formula with each `*P(x)` replaced by P(x) and by !P(x): 2^n formulas for n starred."""
    starred = list(
        dict.fromkeys(leaf.atom for leaf in leaves(formula) if isinstance(leaf, FreeSign))
    )
    if not starred:
        return (formula,)
    return tuple(
        _with_signs(formula, dict(zip(starred, signs)))
        for signs in product((True, False), repeat=len(starred))
    )


def _with_signs(formula: Formula, signs: Mapping[Atom, bool]) -> Formula:
    if isinstance(formula, FreeSign):
        return formula.atom if signs[formula.atom] else Not(formula.atom)
    return map_parts(formula, lambda part: _with_signs(part, signs))
