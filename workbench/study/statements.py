"""Statements of a program as they are made: their names, each once, and their text."""

from __future__ import annotations

import re

from workbench.structure.candidate import Candidate
from workbench.structure.relational import Column
from workbench.structure.table_paths import Path
from workbench.tables import TableMapping, TablesMapping, mapped_predicates

Row = tuple[str, ...]
"""The variables that name a row: its thing's, or those of the things that it relates."""


class Statements:
    """What has been defined so far.

    Attributes
    ----------
    subject : Row
        The variables of a target row.
    lines : list of str
        The text, a comment in words before each definition.
    made : dict
        The name, head or variable of what is defined, by what it says.
    """

    def __init__(self, mapping: TablesMapping, target: TableMapping) -> None:
        self.lines: list[str] = []
        self.made: dict[object, str] = {}
        self.subject = row_of(target, "x")
        self._relation = target.relation
        self._taken = {found.name for found in mapped_predicates(mapping)}
        self._taken |= {one.name for one in mapping.definitions}

    def new(self, name: str) -> str:
        """A name like this one that no predicate has."""
        number, chosen = 2, name
        while chosen in self._taken:
            chosen, number = f"{name}{number}", number + 1
        self._taken.add(chosen)
        return chosen

    def state(self, head: str, body: str) -> None:
        """A definition over target rows; those that are ties of things are named,
        for a path may leave from one end.
        """
        row = f"{self._relation}({', '.join(self.subject)})"
        self.lines.append(
            f"{head} := {body if self._relation is None or row in body else f'{row} ^ {body}'}."
        )


def row_of(table: TableMapping, variable: str) -> Row:
    """The variables of a row of a table, called after `variable`."""
    if table.relation is None:
        return (variable,)
    return tuple(f"{variable}{chr(ord('a') + place)}" for place in range(len(table.references)))


def real(value: float) -> str:
    """A number that reads back as the same."""
    return repr(float(value)) if value != int(value) or abs(value) >= 1e15 else str(int(value))


def quoted_constant(text: str) -> str:
    """A constant between double quotes."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


COMPARED = {"difference": "Less", "ratio": "Per", "product": "Times"}


def camel(name: str) -> str:
    """The words of a name as one, each with a capital letter."""
    parts = re.findall(r"[^\W_]+", name)
    joined = "".join(part[:1].upper() + part[1:] for part in parts)[:24]
    return joined if joined[:1].isupper() or not joined else f"V{joined}"


def path_name(path: Path) -> str:
    """A name of where a path leads."""
    return "".join(camel(hop.table) for hop in path.hops) or camel(path.start)


SIGNS = {">=": "From", "<": "Below"}


def _value_name(value: str) -> str:
    sign, _, number = value.partition(" ")
    return SIGNS[sign] + re.sub(r"\W", "_", number) if sign in SIGNS and number else camel(value)


def _column_name(column: Column) -> str:
    since = f"Since{camel(column.since)}" if column.since else ""
    times = f"Times{camel(column.times)}" if column.times else ""
    signs = {"": "", "!=": "Not", ">": "Above", "later": "After"}
    against = f"{signs[column.sign]}{camel(column.against)}"
    if column.after is not None and not column.after.value:
        return "DaysSinceBefore"
    return f"{camel(column.name)}{column.part.capitalize()}{since}{times}{against}"


def candidate_name(candidate: Candidate) -> str:
    """A name of what a candidate says, not yet a name of its own."""
    if candidate.compared is not None:
        first, second = map(candidate_name, candidate.compared)
        return f"{first}{COMPARED[candidate.aggregate]}{second}"
    what = "" if candidate.onward is None else _column_name(candidate.onward.column)
    value = "" if candidate.value is None else _value_name(candidate.value)
    aggregate = {
        "value": "",
        "is": "",
        "latest_is": "Latest",
        "sum": "Total",
        "in_common": "Common",
        "since": "Since",
        "first": "First",
    }.get(candidate.aggregate, candidate.aggregate.capitalize())
    window = f"In{candidate.window}" if candidate.window else ""
    if candidate.among is not None:
        kind, which = candidate.among[0].column.name, candidate.among[1] or ""
        if after := candidate.among[0].column.after:
            kind, which = "After" if after.directly else "Later", after.value
        value = f"{value}Of{camel(kind)}{camel(which)}"
    other = "" if candidate.with_ is None else path_name(candidate.with_[0])
    return f"{aggregate}{what}{value}{path_name(candidate.path)}{other}{window}" or "Candidate"
