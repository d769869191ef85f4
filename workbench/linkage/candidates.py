"""Which pairs are compared: keys of the fields make blocks, and long texts have near ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from workbench.arrays import Int32
from workbench.linkage.blocking import BlockingStatement, Pairs, all_pairs, every_pair
from workbench.linkage.comparison import FieldComparison, levels_of
from workbench.linkage.fields import Field
from workbench.linkage.keys import keys_of
from workbench.linkage.mixture import Patterns, patterns_of
from workbench.linkage.neighbours import Near, add_near
from workbench.linkage.proposals import propose_statements
from workbench.progress import PLAIN, SILENT, Conduct, Progress

PAIRS_A_RECORD = 60
FEW_RECORDS = 100_000
"""Of more records twenty pairs each are compared, or as many as of so many."""
BESIDE_OTHERS, ALONE = 15, 300
"""Products a record of words, or letters in threes, that near texts are found by: beside statements
of other fields, and in the only one.
"""
FEW_PAIRS = 100_000
"""So many possible pairs are all compared."""


class Counted(Protocol):
    """A blocking statement in words, with its pairs, those of no earlier one,
    and the blocks it leaves out.
    """

    @property
    def words(self) -> str: ...
    @property
    def pairs(self) -> int: ...
    @property
    def gain(self) -> int: ...
    @property
    def cut(self) -> tuple[int, ...]: ...


@dataclass(frozen=True)
class Candidates:
    """The pairs to compare and how they were found.

    Attributes
    ----------
    statements : sequence of BlockingStatement, or of what else counts so
        Empty where all pairs are compared.
    possible : float
        How many pairs there could be.
    near : tuple of Near
        Fields whose words or letters are near.
    cut : tuple of str
        What time cut short, in words.
    """

    pairs: Pairs
    statements: Sequence[Counted]
    possible: float
    near: tuple[Near, ...] = ()
    cut: tuple[str, ...] = ()

    def beside(self, more: Pairs, n: int) -> Candidates:
        """With further pairs."""
        return replace(self, pairs=self.pairs.joined(more, n)) if len(more) else self

    @property
    def proposed(self) -> list[BlockingStatement]:
        """The statements over keys of the fields."""
        return [one for one in self.statements if isinstance(one, BlockingStatement)]

    @property
    def share(self) -> float:
        """Of all possible pairs."""
        return len(self.pairs) / max(1.0, self.possible)


def find_candidates(
    fields: Sequence[Field], second: Int32 | None, *, conduct: Conduct = PLAIN
) -> Candidates:
    """Block on keys of the fields, or take all pairs where they are few; by a deadline or a cancel
    those found until then.

    Parameters
    ----------
    second : int32 array or None
        0 and 1: the source of each record, of two.
    """
    n = len(fields[0].codes)
    ones = 0 if second is None else int(second.sum())
    possible = n * (n - 1) / 2 if second is None else float(ones * (n - ones))
    if possible <= FEW_PAIRS:
        return Candidates(every_pair(n, second), [], possible)
    most = min(PAIRS_A_RECORD * n, max(FEW_RECORDS * PAIRS_A_RECORD, 20 * n))
    to_count = conduct.within(0.5)
    statements = propose_statements(keys_of(fields), second, most=most, conduct=to_count)
    uncounted = to_count.over
    pairs, said = all_pairs(statements, second, n, conduct=conduct)
    near = []
    for field in fields:
        alone = len(fields) == 1
        if not conduct.over and (
            field.of_many_words or (field.kind in ("name", "numbered") and (alone or not said))
        ):
            products = ALONE if alone else BESIDE_OTHERS
            found, pairs = add_near(field, pairs, second, most=products * n)
            near.append(found)
    cut = (
        (f"candidates are those of {len(said):,} blocking statements",)
        if uncounted or conduct.over
        else ()
    )
    return Candidates(pairs, said, possible, tuple(near), cut)


def compare_candidates(
    comparisons: Sequence[FieldComparison], candidates: Candidates, progress: Progress = SILENT
) -> Patterns:
    """The patterns of the candidates' levels; a cancel is heard between two columns."""
    return patterns_of(levels_of(comparisons, candidates.pairs, progress), comparisons)
