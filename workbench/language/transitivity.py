"""Which predicates a program makes transitive: those whose true atoms put things into groups."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from workbench.language.clauses import Clause, LinearRule
from workbench.language.terms import Variable


def transitive_predicates(clauses: Iterable[Clause | LinearRule]) -> tuple[str, ...]:
    """The predicates of which a hard clause says that two links make a third, by name.

    `P(x, y) ^ P(y, z) => P(x, z)` in any direction: three literals of one predicate, one of them
    positive, over three variables that stand in two of them each. A clause of finite weight may be
    broken, and then its predicate's atoms are no groups.
    """
    hard = [one for one in clauses if isinstance(one, Clause) and one.hard]
    return tuple(sorted({one.literals[0].atom.predicate for one in hard if _is_transitive(one)}))


def _is_transitive(clause: Clause) -> bool:
    if len(clause.literals) != 3:
        return False
    atoms = [one.atom for one in clause.literals]
    names = [term.name for atom in atoms for term in atom.arguments if isinstance(term, Variable)]
    pairs = all(
        len(atom.arguments) == 2 and atom.arguments[0] != atom.arguments[1] for atom in atoms
    )
    return (
        pairs
        and len({atom.predicate for atom in atoms}) == 1
        and sum(one.positive for one in clause.literals) == 1
        and sorted(Counter(names).values()) == [2, 2, 2]
    )
