"""What is known of the things that an atom names, for somebody who is asked about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from workbench.database import Database, Neighbour, described_types, neighbours, rows_of_things
from workbench.language.ground_atoms import parse_atom
from workbench.verbs.explaining.display import called

Thing = tuple[str, str]
"""The type and the constant of a thing, or of a value."""
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
        A column as its file calls it, else a predicate; and what it says of the thing.
    links : tuple of (str, str)
        A column or predicate (`repair (bike)` where it is said in the row of a repair), and the
        things at its other end, with what is said of these in brackets.
    more : int
        Links that are left out.
    """

    kind: str
    name: str
    columns: tuple[tuple[str, str], ...]
    links: tuple[tuple[str, str], ...]
    more: int = 0

    @property
    def more_links(self) -> str:
        return f"{self.more} more link{'' if self.more == 1 else 's'}"

    def lines(self) -> tuple[str, ...]:
        """It in text: its columns, and a line for each link."""
        columns = ", ".join(f"{name} {value}" for name, value in self.columns)
        links = (f"  {name}: {value}" for name, value in self.links)
        left_out = (f"  and {self.more_links}",) if self.more else ()
        return f"{self.kind} {self.name}: {columns or 'no column'}", *links, *left_out


def known_things(
    database: Database, atom: str, world: str, *, links: int = MOST_LINKS
) -> tuple[KnownThing, ...]:
    """The things of a ground atom of a world, each with its columns and at most so many of its
    links.

    Of at most `MOST_FACTS` true facts a thing; what the atom itself says is left out, that the
    thing has a row in the table to predict, and things of which nothing is said. O(predicates)
    queries a thing, and for all its links together.
    """
    columns = column_names(database)
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
                and columns.get(fact.predicate, fact.predicate) is not None
            ]
            ties = [fact for fact in near if _links(fact, described)]
            rows = _rows(database, world, ties[:links], described)
            told = [*ties[:links], *(fact for facts in rows.values() for fact in facts)]
            names = _names(database, {(kind, constant), *(p for one in told for p in _others(one))})
            found.append(
                KnownThing(
                    kind,
                    names[kind, constant],
                    _columns(near, described, columns),
                    tuple(_told(fact, rows, names, columns) for fact in ties[:links]),
                    max(len(ties) - links, 0),
                )
            )
    return tuple(found)


def column_names(database: Database) -> Mapping[str, str | None]:
    """What the columns of tables are called in their files, by predicate; None for the one that
    says of a row only that it is there. Predicates that no one column filled are left out.
    """
    from workbench.tables import rows_predicate
    from workbench.verbs.tables_look import tables_at_hand

    mapping = tables_at_hand(database)
    if mapping is None:
        return {}
    said = [(one.predicate, one.name) for table in mapping.tables for one in table.columns]
    times = Counter(predicate for predicate, _ in said)
    found: dict[str, str | None] = {
        predicate: name
        for predicate, name in said
        if predicate is not None and times[predicate] == 1
    }
    row = rows_predicate(mapping)
    if row is not None and len(row.types) == 1:
        found[row.name] = None
    return found


def _others(fact: Neighbour) -> list[Thing]:
    """The type and constant of each argument but the thing's own."""
    pairs = zip(fact.types, fact.arguments)
    return [pair for place, pair in enumerate(pairs) if place != fact.position]


def _links(fact: Neighbour, described: Collection[str]) -> bool:
    return any(kind in described for kind, _ in _others(fact))


def _columns(
    near: Collection[Neighbour], described: Collection[str], columns: Mapping[str, str | None]
) -> tuple[tuple[str, str], ...]:
    return tuple(
        (_called(fact, columns), ", ".join(value for _, value in _others(fact)) or "yes")
        for fact in near
        if not _links(fact, described)
    )


def _called(fact: Neighbour, columns: Mapping[str, str | None]) -> str:
    return columns.get(fact.predicate) or fact.predicate


def _told(
    fact: Neighbour,
    rows: Mapping[Thing, Sequence[Neighbour]],
    names: Mapping[Thing, str],
    columns: Mapping[str, str | None],
) -> tuple[str, str]:
    """A link as its name and its other things, each with what its own row says."""
    said = []
    for thing in _others(fact):
        cells = [
            f"{_called(one, columns)} {value}"
            for one in rows.get(thing, ())
            if (one.predicate, one.arguments) != (fact.predicate, fact.arguments)
            and columns.get(one.predicate, one.predicate) is not None
            and not _is_in_name(one, value := _value(one, names), thing, names)
        ]
        said.append(f"{names[thing]} ({', '.join(cells)})" if cells else names[thing])
    return _tie(fact, columns), "; ".join(said)


def _value(fact: Neighbour, names: Mapping[Thing, str]) -> str:
    return ", ".join(names[pair] for pair in _others(fact)) or "yes"


def _is_in_name(fact: Neighbour, value: str, thing: Thing, names: Mapping[Thing, str]) -> bool:
    """Whether what is said of a thing stands in what it is called; a number says something else."""
    called = names[thing].removesuffix(f" ({thing[1]})")
    return "number" not in fact.types and f" {value} " in f" {called} "


def _tie(fact: Neighbour, columns: Mapping[str, str | None]) -> str:
    """A link's name; one that another thing's row says begins with the kind of that thing."""
    name = _called(fact, columns)
    return name if fact.position == 0 else f"{fact.types[0]} ({name})"


def _names(database: Database, things: Collection[Thing]) -> dict[Thing, str]:
    """What people call things, asked for at once."""
    ordered = sorted(things)
    return dict(zip(ordered, called(database, ordered)))


def _rows(
    database: Database, world: str, ties: Sequence[Neighbour], described: Collection[str]
) -> dict[Thing, list[Neighbour]]:
    """What is said of each thing that links lead to: facts that name it first."""
    things = {pair for fact in ties for pair in _others(fact) if pair[0] in described}
    found: dict[Thing, list[Neighbour]] = {}
    for kind in sorted({kind for kind, _ in things}):
        constants = sorted(constant for of, constant in things if of == kind)
        rows = rows_of_things(database, kind, constants, world=world, limit=MOST_FACTS)
        found |= {(kind, constant): facts for constant, facts in rows.items()}
    return found
