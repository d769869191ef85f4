"""A formula as a conjunction of disjunctions, Alchemy's way.

The steps: quantified variables renamed apart, `=>` and `<=>` removed, negations moved inward, quantifiers turned into
marks on the variables of each disjunction, `v` distributed over `^`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

from workbench.language.builtin import negated_operator
from workbench.language.program import (
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

__all__ = [
    "Disjunction",
    "Expansion",
    "NeedsDomain",
    "TooLarge",
    "distribute",
    "formula_atoms",
    "formula_comparisons",
    "formula_terms",
    "free_sign_choices",
    "fresh_name",
    "is_nested_deeper",
    "negation_normal_form",
    "rename_apart",
    "term_variables",
    "variables_of",
]


class TooLarge(Exception):
    """The formula has more clauses than the limit."""


class NeedsDomain(Exception):
    """An existential quantifier must be expanded, over a domain that is not known here."""

    def __init__(self, variable: str) -> None:
        super().__init__(variable)
        self.variable = variable


@dataclass(frozen=True)
class Disjunction:
    """Literals and comparisons joined by `v`.

    `counted` are variables of inner universal quantifiers, `existential` those disjoined over their domain;
    `expanded` says that a quantifier was expanded over its domain to make this.
    """

    items: tuple[Literal | Comparison, ...]
    counted: frozenset[str] = frozenset()
    existential: frozenset[str] = frozenset()
    expanded: bool = False

    @property
    def variables(self) -> frozenset[str]:
        return frozenset(variable.name for item in self.items for variable in variables_of(item))


def variables_of(item: Literal | Comparison) -> Iterator[Variable]:
    """The variables of an item, left to right, as often as they occur."""
    for term in item.atom.arguments if isinstance(item, Literal) else (item.left, item.right):
        yield from term_variables(term)


def term_variables(term: Term) -> Iterator[Variable]:
    """The variables of a term, left to right."""
    if isinstance(term, Variable):
        yield term
    elif isinstance(term, Apply):
        for argument in term.arguments:
            yield from term_variables(argument)


def formula_terms(formula: Formula) -> Iterator[Term]:
    """The terms of a formula's atoms and comparisons, left to right."""
    match formula:
        case Atom(_, arguments) | FreeSign(Atom(_, arguments)):
            yield from arguments
        case Comparison(_, left, right):
            yield left
            yield right
        case Not(body) | Quantified(_, _, body):
            yield from formula_terms(body)
        case And(items) | Or(items):
            for item in items:
                yield from formula_terms(item)
        case Implies(left, right) | Iff(left, right):
            yield from formula_terms(left)
            yield from formula_terms(right)


def is_nested_deeper(formula: Formula, limit: int) -> bool:
    """Whether some part of a formula, terms included, lies under more than `limit` operators."""
    open_parts: list[tuple[Formula | Term, int]] = [(formula, 0)]
    while open_parts:
        part, depth = open_parts.pop()
        if depth > limit:
            return True
        inner: Iterable[Formula | Term]
        match part:
            case And(inner) | Or(inner) | Atom(_, inner) | Apply(_, inner) | FreeSign(Atom(_, inner)):
                pass
            case Not(body) | Quantified(_, _, body):
                inner = (body,)
            case Implies(left, right) | Iff(left, right) | Comparison(_, left, right):
                inner = (left, right)
            case _:
                continue
        open_parts.extend([(child, depth + 1) for child in inner if not isinstance(child, Variable | Constant)])
    return False


def formula_atoms(formula: Formula) -> Iterator[Atom]:
    """The atoms of a formula, left to right."""
    match formula:
        case Atom():
            yield formula
        case FreeSign(atom):
            yield atom
        case Not(body) | Quantified(_, _, body):
            yield from formula_atoms(body)
        case And(items) | Or(items):
            for item in items:
                yield from formula_atoms(item)
        case Implies(left, right) | Iff(left, right):
            yield from formula_atoms(left)
            yield from formula_atoms(right)


def formula_comparisons(formula: Formula) -> Iterator[Comparison]:
    """The comparisons of a formula, left to right."""
    match formula:
        case Comparison():
            yield formula
        case Not(body) | Quantified(_, _, body):
            yield from formula_comparisons(body)
        case And(items) | Or(items):
            for item in items:
                yield from formula_comparisons(item)
        case Implies(left, right) | Iff(left, right):
            yield from formula_comparisons(left)
            yield from formula_comparisons(right)


def map_terms(formula: Formula, change: Callable[[Term], Term]) -> Formula:
    """The formula with `change` applied to each term of its atoms and comparisons."""
    match formula:
        case Atom():
            return replace(formula, arguments=tuple([change(term) for term in formula.arguments]))
        case FreeSign(atom):
            return FreeSign(replace(atom, arguments=tuple([change(term) for term in atom.arguments])))
        case Comparison():
            return replace(formula, left=change(formula.left), right=change(formula.right))
        case Not(body):
            return Not(map_terms(body, change))
        case And(items):
            return And(tuple([map_terms(item, change) for item in items]))
        case Or(items):
            return Or(tuple([map_terms(item, change) for item in items]))
        case Implies(left, right):
            return Implies(map_terms(left, change), map_terms(right, change))
        case Iff(left, right):
            return Iff(map_terms(left, change), map_terms(right, change))
        case Quantified(kind, variables, body):
            return Quantified(kind, variables, map_terms(body, change))


def substitution(values: Mapping[str, Term]) -> Callable[[Term], Term]:
    """The change of terms that puts `values` in the place of variables."""

    def change(term: Term) -> Term:
        if isinstance(term, Variable):
            return values.get(term.name, term)
        if isinstance(term, Apply):
            return replace(term, arguments=tuple([change(argument) for argument in term.arguments]))
        return term

    return change


def rename_apart(formula: Formula) -> Formula:
    """Give each quantified variable a name of its own (a prime is added where the name is taken)."""
    if not _has_quantifier(formula):
        return formula
    taken = set(_free_names(formula, frozenset()))
    return _rename(formula, taken)


def _has_quantifier(formula: Formula) -> bool:
    match formula:
        case Quantified():
            return True
        case Not(body):
            return _has_quantifier(body)
        case And(items) | Or(items):
            return any(_has_quantifier(item) for item in items)
        case Implies(left, right) | Iff(left, right):
            return _has_quantifier(left) or _has_quantifier(right)
    return False


def _free_names(formula: Formula, bound: frozenset[str]) -> Iterator[str]:
    match formula:
        case Atom(_, arguments) | FreeSign(Atom(_, arguments)):
            for term in arguments:
                yield from (v.name for v in term_variables(term) if v.name not in bound)
        case Comparison(_, left, right):
            for term in (left, right):
                yield from (v.name for v in term_variables(term) if v.name not in bound)
        case Not(body):
            yield from _free_names(body, bound)
        case And(items) | Or(items):
            for item in items:
                yield from _free_names(item, bound)
        case Implies(left, right) | Iff(left, right):
            yield from _free_names(left, bound)
            yield from _free_names(right, bound)
        case Quantified(_, variables, body):
            yield from _free_names(body, bound | set(variables))


def _rename(formula: Formula, taken: set[str]) -> Formula:
    match formula:
        case Not(body):
            return Not(_rename(body, taken))
        case And(items):
            return And(tuple([_rename(item, taken) for item in items]))
        case Or(items):
            return Or(tuple([_rename(item, taken) for item in items]))
        case Implies(left, right):
            return Implies(_rename(left, taken), _rename(right, taken))
        case Iff(left, right):
            return Iff(_rename(left, taken), _rename(right, taken))
        case Quantified(kind, variables, body):
            fresh = [fresh_name(name, taken) for name in variables]
            changed = {old: Variable(new) for old, new in zip(variables, fresh) if old != new}
            inner = map_free(body, changed) if changed else body
            return Quantified(kind, tuple(fresh), _rename(inner, taken))
    return formula


def fresh_name(name: str, taken: set[str]) -> str:
    """`name` with as many primes as make it new; it is added to `taken`."""
    while name in taken:
        name += "'"
    taken.add(name)
    return name


def map_free(formula: Formula, values: Mapping[str, Term]) -> Formula:
    """Substitute free variables only: a quantifier of the same name shields its body."""
    match formula:
        case Quantified(kind, variables, body):
            kept = {name: value for name, value in values.items() if name not in variables}
            return Quantified(kind, variables, map_free(body, kept)) if kept else formula
        case Not(body):
            return Not(map_free(body, values))
        case And(items):
            return And(tuple([map_free(item, values) for item in items]))
        case Or(items):
            return Or(tuple([map_free(item, values) for item in items]))
        case Implies(left, right):
            return Implies(map_free(left, values), map_free(right, values))
        case Iff(left, right):
            return Iff(map_free(left, values), map_free(right, values))
    return map_terms(formula, substitution(values))


def free_sign_choices(formula: Formula) -> tuple[Formula, ...]:
    """The formula with each `*P(x)` replaced by P(x) and by !P(x): 2^n formulas for n different starred atoms."""
    starred = list(dict.fromkeys(_starred(formula)))
    if not starred:
        return (formula,)
    return tuple(
        _with_signs(formula, dict(zip(starred, signs))) for signs in product((True, False), repeat=len(starred))
    )


def _starred(formula: Formula) -> Iterator[Atom]:
    match formula:
        case FreeSign(atom):
            yield atom
        case Not(body) | Quantified(_, _, body):
            yield from _starred(body)
        case And(items) | Or(items):
            for item in items:
                yield from _starred(item)
        case Implies(left, right) | Iff(left, right):
            yield from _starred(left)
            yield from _starred(right)


def _with_signs(formula: Formula, signs: Mapping[Atom, bool]) -> Formula:
    match formula:
        case FreeSign(atom):
            return atom if signs[atom] else Not(atom)
        case Not(body):
            return Not(_with_signs(body, signs))
        case And(items):
            return And(tuple([_with_signs(item, signs) for item in items]))
        case Or(items):
            return Or(tuple([_with_signs(item, signs) for item in items]))
        case Implies(left, right):
            return Implies(_with_signs(left, signs), _with_signs(right, signs))
        case Iff(left, right):
            return Iff(_with_signs(left, signs), _with_signs(right, signs))
        case Quantified(kind, variables, body):
            return Quantified(kind, variables, _with_signs(body, signs))
    return formula


def negation_normal_form(formula: Formula, positive: bool = True) -> Formula:
    """The formula (or its negation) over `^`, `v`, quantifiers, literals `Atom` and `Not(Atom)`, and comparisons."""
    match formula:
        case Atom():
            return formula if positive else Not(formula)
        case Comparison():
            return formula if positive else replace(formula, operator=negated_operator(formula.operator))
        case Not(body):
            return negation_normal_form(body, not positive)
        case And(items) | Or(items):
            parts = tuple([negation_normal_form(item, positive) for item in items])
            return And(parts) if isinstance(formula, And) == positive else Or(parts)
        case Implies(left, right):
            parts = (negation_normal_form(left, not positive), negation_normal_form(right, positive))
            return Or(parts) if positive else And(parts)
        case Iff(left, right):
            both = And((Implies(left, right), Implies(right, left)))
            return negation_normal_form(both, positive)
        case Quantified(kind, variables, body):
            flipped = {"forall": "exist", "exist": "forall"}[kind]
            return Quantified(kind if positive else flipped, variables, negation_normal_form(body, positive))  # type: ignore[arg-type]
    raise TypeError(type(formula).__name__)


@dataclass
class Expansion:
    """How existential quantifiers are expanded.

    Attributes
    ----------
    limit : int
        Most disjunctions that a formula may have.
    types : dict of variable to type
        Copies of variables join it.
    domains : mapping of type to constants
    """

    limit: int
    types: dict[str, str]
    domains: Mapping[str, Sequence[str]]

    def domain_of(self, variable: str) -> Sequence[str]:
        """The constants that `variable` ranges over."""
        if self.types[variable] not in self.domains:
            raise NeedsDomain(variable)
        return self.domains[self.types[variable]]

    def copy_of(self, variable: str) -> str:
        """A new variable of the same type."""
        number = 1
        while f"{variable}_{number}" in self.types:
            number += 1
        self.types[f"{variable}_{number}"] = self.types[variable]
        return f"{variable}_{number}"


def distribute(formula: Formula, expansion: Expansion) -> list[Disjunction]:
    """The disjunctions of a formula in negation normal form, whose quantified variables are all different.

    An existential quantifier over a single disjunction without inner universals marks its variables; any other is
    expanded over its domain, each copy's universal variables renamed.

    Raises
    ------
    TooLarge
        When there would be more disjunctions than the limit.
    NeedsDomain
        When a quantifier must be expanded over a domain that is not known.
    """
    match formula:
        case Atom():
            return [Disjunction((Literal(formula),))]
        case Not(Atom() as atom):
            return [Disjunction((Literal(atom, False),))]
        case Comparison():
            return [Disjunction((formula,))]
        case And(items):
            clauses = [clause for item in items for clause in distribute(item, expansion)]
            if len(clauses) > expansion.limit:
                raise TooLarge
            return clauses
        case Or(items):
            return _product([distribute(item, expansion) for item in items], expansion.limit)
        case Quantified("forall", variables, body):
            marked = frozenset(variables)
            return [
                replace(clause, counted=clause.counted | (marked & clause.variables))
                for clause in distribute(body, expansion)
            ]
        case Quantified("exist", variables, body):
            clauses = distribute(body, expansion)
            for variable in reversed(variables):
                clauses = _exists(variable, clauses, expansion)
            return clauses
    raise TypeError(type(formula).__name__)


def _exists(variable: str, clauses: list[Disjunction], expansion: Expansion) -> list[Disjunction]:
    if not any(variable in clause.variables for clause in clauses):
        return clauses
    if len(clauses) == 1 and not clauses[0].counted:
        only = clauses[0]
        return [replace(only, existential=only.existential | {variable})]
    copies = []
    size = 1
    for constant in expansion.domain_of(variable):
        size *= len(clauses)
        if size > expansion.limit:
            raise TooLarge
        copy = []
        for clause in clauses:
            renamed = {name: Variable(expansion.copy_of(name)) for name in sorted(clause.counted | clause.existential)}
            change = substitution({**renamed, variable: Constant(constant)})
            copy.append(
                Disjunction(
                    tuple([_change_item(item, change) for item in clause.items]),
                    frozenset(renamed[name].name for name in clause.counted),
                    frozenset(renamed[name].name for name in clause.existential),
                    True,
                )
            )
        copies.append(copy)
    return _product(copies, expansion.limit)


def _change_item(item: Literal | Comparison, change: Callable[[Term], Term]) -> Literal | Comparison:
    if isinstance(item, Comparison):
        return replace(item, left=change(item.left), right=change(item.right))
    arguments = tuple([change(term) for term in item.atom.arguments])
    return Literal(replace(item.atom, arguments=arguments), item.positive)


def _product(parts: list[list[Disjunction]], limit: int) -> list[Disjunction]:
    size = 1
    for part in parts:
        size *= len(part)
        if size > limit:
            raise TooLarge
    return [
        Disjunction(
            tuple(dict.fromkeys(item for clause in choice for item in clause.items)),
            frozenset().union(*(clause.counted for clause in choice)),
            frozenset().union(*(clause.existential for clause in choice)),
            any(clause.expanded for clause in choice),
        )
        for choice in product(*parts)
    ]


def _bounded(clauses: list[Disjunction], limit: int) -> list[Disjunction]:
    if len(clauses) > limit:
        raise TooLarge
    return clauses
