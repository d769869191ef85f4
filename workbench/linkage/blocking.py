"""Which pairs are compared: blocking statements over keys of the fields,
counted before their pairs are made.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from workbench.arrays import Int32, Int64
from workbench.linkage.keys import BlockingKey
from workbench.linkage.sorting import different, order_of
from workbench.progress import PLAIN, Conduct

LARGEST_BLOCK = 3000
"""Records that share a key; larger blocks are left out, for their pairs grow with the square."""


@dataclass(frozen=True)
class BlockingStatement:
    """Records that share all of some keys are compared.

    Attributes
    ----------
    pairs : int
        How many pairs that makes, blocks that are too large left out.
    expected : float
        How many it would make if the keys were independent and no two records the same.
    cut : tuple of int
        Sizes of the blocks that were left out, largest first.
    gain : int
        Pairs that no earlier statement makes.
    """

    keys: tuple[BlockingKey, ...]
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
class BlockSizes:
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


def joint_blocks(keys: Sequence[BlockingKey], second: Int32 | None) -> BlockSizes:
    """Group the records that have all keys. `second`: 0 and 1, which source a record is of;
    None for one source.
    """
    joint = keys[0].codes.astype(np.int64)
    for key in keys[1:]:
        joint = np.where(
            (joint >= 0) & (key.codes >= 0), joint * (int(key.codes.max()) + 1) + key.codes, -1
        )
    rows = np.flatnonzero(joint >= 0)
    if second is not None:
        rows = rows[order_of(second[rows].astype(np.int64))]
    rows = rows[order_of(joint[rows])]
    values = joint[rows]
    edges = np.flatnonzero(np.diff(values)) + 1
    starts = np.concatenate(([0], edges)) if len(rows) else np.zeros(0, np.int64)
    stops = np.append(edges, len(rows)) if len(rows) else np.zeros(0, np.int64)
    several = stops - starts > 1
    starts, stops = starts[several], stops[several]
    if second is None:
        return BlockSizes(rows, starts, stops, stops)
    firsts = np.concatenate(([0], np.cumsum(second[rows] == 0)))
    return BlockSizes(rows, starts, starts + firsts[stops] - firsts[starts], stops)


def count_pairs(
    keys: Sequence[BlockingKey], second: Int32 | None, *, largest: int = LARGEST_BLOCK
) -> BlockingStatement:
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
    return BlockingStatement(tuple(keys), int(counts[~too_large].sum()), expected, cut)


def block_pairs(
    statement: BlockingStatement, second: Int32 | None, *, largest: int = LARGEST_BLOCK
) -> Int64:
    """The statement's pairs as `left * n_records + right`."""
    blocks = joint_blocks(statement.keys, second)
    n = len(statement.keys[0].codes)
    found = list(_made(blocks, second is not None, largest))
    if not found:
        return np.zeros(0, np.int64)
    first, other = (blocks.order[np.concatenate(side)] for side in zip(*found))
    return np.asarray(np.minimum(first, other) * n + np.maximum(first, other))


def _made(blocks: BlockSizes, linked: bool, largest: int) -> Iterator[tuple[Int64, Int64]]:
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


def all_pairs(
    statements: Sequence[BlockingStatement],
    second: Int32 | None,
    n: int,
    *,
    conduct: Conduct = PLAIN,
) -> tuple[Pairs, list[BlockingStatement]]:
    """The pairs of all statements up to a deadline, each once,
    and the statements with their marginal gains.
    """
    union = np.zeros(0, np.int64)
    said = []
    for statement in statements:
        if conduct.over:
            break
        merged = different(np.concatenate((union, block_pairs(statement, second))))
        said.append(replace(statement, gain=len(merged) - len(union)))
        union = merged
    return Pairs.of_keys(union, n), said


def every_pair(n: int, second: Int32 | None) -> Pairs:
    """All pairs of `n` records, or across two sources: made from these, for a record beside very
    many has few pairs.
    """
    if second is None:
        left, right = np.triu_indices(n, 1)
        return Pairs(left.astype(np.int32), right.astype(np.int32))
    one, other = np.flatnonzero(second == 0), np.flatnonzero(second == 1)
    left, right = np.repeat(one, len(other)), np.tile(other, len(one))
    return Pairs.of_keys(np.sort(np.minimum(left, right) * n + np.maximum(left, right)), n)
