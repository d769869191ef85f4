"""Where paths lead, in plain words."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.structure.relational import Column
from workbench.structure.table_paths import Hop, Path
from workbench.tables.names import plural, singular_words, without_id
from workbench.tables.names import words as words_of


def spoken(name: str) -> str:
    """A name as it is spoken."""
    return name.replace("_", " ").strip()


ALREADY_MANY = frozenset("staff crew data media equipment personnel stock".split())


def things(table: str) -> str:
    """Several rows of a table, by its name: `visits`, and `repair rows` where that is of one."""
    name, parts = spoken(table), words_of(table)
    many = not parts or parts[-1] in ALREADY_MANY or singular_words(table) != parts
    return name if many or parts[-1].endswith("s") else f"{name} rows"


def referred(hop: Hop) -> str:
    """What a reference leads to, by the name of its column: `patient_id` to a patient; by its table
    where it is called as the key (`isbn` of books).
    """
    name = " ".join(without_id(words_of(hop.column))) or spoken(hop.column)
    kind = " ".join(singular_words(hop.table))
    if hop.kind in ("to", "latest") and hop.called_as_key and not _says(name, kind):
        return kind
    return name


def the(words: str) -> str:
    """Words that begin with whose they are as they are; others with their article."""
    return words if words.startswith("its ") else f"the {words}"


def whose(path: Path) -> str:
    """Whose a column is, where a path leads to one row: `its clinic's `, `its citing paper's `."""
    if not path.hops:
        return ""
    return f"its {possessive(thing_at(path))} "


def possessive(words: str) -> str:
    """Whose something is: `the bus' `, `a customer's`."""
    return f"{words}'{'' if words.endswith('s') else 's'}"


def thing_at(path: Path) -> str:
    """The one thing that a path leads to; by what it passes where that is one of two of a kind:
    `from account's branch`.
    """
    *before, last = path.hops
    latest = "latest " if last.kind == "latest" else ""
    return f"{_of_roles(before)}{latest}{thing_words(last)}"


def _of_roles(hops: Sequence[Hop]) -> str:
    """Whose what follows is, where two of a kind lead to such."""
    roles = [referred(hop) for hop in hops if hop.kind == "to" and hop.is_role]
    return "".join(f"{possessive(role)} " for role in roles)


def thing_words(hop: Hop) -> str:
    """What one step leads to: the reference's name, and what that is where it does not say so."""
    if hop.kind not in ("to", "latest"):
        return spoken(hop.table)
    name, kind = referred(hop), " ".join(singular_words(hop.table))
    return name if _says(name, kind) else f"{name} {kind}"


def _says(name: str, kind: str) -> bool:
    """Whether a reference is called as what it leads to, as a whole or in short."""
    last = kind.split()[-1] if kind else ""
    return (len(name) > 2 and kind.startswith(name)) or any(
        word.startswith(last) for word in name.split()
    )


def rows_words(path: Path) -> str:
    """The rows that a path reaches: `its payments`, `payments of its company (companies)`."""
    last = path.hops[-1]
    if last.kind in ("shared", "alike", "tied", "near"):
        return _owner(path.hops)
    if path.hops[:-1]:
        if _is_of_siblings(path):
            return _siblings(path)
        if last.kind == "to" and last.table == path.start:
            return _back_at_start(path)
        return f"{things(last.table)} of {_owner(path.hops[:-1])}{as_role(last)}"
    if last.kind == "either":
        return f"its {things(last.table)}{as_role(last)}"
    if last.table == path.start:
        return f"{things(path.start)} tied to it by {spoken(last.column)}"
    by = referred(last)
    called = not last.is_role and (
        last.called_as_key or _says(by, " ".join(singular_words(path.start)))
    )
    return f"its {things(last.table)}" + ("" if called else f" as {by}")


def as_role(hop: Hop) -> str:
    """In which role rows have the thing that they are of, where there are two."""
    if hop.kind == "either":
        return f" (as {spoken(hop.column)} or {spoken(hop.other)})"
    return f" (as {spoken(hop.column)})" if hop.is_role and hop.kind == "from" else ""


def _back_at_start(path: Path) -> str:
    """Rows of the start that a row refers to: `books of the same author (through writes)`."""
    *before, between, last = path.hops
    if between.kind == "shared":
        return _sharing_through(path)
    # Of a relation among things of one kind, which of its two ends these are.
    as_it_came = bool(before) and (before[0].table, before[0].column) == (
        between.table,
        last.column,
    )
    if as_it_came:
        return f"{things(last.table)} of {_owner(tuple(before))}"
    if not before and _is_role(last):
        return _role_words(between, last)
    return f"{things(last.table)} of {_owner((*before, between))} (as {referred(last)})"


def _is_role(hop: Hop) -> bool:
    """Whether a reference says what a thing is to another: a supplier, of companies."""
    name = referred(hop)
    return (
        not hop.called_as_key
        and len(name) > 2
        and not _says(name, " ".join(singular_words(hop.table)))
    )


def _role_words(between: Hop, last: Hop) -> str:
    """Things by what they are to a row: `its supplier companies (through supplies)`."""
    *words, noun = thing_words(last).split()
    return f"its {' '.join((*words, plural(noun)))} (through {spoken(between.table)})"


def _sharing(hop: Hop) -> str:
    other = "other " if hop.kind == "shared" else ""
    shared = [
        f"{thing_words(Hop('to', way[-1].column, way[-1].table or ''))}'s {spoken(column)}"
        if way
        else spoken(column)
        for way, column in hop.shared
    ]
    at_once = " at the same time" if hop.meets else ""
    return f"{other}{things(hop.table)} with the same {' and '.join(shared)}{at_once}"


def _near(hop: Hop, it: str) -> str:
    """Rows that are near to something: `stations within 2.5 km of it`."""
    near = hop.near
    assert near is not None
    unit = " km" if near.here.on_globe else ""
    there = f" by {spoken(near.there.of)}" if near.there.of else ""
    owner = "its" if it == "it" else possessive(it)
    here = f"{owner} {spoken(near.here.of)}" if near.here.of else it
    return f"{things(hop.table)}{there} within {near.within:g}{unit} of {here}"


def _sharing_through(path: Path) -> str:
    """Rows of the start by what rows of both share: `other films with the same actor`."""
    between = path.hops[-2]
    value, table = spoken(between.column), spoken(between.table)
    through = "" if value == table else f" (through {table})"
    at_once = " at the same time" if between.meets else ""
    return f"other {things(path.start)} with the same {value}{at_once}{through}"


def _is_of_siblings(path: Path) -> bool:
    return [hop.kind for hop in path.hops] == ["to", "to", "from", "from"]


def _siblings(path: Path) -> str:
    """Rows of the start that two references on and back lead to: `other lines of its order's
    customer`.
    """
    first, second = path.prefix
    return f"other {things(path.start)} of {whose(Path(path.start, (first,)))}{referred(second)}"


def spoken_column(column: Column) -> str:
    """What a column of rows is called."""
    if column.against:
        return compared_words(column)
    if column.after is not None and not column.after.value:
        return "days since the one before"
    return times_words(column) if column.times else spoken(column.name)


def times_words(column: Column) -> str:
    """A number times another: `quantity times product's price`."""
    return f"{spoken(column.name)} times {_other_words(column, column.times)}"


def compared_words(column: Column) -> str:
    """A column against another: `country other than account's country`."""
    sign = {"!=": "other than", ">": "above", "later": "after"}[column.sign]
    return f"{spoken(column.name)} {sign} {_other_words(column, column.against)}"


def _other_words(column: Column, name: str) -> str:
    owner = whose(Path("", tuple(Hop("to", one.column, one.table or "") for one in column.way)))
    return f"{owner.removeprefix('its ')}{spoken(name)}"


def _owner(hops: tuple[Hop, ...]) -> str:
    """What the hops reach, as the owner of something: `its company`,
    `visits of its latest clinic`.
    """
    *before, hop = hops
    if hop.kind == "latest":
        return f"its {_of_roles(before)}latest {referred(hop)}"
    if hop.kind == "to" and before and before[-1].many:
        whose_too = f" of {_owner(tuple(before[:-1]))}" if before[:-1] else ""
        role = as_role(before[-1])
        return f"the same {referred(hop)} (through {spoken(before[-1].table)}{whose_too}{role})"
    if hop.kind == "to":
        return f"its {_of_roles(before)}{referred(hop)}"
    if hop.kind == "tied":
        to = _owner(tuple(before)) if before else "it"
        return f"{things(hop.table)} tied to {to} by {spoken(hop.through)}"
    if hop.kind == "near":
        return _near(hop, f"its {_of_roles(before[:-1])}{referred(before[-1])}" if before else "it")
    if hop.kind in ("shared", "alike"):
        whose_too = spoken(hop.table) if before and before[-1].many else ""
        as_whose = f" as its {whose_too or referred(before[-1])}" if before else ""
        return f"{_sharing(hop)}{as_whose}"
    whose_rows = f"{things(hop.table)} of {_owner(tuple(before))}" if before else None
    return f"{whose_rows or f'its {spoken(hop.table)}'}{as_role(hop)}"


def neighbours_words(path: Path) -> str:
    """The rows of the start that a path ties to a row."""
    first, last = path.hops[0], path.hops[-1]
    if last.kind == "shared":
        return _sharing(last)
    if last.kind in ("tied", "near"):
        return _owner(path.hops)
    if first.kind == "to" and path.hops[1:] and path.hops[1:] == (last,) and last.kind == "from":
        return f"other {things(path.start)} of its {referred(first)}{as_role(last)}"
    if len(path.hops) > 1 and path.hops[-2].kind == "shared" and last.kind == "to":
        return _sharing_through(path)
    if _is_of_siblings(path):
        return _siblings(path)
    if any(hop.kind == "shared" for hop in path.hops[:-1]):
        return f"{things(path.start)} of {_owner(path.hops[:-1])}"
    if [hop.kind for hop in path.hops] == ["from", "to"] and _is_role(last):
        return _role_words(first, last)
    through = [
        spoken(hop.table) for hop in path.hops if hop.kind == "to" and hop.table != path.start
    ]
    if through:
        return f"other {things(path.start)} that share {' and '.join(through)} with it"
    if path.climbs:
        return f"{things(path.start)} tied to it by {_steps(path)}"
    if path.hops[2:]:
        return rows_words(path)
    return f"{things(path.start)} tied to it by {spoken(last.column)}"


def _steps(path: Path) -> str:
    """The references that a tie between two rows of one table goes along."""
    named = [spoken(hop.column) for hop in path.hops]
    if len(named) > 1 and len({*named}) == 1:
        return f"{named[0]}, {len(named)} steps away"
    return ", then ".join(named)
