"""Tables as text in a DuckDB of their own, for as long as they are looked at."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import duckdb

from workbench.errors import Diagnostic, InputError, Span
from workbench.tables.sources import TableSource
from workbench.tables.values import is_blank

if TYPE_CHECKING:
    import pyarrow


@dataclass(frozen=True)
class StagedTable:
    """A table as text, in a staging.

    Attributes
    ----------
    relation : str
        The table's name in the staging's database, safe to put into SQL.
    source : TableSource
        With what was found out about the file.
    columns : tuple of str
        As the source names them, in order; column number i is called `c<i>` in `relation`. Cells
        are trimmed text, or NULL; which texts mean that nothing is known is for the mapping to say.
    first_row : int
        The row of the source, counted from 1 with the header, that `rowid` 0 of `relation` came
        from.
    numbers : frozenset of str
        The columns that the source itself holds as numbers: their texts are as 1234.5.
    """

    name: str
    relation: str
    source: TableSource
    columns: tuple[str, ...]
    rows: int
    first_row: int
    notes: tuple[Diagnostic, ...] = ()
    numbers: frozenset[str] = frozenset()

    def cell(self, column: str) -> str:
        """The SQL name of a column."""
        return f"c{self.columns.index(column)}"

    def span(self, row: int, column: str | None = None) -> Span:
        """Where a row of the source is; `column` counts cells, as spreadsheets do."""
        place = 1 + (self.columns.index(column) if column in self.columns else 0)
        return Span(self.source.shown, row, place, row, place + 1)


class Staging:
    """A throw-away database of staged tables; `with stage(sources) as staging`."""

    def __init__(
        self, connection: duckdb.DuckDBPyConnection, tables: Sequence[StagedTable]
    ) -> None:
        self.connection = connection
        self.tables: Mapping[str, StagedTable] = {table.name: table for table in tables}

    def add_blank_column(self, table: str, column: str) -> None:
        """Give a table a column that it lacks, with nothing in it."""
        staged = self.tables[table]
        self.connection.execute(
            f"ALTER TABLE {staged.relation} ADD COLUMN c{len(staged.columns)} VARCHAR"
        )
        self.tables = {**self.tables, table: replace(staged, columns=(*staged.columns, column))}

    def drop(self, relations: Iterable[str]) -> None:
        """Let go of tables of the staging's database, and of the memory that they take."""
        for relation in relations:
            self.connection.execute(f"DROP TABLE {relation}")

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """The rows of a query over the staged tables."""
        return self.connection.execute(sql).fetchall()

    def counts(self, relation: str, wanted: Sequence[str]) -> list[Any]:
        """What aggregates over a relation give, a few a query: the time to plan one grows with the
        square of them."""
        found: list[Any] = []
        for start in range(0, len(wanted), 24):
            some = ", ".join(wanted[start : start + 24])
            found += self.rows(f"SELECT {some} FROM {relation}")[0]
        return found

    def record_batches(self, sql: str) -> pyarrow.RecordBatchReader:
        """The rows of a query as a pyarrow.RecordBatchReader, for a database that takes them in."""
        return self.connection.sql(sql).to_arrow_reader(1 << 17)

    def texts(self, table: StagedTable, columns: Iterable[str]) -> list[tuple[str | None, ...]]:
        """The cells of some columns, row after row."""
        cells = ", ".join(map(table.cell, columns))
        return self.rows(f"SELECT {cells} FROM {table.relation}")

    def filled(self, table: StagedTable, column: str, blanks: Sequence[str]) -> int:
        """How many cells of a column say something."""
        blank = is_blank(table.cell(column), blanks)
        return int(self.rows(f"SELECT count(*) FROM {table.relation} WHERE NOT {blank}")[0][0])


def row_count(connection: duckdb.DuckDBPyConnection, relation: str) -> int:
    return int(connection.execute(f"SELECT count(*) FROM {relation}").fetchall()[0][0])


def without_columns(source: TableSource) -> InputError:
    """The fault of a source in which there is nothing."""
    error = InputError.of(
        "E0233",
        f"{source.shown} is empty: it has neither columns nor rows",
        span=Span(source.shown, 1, 1, 1, 1),
        help="leave it out, or fill it",
    )
    assert isinstance(error, InputError)
    return error
