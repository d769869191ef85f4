"""Which PSL rules the language takes: the oracle's own list of what is refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from tests.differential.psl_syntax import Condition, Leaf, Linear, Logical, Number, PslAtom, Summand

OPEN = ("Open", "Link")
"""Predicates whose atoms may be targets."""


def is_acceptable(rule: Logical | Linear) -> bool:
    """Whether variables are bound, sums are sums, and products linear in open atoms."""
    return _logical(rule) if isinstance(rule, Logical) else _linear(rule)


def _logical(rule: Logical) -> bool:
    binders = [atom for sign, atom in rule.literals if not sign]
    if not binders and rule.written > 1:
        return False
    bound = {
        name for atom in binders or [atom for _, atom in rule.literals] for name in _free(atom)
    }
    used = {name for _, atom in rule.literals for name in _free(atom)}
    tested = {name for _, *sides in rule.tests for name in sides if not name.startswith("'")}
    return used | tested <= bound


def _linear(rule: Linear) -> bool:
    terms = [*rule.left, *rule.right]
    atoms = [atom for term in terms for atom in term.atoms]
    summed = Counter(name for atom in atoms for name in atom.arguments if name.startswith("+"))
    free = {name for atom in atoms for name in _free(atom)}
    if not atoms or any(number > 1 for number in summed.values()):
        return False
    if any(sum(atom.predicate in OPEN for atom in term.atoms) > 1 for term in terms):
        return False
    if any("+" + number.variable not in summed for term in terms for number in _sizes(term)):
        return False
    for name, tree in rule.filters:
        if "+" + name not in summed:
            return False
        for leaf in _leaves(tree):
            names = (
                _free(leaf)
                if isinstance(leaf, PslAtom)
                else [one for one in leaf[1:] if not one.startswith("'")]
            )
            if not set(names) <= free | {name}:
                return False
            if isinstance(leaf, PslAtom) and leaf.predicate in OPEN:
                return False
    return True


def _free(atom: PslAtom) -> list[str]:
    return [name for name in atom.arguments if name[0] not in "'+"]


def _sizes(term: Summand) -> Iterator[Number]:
    for number in (*term.factors, *term.divisors):
        yield from (one for one in (number, *number.parts) if one.kind == "size")


def _leaves(tree: Leaf) -> Iterator[PslAtom | tuple[str, str, str]]:
    if isinstance(tree, Condition):
        for part in tree.parts:
            yield from _leaves(part)
    else:
        yield tree
