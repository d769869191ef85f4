"""What a PSL definition or scope says of its places: which are one type, which hold values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import permutations

from workbench.language.argument_classes import ArgumentClasses, Place
from workbench.language.definitions import condition_atoms
from workbench.language.formulas import term_variables
from workbench.language.program import Aggregate, Condition, Definition, Scope
from workbench.language.terms import Apply, Comparison, Constant, Term, Variable
from workbench.language.values import ValueKind, date_as_written


def join_statement(
    statement: Definition | Scope, classes: ArgumentClasses, arities: Mapping[str, int]
) -> list[tuple[Place, ValueKind]]:
    """Join the places of each variable of a definition or scope; the places of what it makes of
    numbers, and of what it compares with `$now`.
    """
    comparisons = list(_comparisons(statement.body))
    place_of = classes.join_variables(
        (*condition_atoms(statement.body), statement.head), comparisons, arities
    )
    kinds: list[tuple[str, ValueKind]] = []
    for one in statement.body:
        if isinstance(one, Aggregate):
            # Comparisons alone may name its variable, which then has a place of its own.
            place_of.setdefault(one.variable, (repr(one), 0))
            same = one.of[0] if one.function in ("min", "max", "latest") else None
            if isinstance(same, Variable) and same.name in place_of:
                classes.join(place_of[same.name], place_of[one.variable])
            else:
                kinds.append((one.variable, ValueKind.NUMBER))
    for comparison in comparisons:
        shifted = [_shifted(side) for side in (comparison.left, comparison.right)]
        if "$now" in shifted:
            kinds += [(name, ValueKind.DATE) for name in shifted]
        elif all(name in place_of for name in shifted):
            classes.join(place_of[shifted[0]], place_of[shifted[1]])
        else:
            dates = set(_set_apart(comparison))
            kinds += [(name, ValueKind.DATE) for name in dates]
            kinds += [
                (name, ValueKind.NUMBER) for name in _numbers(comparison) if name not in dates
            ]
    return [(place_of[name], kind) for name, kind in kinds if name in place_of]


def _comparisons(body: Iterable[Condition]) -> Iterator[Comparison]:
    """Those of a body, and of its aggregates."""
    for one in body:
        if isinstance(one, Comparison):
            yield one
        elif isinstance(one, Aggregate):
            yield from _comparisons((*one.body, *one.among))


def _shifted(term: Term) -> str:
    """The variable that a term is so much more or less than, of one kind with it; `$now` for a date
    that is written. Others have no name.
    """
    match term:
        case Variable(name):
            return name
        case Constant() if date_as_written("+", term):
            return "$now"
        case Apply("-", (_, Constant() as last)) if date_as_written("-", last):
            return ""
        case Apply("+", (Constant() as first, _)) if date_as_written("+", first):
            return "$now"
        case Apply("+", (Constant(), other)) | Apply("+" | "-", (other, Constant())):
            return _shifted(other)
    return ""


def _set_apart(comparison: Comparison) -> Iterator[str]:
    """The variables that a date which is written is taken from, or that are taken from it."""
    for side in (comparison.left, comparison.right):
        match side:
            case Apply("-", pair) if any(date_as_written("-", one) for one in pair):
                yield from filter(None, map(_shifted, pair))


def _numbers(comparison: Comparison) -> Iterator[str]:
    """The variables that are calculated with, and the one that a result equals."""
    for side, other in permutations((comparison.left, comparison.right)):
        if isinstance(other, Apply) and not _shifted(other):
            calculated = other.function in ("+", "-", "*", "/", "%")
            if isinstance(side, Variable) and (calculated or comparison.operator == "="):
                yield side.name
            if calculated:
                yield from (one.name for one in term_variables(other))
