"""When two literals of a clause can be one ground atom, and two groundings one row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product

from workbench.language.clauses import Clause
from workbench.language.terms import Atom, Constant, Literal, Term, Variable

Equality = tuple[Term, Term]
_MOST_MAPPINGS = 5000


@dataclass(frozen=True, slots=True)
class Branch:
    """One case of a clause: equalities that hold, sets that do not, and its row.

    Attributes
    ----------
    terms : tuple of (Atom, int)
        The distinct open atoms with their coefficients: -1 for a positive literal, +1 for a negated
        one; sums of those, 0 included, when the clause is a multiset.
    negative : tuple of bool
        For each atom, whether some negated literal (a body atom of a PSL rule) is it.
    negated : int
        Number of negated literals counted into the row's constant, `b = 1 - negated`.
    excluded : tuple of tuple of Equality
        Conjunctions of which none may hold.
    """

    terms: tuple[tuple[Atom, int], ...]
    negative: tuple[bool, ...]
    negated: int
    required: tuple[Equality, ...] = ()
    excluded: tuple[tuple[Equality, ...], ...] = ()


class TermClasses:
    """Terms known to be equal (union-find); two different constants never are."""

    def __init__(self, equalities: Iterable[Equality] = ()) -> None:
        self.parent: dict[Term, Term] = {}
        self.consistent = True
        for left, right in equalities:
            self.join(left, right)

    def find(self, term: Term) -> Term:
        while term in self.parent:
            term = self.parent[term]
        return term

    def join(self, left: Term, right: Term) -> None:
        left, right = self.find(left), self.find(right)
        if left == right:
            return
        if isinstance(left, Constant):
            left, right = right, left
        if isinstance(left, Constant):
            self.consistent = False
            return
        self.parent[left] = right

    def entails(self, equalities: Iterable[Equality]) -> bool:
        return all(self.find(left) == self.find(right) for left, right in equalities)


def unify(first: Atom, second: Atom, given: Iterable[Equality] = ()) -> tuple[Equality, ...] | None:
    """The equalities that make two atoms the same; None when nothing does."""
    if first.predicate != second.predicate:
        return None
    classes = TermClasses(given)
    needed: list[Equality] = []
    for pair in zip(first.arguments, second.arguments):
        if classes.find(pair[0]) != classes.find(pair[1]):
            needed.append(pair)
            classes.join(*pair)
    return tuple(needed) if classes.consistent else None


def branches(clause: Clause, literals: tuple[Literal, ...]) -> tuple[Branch, ...]:
    """The cases of a clause's open literals, so that each case has rows of one shape.

    A case in which a positive and a negated literal are the same atom is a tautology and left out
    (as a set); as a multiset their coefficients add. So is one whose equalities a guard (`x != y`)
    rules out. Groundings left out are satisfied by evidence alone.
    """
    terms = tuple((literal.atom, -1 if literal.positive else 1) for literal in literals)
    negated = sum(not literal.positive for literal in literals)
    apart = tuple((one.left, one.right) for one in clause.guards if one.operator == "=")
    first = Branch(terms, tuple(c > 0 for _, c in terms), negated)
    return tuple(_split(first, clause.multiset, apart))


def _split(branch: Branch, multiset: bool, apart: Sequence[Equality]) -> Iterator[Branch]:
    terms = branch.terms
    excluded = list(branch.excluded)
    for i, j in combinations(range(len(terms)), 2):
        (first, a), (second, b) = terms[i], terms[j]
        needed = unify(first, second, branch.required)
        if needed is None:
            continue
        required = (*branch.required, *needed)
        classes = TermClasses(required)
        if any(classes.entails(conjunction) for conjunction in excluded):
            continue
        if any(classes.entails([pair]) for pair in apart):
            continue
        if multiset:
            summed = (*terms[:i], (first, a + b), *terms[i + 1 : j], *terms[j + 1 :])
            signs = branch.negative
            either = (*signs[:i], signs[i] or signs[j], *signs[i + 1 : j], *signs[j + 1 :])
            yield from _split(
                Branch(summed, either, branch.negated, required, tuple(excluded)), multiset, apart
            )
        elif a == b:
            kept = (*terms[:j], *terms[j + 1 :])
            signs = (*branch.negative[:j], *branch.negative[j + 1 :])
            yield from _split(
                Branch(kept, signs, branch.negated - (b > 0), required, tuple(excluded)),
                multiset,
                apart,
            )
        if not needed:
            return
        excluded.append(needed)
    yield Branch(terms, branch.negative, branch.negated, branch.required, tuple(_weakest(excluded)))


def _weakest(conjunctions: list[tuple[Equality, ...]]) -> Iterator[tuple[Equality, ...]]:
    """Without those whose exclusion another one's implies."""
    for number, conjunction in enumerate(conjunctions):
        classes = TermClasses(conjunction)
        implied = any(
            classes.entails(other)
            and not (TermClasses(other).entails(conjunction) and later > number)
            for later, other in enumerate(conjunctions)
            if later != number
        )
        if not implied:
            yield conjunction


def merging_is_needless(clause: Clause, literals: tuple[Literal, ...]) -> bool:
    """Whether any two groundings of the clause that are the same row are the same binding.

    Two rows with equal sets of literals map each literal of one to an equal literal of the other;
    if every such mapping, taken as equalities, makes all variables equal, then no two bindings
    share a row. Cost: the number of mappings, bounded; beyond the bound the answer is no.
    """
    variables = {name for name, _ in clause.variable_types} | {
        d.variable for d in clause.function_values
    }
    variables -= set(clause.plus)
    occurring = {
        term.name
        for literal in literals
        for term in literal.atom.arguments
        if isinstance(term, Variable)
    } | {d.variable for d in clause.function_values}
    if clause.values or not variables <= occurring:
        return False
    choices = [
        [
            other
            for other in literals
            if other.atom.predicate == one.atom.predicate and other.positive == one.positive
        ]
        for one in literals
    ]
    size = 1
    for choice in choices:
        size *= len(choice)
        if size > _MOST_MAPPINGS:
            return False
    primed = {name: Variable(name + "'") for name in variables}
    for images in product(*choices):
        classes = TermClasses((Variable(name), Variable(name + "'")) for name in clause.plus)
        for literal, image in zip(literals, images):
            for left, right in zip(literal.atom.arguments, image.atom.arguments):
                if isinstance(right, Variable):
                    right = Variable(right.name + "'")
                classes.join(Variable(left.name) if isinstance(left, Variable) else left, right)
        if classes.consistent and not classes.entails(
            (Variable(name), new) for name, new in primed.items()
        ):
            return False
    return True
