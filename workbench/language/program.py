"""The program: types, predicates, functions and weighted rules, in either language, as frozen data.

This is what the user wrote and what is printed back; `clausal_form` makes of it what grounding
reads (`workbench.language.clauses`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal as OneOf

from workbench.errors import Span
from workbench.language.declarations import Function, Predicate, Type
from workbench.language.number_scale import NumberScale
from workbench.language.terms import Atom, Comparison, Formula, Literal, Term
from workbench.language.values import VALUE_TYPES, ValueKind


@dataclass(frozen=True, slots=True)
class Weight:
    """How a rule is weighted.

    Parameters
    ----------
    kind : {'given', 'learn', 'fixed', 'hard', 'variable'}
        `given` may be learned over; `learn` has no value; `fixed` (Tuffy's `@w`) is never learned;
        `variable` takes the number bound to rule variable `variable` by a closed predicate's last
        argument.
    factor : Term or None
        A number that each grounding's weight is multiplied by, such as `log(n)` in `1.2 * log(n):
        ...`.
    """

    kind: OneOf["given", "learn", "fixed", "hard", "variable"]
    value: float | None = None
    variable: str | None = None
    factor: Term | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """What is kept of each rule, definition and scope: its comment, its text, its place."""

    description: str = field(default="", compare=False)
    text: str = field(default="", compare=False)
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class FormulaRule(Stated):
    """An MLN formula with its weight. `indivisible` for Alchemy's `[...]`."""

    formula: Formula
    weight: Weight
    indivisible: bool = False


@dataclass(frozen=True, slots=True)
class LogicalRule(Stated):
    """A PSL logical rule: conjunctive body, disjunctive head."""

    body: tuple[Literal | Comparison, ...]
    head: tuple[Literal | Comparison, ...]
    weight: Weight
    squared: bool = False


@dataclass(frozen=True, slots=True)
class Filter:
    """PSL's `{X: condition}` on a summation variable; a formula over closed atoms."""

    variable: str
    condition: Formula


@dataclass(frozen=True, slots=True)
class Cardinality:
    """PSL's `|X|`: how many distinct constants a grounding puts for summation variable X."""

    variable: str


@dataclass(frozen=True, slots=True)
class Calculation:
    """Arithmetic on numbers and cardinalities: `+ - * /`, or `min`, `max` (`@Min`, `@Max`)."""

    operator: OneOf["+", "-", "*", "/", "min", "max"]
    left: Factor
    right: Factor


Factor = float | Cardinality | Calculation


@dataclass(frozen=True, slots=True)
class LinearTerm:
    """`coefficient * factor * atoms` in a linear expression, all on the left side.

    Parameters
    ----------
    atoms : tuple of Atom
        No atom for a constant term; at most one atom may be open, the others are closed. Arguments
        that are `SumVariable` are summed over.
    factor : Factor or None
        What depends on cardinalities, if anything does; None stands for 1.
    """

    coefficient: float
    atoms: tuple[Atom, ...] = ()
    factor: Factor | None = None


@dataclass(frozen=True, slots=True)
class ArithmeticRule(Stated):
    """A PSL arithmetic rule `sum of terms (<=, >=, =) 0`."""

    terms: tuple[LinearTerm, ...]
    relation: OneOf["<=", ">=", "="]
    filters: tuple[Filter, ...]
    weight: Weight
    squared: bool = False


Rule = FormulaRule | LogicalRule | ArithmeticRule


@dataclass(frozen=True, slots=True)
class Aggregate:
    """`variable = function(of: body)`: a number (or date) a binding of outer variables.

    Parameters
    ----------
    function : str
        A name of `workbench.language.builtin.AGGREGATES`.
    of : tuple of Term
        What is counted, summed, ...: one term, of `count`, `exists` and `share` perhaps several.
    among : tuple of (Literal or Comparison)
        `share` only: the further conditions whose share is taken, `share(c: body, among)`.
    """

    variable: str
    function: str
    of: tuple[Term, ...]
    body: tuple[Literal | Comparison, ...]
    among: tuple[Literal | Comparison, ...] = ()
    span: Span | None = field(default=None, compare=False)


Condition = Literal | Comparison | Aggregate


@dataclass(frozen=True, slots=True)
class Conditional(Stated):
    """An atom and the conditions that make it so; statements of one head are joined by "or"."""

    head: Atom
    body: tuple[Condition, ...]


class Definition(Conditional):
    """`head := body.`: a closed predicate made from others.

    Variables of the body that the head lacks are "for some". A comparison `v = expression` gives
    `v` its value.
    """

    __slots__ = ()


class Scope(Conditional):
    """`head open where body.`: which query atoms are open; those of no scope are false."""

    __slots__ = ()


@dataclass(frozen=True)
class Program:
    """A whole program in one of the two languages.

    Attributes
    ----------
    types, predicates, functions : mapping of name to declaration, in source order
    text : str
        The source as given; included files are in `sources`.
    sources : mapping of file name (None for text given directly) to its text
        What the spans point into.
    definitions : tuple of Definition
        Their heads are among `predicates`, closed.
    read : tuple
        The rules, then the statements, that `text` says.
    """

    language: OneOf["mln", "psl"]
    types: Mapping[str, Type]
    predicates: Mapping[str, Predicate]
    functions: Mapping[str, Function]
    rules: tuple[Rule, ...]
    text: str = field(default="", compare=False)
    sources: Mapping[str | None, str] = field(default_factory=dict, compare=False, repr=False)
    definitions: tuple[Definition, ...] = ()
    scopes: tuple[Scope, ...] = ()
    read: tuple[Rule | Definition | Scope, ...] = field(default=(), compare=False, repr=False)

    def as_read(self) -> Program:
        """The same, as one that says what its text says."""
        return replace(self, read=(*self.rules, *self.statements))

    @property
    def says_its_text(self) -> bool:
        """Whether its rules and statements are still those of its text."""
        return bool(self.text) and self.read == (*self.rules, *self.statements)

    @property
    def defined(self) -> frozenset[str]:
        """The predicates that definitions make."""
        return frozenset(definition.head.predicate for definition in self.definitions)

    @property
    def statements(self) -> tuple[Definition | Scope, ...]:
        """Its definitions, then its scopes."""
        return (*self.definitions, *self.scopes)

    @property
    def numeric(self) -> frozenset[str]:
        """The predicates whose atoms are numbers to be predicted."""
        return frozenset(name for name, predicate in self.predicates.items() if predicate.numeric)

    @property
    def logarithms(self) -> dict[str, NumberScale]:
        """Those of them whose logarithms rules add up to, and how."""
        scales = {name: predicate.scale for name, predicate in self.predicates.items()}
        return {name: scale for name, scale in scales.items() if scale.is_logarithm}

    def kind_of(self, type_name: str) -> ValueKind | None:
        """What values of a type are; None for a type with a domain."""
        return (
            ValueKind(type_name)
            if type_name in VALUE_TYPES and type_name not in self.types
            else None
        )
