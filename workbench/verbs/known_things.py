"""What is known of the things that an atom names, for somebody who is asked about it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from workbench.database import Database, Neighbour, described_types, neighbours
from workbench.language.ground_atoms import parse_atom
from workbench.verbs.explaining.display import called

__all__ = ["KnownThing", "known_things"]

MOST_FACTS = 40
MOST_LINKS = 8


@dataclass(frozen=True)
class KnownThing:
    """A thing with what stands in its row, and in the rows that it is linked to.

    Attributes
    ----------
    kind, name : str
        Its type, and what people call it.
    columns : tuple of (str, str)
        A predicate, and what it says of the thing.
    links : tuple of (str, str)
        A predicate, and the things at its other end, with what is said of these in brackets.
    more : int
        Links that are left out.
    """

    kind: str
    name: str
    columns: tuple[tuple[str, str], ...]
    links: tuple[tuple[str, str], ...]
    more: int = 0


def known_things(
    database: Database, atom: str, world: str, *, links: int = MOST_LINKS
) -> tuple[KnownThing, ...]:
    """The things of a ground atom of a world, each with its columns and at most so many of its
    links.

    Of at most `MOST_FACTS` true facts a thing; what the atom itself says is left out, and so are
    things of which nothing is said. O(predicates) queries a thing and a link.
    """
    name, arguments = parse_atom(atom) or (atom, ())
    predicate = database.predicate(name)
    described = described_types(database)
    found = []
    for kind, value, constant in zip(predicate.argument_types, predicate.kinds, arguments):
        if value is None and kind in described:
            near = [
                fact
                for fact in neighbours(database, kind, constant, limit=MOST_FACTS, world=world)
                if (fact.predicate, fact.arguments) != (name, tuple(arguments))
            ]
            ties = [fact for fact in near if _links(fact, described)]
            found.append(
                KnownThing(
                    kind,
                    called(database, [(kind, constant)])[0],
                    _columns(near, described),
                    tuple(_told(database, world, fact, described) for fact in ties[:links]),
                    max(len(ties) - links, 0),
                )
            )
    return tuple(found)


def _others(fact: Neighbour) -> list[tuple[str, str]]:
    """The type and constant of each argument but the thing's own."""
    pairs = zip(fact.types, fact.arguments)
    return [pair for place, pair in enumerate(pairs) if place != fact.position]


def _links(fact: Neighbour, described: Collection[str]) -> bool:
    return any(kind in described for kind, _ in _others(fact))


def _columns(
    near: Collection[Neighbour], described: Collection[str]
) -> tuple[tuple[str, str], ...]:
    return tuple(
        (fact.predicate, ", ".join(value for _, value in _others(fact)) or "yes")
        for fact in near
        if not _links(fact, described)
    )


def _told(
    database: Database, world: str, fact: Neighbour, described: Collection[str]
) -> tuple[str, str]:
    """A link as its name and its other things, each with what its own row says."""
    others = _others(fact)
    said = []
    for (kind, constant), shown in zip(others, called(database, others)):
        row = _row(database, world, kind, constant) if kind in described else ()
        columns = [
            f"{one.predicate} {value}"
            for one in row
            if (one.predicate, one.arguments) != (fact.predicate, fact.arguments)
            and (value := ", ".join(called(database, _others(one))) or "yes") not in shown
        ]
        said.append(f"{shown} ({', '.join(columns)})" if columns else shown)
    return fact.predicate, "; ".join(said)


def _row(database: Database, world: str, kind: str, constant: str) -> list[Neighbour]:
    """What is said of a thing itself: facts that name it first."""
    near = neighbours(database, kind, constant, limit=MOST_FACTS, world=world)
    return [fact for fact in near if fact.position == 0]
