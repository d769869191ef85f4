"""Candidates as they are gathered: those that tell rows apart are kept, with their columns,
while there is room.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from workbench.arrays import Float, Int64, Real
from workbench.progress import expired
from workbench.structure.candidate import Candidate, Onward
from workbench.structure.candidates import candidates_of_known
from workbench.structure.relational import Column
from workbench.structure.table_paths import Path
from workbench.study.around import Around, around
from workbench.study.columns import MOST_PAIRS, CandidateColumns
from workbench.study.word_lists import ListedTexts, listed_texts, lists_of

LEAST_SPREAD = 0.1
"""Of its mean, that a number's spread is at least where others are divided by it:
years say what they say.
"""

MOST_TIES = 1_000_000
"""Pairs of rows that are predicted together, each of which is a ground rule, or three."""

SPARE, FEW = 3, 200
"""Rows for a column, at least, where columns are made of pairs of others, and columns that are few
anyway: with more, more fit by chance than tell.
"""


@dataclass(frozen=True)
class Neighbours:
    """Which target rows reach which other: by position; a tie goes both ways."""

    source: Int64
    target: Int64

    def apart(self, group: Int64) -> Neighbours:
        """Those of other groups alone; `group` has a code for each row."""
        other = group[self.source] != group[self.target]
        return Neighbours(self.source[other], self.target[other])


class GatheredCandidates:
    """The candidates kept so far, and their columns."""

    def __init__(self, columns: CandidateColumns, most: int) -> None:
        self.columns, self.most, self.width = columns, most, 0
        self.cut: Literal["", "time", "size"] = ""
        self.kept: list[Candidate] = []
        self.blocks: list[Real] = []
        self.neighbours: dict[Path, Neighbours] = {}
        self.around: dict[Path, Around] = {}
        self.texts: dict[tuple[Path, Onward | None], ListedTexts] = {}

    @property
    def open(self) -> bool:
        """Whether more may be added."""
        return not self.cut and self.width < self.most

    @property
    def room(self) -> int:
        """How many more, where there are to be no more columns than rows."""
        return min(len(self.columns.rows), self.most) - self.width

    @property
    def spare(self) -> int:
        """How many more of those that come by the hundred: each kind of rows with each number."""
        n_rows = len(self.columns.rows)
        return min(max(n_rows // SPARE, FEW), n_rows, self.most) - self.width

    @property
    def few_of_rows(self) -> int:
        """How many of those at most, where they come before what is far."""
        return len(self.columns.rows) // 5

    @property
    def X(self) -> Real:
        """float32 (n_rows, n_candidates)."""
        return (
            np.concatenate(self.blocks, axis=1)
            if self.blocks
            else np.empty((len(self.columns.rows), 0), np.float32)
        )

    def stop_at(self, deadline: float | None) -> None:
        """Add nothing after the deadline."""
        if self.open and expired(deadline):
            self.cut = "time"

    def add(self, path: Path, found: list[Candidate], *, least: int = 1) -> None:
        """Those of the candidates over a path that tell rows apart."""
        if found:
            self._append(*_telling(self.columns, path, found, least=least))

    def add_each(self, found: Iterable[Candidate]) -> None:
        """Those of the candidates that look at no other rows than a row refers to, and as many
        others as find room.
        """
        room = self.room
        few = (one for place, one in enumerate(found) if place < room or one.of_one_row)
        for path, some in by_path(few):
            self.add(path, some)

    def add_labels(self, path: Path, labels: Sequence[int]) -> None:
        """The counts of labels among the target's rows that a path reaches,
        where no other path reaches the same.
        """
        ties = _neighbours(self.columns, path)
        if ties is not None and not any(_equal(ties, other) for other in self.neighbours.values()):
            self.neighbours[path] = ties
            unknown = np.full((len(self.columns.rows), len(labels)), np.nan, np.float32)
            self._append([Candidate(path, "labelled", label=label) for label in labels], unknown)

    def add_known(self, path: Path, target: Column, windows: tuple[int, ...] = ()) -> None:
        """What is known of the target of the rows that a path reaches."""
        if self.columns.size(path) <= MOST_PAIRS:
            timed = self.columns.times is not None
            found = list(candidates_of_known(path, target, timed=timed, windows=windows))
            self._add_known(path, found, windows)

    def add_known_of_group(self, path: Path, target: Column) -> None:
        """The share of what is known of the target of a row's group, or its mean."""
        self._add_known(path, list(candidates_of_known(path, target, timed=False)))

    def _add_known(self, path: Path, found: list[Candidate], windows: tuple[int, ...] = ()) -> None:
        self.around[path] = around(self.columns, path, windows)
        unknown = np.full((len(self.columns.rows), len(found)), np.nan, np.float32)
        self._append(found, unknown)

    def add_lists(self, path: Path, text: Onward, labels: Sequence[int | None]) -> None:
        """How many words of lists, which labels will teach, the texts have that a path reaches."""
        texts = listed_texts(self.columns, path, text)
        if texts is None:
            return
        self.texts[path, text] = texts
        found = [Candidate(path, "listed", text, listed=one) for one in lists_of(labels)]
        unknown = np.full((len(self.columns.rows), len(found)), np.nan, np.float32)
        self._append(found, unknown)

    def _append(self, chosen: list[Candidate], block: Real) -> None:
        self.kept += chosen
        self.blocks.append(block)
        self.width += len(chosen)

    def positive(self) -> frozenset[Candidate]:
        """The candidates whose ratios say something: never below 0, mostly above it,
        of different sizes.
        """
        columns = (column for block in self.blocks for column in block.T)
        of_numbers = (
            (one, x)
            for one, x in zip(self.kept, columns)
            if one.onward and one.onward.kind == "number"
        )
        return frozenset(
            one for one, x in of_numbers if _of_sizes(x[~np.isnan(x)].astype(np.float64))
        )


def _of_sizes(known: Float) -> bool:
    return bool(
        known.size
        and known.min() >= 0
        and np.median(known) > 0
        and known.std() > LEAST_SPREAD * known.mean()
    )


def by_path(candidates: Iterable[Candidate]) -> Iterable[tuple[Path, list[Candidate]]]:
    """The candidates, those of one path together."""
    found: dict[Path, list[Candidate]] = {}
    for candidate in candidates:
        found.setdefault(candidate.path, []).append(candidate)
    return found.items()


def _telling(
    columns: CandidateColumns, path: Path, found: list[Candidate], *, least: int = 1
) -> tuple[list[Candidate], Real]:
    """Those of the candidates that say different things of different rows, and of `least` a number;
    their columns.
    """
    if not found:
        return [], np.empty((len(columns.rows), 0), np.float32)
    block = columns.fill(path, found)
    # A column that says the same of every row says nothing.
    with np.errstate(invalid="ignore"):
        known = ~np.isnan(block)
        low = np.where(known, block, np.inf).min(axis=0, initial=np.inf)
        high = np.where(known, block, -np.inf).max(axis=0, initial=-np.inf)
        many = (known & (block != 0)).sum(axis=0) >= least if least > 1 else True
    telling = np.flatnonzero(
        ((high > low) | ((high == low) & ~known.all(axis=0) & known.any(axis=0))) & many
    )
    return [found[at] for at in telling], np.ascontiguousarray(block[:, telling])


def _neighbours(columns: CandidateColumns, path: Path) -> Neighbours | None:
    if columns.n_neighbours(path) > MOST_TIES:
        return None
    source, target = neighbour_pairs(columns, path)
    return Neighbours(source, target) if len(source) else None


def neighbour_pairs(columns: CandidateColumns, path: Path) -> tuple[Int64, Int64]:
    """Pairs of rows, by position, of which one reaches the other along the path:
    each pair both ways, once.
    """
    source, rowids = columns.neighbours(path)
    at = np.minimum(np.searchsorted(columns.rows, rowids), len(columns.rows) - 1)
    here = columns.rows[at] == rowids
    one, other = source[here], at[here]
    n = len(columns.rows)
    codes = np.sort(np.concatenate((one * n + other, other * n + one)))
    codes = codes[np.append(codes[1:] != codes[:-1], True)[: len(codes)]]
    return codes // n, codes % n


def _equal(one: Neighbours, other: Neighbours) -> bool:
    return np.array_equal(one.source, other.source) and np.array_equal(one.target, other.target)
