"""Terms of Prolog, as inductive logic programming files are made of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Symbol:
    """An atom or a number, by its text without quotes; `number` when it was written as one."""

    name: str
    number: bool = False


@dataclass(frozen=True, slots=True)
class LogicVariable:
    """A Prolog variable; every `_` gets a name of its own."""

    name: str


@dataclass(frozen=True, slots=True)
class Compound:
    """A functor applied to arguments; operators and lists (`.`, `[]`) too."""

    functor: str
    arguments: tuple[Term, ...]


Term = Symbol | LogicVariable | Compound


def subterms(term: Term) -> Iterator[Term]:
    """The term and all that it is made of."""
    pending = [term]
    while pending:
        term = pending.pop()
        yield term
        if isinstance(term, Compound):
            pending += term.arguments


def term_text(term: Term) -> str:
    """The term in Prolog's canonical writing without quotes, such as `bond(n,group(ch3,2))`."""
    pieces: list[str] = []
    closing = 0
    # Along the last argument, since lists are nested there, at any length.
    while isinstance(term, Compound):
        *others, last = term.arguments or (Symbol(""),)
        pieces.append(
            f"{term.functor}(" + "".join(f"{term_text(argument)}," for argument in others)
        )
        closing += 1
        term = last
    return "".join(pieces) + term.name + ")" * closing
