"""`+bin(a, 4)`: one weight for each quarter of the numbers `a`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from workbench.errors import Span
from workbench.language.formulas import formula_terms, map_terms
from workbench.language.refusal import Refused
from workbench.language.terms import (
    And,
    Apply,
    Comparison,
    Constant,
    Formula,
    Implies,
    Literal,
    Term,
    Variable,
)

BIN = "+bin"
MOST_BINS = 100
HELP = "as in `Age(x, a) ^ +bin(a, 4) => Fraud(x)`, with Age(person, number)"


def bin_of(name: str, arguments: Sequence[Term], span: Span | None) -> Comparison:
    """`+bin(a, 4)` as a condition; E0159 where it is not a variable and a number of bins."""
    if name != "bin":
        raise Refused(
            "E0159", f"`+` stands before a variable or bin(a, 4), and not before {name}", span, HELP
        )
    if (
        len(arguments) == 2
        and isinstance(arguments[0], Variable)
        and isinstance(arguments[1], Constant)
    ):
        count = arguments[1].name
        if count.isdigit() and 2 <= int(count) <= MOST_BINS:
            return Comparison(BIN, replace(arguments[0], plus=False), arguments[1], span)
    raise Refused(
        "E0159", f"bin takes a variable and a whole number from 2 to {MOST_BINS}", span, HELP
    )


def lifted_items(items: Iterable[Literal | Comparison]) -> tuple[Literal | Comparison, ...]:
    """A conjunction in which the bins that stand as arguments are conditions of their own."""
    found: list[Literal | Comparison] = []
    for item in items:
        if isinstance(item, Literal):
            terms = item.atom.arguments
            binned = [one for one in terms if isinstance(one, Apply) and one.function == BIN]
            plain = tuple(
                _first(one) if isinstance(one, Apply) and one.function == BIN else one
                for one in terms
            )
            found.append(replace(item, atom=replace(item.atom, arguments=plain)))
            found += map(_condition, binned)
        else:
            found.append(item)
    return tuple(found)


def lifted(formula: Formula) -> Formula:
    """The formula with the bins that stand as arguments as conditions of it."""
    found = dict.fromkeys(
        _condition(term)
        for term in formula_terms(formula)
        if isinstance(term, Apply) and term.function == BIN
    )
    if not found:
        return formula
    plain = map_terms(
        formula,
        lambda term: _first(term) if isinstance(term, Apply) and term.function == BIN else term,
    )
    if isinstance(plain, Implies):
        body = plain.left.items if isinstance(plain.left, And) else (plain.left,)
        return Implies(And((*body, *found)), plain.right)
    return Implies(And(tuple(found)) if len(found) > 1 else next(iter(found)), plain)


def _condition(term: Apply) -> Comparison:
    variable, count = term.arguments
    return Comparison(BIN, variable, count, term.span)


def _first(term: Apply) -> Term:
    return term.arguments[0]
