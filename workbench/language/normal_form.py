"""A formula as a conjunction of disjunctions, Alchemy's way.

From a negation normal form whose quantified variables are renamed apart: quantifiers become marks
on the variables of each disjunction, and `v` is distributed over `^`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

from workbench.language.formulas import change_item, item_variables, substitution
from workbench.language.terms import (
    And,
    Atom,
    Comparison,
    Constant,
    Formula,
    Literal,
    Not,
    Or,
    Quantified,
    Variable,
)


class TooLarge(Exception):
    """The formula has more clauses than the limit."""


class NeedsDomain(Exception):
    """An existential quantifier must be expanded, over a domain that is not known here."""

    def __init__(self, variable: str) -> None:
        super().__init__(variable)
        self.variable = variable


Item = Literal | Comparison
Scoped = tuple[Item, frozenset[str]]
"""An item with the existential variables whose quantifiers it stands under, named or not."""


@dataclass(frozen=True)
class Disjunction:
    """Literals and comparisons joined by `v`.

    `universal` are variables of inner universal quantifiers, which every copy of the disjunction
    has for itself; `existential` those disjoined over their domain. `emptied` stood in what an
    empty domain made false: each of their bindings is a grounding all the same. `narrowed` says
    that an empty domain took a disjunction over it away: the one literal that may be left is no
    single literal of the formula.
    """

    parts: tuple[Scoped, ...]
    universal: frozenset[str] = frozenset()
    existential: frozenset[str] = frozenset()
    emptied: frozenset[str] = frozenset()
    narrowed: bool = False

    @property
    def items(self) -> tuple[Item, ...]:
        return tuple(dict.fromkeys(item for item, _ in self.parts))

    @property
    def as_set(self) -> tuple[object, ...]:
        """What two disjunctions share that are the same clause, in whatever order they stand."""
        return frozenset(self.parts), self.universal, self.existential, self.emptied, self.narrowed

    @property
    def variables(self) -> frozenset[str]:
        return frozenset(variable.name for item in self.items for variable in item_variables(item))


@dataclass
class Expansion:
    """How existential quantifiers are expanded.

    Attributes
    ----------
    limit : int
        Most disjunctions that a formula may have.
    types : dict of variable to type
        Copies of variables join it.
    """

    limit: int
    types: dict[str, str]
    domains: Mapping[str, Sequence[str]]

    def is_empty(self, variable: str) -> bool:
        """Whether the domain of `variable` is known, and has no constant."""
        domain = self.domains.get(self.types.get(variable, ""))
        return domain is not None and not len(domain)

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
    """The disjunctions of a negation normal form whose quantified variables all differ.

    An existential quantifier over a single disjunction without inner universals marks its
    variables; any other is expanded over its domain, each copy's inner variables renamed. Over
    a domain known to be empty it is false: the disjunction of nothing.

    Raises TooLarge when there would be more disjunctions than the limit; NeedsDomain when a
    quantifier must be expanded over a domain that is not known.
    """
    match formula:
        case Atom():
            return [_single(Literal(formula))]
        case Not(Atom() as atom):
            return [_single(Literal(atom, False))]
        case Comparison():
            return [_single(formula)]
        case And(items):
            clauses = [clause for item in items for clause in distribute(item, expansion)]
            if len(clauses) > expansion.limit:
                raise TooLarge
            return clauses
        case Or(items):
            return _product([distribute(item, expansion) for item in items], expansion)
        case Quantified("forall", variables, body):
            marked = frozenset(variables)
            return [
                replace(clause, universal=clause.universal | (marked & clause.variables))
                for clause in distribute(body, expansion)
            ]
        case Quantified("exist", variables, body):
            clauses = distribute(body, expansion)
            for variable in reversed(variables):
                clauses = _exists(variable, clauses, expansion)
            return clauses
    raise TypeError(type(formula).__name__)


def _single(item: Item) -> Disjunction:
    return Disjunction(((item, frozenset()),))


def _exists(variable: str, clauses: list[Disjunction], expansion: Expansion) -> list[Disjunction]:
    if expansion.is_empty(variable):
        free = [
            (clause.variables | clause.emptied) - clause.universal - clause.existential
            for clause in clauses
        ]
        marked = len(clauses) == 1 and not clauses[0].universal
        return [Disjunction((), emptied=frozenset().union(*free) - {variable}, narrowed=marked)]
    if not any(_depends(clause, variable, among=len(clauses)) for clause in clauses):
        return [replace(clause, emptied=clause.emptied - {variable}) for clause in clauses]
    if len(clauses) == 1 and not clauses[0].universal:
        only = clauses[0]
        parts = tuple((item, scope | {variable}) for item, scope in only.parts)
        return [
            replace(
                only,
                parts=parts,
                existential=only.existential | {variable},
                emptied=only.emptied - {variable},
            )
        ]
    own = frozenset().union(*(clause.universal | clause.existential for clause in clauses))
    copies = []
    size = 1
    for constant in expansion.domain_of(variable):
        size *= len(clauses)
        if size > expansion.limit:
            raise TooLarge
        renamed = {name: Variable(expansion.copy_of(name)) for name in sorted(own)}
        copies.append([_copy(clause, variable, constant, renamed) for clause in clauses])
    return _product(copies, expansion)


def _copy(
    clause: Disjunction, variable: str, constant: str, renamed: Mapping[str, Variable]
) -> Disjunction:
    """The disjunction at a constant of the variable's, inner variables by this copy's names."""
    change = substitution({**renamed, variable: Constant(constant)})
    return Disjunction(
        tuple([(change_item(item, change), frozenset()) for item in clause.items]),
        frozenset(renamed[name].name for name in clause.universal),
        frozenset(renamed[name].name for name in clause.existential),
        clause.emptied - clause.universal - {variable},
        clause.narrowed,
    )


def _depends(clause: Disjunction, variable: str, *, among: int) -> bool:
    """Whether a clause has the variable; one of several also where it stood in what an empty domain
    made false, so that the others keep the share that they have over other domains.
    """
    return variable in clause.variables or (among > 1 and variable in clause.emptied)


def _product(parts: list[list[Disjunction]], expansion: Expansion) -> list[Disjunction]:
    size = 1
    for part in parts:
        size *= len(part)
        if size > expansion.limit:
            raise TooLarge
    return [_joined(choice, expansion) for choice in product(*parts)]


def _joined(choice: Sequence[Disjunction], expansion: Expansion) -> Disjunction:
    """One disjunction of several.

    `<=>` has each of its sides in both senses, so that a variable may be universal in one
    disjunction and existential in another: there the latter gets a name of its own.
    """
    universal = frozenset().union(*(clause.universal for clause in choice))
    clash = universal & frozenset().union(*(clause.existential for clause in choice))
    if clash:
        renamed = {name: expansion.copy_of(name) for name in sorted(clash)}
        choice = [_with_existential(clause, renamed) for clause in choice]
    return Disjunction(
        tuple(dict.fromkeys(part for clause in choice for part in clause.parts)),
        universal,
        frozenset().union(*(clause.existential for clause in choice)),
        frozenset().union(*(clause.emptied for clause in choice)),
        any(clause.narrowed for clause in choice),
    )


def _with_existential(clause: Disjunction, renamed: Mapping[str, str]) -> Disjunction:
    """The disjunction with other names for those of its existential variables."""
    names = {old: new for old, new in renamed.items() if old in clause.existential}
    change = substitution({old: Variable(new) for old, new in names.items()})
    parts = tuple(
        (change_item(item, change), frozenset(names.get(name, name) for name in scope))
        for item, scope in clause.parts
    )
    return replace(
        clause,
        parts=parts,
        existential=frozenset(names.get(name, name) for name in clause.existential),
    )
