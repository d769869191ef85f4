"""Keys of several columns, and the references to them:
columns of the same names, or after its table (`order_country`), whose values occur together there.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from workbench.tables.contained import WHOLE, alike_of
from workbench.tables.declared import FOREIGN, Declared
from workbench.tables.kinds import NEARLY_ALL, may_be_key, share
from workbench.tables.names import singular, words
from workbench.tables.profile import ColumnCounts, TableCounts
from workbench.tables.staged import StagedTable, Staging
from workbench.tables.values import Alike, alike_value, is_blank

LEADING = 4
"""Columns that a key has at most, and among which, at a table's left, it is looked for."""


@dataclass(frozen=True)
class CompositeKey:
    """Columns that name a table's rows together."""

    columns: tuple[str, ...]
    reason: str


@dataclass(frozen=True)
class CompositeReference:
    """Columns that hold a composite key of another table, in that key's order; `alike` as of a
    reading.
    """

    columns: tuple[str, ...]
    table: str
    reason: str
    alike: Alike | None = None


def joined_name(columns: Sequence[str]) -> str:
    """What a key of several columns is called."""
    return "+".join(columns)


def joined_value(cells: Sequence[str], blanks: Sequence[str], alike: Alike | None = None) -> str:
    """Cells as one text from which they can be told again, in SQL; NULL where one is blank."""
    filled = " AND ".join(f"NOT {is_blank(cell, tuple(blanks))}" for cell in cells)
    said = (alike_value(cell, alike) for cell in cells)
    escaped = (f"replace(replace({cell}, '\\', '\\\\'), '/', '\\/')" for cell in said)
    return f"CASE WHEN {filled} THEN concat_ws('/', {', '.join(escaped)}) END"


def split_value(text: str) -> list[str]:
    """The cells of a joined text."""
    parts = re.findall(r"(?:^|/)((?:[^/\\]|\\.)*)", text, re.DOTALL)
    return [re.sub(r"\\(.)", r"\1", part, flags=re.DOTALL) for part in parts]


def find_composites(
    staging: Staging,
    tables: Sequence[TableCounts],
    keyed: Collection[str],
    related: Collection[str],
    declared: Declared,
) -> tuple[dict[str, CompositeKey], dict[str, list[CompositeReference]]]:
    """Composite keys and the references to them, by table.

    A table without a key has the one that is declared, unless its rows relate things to which
    nobody refers; or one where another refers to it by several columns of the same names;
    or, unless its rows relate things, where its first two, three or four columns together, or its
    first in each of the table's parts, are different in all rows.

    Cost: a count of different combinations for a few sets of columns of each table without a key,
    and a join for each table that has columns of these names.

    Parameters
    ----------
    keyed, related : collection of str
        Tables that have a key of one column; whose rows are tuples of the things that they refer
        to.
    """
    keys: dict[str, CompositeKey] = {}
    references: dict[str, list[CompositeReference]] = {}
    for counts in tables:
        if counts.table.name in keyed or counts.table.rows < 2:
            continue
        own = declared.keys.get(counts.table.name, ())
        several = [own] if len(own) > 1 else []
        for columns in (*several, *_shared(counts, tables)):
            if not _unique(staging, counts.table, columns):
                continue
            found = [
                (name, CompositeReference(of, counts.table.name, FOREIGN))
                for name, of in declared.to(counts.table.name, columns)
            ] or list(_referring(staging, counts, columns, tables))
            if found:
                keys[counts.table.name] = CompositeKey(
                    columns, f"different in all {counts.table.rows:,} rows together"
                )
                for name, reference in found:
                    references.setdefault(name, []).append(reference)
                break
        if counts.table.name not in keys and counts.table.name not in related:
            leading = next(
                (
                    one
                    for one in (*several, *_leading(counts))
                    if _unique(staging, counts.table, one)
                ),
                None,
            )
            if leading is not None:
                keys[counts.table.name] = CompositeKey(
                    leading, f"different in all {counts.table.rows:,} rows together"
                )
    return keys, references


def _called(table: StagedTable, column: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What a part of a table's key is called elsewhere: after the table, or as here."""
    named = tuple(map(singular, words(table.name)))
    return (*named, *words(column)), words(column)


def _may_be_part(column: ColumnCounts) -> bool:
    """Whether a column could be a part of a key: never blank, repeated,
    and no fractions or long texts.
    """
    dated = column.reading.format is not None and column.dates == column.filled
    return (
        not column.blanks and 1 < column.distinct < column.filled and (dated or may_be_key(column))
    )


def _leading(counts: TableCounts) -> Iterator[tuple[str, ...]]:
    """The sets of columns at the left, the smallest first, as long as all may be parts; of a table
    that came in parts first its leftmost column in each part.
    """
    of_part = counts.table.source.column_of_part
    if of_part is not None:
        pair = (counts.columns[0], counts.by_name[of_part])
        if all(map(_may_be_part, pair)) and pair[0] is not pair[1]:
            yield tuple(column.name for column in pair)
    for number in range(2, min(LEADING, len(counts.columns) - 1) + 1):
        if not all(map(_may_be_part, counts.columns[:number])):
            return
        yield tuple(column.name for column in counts.columns[:number])


def _shared(counts: TableCounts, tables: Sequence[TableCounts]) -> list[tuple[str, ...]]:
    """The sets of columns that another table has under the same names, or this table's and these,
    the smallest first.
    """
    parts = [column for column in counts.columns if _may_be_part(column)]
    found: dict[tuple[str, ...], None] = {}
    for other in tables:
        if other is counts:
            continue
        names = {words(column.name) for column in other.columns if column.filled}
        here = [
            column.name
            for column in parts
            if names.intersection(_called(counts.table, column.name))
        ]
        found |= dict.fromkeys(
            one for size in (2, 3, LEADING) for one in combinations(here[:6], size)
        )
    return sorted(found, key=len)


def _unique(staging: Staging, table: StagedTable, columns: Sequence[str]) -> bool:
    cells = ", ".join(map(table.cell, columns))
    ((different,),) = staging.rows(
        f"SELECT count(*) FROM (SELECT DISTINCT {cells} FROM {table.relation})"
    )
    return int(different) == table.rows


def _referring(
    staging: Staging, counts: TableCounts, columns: Sequence[str], tables: Sequence[TableCounts]
) -> Iterator[tuple[str, CompositeReference]]:
    """The tables whose columns of the key's names hold its combinations
    in at least 95 % of their own.
    """
    table = counts.table
    for other in tables:
        by_words: Mapping[tuple[str, ...], str] = {
            words(column.name): column.name for column in other.columns
        }
        theirs = tuple(
            next((by_words[one] for one in _called(table, name) if one in by_words), "")
            for name in columns
        )
        if other.table is table or not all(theirs):
            continue
        blanks = other.by_name[theirs[0]].reading.blanks
        numbers = _as_numbers(
            [other.by_name[name] for name in theirs], [counts.by_name[name] for name in columns]
        )
        there = joined_value([other.table.cell(name) for name in theirs], blanks, numbers)
        here = joined_value([table.cell(name) for name in columns], blanks, numbers)
        ((inside, different),) = staging.rows(
            f"SELECT count(*) FILTER (x IN (SELECT {here} FROM {table.relation})), count(*) "
            f"FROM (SELECT DISTINCT {there} AS x FROM {other.table.relation}) WHERE x IS NOT NULL"
        )
        if different > 1 and inside >= NEARLY_ALL * different:
            same = all(words(one) == words(name) for one, name in zip(theirs, columns))
            reason = (
                f"{share(inside, different)} of their combinations are in {table.name}, "
                f"{'under the same names' if same else 'and the names agree'}"
            )
            reason += WHOLE if numbers else ""
            yield other.table.name, CompositeReference(theirs, table.name, reason, numbers)


def _as_numbers(columns: Sequence[ColumnCounts], key: Sequence[ColumnCounts]) -> Alike | None:
    """As `alike_of`, of a key's parts: no two keys may become one by any of them."""
    mixed = any(part.pointed not in (0, part.filled) for part in key)
    if mixed or any(part.leading_zeros for part in (*columns, *key)):
        return None
    return "numbers" if any(map(alike_of, columns, key)) else None
