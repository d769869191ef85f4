"""Columns of whole numbers that refer to keys of whole numbers though their names do not say to
which: `source` and `target` of an edge list, `user1` and `user2`, an `owner_id` of people.

Small whole numbers are among the keys 1, 2, 3, ... of any table by chance, so numbers alone decide
nothing here: a column must be called an id, be one of a pair, or have keys that leave gaps or
begin far from 0; and it must reach over the range of the keys as ids do and counts do not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from workbench.tables.keys import Key
from workbench.tables.kinds import NEARLY_ALL, like_years, may_be_key
from workbench.tables.names import singular, words
from workbench.tables.profile import ColumnCounts, TableCounts

MANY = 20
"""Different numbers from which on it is no chance that all of them are keys."""
REACH = 0.9
"""The share of the keys' range that numbers which are ids span."""
FEW = 5
FAR_REACH = 0.8
"""The share of the range of keys that leave gaps, or begin far from 0, which ids of a few of them
span. Keys may leave gaps and be without any where they begin, where counts are.
"""

_CALLED_ID = frozenset("fk guid id ids pk ref uid".split())
_MEASURED = frozenset(
    "age amount balance capacity cost count counter day days diameter distance duration grade "
    "height hour hours income length letter level lat lon mark max mean meter min minute minutes "
    "month number order pages paper per percent pos position power price priority qty quantity "
    "quarter rank ranking rate rating score second seconds size speed stars stock sum temperature "
    "total value volume votes water week weight width year years".split()
)
"""Words for what is measured or counted: numbers that name nothing."""
_SOMEBODY = ("er", "or", "ee", "ist", "ant", "by", "to", "of", "parent")
_MARKS = frozenset("a b c d x y i j u v from to first second left right source target".split())
"""Words that tell the columns of a pair apart."""


@dataclass(frozen=True)
class NumberedTable:
    """A table whose key is of whole numbers."""

    counts: TableCounts
    key: ColumnCounts

    @property
    def name(self) -> str:
        return self.counts.table.name

    def reach(self, columns: Sequence[ColumnCounts]) -> float:
        """The share of the keys' range that columns span together."""
        low, high = _range((self.key,))
        least, greatest = _range(columns)
        return (min(high, greatest) - max(low, least)) / (high - low)

    @property
    def has_gaps(self) -> bool:
        """Whether fewer than half of the numbers in the keys' range are keys."""
        low, high = _range((self.key,))
        return 2 * self.key.distinct < high - low

    @property
    def begins_far(self) -> bool:
        """Whether the keys' range is narrow beside where it begins: 1001 to 1150; and no years."""
        low, high = _range((self.key,))
        return low > high - low and not like_years(self.key)


def numbered_tables(tables: Sequence[TableCounts], keys: Mapping[str, Key]) -> list[NumberedTable]:
    """The tables that whole numbers may refer to."""
    keyed = [one for one in tables if one.table.name in keys]
    targets = [NumberedTable(one, one.by_name[keys[one.table.name].column]) for one in keyed]
    return [one for one in targets if _whole(one.key) and one.key.low != one.key.high]


def may_refer(counts: TableCounts, own: Key | None) -> list[ColumnCounts]:
    """The columns of a table that hold whole numbers which could name something."""
    return [
        column
        for column in counts.columns
        if _whole(column) and (own is None or own.column != column.name) and column.distinct > 1
    ]


def may_name(counts: TableCounts, columns: Sequence[ColumnCounts], target: NumberedTable) -> bool:
    """Whether a column by itself may name rows of a table: it is called an id or as somebody is
    (`owner`, `owned_by`), or the keys leave gaps that its numbers avoid, or begin far from 0 as
    they do; and of its own table it repeats, as no second key does."""
    (column,) = columns
    if target.counts is counts and column.unique:
        return False
    unmeasured = not _MEASURED & set(words(column.name))
    if target.begins_far and unmeasured and column.distinct >= FEW:
        return target.reach((column,)) >= FAR_REACH
    if column.distinct < min(MANY, target.key.distinct / 2):
        return False
    parts = words(column.name)
    if len(parts) > 1 and parts[-1] in _CALLED_ID:
        return target.reach((column,)) >= REACH
    if column.distinct < MANY or not unmeasured:
        return False
    somebody = bool(parts) and parts[-1].endswith(_SOMEBODY)
    least = FAR_REACH if target.has_gaps else NEARLY_ALL
    return (target.has_gaps or somebody) and target.reach((column,)) >= least


def marked_pairs(
    columns: Sequence[ColumnCounts],
) -> Iterator[tuple[ColumnCounts, ColumnCounts]]:
    """Columns that are called alike but for a mark (`user1`, `user2`) or the part that each has."""
    for one, other in combinations(columns, 2):
        if _differ_by_a_mark(one.name, other.name) and not _measured(one, other):
            yield one, other


def leading_pair(
    counts: TableCounts, columns: Sequence[ColumnCounts], own: Key | None
) -> Iterator[tuple[ColumnCounts, ColumnCounts]]:
    """The two columns at the left of a table without a key, as in a list of edges."""
    leading = counts.columns[:2]
    if own is None and all(one in columns for one in leading) and not _measured(*leading):
        yield leading[0], leading[1]


def _measured(*columns: ColumnCounts) -> bool:
    return any(_MEASURED & set(words(column.name)) for column in columns)


def may_name_both(counts: TableCounts, pair: Sequence[ColumnCounts], target: NumberedTable) -> bool:
    """Whether a pair may name rows of a table: together its numbers reach over the keys, and they
    are many, or the pair is called as the table."""
    one, other = pair
    if target.counts is counts and (one.unique or other.unique):
        return False
    called = _stem(one.name) == tuple(map(singular, words(target.name)))
    enough = 2 if called else min(MANY, target.key.distinct)
    many = max(one.distinct, other.distinct) >= enough and (called or target.key.distinct >= MANY)
    return many and target.reach(pair) >= (REACH if called else NEARLY_ALL)


def _differ_by_a_mark(one: str, other: str) -> bool:
    first, second = words(one), words(other)
    if len(first) != len(second):
        return False
    differ = [(a, b) for a, b in zip(first, second, strict=True) if a != b]
    return len(differ) == 1 and all(map(_is_mark, differ[0]))


def _is_mark(word: str) -> bool:
    return word in _MARKS or word.isdecimal() or word in _ROLES


_ROLES = frozenset(
    "away buyer caller callee cited citing destination dst follower followee followed giver "
    "guest head home host lender borrower loser neighbor neighbour object origin payee payer "
    "receiver recipient seller sender src start end subject tail taker visitor winner".split()
)
"""Words for the part that each of two things has."""


def _stem(name: str) -> tuple[str, ...]:
    """The words of a name but for its marks and ids, in the singular."""
    parts = words(name)
    return tuple(singular(one) for one in parts if not _is_mark(one) and one not in _CALLED_ID)


def _whole(column: ColumnCounts) -> bool:
    filled = column.filled > 0 and column.whole == column.filled and column.low is not None
    return filled and not column.leading_zeros and may_be_key(column)


def _range(columns: Sequence[ColumnCounts]) -> tuple[float, float]:
    lows = [column.low for column in columns if column.low is not None]
    highs = [column.high for column in columns if column.high is not None]
    return min(lows), max(highs)
