"""Negation normal form (no `=>`, `<=>`, negations inward), and how many disjunctions."""

from __future__ import annotations

from dataclasses import replace
from math import prod

from workbench.language.builtin import negated_operator
from workbench.language.formulas import formula_parts
from workbench.language.terms import (
    And,
    Atom,
    Comparison,
    Formula,
    Iff,
    Implies,
    Not,
    Or,
    Quantified,
)


def negation_normal_form(formula: Formula, positive: bool = True) -> Formula:
    """The formula (or its negation) over `^`, `v`, quantifiers, literals, and comparisons."""
    match formula:
        case Atom():
            return formula if positive else Not(formula)
        case Comparison():
            return (
                formula
                if positive
                else replace(formula, operator=negated_operator(formula.operator))
            )
        case Not(body):
            return negation_normal_form(body, not positive)
        case And(items) | Or(items):
            parts = tuple([negation_normal_form(item, positive) for item in items])
            return And(parts) if isinstance(formula, And) == positive else Or(parts)
        case Implies(left, right):
            parts = (
                negation_normal_form(left, not positive),
                negation_normal_form(right, positive),
            )
            return Or(parts) if positive else And(parts)
        case Iff(left, right):
            return negation_normal_form(And((Implies(left, right), Implies(right, left))), positive)
        case Quantified(kind, variables, body):
            inner = negation_normal_form(body, positive)
            return Quantified(
                "forall" if (kind == "forall") == positive else "exist", variables, inner
            )
    raise TypeError(type(formula).__name__)


def clause_count(formula: Formula, most: int) -> int:
    """How many disjunctions the distribution of `formula` has at least, counted up to `most`.

    Exact where no quantifier is expanded. Cost: linear in the formula, whereas its negation normal
    form grows as the number of disjunctions does.
    """
    return _clause_counts(formula, most)[0]


def _clause_counts(formula: Formula, most: int) -> tuple[int, int]:
    """Of the formula, and of its negation."""
    counts = [_clause_counts(part, most) for part in formula_parts(formula)]
    match formula:
        case Not():
            ((yes, no),) = counts
            return no, yes
        case And():
            yes, no = sum(one[0] for one in counts), prod(one[1] for one in counts)
        case Or():
            yes, no = prod(one[0] for one in counts), sum(one[1] for one in counts)
        case Implies():
            (left, right) = counts
            yes, no = left[1] * right[0], left[0] + right[1]
        case Iff():
            (left, right) = counts
            yes = left[1] * right[0] + right[1] * left[0]
            no = (left[0] + right[1]) * (right[0] + left[1])
        case Quantified():
            return counts[0]
        case _:
            return 1, 1
    return min(yes, most), min(no, most)
