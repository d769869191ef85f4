"""Clauses of any predicates: canonical form, text, conjunctions that count their flips.

An atom's flip count in a clause is the number of groundings that are satisfied because of that atom
alone: those whose other literals are all false. A negated literal is false where its atom is a
fact; positive literals are taken care of by inclusion and exclusion, over variables bound to their
types' constants:

    #{all others false} = sum over subsets S of the other positive literals
                          (-1)^|S| #{negated literals' atoms, S hold}

A grounding that holds the atom itself a second time is a tautology where the signs differ, and
never counts; where they are equal the two are one literal. Such groundings are taken out by the
same inclusion and exclusion, over the literals that may coincide with the atom.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise, permutations
from typing import TypeVar

from workbench.structure.background import Background
from workbench.structure.rules import conjunction

Disjunct = tuple[int, tuple[int, ...], bool]
"""Predicate number, variable numbers, positive."""
Disjunction = tuple[Disjunct, ...]
Atom = tuple[int, tuple[int, ...]]
T = TypeVar("T")


def canonical_disjunction(clause: Disjunction) -> Disjunction:
    """The clause's least renaming over all orders of its literals; equal up to renaming."""
    best: Disjunction | None = None
    for order in permutations(sorted(clause, key=lambda d: (d[0], d[2]))):
        if any((a[0], a[2]) > (b[0], b[2]) for a, b in pairwise(order)):
            continue
        names: dict[int, int] = {}
        renamed = tuple(
            (p, tuple(names.setdefault(v, len(names)) for v in args), sign)
            for p, args, sign in order
        )
        if best is None or renamed < best:
            best = renamed
    assert best is not None
    return best


def disjunction_text(background: Background, clause: Disjunction, head: int | None = None) -> str:
    """The clause in Alchemy's syntax: an implication where it has both signs.

    `head`: a predicate: the last literal of it is what the clause concludes, whatever its sign, and
    the variables are named from there (`Directs(b, a) ^ Closed(b) => !Sound(a)`).
    """
    concluded = [place for place, (predicate, _, _) in enumerate(clause) if predicate == head]
    if not concluded:
        positive = [_atom_text(background, d) for d in clause if d[2]]
        negative = [_atom_text(background, d) for d in clause if not d[2]]
        if positive and negative:
            body = conjunction(_parts(background, d) for d in clause if not d[2])
            return f"{body} => {' v '.join(positive)}"
        return " v ".join([*positive, *(f"!{text}" for text in negative)])
    place = _conclusion(clause, concluded)
    last, rest = clause[place], [*clause[:place], *clause[place + 1 :]]
    names: dict[int, int] = {variable: number for number, variable in enumerate(last[1])}
    ordered = _joined_in_order(rest, set(names))
    for _, args, _ in ordered:
        for variable in args:
            names.setdefault(variable, len(names))
    renamed = [(p, tuple(names[v] for v in args), sign) for p, args, sign in ordered]
    shown = [
        (f"!{_atom_text(background, literal)}",) if literal[2] else _parts(background, literal)
        for literal in renamed
    ]
    conclusion = _atom_text(background, (last[0], tuple(names[v] for v in last[1]), True))
    conclusion = conclusion if last[2] else f"!{conclusion}"
    return f"{conjunction(shown)} => {conclusion}" if shown else conclusion


def _conclusion(clause: Disjunction, places: Sequence[int]) -> int:
    """Of head literals the one whose sign no other has, else the last."""
    signs = [clause[place][2] for place in places]
    alone = [place for place, sign in zip(places, signs) if signs.count(sign) == 1]
    return alone[-1] if alone else places[-1]


def _joined_in_order(literals: list[Disjunct], known: set[int]) -> list[Disjunct]:
    """The literals in an order where each shares a variable with one before, if there is one."""
    ordered: list[Disjunct] = []
    left = list(literals)
    while left:
        found = next((literal for literal in left if known & set(literal[1])), left[0])
        left.remove(found)
        ordered.append(found)
        known = known | set(found[1])
    return ordered


def _atom_text(background: Background, disjunct: Disjunct) -> str:
    return " ^ ".join(_parts(background, disjunct))


def _parts(background: Background, disjunct: Disjunct) -> tuple[str, ...]:
    predicate, args, _ = disjunct
    return background.parts(predicate, [_VARIABLES[v] for v in args])


class _Variables:
    """Names of variables: x, y, z, then v1, v2, ..."""

    def __getitem__(self, number: int) -> str:
        return "xyz"[number] if number < 3 else f"v{number - 2}"


_VARIABLES = _Variables()


@dataclass(frozen=True)
class Conjunction:
    """Atoms that hold and equal variables; bindings of `variables` count with `parity`."""

    held: tuple[Atom, ...]
    equal: tuple[tuple[int, int], ...]
    variables: frozenset[int]
    parity: int


def falsifying_conjunctions(clause: Disjunction, at: int) -> Iterator[Conjunction]:
    """Conjunctions whose counts, by parity, sum to the groundings hanging on literal `at` alone."""
    yield from _conjunctions(clause, at, 0)


def _conjunctions(clause: Disjunction, at: int, first: int) -> Iterator[Conjunction]:
    """As above; literals of one sign before `first` may not coincide with the atom."""
    predicate, arguments, sign = clause[at]
    rest = [(place, literal) for place, literal in enumerate(clause) if place != at]
    negated = tuple((p, args) for _, (p, args, positive) in rest if not positive)
    positive = tuple((p, args) for _, (p, args, is_positive) in rest if is_positive)
    variables = {variable for _, args, _ in clause for variable in args}
    like = [args for _, (p, args, _) in rest if p == predicate]
    for merged in _subsets(like):
        substitution, equal = _unified(merged, arguments)
        left = frozenset(substitution.get(variable, variable) for variable in variables)
        for subset in _subsets(positive):
            held = tuple(
                (p, tuple(substitution.get(v, v) for v in args)) for p, args in (*negated, *subset)
            )
            yield Conjunction(held, equal, left, (-1) ** (len(subset) + len(merged)))
    for place, (other, args, other_sign) in rest:
        if other != predicate or other_sign != sign or place < max(first, at + 1):
            continue
        substitution, equal = _unified((args,), arguments)
        together = tuple(
            (p, tuple(substitution.get(v, v) for v in terms), positive_sign)
            for number, (p, terms, positive_sign) in enumerate(clause)
            if number != place
        )
        for found in _conjunctions(together, at, place):
            yield Conjunction(found.held, (*found.equal, *equal), found.variables, found.parity)


def _subsets(items: Sequence[T]) -> Iterator[tuple[T, ...]]:
    for size in range(len(items) + 1):
        yield from combinations(items, size)


def _unified(
    literals: Sequence[tuple[int, ...]], arguments: tuple[int, ...]
) -> tuple[dict[int, int], tuple[tuple[int, int], ...]]:
    """Variables that become the atom's if literals are it, and its own that are equal."""
    substitution: dict[int, int] = {}
    equal: list[tuple[int, int]] = []
    for args in literals:
        for variable, wanted in zip(args, arguments):
            if variable == wanted:
                continue
            if variable in arguments:
                equal.append((variable, wanted))
            elif substitution.setdefault(variable, wanted) != wanted:
                equal.append((substitution[variable], wanted))
    return substitution, tuple(equal)
