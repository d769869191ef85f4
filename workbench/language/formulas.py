"""Walking through formulas and changing them: parts, leaves, atoms, terms, substitution;
variables with names of their own, and starred atoms by sign, for the normal form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import product

from workbench.language.program import FormulaRule, LogicalRule, Rule
from workbench.language.terms import (
    And,
    Apply,
    Atom,
    Comparison,
    Constant,
    Formula,
    FreeSign,
    Iff,
    Implies,
    Literal,
    Not,
    Or,
    Quantified,
    Term,
    Variable,
)


def formula_parts(formula: Formula) -> tuple[Formula, ...]:
    """The formulas that a formula is directly made of; none for an atom or a comparison."""
    match formula:
        case And(items) | Or(items):
            return items
        case Not(body) | Quantified(_, _, body):
            return (body,)
        case Implies(left, right) | Iff(left, right):
            return (left, right)
    return ()


def map_parts(formula: Formula, change: Callable[[Formula], Formula]) -> Formula:
    """The formula with `change` applied to its direct parts; an atom or a comparison as it is."""
    match formula:
        case And(items):
            return And(tuple([change(item) for item in items]))
        case Or(items):
            return Or(tuple([change(item) for item in items]))
        case Not(body):
            return Not(change(body))
        case Implies(left, right):
            return Implies(change(left), change(right))
        case Iff(left, right):
            return Iff(change(left), change(right))
        case Quantified(kind, variables, body):
            return Quantified(kind, variables, change(body))
    return formula


def leaves(formula: Formula) -> Iterator[Atom | FreeSign | Comparison]:
    """The atoms, starred atoms and comparisons of a formula, left to right."""
    if isinstance(formula, Atom | FreeSign | Comparison):
        yield formula
    else:
        for part in formula_parts(formula):
            yield from leaves(part)


def formula_atoms(formula: Formula) -> Iterator[Atom]:
    """The atoms of a formula, starred ones included, left to right."""
    for leaf in leaves(formula):
        if not isinstance(leaf, Comparison):
            yield leaf.atom if isinstance(leaf, FreeSign) else leaf


def formula_comparisons(formula: Formula) -> Iterator[Comparison]:
    """The comparisons of a formula, left to right."""
    return (leaf for leaf in leaves(formula) if isinstance(leaf, Comparison))


def rule_leaves(rule: Rule) -> Iterator[Atom | FreeSign | Comparison]:
    """The atoms and comparisons of a rule, those of filters last, left to right."""
    if isinstance(rule, FormulaRule):
        yield from leaves(rule.formula)
    elif isinstance(rule, LogicalRule):
        yield from (
            item.atom if isinstance(item, Literal) else item for item in (*rule.body, *rule.head)
        )
    else:
        yield from (atom for term in rule.terms for atom in term.atoms)
        for filter_ in rule.filters:
            yield from leaves(filter_.condition)


def rule_atoms(rule: Rule) -> Iterator[Atom]:
    """The atoms of a rule, starred ones and those of filters included."""
    for leaf in rule_leaves(rule):
        if not isinstance(leaf, Comparison):
            yield leaf.atom if isinstance(leaf, FreeSign) else leaf


def rule_comparisons(rule: Rule) -> Iterator[Comparison]:
    """The comparisons of a rule, those of filters included."""
    return (leaf for leaf in rule_leaves(rule) if isinstance(leaf, Comparison))


def formula_terms(formula: Formula) -> Iterator[Term]:
    """The terms of a formula's atoms and comparisons, left to right."""
    for leaf in leaves(formula):
        if isinstance(leaf, Comparison):
            yield leaf.left
            yield leaf.right
        else:
            yield from (leaf.atom if isinstance(leaf, FreeSign) else leaf).arguments


def term_variables(term: Term) -> Iterator[Variable]:
    """The variables of a term, left to right, as often as they occur."""
    if isinstance(term, Variable):
        yield term
    elif isinstance(term, Apply):
        for argument in term.arguments:
            yield from term_variables(argument)


def variable_names(terms: Iterable[Term]) -> set[str]:
    """The names of the variables in some terms."""
    return {variable.name for term in terms for variable in term_variables(term)}


def plus_variables(formula: Formula) -> set[str]:
    """The names of a formula's `+` variables."""
    return {one.name for term in formula_terms(formula) for one in term_variables(term) if one.plus}


def item_variables(item: Literal | Comparison) -> Iterator[Variable]:
    """The variables of a literal or a comparison, left to right, as often as they occur."""
    for term in item.atom.arguments if isinstance(item, Literal) else (item.left, item.right):
        yield from term_variables(term)


def map_terms(formula: Formula, change: Callable[[Term], Term]) -> Formula:
    """The formula with `change` applied to each term of its atoms and comparisons."""
    match formula:
        case Atom():
            return replace(formula, arguments=tuple([change(term) for term in formula.arguments]))
        case FreeSign(atom):
            return FreeSign(
                replace(atom, arguments=tuple([change(term) for term in atom.arguments]))
            )
        case Comparison():
            return replace(formula, left=change(formula.left), right=change(formula.right))
    return map_parts(formula, lambda part: map_terms(part, change))


def change_item(item: Literal | Comparison, change: Callable[[Term], Term]) -> Literal | Comparison:
    """A literal or a comparison with `change` applied to its terms."""
    if isinstance(item, Comparison):
        return replace(item, left=change(item.left), right=change(item.right))
    return replace(
        item,
        atom=replace(item.atom, arguments=tuple([change(term) for term in item.atom.arguments])),
    )


def substitution(values: Mapping[str, Term]) -> Callable[[Term], Term]:
    """The change of terms that puts `values` in the place of variables."""

    def change(term: Term) -> Term:
        if isinstance(term, Variable):
            return values.get(term.name, term)
        if isinstance(term, Apply):
            return replace(term, arguments=tuple([change(argument) for argument in term.arguments]))
        return term

    return change


def is_nested_deeper(formula: Formula, limit: int) -> bool:
    """Whether some part of a formula, terms included, lies under more than `limit` operators."""
    open_parts: list[tuple[Formula | Term, int]] = [(formula, 0)]
    while open_parts:
        part, depth = open_parts.pop()
        if depth > limit:
            return True
        inner: Iterable[Formula | Term]
        match part:
            case Atom(_, arguments) | Apply(_, arguments) | FreeSign(Atom(_, arguments)):
                inner = arguments
            case Comparison(_, left, right):
                inner = (left, right)
            case And() | Or() | Not() | Implies() | Iff() | Quantified():
                inner = formula_parts(part)
            case _:
                continue
        open_parts.extend(
            [(child, depth + 1) for child in inner if not isinstance(child, Variable | Constant)]
        )
    return False


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
