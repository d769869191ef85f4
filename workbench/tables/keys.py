"""Which column of a table names its rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.tables.declared import PRIMARY, Declared
from workbench.tables.kinds import counts_rows, may_be_key, share
from workbench.tables.names import (
    ID_WORDS,
    same_thing,
    singular,
    thing_of_compound,
    without_id,
    words,
)
from workbench.tables.profile import ColumnCounts, TableCounts

NEARLY_UNIQUE = 0.98
CALLED_AND_NEARLY_UNIQUE = 0.9
BARE = ID_WORDS | {"name"}
"""Words that say that a column names something, and not what."""


@dataclass(frozen=True)
class Key:
    """A column that names the rows of its table.

    `unique`: no blank, no repetition.
    """

    column: str
    reason: str
    unique: bool


def find_keys(tables: Sequence[TableCounts], declared: Declared) -> dict[str, Key]:
    """The key of each table that has one, by name of the table: the column that is declared as it,
    or one without repetition that is called or placed like one."""
    found = {}
    for counts in tables:
        (own,) = named if len(named := declared.keys.get(counts.table.name, ())) == 1 else ("",)
        if own in counts.by_name and _is_unique(counts, counts.by_name[own]):
            why = f"{PRIMARY}, {_why_key(counts, counts.by_name[own])}"
            found[counts.table.name] = Key(own, why, True)
            continue
        ranked = [
            (_key_score(counts, column), -place) for place, column in enumerate(counts.columns)
        ]
        if not ranked:
            continue
        (score, place) = max(ranked)
        if score > 0:
            column = counts.columns[-place]
            found[counts.table.name] = Key(
                column.name, _why_key(counts, column), _is_unique(counts, column)
            )
    return found


def _is_unique(counts: TableCounts, column: ColumnCounts) -> bool:
    return not column.blanks and column.distinct == counts.different > 0


def _key_score(counts: TableCounts, column: ColumnCounts) -> float:
    """How much a column looks like its table's key; 0 for not at all."""
    if not may_be_key(column) or not column.filled:
        return 0
    unique = _is_unique(counts, column)
    called = called_like_key(counts.table.name, column.name)
    enough = CALLED_AND_NEARLY_UNIQUE if called >= 3 else NEARLY_UNIQUE
    if not unique and (column.distinct < enough * counts.table.rows or counts.table.rows < 10):
        return 0
    counter = counts_rows(counts.columns[0])
    first = counts.columns[1 if counter and len(counts.columns) > 1 else 0] is column
    if not unique:
        return called if called >= (2 if first else 3) else 0
    texts = column.numbers < column.filled
    dense = (
        column.low is not None
        and column.high is not None
        and column.high - column.low < 2 * column.filled
    )
    numbered = thing_of_compound(column.name) != column.name
    if not called and counts.columns[0] is column and counter:
        return 0.5
    return called + 0.5 if called else (1.0 if first and (texts or dense or numbered) else 0)


def called_like_key(table: str, column: str) -> float:
    """How much a column is called like the key of its table; 0 for not at all."""
    parts = words(column)
    named = tuple(singular(word) for word in words(table))
    core = tuple(singular(word) for word in without_id(parts))
    if not parts:
        return 0
    if core == named and len(parts) > len(core):
        return 4
    if not core and parts[-1] in ID_WORDS:
        return 4
    if core == named:
        return 3
    if len(core) == len(named) == 1 and same_thing(thing_of_compound(core[0]), named[0]):
        return 3
    if (
        parts[-1] in ID_WORDS
        and core
        and (set(core) <= set(named) or (len(named) == 1 and named[0] == core[-1]))
    ):
        return 3
    return 2 if parts[-1] in ID_WORDS or column.rstrip().endswith(("#", "№")) else 0


def _why_key(counts: TableCounts, column: ColumnCounts) -> str:
    rows = counts.table.rows
    if _is_unique(counts, column):
        several = f"different in all {counts.different:,} rows"
        said = several if counts.different > 1 else "there is one row"
        return said + ", repeated ones left out" * (counts.different < rows)
    trouble = [f"{column.blanks:,} blank"] if column.blanks else []
    if column.distinct < column.filled:
        trouble.append(f"{column.filled - column.distinct:,} repeated")
    return (
        f"called like a key and different in {share(column.distinct, rows)} of the rows "
        f"({', '.join(trouble)})"
    )
