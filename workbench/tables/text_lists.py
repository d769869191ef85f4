"""Lists written into one cell (`Action|Comedy`, `sewing; cooking`), as tables of their own that
refer to their rows.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import duckdb

from workbench.database import quoted, text_literal
from workbench.errors import Diagnostic
from workbench.tables.mapping import TablesMapping
from workbench.tables.names import singular_words, unused
from workbench.tables.sources import TableSource
from workbench.tables.staged import StagedTable, row_count

SEPARATORS = ("|", ";", ",")
LOOKED_AT = 20_000
"""Rows of a table, at most, that tell whether a column holds lists."""
SEVERAL = 0.2
"""Share of the filled cells that hold a separator, at least."""
OFTENER = 2.0
"""How many times as often as a cell an element is there, at least: what lists hold comes again,
clauses of a sentence do not.
"""
LONGEST = 60
"""Characters of an element, at most."""
MOVED = 0.1
"""Share of the elements that stand at another place than they mostly do, at least, from the front
and from the back: of an address the town is always the last.
"""
FEWEST = 20
"""Cells that hold several, at least."""
NUMBERS = 0.5
"""Share of the elements that are numbers, from which on a comma is no separator."""


@dataclass(frozen=True)
class ListColumn:
    """A column of lists.

    Attributes
    ----------
    key : str
        The column that tells the rows apart.
    table : str
        What the table of its elements is called.
    """

    separator: str
    key: str
    table: str


Told = Mapping[str, Mapping[str, ListColumn]]
"""Of each table the columns of lists."""


def lists_told(mapping: TablesMapping) -> Told:
    """The columns of lists that a mapping has, of all of its tables."""
    found: dict[str, dict[str, ListColumn]] = {name: {} for name in mapping.by_name}
    whole = {one.source.path: one.name for one in mapping.tables if not one.source.is_list}
    for table in mapping.tables:
        source = table.source
        if source.list_separator is not None and source.path in whole:
            key = table.columns[0].name
            one = ListColumn(source.list_separator, key, table.name)
            found[whole[source.path]][source.part or ""] = one
    return found


def text_lists(
    connection: duckdb.DuckDBPyConnection, tables: Sequence[StagedTable], told: Told
) -> Iterator[StagedTable]:
    """A table for each column of lists in the cells of files: the key of their row, and one of its
    elements a row. Of tables that are told of, the columns that are told; of others what is found.

    None where no column tells a table's rows apart. It is called as the column, where no table is.
    Cost: a pass over some rows of each table; over all texts of the columns of lists.
    """
    taken = {table.name for table in tables}
    for table in tables:
        if table.source.form not in ("delimited", "parquet", "json") or table.source.is_list:
            continue
        known = told.get(table.name)
        for column, one in (_found(connection, table, taken) if known is None else known).items():
            if {column, one.key} <= set(table.columns):
                taken.add(one.table)
                found = _elements(connection, table, column, one)
                note = _note(table, column, found.source)
                yield found if known is not None else replace(found, notes=(note,))


def _unused(table: StagedTable, column: str, taken: Collection[str]) -> str:
    folded = {name.casefold() for name in taken}
    return column if column.casefold() not in folded else unused(f"{table.name}_{column}", {*taken})


def _found(
    connection: duckdb.DuckDBPyConnection, table: StagedTable, taken: Collection[str]
) -> dict[str, ListColumn]:
    """The columns that hold lists; none where no column tells the rows apart."""
    separators = _separators(connection, table)
    key = _key(connection, table) if separators else None
    if key is None:
        return {}
    return {
        column: ListColumn(separator, key, _unused(table, column, taken))
        for column, separator in separators.items()
    }


def _separators(connection: duckdb.DuckDBPyConnection, table: StagedTable) -> dict[str, str]:
    """What separates the elements of each column that holds lists."""
    some = f"(SELECT * FROM {table.relation} LIMIT {LOOKED_AT})"
    found = {}
    for column in table.columns:
        cell = table.cell(column)
        holding = ", ".join(
            f"count(*) FILTER (contains({cell}, {text_literal(one)}))" for one in SEPARATORS
        )
        ((filled, *counts),) = connection.execute(
            f"SELECT count({cell}), {holding} FROM {some}"
        ).fetchall()
        for separator, several in zip(SEPARATORS, counts):
            if several >= max(FEWEST, SEVERAL * filled) and _are_lists(
                connection, some, cell, separator
            ):
                found[column] = separator
                break
    return found


def _are_lists(connection: duckdb.DuckDBPyConnection, some: str, cell: str, separator: str) -> bool:
    """Whether a column's cells hold several things of a kind: short ones, which come again in
    other cells at other places.
    """
    ((cells, kinds_of_cells, elements, kinds, longest, numbers, front, back),) = connection.execute(
        f"WITH parts AS (SELECT {cell} AS cell, trim(unnest(p)) AS e, unnest(range(len(p))) AS i, "
        f"len(p) AS n FROM (SELECT {cell}, string_split({cell}, {text_literal(separator)}) AS p "
        f"FROM {some} WHERE {cell} IS NOT NULL)), "
        "filled AS (SELECT * FROM parts WHERE e <> ''), "
        # How many of each element stand where most of it do.
        "front AS (SELECT max(k) AS k FROM (SELECT e, i, count(*) AS k FROM filled GROUP BY 1, 2) "
        "GROUP BY e), "
        "back AS (SELECT max(k) AS k FROM (SELECT e, n - i, count(*) AS k FROM filled "
        "GROUP BY 1, 2) GROUP BY e) "
        f"SELECT (SELECT count({cell}) FROM {some}), (SELECT count(DISTINCT {cell}) FROM {some}), "
        "count(*), count(DISTINCT e), max(length(e)), count(try_cast(e AS DOUBLE)), "
        "(SELECT sum(k) FROM front), (SELECT sum(k) FROM back) FROM filled"
    ).fetchall()
    if not elements or longest > LONGEST or (separator == "," and numbers > NUMBERS * elements):
        return False
    comes_again = elements / kinds >= OFTENER * cells / kinds_of_cells
    moved = max(front, back) <= (1 - MOVED) * elements
    return bool(comes_again and moved)


def _key(connection: duckdb.DuckDBPyConnection, table: StagedTable) -> str | None:
    """The first column that is different in every row."""
    counts = ", ".join(f"approx_count_distinct({table.cell(one)})" for one in table.columns)
    ((*about,),) = connection.execute(f"SELECT {counts} FROM {table.relation}").fetchall()
    for column, different in zip(table.columns, about):
        # Counted exactly only where it may be: a count of different texts takes their memory.
        if different > 0.8 * table.rows > 0:
            cell = table.cell(column)
            ((exactly,),) = connection.execute(
                f"SELECT count(DISTINCT {cell}) FROM {table.relation}"
            ).fetchall()
            if exactly == table.rows:
                return column
    return None


def _elements(
    connection: duckdb.DuckDBPyConnection, table: StagedTable, column: str, one: ListColumn
) -> StagedTable:
    relation = quoted(f"{table.relation} {column}").replace(" ", "_")
    cell, by = table.cell(column), text_literal(one.separator)
    # Rows that repeat others count once.
    connection.execute(
        f"CREATE OR REPLACE TABLE {relation} AS SELECT c0, c1 FROM (SELECT k AS c0, "
        f"trim(unnest(string_split(l, {by}))) AS c1 FROM (SELECT {table.cell(one.key)} AS k, "
        f"{cell} AS l, min(rowid) AS r FROM {table.relation} WHERE {cell} IS NOT NULL "
        "GROUP BY k, l ORDER BY r)) WHERE c1 <> ''"
    )
    source = TableSource(
        one.table, table.source.path, table.source.form, column, table.source.separator,
        table.source.encoding, table.source.header, list_separator=one.separator,
    )  # fmt: skip
    element = "_".join(singular_words(column)) or column
    columns = (one.key, element if element != one.key else f"{element}_element")
    return StagedTable(one.table, relation, source, columns, row_count(connection, relation), 1)


def _note(table: StagedTable, column: str, source: TableSource) -> Diagnostic:
    said = f"{table.name}.{column} holds lists separated by {source.list_separator}: their "
    said += f"elements are a table of their own, {source.name}"
    help = f"wrong? take [[tables]] {source.name} out of the mapping, and give {column} a kind"
    place = table.span(table.first_row, column)
    return Diagnostic("E0245", said, place, help, severity="note")
