"""Tables that refer to each other, as rules are sought in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from workbench.structure.nearness import Near, Place

ENDS = "\x1f"
"""Between the values of the two things that a row ties: a sign that no text of people holds."""

Kind = Literal["number", "category", "flag", "date", "calendar", "name", "text"]


@dataclass(frozen=True)
class Apart:
    """How far two places of a row are from each other, or of what it refers to along two ways."""

    here: Place
    there: Place
    way: tuple[Reference, ...] = ()
    way_there: tuple[Reference, ...] = ()


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
    value : str or None
        Rows whose column has this value, or passes this threshold, are counted.
    mean : bool
        Of a number: its mean, not its total; unknown where no row has one.
    alike : bool
        Whether the rows are those of the row's own table that have the same `by`, itself among
        them, and refer to nothing by it: claims for the same service.
    nearest : Near or None
        How far it is to the nearest row of the table, which need not refer to the row.
    """

    table: str
    by: str
    references: tuple[Reference, ...] = ()
    column: Column | None = None
    also: str = ""
    value: str | None = None
    mean: bool = False
    alike: bool = False
    nearest: Near | None = None

    @property
    def shared(self) -> tuple[str, ...]:
        """The columns that the rows share with the row; empty where they refer to it."""
        return (self.by, self.also) if self.also else (self.by,) if self.alike else ()


@dataclass(frozen=True)
class After:
    """Of a flag: whether a row comes after another of the same thing, in order of time; of a number
    the days since the one right before.

    Attributes
    ----------
    by, date : str
        The columns by which both refer to the thing, and are dated.
    value : str
        What the flag's column says in the earlier row: one of its values; of a number empty.
    directly : bool
        Whether that is of the moment right before, or of any before.
    """

    by: str
    date: str
    value: str
    directly: bool


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
    against, sign : str
        Of a flag that compares `name` with another column: that column, and what holds of them.
    way : tuple of Reference
        From the row to the table of that other column; empty for its own.
    called : tuple of str
        What people call the things that `values` name; empty where they call them so.
    gathered : Gathered or None
        Of a number that no column holds: what it is of the rows that refer to the row, or that
        share two things with it.
    apart : Apart or None
        Of a number that tells how far two places are from each other.
    after : After or None
        Of a flag that tells after what a row comes, of a number that tells how long after.
    ends : tuple of Reference
        Of a category of the two things that a row ties: the references to these. Its values are
        those of both (`ENDS` between them) in alphabetical order, whichever is at which end.
    """

    name: str
    kind: Kind
    values: tuple[str, ...] = ()
    beginning: int = 0
    part: Literal["", "weekday", "month", "hour"] = ""
    since: str = ""
    times: str = ""
    against: str = ""
    sign: Literal["", "!=", ">", "later"] = ""
    way: tuple[Reference, ...] = ()
    called: tuple[str, ...] = ()
    gathered: Gathered | None = None
    apart: Apart | None = None
    after: After | None = None
    ends: tuple[Reference, ...] = ()

    @property
    def is_worked_out(self) -> bool:
        """Whether it is a number that no column of a file holds: of other rows, or of places."""
        return self.gathered is not None or self.apart is not None

    @property
    def operator(self) -> str:
        """What a flag compares two columns with."""
        return ">" if self.sign == "later" else self.sign

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
    groups : tuple of str
        Columns of several values that very many rows share each: what is known of the others of a
        row's group is read, and no tie between two of them.
    of : str
        Of rows that are dated by another of their dates: the table that they are of, else empty.
    lasts : tuple of str
        Two of its columns: when a row begins and when it ends; else empty.
    near : tuple of (str, Near)
        Tables with rows near to each of its rows, and how near.
    gathered : tuple of Column
        What the rows that refer to each of its rows amount to, and those that share two things
        with it.
    behind : tuple of Column
        More of what the rows that refer to each of its rows amount to: means, and how many are of a
        kind.
    usual : tuple of Column
        Of each of its numbers the mean of the rows that have the same value of a category.
    tied : tuple of Column
        What the two things of one table are that each of its rows ties: a bond of n and o.
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
    groups: tuple[str, ...] = ()
    of: str = ""
    lasts: tuple[str, ...] = ()
    near: tuple[tuple[str, Near], ...] = ()
    gathered: tuple[Column, ...] = ()
    behind: tuple[Column, ...] = ()
    usual: tuple[Column, ...] = ()
    tied: tuple[Column, ...] = ()

    @property
    def relates(self) -> bool:
        """Whether its rows only relate things: no key, two references or more."""
        return (
            self.key is None
            and sum(reference.table is not None for reference in self.references) >= 2
        )

    @property
    def to_others(self) -> tuple[Reference, ...]:
        """Its references to other things: not by its own key to more of what it tells."""
        return tuple(one for one in self.references if one.column != self.key)

    def is_beside(self, other: Table) -> bool:
        """Whether its rows lead by their own key to those that tell more of the same things."""
        return Reference(self.key or "", other.name) in self.references


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
