"""Terms, atoms and formulas, of which the rules of both languages are made, as frozen data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal as OneOf

from workbench.errors import Span


@dataclass(frozen=True, slots=True)
class Variable:
    """A logical variable; `plus` marks Alchemy's `+x`, one template per constant."""

    name: str
    plus: bool = False
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class SumVariable:
    """PSL's summation variable `+X` in an arithmetic rule."""

    name: str
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Constant:
    """A constant, by its name without quotes; numbers keep their text."""

    name: str
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Apply:
    """A function applied to terms: a declared function, `succ`, `+ - * / %`, or of strings."""

    function: str
    arguments: tuple[Term, ...]
    span: Span | None = field(default=None, compare=False)


Term = Variable | SumVariable | Constant | Apply


@dataclass(frozen=True, slots=True)
class Atom:
    """A predicate applied to terms."""

    predicate: str
    arguments: tuple[Term, ...]
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Comparison:
    """A test between terms: `= != < <= > >=`, or a string predicate named in `operator`.

    String predicates are those of `workbench.language.builtin.STRING_PREDICATES`, with a leading
    `!` where negated. `%` is PSL's test that keeps each unordered pair once: `left` precedes
    `right` in the order of strings (negated `!%`).
    """

    operator: str
    left: Term
    right: Term
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Literal:
    """An atom or its negation."""

    atom: Atom
    positive: bool = True


@dataclass(frozen=True, slots=True)
class FreeSign:
    """Alchemy's `*P(x)`: the formula is taken once with the atom and once with its negation."""

    atom: Atom


@dataclass(frozen=True, slots=True)
class Not:
    """`!f`."""

    body: Formula


@dataclass(frozen=True, slots=True)
class And:
    """`f ^ g ^ ...`."""

    items: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """`f v g v ...`."""

    items: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Implies:
    """`left => right`."""

    left: Formula
    right: Formula


@dataclass(frozen=True, slots=True)
class Iff:
    """`left <=> right`."""

    left: Formula
    right: Formula


@dataclass(frozen=True, slots=True)
class Quantified:
    """`FORALL x, y body` or `EXIST x, y body`."""

    kind: OneOf["forall", "exist"]
    variables: tuple[str, ...]
    body: Formula


Formula = Atom | FreeSign | Comparison | Not | And | Or | Implies | Iff | Quantified
