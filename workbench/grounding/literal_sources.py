"""Where an open literal's atom is found: in its place, beside known values, in a list or index."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from workbench.grounding.atom_index import OBSERVED, AtomIndex
from workbench.grounding.body import Body
from workbench.grounding.select import ColumnRef, Expression, Value, call, negate
from workbench.language.terms import Atom

ALWAYS = Value(True)


@dataclass(frozen=True)
class LiteralSource:
    """What a row of a rule's query says of one literal's atom.

    Attributes
    ----------
    identity : Expression
        The atom's id, where it is open.
    is_open, is_absent : Expression
        The tests that its value is unknown, and that the data do not list it.
    folded : Expression
        The atom's id; negative where data give its value.
    given : Expression
        The value that data give it; NULL where they give none.
    value : callable
        The same with another expression in place of NULL.
    alias : str or None
        The join that finds it, if one does.
    """

    identity: Expression
    is_open: Expression
    is_absent: Expression
    folded: Expression
    given: Expression
    value: Callable[[Expression], Expression]
    alias: str | None = None

    @property
    def always_open(self) -> bool:
        return self.is_open == ALWAYS


def in_place(body: Body, atom: Atom) -> LiteralSource:
    """An atom's place is its id, unless data give the value of the atom there."""
    place = body.place(atom)
    if not body.vocabulary.has_known(atom.predicate):
        return LiteralSource(place, ALWAYS, Value(False), place, Value(None), lambda other: other)
    given = body.join_known(atom.predicate, place)
    folded = call("case", given.is_null, place, OBSERVED)
    value = partial(call, "coalesce", given)
    return LiteralSource(place, given.is_null, Value(False), folded, given, value)


def listed(body: Body, atom: Atom, kind: str = "inner") -> LiteralSource:
    """An atom found by a join with its predicate's list."""
    alias = body.join(atom, body.vocabulary.listed(atom.predicate), kind=kind, letter="o")
    identity, given = ColumnRef(alias, "atom"), ColumnRef(alias, "value")
    return LiteralSource(
        identity,
        negate(identity.is_null),
        ColumnRef(alias, "world").is_null,
        call("coalesce", identity, OBSERVED),
        given,
        partial(call, "coalesce", given),
        alias,
    )


def indexed(body: Body, atom: Atom, index: AtomIndex) -> LiteralSource:
    """An atom found in its predicate's index, by the place that its constants give it."""
    place = body.known_place(atom)
    identity = index.identity(place)
    return LiteralSource(
        identity,
        index.is_open(place),
        index.is_absent(place),
        identity,
        index.value(place, Value(None)),
        partial(index.value, place),
    )
