"""The tables of a mapping as candidates see them: columns worth a condition, references, dates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace

from workbench.structure.relational import Column, Reference, Schema, Table
from workbench.study.codes import beginnings
from workbench.study.column_values import called_by_people, commonest, n_different
from workbench.study.compared_columns import compared_columns, with_common_values
from workbench.study.computed_columns import (
    calendar_columns,
    durations,
    holds_years,
    lasting,
    number_column,
    positive_numbers,
    product_columns,
    shared_columns,
    usual_columns,
)
from workbench.study.places import with_places
from workbench.study.rows_behind import columns_behind, gathered_columns
from workbench.study.texts import common_words
from workbench.study.tied_columns import with_tied
from workbench.tables import ColumnMapping, Staging, TableMapping, TablesMapping, TypedTable

MOST_VALUES = 40
"""Different values that a column has at most to be a category whatever its rows;
else a fifth as many as rows.
"""
SHARED_AT_LEAST = 12
"""Different values that a column has at least where rows that
share one are taken for neighbours.
"""
SHARED_BY_AT_MOST = 60
"""Rows that share a value on average, at most; beyond that they are a group, without ties."""


def relational_schema(
    staging: Staging,
    mapping: TablesMapping,
    typed: Mapping[str, TypedTable],
    target: str,
    *,
    without: Collection[tuple[str, str]] = (),
    timed: bool = False,
) -> Schema:
    """The schema of typed tables; `without` names (table, column) pairs to leave out,
    the target's among them.

    Of rows with several dates the days from one to another are a number. With times such a number
    is known from the later date on, so these rows stand beside themselves, dated by that.
    """
    tables = {}
    for table in mapping.tables:
        used = [column for column in table.columns if (table.name, column.name) not in without]
        made = _table(staging, mapping, table, typed, used)
        spans = () if made.name == target else tuple(durations(staging, typed[table.name], made))
        if not timed:
            made = replace(made, columns=(*made.columns, *spans))
        if not timed:
            made = replace(made, lasts=lasting(staging, typed[table.name], made))
        tables[made.name] = made
        tables |= {one.name: one for one in _dated_by(made, spans if timed else ())}
    tables = dict(with_common_values(_with_more_of_same(tables, timed=timed)))
    positive = {
        name: positive_numbers(staging, typed[one.of or name], one) for name, one in tables.items()
    }

    def set_against(table: Table) -> Iterator[Column]:
        return compared_columns(staging, typed, tables, table, positive, timed=timed)

    schema = Schema(
        {
            name: replace(
                table,
                gathered=(
                    *product_columns(tables, table, positive),
                    *(() if name == target else set_against(table)),
                ),
            )
            for name, table in tables.items()
        }
    )
    gathered = {
        name: replace(
            table,
            gathered=(
                *table.gathered,
                *gathered_columns(schema, name, target, timed=timed),
                *(() if timed or name == target else shared_columns(staging, typed, table)),
            ),
            behind=tuple(columns_behind(schema, name, target, timed=timed)),
            usual=() if timed or name != target else tuple(usual_columns(table)),
        )
        for name, table in schema.tables.items()
    }
    placed = Schema(with_places(staging, typed, gathered, target, timed=timed))
    return placed if timed else Schema(with_tied(staging, placed, typed))


def _with_more_of_same(tables: dict[str, Table], *, timed: bool) -> dict[str, Table]:
    """The tables, each with references to those whose keys are its own: a customer's profile.

    With times not where dates part what is known of one from what is known of the other.
    """
    schema = Schema(tables)
    found = dict(tables)
    for more in tables.values():
        for reference in more.references:
            dated = schema.dated_through(more.name) if timed else None
            known = dated is None or dated[:1] == (reference,)
            if reference.column == more.key and more.columns and known:
                of = found[reference.table or ""]
                itself = Reference(of.key or "", more.name)
                found[of.name] = replace(of, references=(*of.references, itself))
    return found


def _dated_by(table: Table, lasting: Collection[Column]) -> Iterator[Table]:
    """The table's rows dated by each later date, with the days up to that."""
    for date in dict.fromkeys(column.name for column in lasting if column.name != table.date):
        columns = tuple(column for column in lasting if column.name == date)
        yield Table(
            f"{table.name} by {date}", table.rows, None, columns, table.references, date,
            of=table.name,
        )  # fmt: skip


def _table(
    staging: Staging,
    mapping: TablesMapping,
    table: TableMapping,
    tables: Mapping[str, TypedTable],
    used: list[ColumnMapping],
) -> Table:
    typed, found = tables[table.name], _Found(staging, mapping, table, tables)
    # The date says what its year and day say; the month alone tells seasons.
    within_dates = {
        column.parts[place]
        for column in used
        if column.parts and column.kind == "date"
        for place in (0, 2)
    }
    for column in used:
        if column.name in typed.columns and column.name not in within_dates:
            found.take(column)
    date, by_year = _date(staging, typed, found.columns)
    # A reference to the row's own table is one of two ways to such a row: to itself, too.
    ends = Counter([table.name, *(one.table for one in found.references)])
    references = tuple(
        replace(one, is_role=one.table is not None and ends[one.table] > 1)
        for one in found.references
    )
    holds = {
        one.name: what
        for one in used
        if one.name in typed.columns and (what := _held(mapping, table, one))
    }
    return Table(
        table.name, typed.rows, table.key, tuple(found.columns), references, date,
        by_year, tuple(found.named), tuple(found.texts), holds, _within(table), tuple(found.groups),
    )  # fmt: skip


@dataclass
class _Found:
    """What the columns of a table are to a study, taken one after the other."""

    staging: Staging
    mapping: TablesMapping
    table: TableMapping
    tables: Mapping[str, TypedTable]
    columns: list[Column] = field(default_factory=list)
    references: list[Reference] = field(default_factory=list)
    named: list[Column] = field(default_factory=list)
    texts: list[Column] = field(default_factory=list)
    groups: list[str] = field(default_factory=list)

    @property
    def typed(self) -> TypedTable:
        return self.tables[self.table.name]

    def take(self, column: ColumnMapping) -> None:
        name, staging, typed = column.name, self.staging, self.typed
        is_itself = name == self.table.key and column.table == self.table.name
        if column.table is not None and _has_key(self.mapping, column.table) and not is_itself:
            self.references.append(Reference(name, column.table))
        if column.kind == "reference" and column.table is not None:
            values = commonest(staging, typed, name)
            called = called_by_people(staging, self.tables[column.table], values)
            is_small = _is_small(self.mapping, column.table)
            of = self.columns if is_small else self.named
            of.append(Column(name, "category", values, called=called))
        elif column.kind == "number":
            self.columns.append(number_column(staging, typed, name))
        elif column.kind == "yes/no":
            self.columns.append(Column(name, "flag"))
        elif column.kind == "date":
            self.columns += [Column(name, "date"), *calendar_columns(staging, typed, name)]
        elif column.kind in ("category", "text") and not self._says_something(column):
            return
        if column.kind in ("category", "text", "reference") and not is_itself:
            numbered = None
            if column.kind != "category":
                numbered = _numbered(self.mapping, self.tables, self.table, column)
            self.columns += beginnings(staging, typed, name, numbered=numbered)

    def _says_something(self, column: ColumnMapping) -> bool:
        """Take texts; whether they tell rows apart."""
        name, staging, typed = column.name, self.staging, self.typed
        different, filled = n_different(staging, typed, name)
        if different < 2 and (not filled or filled == typed.rows):
            return False
        if column.kind == "text" and column.predicate:
            self.texts.append(Column(name, "text", common_words(staging, typed, name)))
        if column.kind == "category" and different <= max(MOST_VALUES, 0.2 * filled):
            self.columns.append(Column(name, "category", commonest(staging, typed, name)))
        # That two are called alike is no tie between them.
        is_shared = (
            SHARED_AT_LEAST <= different <= 0.8 * filled and name not in typed.mapping.display
        )
        if column.predicate and is_shared:
            if filled <= SHARED_BY_AT_MOST * different:
                self.references.append(Reference(name, None))
            else:
                self.groups.append(name)
        return True


def _within(table: TableMapping) -> tuple[str, ...]:
    """The categories in a key of several columns: the town of a town's weather on a day."""
    parts = table.column(table.key).parts if table.key is not None else ()
    return tuple(one.name for one in table.columns if one.name in parts and one.kind == "category")


def _held(mapping: TablesMapping, table: TableMapping, column: ColumnMapping) -> str | None:
    """What the values of a column are, where they name something: things of a type, a category,
    texts of one name.
    """
    if column.kind == "key":
        return f"things: {mapping.type_of(table)}"
    if column.kind == "reference" and column.table is not None and _has_key(mapping, column.table):
        return f"things: {mapping.type_of(mapping.table(column.table))}"
    if column.predicate is None:
        return None
    return {"category": f"category: {column.type}", "text": f"text: {column.name}"}.get(column.kind)


def _has_key(mapping: TablesMapping, table: str) -> bool:
    return mapping.table(table).key is not None


def _is_small(mapping: TablesMapping, table: str) -> bool:
    """Whether the things of a table are few enough to be named in conditions."""
    return 0 < mapping.table(table).rows <= 200


def _date(staging: Staging, typed: TypedTable, columns: list[Column]) -> tuple[str | None, bool]:
    """The column that dates a table's rows: the date least often blank, else a year."""
    dates = [column.name for column in columns if column.kind == "date"]
    if dates:
        counts = staging.rows(
            f"SELECT {', '.join(f'count({typed.columns[name]})' for name in dates)} FROM "
            f"{typed.relation}"
        )[0]
        filled = [int(str(count)) for count in counts]
        return dates[filled.index(max(filled))], False
    for column in columns:
        if (
            column.kind == "number"
            and "year" in column.name.casefold()
            and holds_years(staging, typed, column.name)
        ):
            return column.name, True
    return None, False


def _numbered(
    mapping: TablesMapping,
    tables: Mapping[str, TypedTable],
    table: TableMapping,
    column: ColumnMapping,
) -> tuple[TypedTable, str] | None:
    """The column whose codes may be numbered one after the other: of a reference what it refers to,
    of which it may have few; of a category none.
    """
    if column.kind == "category":
        return None
    for other in mapping.tables:
        if other.name == column.table and other.key in tables[other.name].columns:
            return tables[other.name], str(other.key)
    return tables[table.name], column.name
