"""Ground rules in words, with the atoms that evidence decides."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from workbench.grounding.defined_facts import DefinedFact, bound_atom
from workbench.language.builtin import DATE_OF
from workbench.language.clauses import Clause
from workbench.language.formulas import variable_names

Literals = tuple[tuple[str, bool], ...]

MOST_DECIDED = 12
"""Literals of a ground clause that evidence decides, written out: existential ones have many."""


@dataclass(frozen=True)
class GroundRule:
    """One ground rule in words.

    Attributes
    ----------
    text : str
        The ground clause, atoms by name.
    scale : float
        Times the template's weight: the weight. Of equal ground rules, their sum.
    groundings : int
        How many bindings of the rule's variables make it.
    given : tuple of (str, float)
        The atoms in it that evidence decides, and their values.
    defined : tuple of (str, DefinedFact)
        The facts of definitions among them, and what those were made of.
    literals : tuple of (str, bool)
        The atoms of `text` and whether each is positive, in order; none where the text is not
        just these: an existential clause, or a cut one.
    """

    text: str
    scale: float
    groundings: int
    given: tuple[tuple[str, float], ...]
    defined: tuple[tuple[str, DefinedFact], ...] = ()
    literals: Literals = ()


def in_words(
    clause: Clause, binding: dict[str, str], values: list[float], is_open: set[str]
) -> tuple[str, tuple[tuple[str, float], ...], Literals]:
    """A ground clause, the atoms that evidence decides with values, and its literals.

    Comparisons, which the constants make false, are left out, and so are decided literals of a very
    long clause.
    """
    parts: list[str] = []
    literals: list[tuple[str, bool]] = []
    given: dict[str, float] = {}
    decided = 0
    for place, literal in enumerate(clause.literals):
        if literal.atom.predicate == DATE_OF:
            continue
        atom = bound_atom(clause, literal.atom, binding)
        text = atom if literal.positive else f"!{atom}"
        if atom not in is_open and not variable_names(literal.atom.arguments) - binding.keys():
            decided += 1
            if decided > MOST_DECIDED:
                continue
            value = values[place] if values else float(not literal.positive)
            given |= {} if np.isnan(value) else {atom: value}
        if clause.multiset or text not in parts:
            parts.append(text)
            literals.append((atom, literal.positive))
    prefix = f"EXIST {', '.join(clause.existential)} " if clause.existential else ""
    left = decided - MOST_DECIDED
    suffix = f" v ... ({left:,} more that evidence decides)" if left > 0 else ""
    whole = () if prefix or suffix else tuple(literals)
    return prefix + " v ".join(parts) + suffix, tuple(given.items()), whole


def as_rule(literals: Literals, *, soft: bool = False, negated: bool = False) -> str:
    """A ground clause as people write rules: `A ^ B => C` for `!A v !B v C`.

    Parameters
    ----------
    soft : bool
        In the letters of probabilistic soft logic.
    negated : bool
        The negation of the clause instead, a conjunction: what its author wrote of a formula whose
        clause has its weight negated.
    """
    both, either, implies = (" & ", " | ", " -> ") if soft else (" ^ ", " v ", " => ")
    if negated:
        return both.join(f"!{atom}" if positive else atom for atom, positive in literals)
    body = both.join(atom for atom, positive in literals if not positive)
    head = either.join(atom for atom, positive in literals if positive)
    if body and head:
        return f"{body}{implies}{head}"
    if head:
        return head
    return f"!({body})" if len(literals) > 1 else f"!{body}"


def merged(rules: Iterable[GroundRule]) -> tuple[GroundRule, ...]:
    """Equal ones as one, in order of their text."""
    told: dict[str, GroundRule] = {}
    for rule in rules:
        same = told.get(rule.text)
        if same is not None:
            rule = replace(same, scale=same.scale + rule.scale, groundings=same.groundings + 1)
        told[rule.text] = rule
    return tuple(told[text] for text in sorted(told))
