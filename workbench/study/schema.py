"""The tables of a mapping as candidates see them: columns worth a condition, references, dates."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from workbench.structure.relational import Column, Reference, Schema, Table
from workbench.study.codes import beginnings
from workbench.study.computed_columns import calendar_columns, durations, number_column
from workbench.study.texts import common_words
from workbench.tables import ColumnMapping, Staging, TableMapping, TablesMapping, TypedTable
from workbench.tables.values import listed

MOST_VALUES = 40
"""Different values that a column has at most to be a category whatever its rows;
else a fifth as many as rows.
"""
NAMED = 1000
"""Values that conditions may name, the commonest."""
SHARED_AT_LEAST = 12
"""Different values that a column has at least where rows that
share one are taken for neighbours.
"""
SHARED_BY_AT_MOST = 60
"""Rows that share a value on average, at most; beyond that a value is a class, no tie."""


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
        lasting = () if made.name == target else tuple(durations(staging, typed[table.name], made))
        if not timed:
            made = replace(made, columns=(*made.columns, *lasting))
        tables[made.name] = made
        tables |= {one.name: one for one in _dated_by(made, lasting if timed else ())}
    return Schema(tables)


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
    typed = tables[table.name]
    columns: list[Column] = []
    references: list[Reference] = []
    named: list[Column] = []
    texts: list[Column] = []
    # The date says what its year and day say; the month alone tells seasons.
    within_dates = {
        column.parts[place]
        for column in used
        if column.parts and column.kind == "date"
        for place in (0, 2)
    }
    for column in used:
        if column.name not in typed.columns or column.name in within_dates:
            continue
        is_itself = column.name == table.key and column.table == table.name
        if column.table is not None and _has_key(mapping, column.table) and not is_itself:
            references.append(Reference(column.name, column.table))
        if column.kind == "reference" and column.table is not None:
            values = _values(staging, typed, column.name)
            called = _called(staging, tables[column.table], values)
            category = Column(column.name, "category", values, called=called)
            (columns if _is_small(mapping, column.table) else named).append(category)
        elif column.kind == "number":
            columns.append(number_column(staging, typed, column.name))
        elif column.kind == "yes/no":
            columns.append(Column(column.name, "flag"))
        elif column.kind == "date":
            columns.append(Column(column.name, "date"))
            columns += calendar_columns(staging, typed, column.name)
        elif column.kind in ("category", "text"):
            different, filled = _different(staging, typed, column.name)
            if different < 2 and (not filled or filled == typed.rows):
                continue
            if column.kind == "text" and column.predicate:
                texts.append(Column(column.name, "text", common_words(staging, typed, column.name)))
            if column.kind == "category" and different <= max(MOST_VALUES, 0.2 * filled):
                columns.append(
                    Column(column.name, "category", _values(staging, typed, column.name))
                )
            if (
                column.predicate
                and SHARED_AT_LEAST <= different <= 0.8 * filled
                and filled <= SHARED_BY_AT_MOST * different
            ):
                references.append(Reference(column.name, None))
        if column.kind in ("category", "text", "reference") and not is_itself:
            numbered = (
                None if column.kind == "category" else _numbered(mapping, tables, table, column)
            )
            columns += beginnings(staging, typed, column.name, numbered=numbered)
    date, by_year = _date(staging, typed, columns)
    holds = {
        one.name: what
        for one in used
        if one.name in typed.columns and (what := _held(mapping, table, one))
    }
    return Table(
        table.name, typed.rows, table.key, tuple(columns), tuple(references), date, by_year,
        tuple(named), tuple(texts), holds,
    )  # fmt: skip


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


def _different(staging: Staging, typed: TypedTable, column: str) -> tuple[int, int]:
    name = typed.columns[column]
    row = staging.rows(f"SELECT count(DISTINCT {name}), count({name}) FROM {typed.relation}")[0]
    return int(str(row[0])), int(str(row[1]))


def _values(staging: Staging, typed: TypedTable, column: str) -> tuple[str, ...]:
    """The commonest values."""
    name = typed.columns[column]
    rows = staging.rows(
        f"SELECT {name}::VARCHAR FROM {typed.relation} WHERE {name} IS NOT NULL GROUP BY 1 "
        f"ORDER BY count(*) DESC, 1 LIMIT {NAMED}"
    )
    return tuple(str(value) for (value,) in rows)


def _called(staging: Staging, typed: TypedTable, values: Sequence[str]) -> tuple[str, ...]:
    """What people call things of a table, and their keys; empty where it has no names for them."""
    shown = [typed.columns[name] for name in typed.mapping.display if name in typed.columns]
    key = typed.columns.get(typed.mapping.key or "")
    if key is None or not shown or not values:
        return ()
    found = staging.rows(
        f"SELECT {key}::VARCHAR, concat_ws(' ', {', '.join(shown)}) FROM {typed.relation} "
        f"WHERE {key}::VARCHAR IN {listed(values)}"
    )
    names = {str(one): f"{name} ({one})" for one, name in found if name and name != one}
    return tuple(names.get(value, value) for value in values)


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
            and _holds_years(staging, typed, column.name)
        ):
            return column.name, True
    return None, False


def _holds_years(staging: Staging, typed: TypedTable, column: str) -> bool:
    name = typed.columns[column]
    row = staging.rows(
        f"SELECT min({name}), max({name}), count({name}), count(*), bool_and({name} = "
        f"floor({name})) FROM {typed.relation}"
    )[0]
    low, high, filled, rows, whole = row
    return bool(
        low is not None and float(str(low)) >= 1000 and float(str(high)) <= 2200 and whole
        and int(str(filled)) >= 0.9 * int(str(rows))
    )  # fmt: skip


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
