"""What the rows that refer to a row amount to, row by row: the items of an order."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice, zip_longest

from workbench.structure.candidate import Onward
from workbench.structure.relational import Column, Gathered, Reference, Schema, Table
from workbench.structure.table_paths import hop_from
from workbench.study.path_words import as_role, spoken, spoken_column
from workbench.study.words import value_words
from workbench.tables.names import singular_words

MOST_TOTALS = 4
"""Columns of rows that refer to a row that are added up; as many means are taken."""
FEW_VALUES = 8
"""Values that a category has at most where rows are counted by them."""
MOST_KINDS = 12
"""Of rows that refer to a row, that are counted."""


def gathered_columns(schema: Schema, name: str, target: str, *, timed: bool) -> tuple[Column, ...]:
    """The number of the rows that refer to a table's rows, and what they add up to: the items of an
    order. With times only rows without one of their own, which are known when the row is.
    """
    found = list[Column]()
    for rows, by, of in _referring(schema, name, target, timed=timed):
        found.append(_gathered(f"number of {of}", Gathered(rows.name, by)))
        for references, column in islice(_totalled(schema, rows, name), MOST_TOTALS):
            said = _said(references, column)
            total = column.kind == "number"
            told = f"total {said} of {of}" if total else f"number of {of} with {said}"
            found.append(_gathered(told, Gathered(rows.name, by, references, column)))
    return tuple(found)


def columns_behind(schema: Schema, name: str, target: str, *, timed: bool) -> Iterator[Column]:
    """Of the same rows whether there are any, their means, and how many are of one kind."""
    for rows, by, of in _referring(schema, name, target, timed=timed):
        yield Column(f"number of {of}", "number", ("< 1",), gathered=Gathered(rows.name, by))
        for references, column in islice(_totalled(schema, rows, name), MOST_TOTALS):
            if column.kind == "number":
                told = f"mean {_said(references, column)} of {of}"
                yield _gathered(told, Gathered(rows.name, by, references, column, mean=True))
        for column, value in islice(_kinds(rows, by), MOST_KINDS):
            said = value_words(spoken(column.name), Onward((), column), value)
            of_kind = Gathered(rows.name, by, (), column, value=value)
            yield _gathered(f"number of {of} with {said}", of_kind)


def _referring(
    schema: Schema, name: str, target: str, *, timed: bool
) -> Iterator[tuple[Table, str, str]]:
    """The tables whose rows refer to a table's rows, each with the column by which they do, and
    what such rows are called.
    """
    table = schema[name]
    if table.key is None or table.of or name == target:
        return
    for rows in schema.tables.values():
        for back in rows.references:
            dated = schema.dated_through(rows.name)
            known = not timed or (dated is not None and dated[:1] == (back,))
            same = back.column == rows.key and table.is_beside(rows)
            if back.table == name and not (rows.of or same) and rows.name != target and known:
                role = as_role(hop_from(schema, back, rows.name))
                yield rows, back.column, f"{spoken(rows.name)}{role}"


def _said(references: tuple[Reference, ...], column: Column) -> str:
    said = spoken_column(column)
    return f"{' '.join(singular_words(references[0].table or ''))}'s {said}" if references else said


def _gathered(said: str, of: Gathered) -> Column:
    return Column(said, "number", gathered=of)


def _kinds(rows: Table, by: str) -> Iterator[tuple[Column, str]]:
    """The values of categories of few, and thresholds of numbers; of each column in turn."""
    parted = (
        column
        for column in rows.columns
        if (column.kind == "number" and not column.since)
        or (column.kind == "category" and not column.beginning and column.name != by)
    )
    few = (
        [(one, value) for value in one.values] for one in parted if len(one.values) <= FEW_VALUES
    )
    yield from filter(None, chain.from_iterable(zip_longest(*few)))


def _totalled(
    schema: Schema, rows: Table, but: str
) -> Iterator[tuple[tuple[Reference, ...], Column]]:
    """The products, numbers and flags of rows, then the numbers of what they refer to, then what
    is set against other columns.
    """
    compared = [column for column in rows.gathered if column.against]
    for column in (*rows.gathered, *rows.columns):
        if column.kind in ("number", "flag") and not (
            column.since or column.gathered or column.against
        ):
            yield (), column
    for reference in rows.references:
        if reference.table not in (None, but, rows.name):
            for column in schema[reference.table or ""].columns:
                if column.kind == "number" and not column.since:
                    yield (reference,), column
    yield from (((), column) for column in compared)
