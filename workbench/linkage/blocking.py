"""Which pairs are compared: blocking statements over keys of the fields,
counted before their pairs are made.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from workbench.arrays import Int32, Int64
from workbench.linkage.keys import Key
from workbench.linkage.sorting import different
from workbench.progress import expired

__all__ = [
    "Blocks",
    "Pairs",
    "Statement",
    "all_pairs",
    "block_pairs",
    "count_pairs",
    "every_pair",
    "propose_statements",
]

LARGEST_BLOCK = 3000
"""Records that share a key; larger blocks are left out, for their pairs grow with the square."""


MOST_CHANCE = 1e-4
"""Two keys that random records share more often than this block nothing."""


MOST_BY_CHANCE = 40.0
"""Pairs a record that keys may make by chance: beyond that matches cannot be half of them,
and none is counted.
"""

FEW_A_RECORD = 3
"""Of fewer pairs a record nearly all may be matches, or those of one value that some records lack:
looser statements are added, for what the others miss and for non-matches to learn from."""
CLEARLY = 3.0
"""Standard deviations of chance that a looser statement's pairs must exceed it by."""

MANY_RECORDS = 200_000
"""From here on two keys agree too often by chance, and three are tried."""


@dataclass(frozen=True)
class Statement:
    """Records that share all of some keys are compared.

    Attributes
    ----------
    keys : tuple of Key
    pairs : int
        How many pairs that makes, blocks that are too large left out.
    expected : float
        How many it would make if the keys were independent and no two records the same.
    cut : tuple of int
        Sizes of the blocks that were left out, largest first.
    gain : int
        Pairs that no earlier statement makes.
    """

    keys: tuple[Key, ...]
    pairs: int
    expected: float
    cut: tuple[int, ...] = ()
    gain: int = 0

    @property
    def excess(self) -> float:
        """Pairs beyond those of chance; of a single key all."""
        return self.pairs if len(self.keys) == 1 else self.pairs - self.expected

    @property
    def words(self) -> str:
        """The statement for people."""
        return "same " + " and ".join(key.words for key in self.keys)


@dataclass(frozen=True)
class Pairs:
    """Pairs of records, each once: `left < right`, ordered.

    Attributes
    ----------
    left, right : int32 arrays, shape (n_pairs,)
    """

    left: Int32
    right: Int32

    def __len__(self) -> int:
        return len(self.left)

    @classmethod
    def of_keys(cls, keys: Int64, n: int) -> Pairs:
        """Pairs of `left * n + right`, in order."""
        left, right = np.divmod(keys, max(n, 1))
        return cls(left.astype(np.int32), right.astype(np.int32))

    def keys(self, n: int) -> Int64:
        """Each pair as `left * n + right`."""
        return self.left.astype(np.int64) * n + self.right

    def joined(self, other: Pairs, n: int) -> Pairs:
        """The pairs of both, each once."""
        return Pairs.of_keys(different(np.concatenate((self.keys(n), other.keys(n)))), n)


@dataclass(frozen=True)
class Blocks:
    """Records grouped by a joint key.

    Attributes
    ----------
    order : int64 array
        Records, block after block, in each the first source's before the second's.
    starts, middles, stops : int64 arrays, shape (n_blocks,)
        Of each block; `middles` is where the second source begins, or `stops` for a single source.
    """

    order: Int64
    starts: Int64
    middles: Int64
    stops: Int64

    @property
    def sizes(self) -> Int64:
        return self.stops - self.starts

    def counts(self, linked: bool) -> Int64:
        """Pairs of each block."""
        left, right = self.middles - self.starts, self.stops - self.middles
        return left * right if linked else self.sizes * (self.sizes - 1) // 2


def joint_blocks(keys: Sequence[Key], second: Int32 | None) -> Blocks:
    """Group the records that have all keys. `second`: 0 and 1, which source a record is of;
    None for one source.
    """
    joint = keys[0].codes.astype(np.int64)
    for key in keys[1:]:
        joint = np.where(
            (joint >= 0) & (key.codes >= 0), joint * (int(key.codes.max()) + 1) + key.codes, -1
        )
    rows = np.flatnonzero(joint >= 0)
    values = joint[rows]
    order = (
        np.argsort(values, kind="stable") if second is None else np.lexsort((second[rows], values))
    )
    values, rows = values[order], rows[order]
    edges = np.flatnonzero(np.diff(values)) + 1
    starts = np.concatenate(([0], edges)) if len(rows) else np.zeros(0, np.int64)
    stops = np.append(edges, len(rows)) if len(rows) else np.zeros(0, np.int64)
    several = stops - starts > 1
    starts, stops = starts[several], stops[several]
    if second is None:
        return Blocks(rows, starts, stops, stops)
    firsts = np.concatenate(([0], np.cumsum(second[rows] == 0)))
    return Blocks(rows, starts, starts + firsts[stops] - firsts[starts], stops)


def count_pairs(
    keys: Sequence[Key], second: Int32 | None, *, largest: int = LARGEST_BLOCK
) -> Statement:
    """A statement with the number of its pairs; none is made."""
    blocks = joint_blocks(keys, second)
    sizes, counts = blocks.sizes, blocks.counts(second is not None)
    too_large = sizes > largest
    n = len(keys[0].codes)
    possible = (
        n * (n - 1) / 2
        if second is None
        else float((second == 0).sum()) * float((second == 1).sum())
    )
    expected = possible * float(np.prod([key.chance for key in keys]))
    cut = tuple(sorted(map(int, sizes[too_large]), reverse=True))
    return Statement(tuple(keys), int(counts[~too_large].sum()), expected, cut)


def block_pairs(
    statement: Statement, second: Int32 | None, *, largest: int = LARGEST_BLOCK
) -> Int64:
    """The statement's pairs as `left * n_records + right`."""
    blocks = joint_blocks(statement.keys, second)
    n = len(statement.keys[0].codes)
    found = list(_made(blocks, second is not None, largest))
    if not found:
        return np.zeros(0, np.int64)
    first, other = (blocks.order[np.concatenate(side)] for side in zip(*found))
    return np.asarray(np.minimum(first, other) * n + np.maximum(first, other))


def _made(blocks: Blocks, linked: bool, largest: int) -> Iterator[tuple[Int64, Int64]]:
    """Places of pairs in `blocks.order`, blocks of one size together."""
    sizes = blocks.sizes
    kept = np.flatnonzero((sizes <= largest) & (blocks.counts(linked) > 0))
    shape = sizes * (largest + 1) + (blocks.middles - blocks.starts) if linked else sizes
    order = kept[np.argsort(shape[kept], kind="stable")]
    edges = np.flatnonzero(np.diff(shape[order])) + 1
    for group in np.split(order, edges):
        if not len(group):
            continue
        size = int(sizes[group[0]])
        if linked:
            middle = int(blocks.middles[group[0]] - blocks.starts[group[0]])
            one, two = (
                grid.ravel()
                for grid in np.meshgrid(np.arange(middle), np.arange(middle, size), indexing="ij")
            )
        else:
            one, two = np.triu_indices(size, 1)
        start = blocks.starts[group][:, None]
        yield (start + one).ravel(), (start + two).ravel()


def propose_statements(
    keys: Sequence[Key],
    second: Int32 | None,
    *,
    most: int,
    largest: int = LARGEST_BLOCK,
    deadline: float | None = None,
) -> list[Statement]:
    """Statements of one to three keys, those that find most matches first, until their pairs are
    `most`.

    Those that are not counted by the deadline are not proposed.

    Notes
    -----
    Keys of different fields that agree more often than independent ones would, agree because
    records are of the same thing: the excess of a statement's pairs over those expected by chance
    estimates the matches it finds. Of each two fields the statement of largest excess is taken if
    that is half of its pairs, and single keys that make few pairs. Where these are few, looser
    statements follow.
    """
    n = len(keys[0].codes) if keys else 0
    best: dict[tuple[str, ...], Statement] = {}
    loose: list[Statement] = []
    within = [(key, key.chance_within(largest)) for key in keys]
    alone: list[tuple[Key, ...]] = [
        (key,) for key, chance in within if chance < 1e-3 and chance * n <= 4
    ]
    several: list[tuple[Key, ...]] = [
        both for both in combinations(keys, 2) if both[0].field != both[1].field
    ]
    if n > MANY_RECORDS:
        several += combinations(_loosest(keys), 3)
    for chosen in (*alone, *several):
        if expired(deadline):
            break
        chance = float(np.prod([key.chance for key in chosen]))
        few_by_chance = chance * n * n / 2 <= FEW_A_RECORD * n
        if (
            len(chosen) > 1
            and (chance > MOST_CHANCE or chance * n > MOST_BY_CHANCE)
            and not few_by_chance
        ):
            continue
        one = count_pairs(chosen, second, largest=largest)
        if not one.pairs and not (one.cut and len(chosen) == 1):
            continue
        if one.excess < 0.5 * one.pairs if len(chosen) > 1 else one.pairs > 2 * n:
            loose += (
                [one] if len(chosen) > 1 and one.excess > CLEARLY * np.sqrt(one.expected) else []
            )
            continue
        fields = tuple(key.field for key in chosen)
        if fields not in best or one.excess > best[fields].excess:
            best[fields] = one
    found = _within(sorted(best.values(), key=lambda one: -one.excess), most)
    room = min(most, FEW_A_RECORD * n) - sum(one.pairs for one in found)
    return found + _within(sorted(loose, key=lambda one: -one.excess), room)


def _within(statements: Sequence[Statement], most: int) -> list[Statement]:
    """Statements in order whose pairs together are at most so many;
    what is too much is passed over.
    """
    found: list[Statement] = []
    for one in statements:
        if one.pairs <= most:
            found.append(one)
            most -= one.pairs
    return found


def _loosest(keys: Sequence[Key]) -> list[Key]:
    """Of each field the key that most records share by chance, if it still tells records apart."""
    found: dict[str, Key] = {}
    for key in keys:
        if key.chance < 0.05 and (key.field not in found or key.chance > found[key.field].chance):
            found[key.field] = key
    return list(found.values())


def all_pairs(
    statements: Sequence[Statement],
    second: Int32 | None,
    n: int,
    *,
    largest: int = LARGEST_BLOCK,
    deadline: float | None = None,
) -> tuple[Pairs, list[Statement]]:
    """The pairs of all statements up to a deadline, each once,
    and the statements with their marginal gains.
    """
    union = np.zeros(0, np.int64)
    said = []
    for statement in statements:
        if expired(deadline):
            break
        merged = different(np.concatenate((union, block_pairs(statement, second, largest=largest))))
        said.append(replace(statement, gain=len(merged) - len(union)))
        union = merged
    return Pairs.of_keys(union, n), said


def every_pair(n: int, second: Int32 | None) -> Pairs:
    """All pairs of `n` records, or of two sources."""
    left, right = np.triu_indices(n, 1)
    if second is not None:
        across = second[left] != second[right]
        left, right = left[across], right[across]
    return Pairs(left.astype(np.int32), right.astype(np.int32))
