"""Tables that refer to each other, and the paths through them from a target row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["number", "category", "flag", "date", "calendar", "name", "text"]


@dataclass(frozen=True)
class Gathered:
    """What the rows that refer to a row amount to: their number, or the total of a column.

    Attributes
    ----------
    table, by : str
        Whose rows, and the column by which they refer to the row.
    also : str
        Of the rows that share two things with a row of their own table, itself among them, as the
        bids of one bidder in one auction: the other column that they share with it (`by` is the
        one). Of these it is their number, or the mean of a column.
    references : tuple of Reference
        The way from such a row to the column's table.
    column : Column or None
        A number, or a flag whose rows are counted; None for their number.
    """

    table: str
    by: str
    references: tuple[Reference, ...] = ()
    column: Column | None = None
    also: str = ""


@dataclass(frozen=True)
class Column:
    """A column that conditions may be put on.

    Attributes
    ----------
    kind : {'number', 'category', 'flag', 'date', 'calendar', 'name', 'text'}
        A flag is 1 or 0; names are told apart, and no more; of texts words are looked for; a
        calendar has a date's weekday (1 to 7, Monday first), month or
        hour.
    values : tuple of str
        Of a category: its most frequent values, most frequent first; of a text its words; of a
        number or a calendar thresholds, such as `>= 3` and `< 0.5`, that part some rows from most.
    beginning : int
        Of codes read as a category by their first characters, how many these are; else 0.
    part : {'', 'weekday', 'month', 'hour'}
        Of a calendar.
    since : str
        Of a number of days: the column of the date that they are counted from, up to that of
        `name`.
    times : str
        Of a number that is multiplied by another: the column of that.
    way : tuple of Reference
        From the row to the table of that other column; empty for its own.
    called : tuple of str
        What people call the things that `values` name; empty where they call them so.
    gathered : Gathered or None
        Of a number that no column holds: what it is of the rows that refer to the row, or that
        share two things with it.
    """

    name: str
    kind: Kind
    values: tuple[str, ...] = ()
    beginning: int = 0
    part: Literal["", "weekday", "month", "hour"] = ""
    since: str = ""
    times: str = ""
    way: tuple[Reference, ...] = ()
    called: tuple[str, ...] = ()
    gathered: Gathered | None = None

    @property
    def group(self) -> frozenset[str]:
        """Of what rows amount to that share two things: the columns of these."""
        of = self.gathered
        return frozenset() if of is None or not of.also else frozenset((of.by, of.also))

    def shown(self, value: str) -> str:
        """A value as people call it."""
        if not self.called or value not in self.values:
            return value
        return self.called[self.values.index(value)]


@dataclass(frozen=True)
class Reference:
    """`column` holds keys of `table`; without a table, values that rows of its own table share.

    It `is_role` where another column holds keys of that table, too: where trips start and end.
    """

    column: str
    table: str | None
    is_role: bool = field(default=False, compare=False)


@dataclass(frozen=True)
class Table:
    """One table, its key, what it refers to, and what dates its rows.

    Attributes
    ----------
    date : str or None
        A column of dates, or of years where `dated_by_year`.
    named : tuple of Column
        References to many things, as categories of which one value is looked at at a time.
    texts : tuple of Column
        Columns of texts.
    holds : mapping of str to str
        For the columns that name something, what: columns of one kind may have values in common.
    within : tuple of str
        The categories among the columns of a key of several.
    of : str
        Of rows that are dated by another of their dates: the table that they are of, else empty.
    gathered : tuple of Column
        What the rows that refer to each of its rows amount to, and those that share two things
        with it.
    """

    name: str
    rows: int
    key: str | None = None
    columns: tuple[Column, ...] = ()
    references: tuple[Reference, ...] = ()
    date: str | None = None
    dated_by_year: bool = False
    named: tuple[Column, ...] = ()
    texts: tuple[Column, ...] = ()
    holds: Mapping[str, str] = field(default_factory=dict)
    within: tuple[str, ...] = ()
    of: str = ""
    gathered: tuple[Column, ...] = ()

    @property
    def relates(self) -> bool:
        """Whether its rows only relate things: no key, two references or more."""
        return (
            self.key is None
            and sum(reference.table is not None for reference in self.references) >= 2
        )


@dataclass(frozen=True)
class Schema:
    """Tables by name."""

    tables: Mapping[str, Table] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Table:
        return self.tables[name]

    def stored(self, name: str) -> str:
        """The table whose rows these are, whatever they are dated by."""
        return self[name].of or name

    def dated_through(self, name: str) -> tuple[Reference, ...] | None:
        """References to the table that dates a table's rows; empty for its own, None for none."""
        frontier: list[tuple[str, tuple[Reference, ...]]] = [(name, ())]
        for _ in range(3):
            grown = []
            for table, walked in frontier:
                if self[table].date is not None:
                    return walked
                for reference in self[table].references:
                    if reference.table is not None:
                        grown.append((reference.table, (*walked, reference)))
            frontier = grown
        return None

    def dating_table(self, name: str) -> Table | None:
        """The table whose date column dates the rows of `name`."""
        walked = self.dated_through(name)
        if walked is None:
            return None
        return self[walked[-1].table or ""] if walked else self[name]


@dataclass(frozen=True)
class Hop:
    """One step of a path.

    Attributes
    ----------
    kind : {'to', 'from', 'either', 'shared', 'alike', 'latest'}
        `to`: from a row to the row it refers to; `from`: to all rows that refer to it; `either`: to
        those that refer to it in one of two roles, as a team's matches at home and away; `shared`:
        to all other rows of the same table with the same value; `alike`: to rows of another table
        with the same value, as a town's weather; `latest`: to what the latest of the
        rows that refer to it refers to.
    column : str
        The referring (shared) column.
    table : str
        The table that is reached.
    through, via : str
        Of `latest`: the table whose latest row is taken, and its column that refers back.
    other : str
        Of `either`: the column of the other role; of `shared` and `alike`: another column that is
        shared, too.
    way : tuple of Reference
        Of `shared`: from a row to the table of that other column; empty for its own.
    called_as_key : bool
        Whether the column is called as the key that it holds, and so says nothing of its own.
    is_role : bool
        Of `from`: whether rows refer to the same table by another column, too.
    """

    kind: Literal["to", "from", "either", "shared", "alike", "latest"]
    column: str
    table: str
    through: str = ""
    via: str = ""
    other: str = ""
    way: tuple[Reference, ...] = ()
    called_as_key: bool = field(default=False, compare=False)
    is_role: bool = field(default=False, compare=False)

    @property
    def many(self) -> bool:
        """Whether a row may reach more than one."""
        return self.kind in ("from", "either", "shared", "alike")

    @property
    def roles(self) -> tuple[str, ...]:
        """Their columns by which the rows reached refer back; or whose value they share."""
        return (self.column, self.other) if self.other and not self.way else (self.column,)

    @property
    def shared(self) -> tuple[tuple[tuple[Reference, ...], str], ...]:
        """The columns whose value rows share, each with the way to its table."""
        also = ((self.way, self.other),) if self.other else ()
        return (((), self.column), *also)


@dataclass(frozen=True)
class Path:
    """A chain of hops from the target table."""

    start: str
    hops: tuple[Hop, ...] = ()

    @property
    def end(self) -> str:
        """The table it leads to."""
        return self.hops[-1].table if self.hops else self.start

    @property
    def many(self) -> bool:
        """Whether a target row may reach more than one row."""
        return any(hop.many for hop in self.hops)

    @property
    def prefix(self) -> tuple[Hop, ...]:
        """The hops that lead to one row: to the anchor."""
        first = next((at for at, hop in enumerate(self.hops) if hop.many), len(self.hops))
        return self.hops[:first]

    @property
    def others(self) -> Path | None:
        """The path to the other rows of its start that it goes through; None where it does not."""
        at = next((at for at, hop in enumerate(self.hops[:-1]) if hop.table == self.start), None)
        return None if at is None else Path(self.start, self.hops[: at + 1])

    @property
    def suffix(self) -> tuple[Hop, ...]:
        """The hops from the anchor on."""
        return self.hops[len(self.prefix) :]

    @property
    def leads_back(self) -> bool:
        """Whether the way back from where it ends is the same way: to a company and to its people,
        not to a friend by who asked whom.
        """
        turned = {"to": "from", "from": "to", "shared": "shared"}
        there = [(hop.kind, hop.roles) for hop in self.hops if not hop.way]
        back = [(turned.get(hop.kind), hop.roles) for hop in reversed(self.hops)]
        return there == back

    def then(self, hop: Hop) -> Path:
        """The path with one hop more."""
        return Path(self.start, (*self.hops, hop))


def hop_to(schema: Schema, reference: Reference) -> Hop:
    """The step to what a row refers to."""
    table = reference.table or ""
    named = schema[table].key == reference.column
    return Hop("to", reference.column, table, called_as_key=named)


def hop_from(schema: Schema, reference: Reference, table: str) -> Hop:
    """The step to the rows of a table that refer to this one."""
    named = schema[reference.table or ""].key == reference.column
    is_role = len(roles(schema, reference.table or "", table)) > 1
    return Hop("from", reference.column, table, called_as_key=named, is_role=is_role)


def roles(schema: Schema, of: str, table: str) -> list[Reference]:
    """The columns by which rows of a table refer to things of another."""
    return [reference for reference in schema[table].references if reference.table == of]
