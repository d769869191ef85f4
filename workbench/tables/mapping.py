"""What the columns of tables mean: the mapping from wide tables to predicates, as plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from workbench.errors import Span, UsageError, did_you_mean
from workbench.tables.kinds import ColumnKind
from workbench.tables.readings import Reading
from workbench.tables.sources import TableSource

Keep = Literal["error", "first", "last"]
Unreadable = Literal["error", "blank"]


@dataclass(frozen=True)
class ColumnMapping:
    """What one column says of its row's thing, or tuple of things.

    Attributes
    ----------
    name : str
        The column; of a date over several columns a name of its own.
    kind : str
        `key`, `reference`, `category`, `number`, `date`, `yes/no`, `text`; `constant`, `empty` and
        `ignore` make no facts.
    predicate : str or None
        Of the facts made; None where none are.
    type : str or None
        Of a category's values.
    table : str or None
        Of a reference: the table whose key it holds.
    reading : Reading
        How cells are read.
    parts : tuple of str
        The columns of year, month and day, for a date over three columns; those of a key, or of a
        reference to one, that has several.
    unreadable : {'error', 'blank'}
        What a cell is that cannot be read so.
    reason : str
        Why the profile thinks so.
    missing : int
        Blank cells, when it was profiled.
    distinct : int
        Different values, about, when it was profiled; 0 where they were not counted.
    """

    name: str
    kind: ColumnKind
    predicate: str | None = None
    type: str | None = None
    table: str | None = None
    reading: Reading = field(default_factory=Reading)
    parts: tuple[str, ...] = ()
    unreadable: Unreadable = "error"
    reason: str = ""
    missing: int = 0
    distinct: int = 0

    @property
    def makes_facts(self) -> bool:
        return self.predicate is not None and self.kind not in (
            "key",
            "constant",
            "empty",
            "ignore",
        )


@dataclass(frozen=True)
class TableMapping:
    """What the rows of one table are.

    Three shapes: rows are things named by the column `key`; or tuples of the things they refer to
    (`relation` names the predicate); or, with neither, things without a name, which are called by
    the number of their row.

    Attributes
    ----------
    type : str
        Of the things; of a relation unused.
    display : tuple of str
        The columns that people call the things by, such as forename and surname; empty for the key
        alone.
    columns : tuple of ColumnMapping
        In the table's order, dates and keys over several columns last.
    keep : {'error', 'first', 'last'}
        Which of two rows of one key counts where they contradict each other.
    blank_keys : {'error', 'skip'}
        What a row without its key, or without a thing it relates, is.
    rows : int
        When it was profiled.
    """

    source: TableSource
    type: str
    key: str | None = None
    relation: str | None = None
    display: tuple[str, ...] = ()
    columns: tuple[ColumnMapping, ...] = ()
    keep: Keep = "error"
    blank_keys: Literal["error", "skip"] = "error"
    rows: int = 0

    @property
    def name(self) -> str:
        return self.source.name

    @property
    def references(self) -> tuple[ColumnMapping, ...]:
        return tuple(column for column in self.columns if column.kind == "reference")

    def column(self, name: str) -> ColumnMapping:
        """One column.

        Raises E0235 when there is none of that name.
        """
        found = {column.name: column for column in self.columns}
        if name not in found:
            raise UsageError.of(
                "E0235",
                f"the table {self.name} has no column {name}",
                help=did_you_mean(name, found, f"its columns are {', '.join(found)}"),
            )
        return found[name]


@dataclass(frozen=True)
class SqlDefinition:
    """A predicate whose facts are the rows of one SELECT over the tables.

    Attributes
    ----------
    types : tuple of str
        Of its arguments, which are the columns selected: types of the mapping's things and
        categories, `number`, `date`, `text`.
    span : Span or None
        Where it is written.
    """

    name: str
    types: tuple[str, ...]
    sql: str
    description: str = ""
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True)
class TablesMapping:
    """What a set of tables means, and which column is to be predicted.

    Attributes
    ----------
    predict : str or None
        `TABLE.COLUMN` or `TABLE.COLUMN=VALUE`.
    known : str or None
        Of a target of yes or no: a predicate of numbers, 1 or 0 for each row whose label is known,
        which definitions may read of earlier rows. The target itself is in question, and blank
        apart from no in neither.
    """

    tables: tuple[TableMapping, ...]
    predict: str | None = None
    definitions: tuple[SqlDefinition, ...] = ()
    known: str | None = None

    @cached_property
    def by_name(self) -> Mapping[str, TableMapping]:
        return {table.name: table for table in self.tables}

    def table(self, name: str) -> TableMapping:
        """One table.

        Raises E0235 when there is none of that name.
        """
        if name not in self.by_name:
            known = f"the tables are {', '.join(self.by_name)}"
            raise UsageError.of(
                "E0235", f"no table is called {name}", help=did_you_mean(name, self.by_name, known)
            )
        return self.by_name[name]

    def place(self, asked: str) -> tuple[str, str]:
        """The table and the column of `TABLE.COLUMN`; names of tables may hold full stops."""
        fitting = [name for name in self.by_name if asked.startswith(f"{name}.")]
        table = max(fitting, key=len, default=asked.partition(".")[0])
        return table, asked[len(table) + 1 :]

    def type_of(self, table: TableMapping) -> str:
        """The type of a table's things: that of the table its own key refers to, where it does."""
        key = next((column for column in table.columns if column.kind == "key"), None)
        seen = {table.name}
        while key is not None and key.table is not None and key.table not in seen:
            seen.add(key.table)
            table = self.table(key.table)
            key = next((column for column in table.columns if column.kind == "key"), None)
        return table.type
