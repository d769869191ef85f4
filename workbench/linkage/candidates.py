"""Which pairs are compared: keys of the fields make blocks, and long texts have near ones;
of statements those that are worth their pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Protocol

import numpy as np

from workbench.arrays import Int32
from workbench.linkage.blocking import (
    LARGEST_BLOCK,
    BlockingStatement,
    Pairs,
    all_pairs,
    block_pairs,
    count_pairs,
    every_pair,
)
from workbench.linkage.comparison import FieldComparison, levels_of
from workbench.linkage.fields import Field
from workbench.linkage.keys import BlockingKey, keys_of
from workbench.linkage.mixture import Patterns, patterns_of
from workbench.linkage.neighbours import Near, add_near
from workbench.progress import PLAIN, SILENT, Conduct, Progress

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


def propose_statements(
    keys: Sequence[BlockingKey],
    second: Int32 | None,
    *,
    most: int,
    largest: int = LARGEST_BLOCK,
    conduct: Conduct = PLAIN,
) -> list[BlockingStatement]:
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
    return proposed_and_looser(keys, second, most=most, largest=largest, conduct=conduct)[0]


def proposed_and_looser(
    keys: Sequence[BlockingKey],
    second: Int32 | None,
    *,
    most: int,
    largest: int = LARGEST_BLOCK,
    conduct: Conduct = PLAIN,
) -> tuple[list[BlockingStatement], list[BlockingStatement]]:
    """The statements that are proposed, and looser ones for once weights are known: as many as have
    no more pairs than are all compared anyway.
    """
    n = len(keys[0].codes) if keys else 0
    best: dict[tuple[str, ...], BlockingStatement] = {}
    loose: list[BlockingStatement] = []
    within = [(key, key.chance_within(largest)) for key in keys]
    alone: list[tuple[BlockingKey, ...]] = [
        (key,) for key, chance in within if chance < 1e-3 and chance * n <= 4
    ]
    several: list[tuple[BlockingKey, ...]] = [
        both for both in combinations(keys, 2) if both[0].field != both[1].field
    ]
    if n > MANY_RECORDS:
        several += combinations(_loosest(keys), 3)
    for chosen in (*alone, *several):
        if conduct.over:
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
    loose.sort(key=lambda one: -one.excess)
    made = sum(one.pairs for one in found)
    added = _within(loose, min(most, FEW_A_RECORD * n) - made)
    made += sum(one.pairs for one in added)
    left = [one for one in loose if one not in added]
    return found + added, _within(left, min(most, FEW_PAIRS) - made)


def _within(statements: Sequence[BlockingStatement], most: int) -> list[BlockingStatement]:
    """Statements in order whose pairs together are at most so many;
    what is too much is passed over.
    """
    found: list[BlockingStatement] = []
    for one in statements:
        if one.pairs <= most:
            found.append(one)
            most -= one.pairs
    return found


def _loosest(keys: Sequence[BlockingKey]) -> list[BlockingKey]:
    """Of each field the key that most records share by chance, if it still tells records apart."""
    found: dict[str, BlockingKey] = {}
    for key in keys:
        if key.chance < 0.05 and (key.field not in found or key.chance > found[key.field].chance):
            found[key.field] = key
    return list(found.values())


PAIRS_A_RECORD = 60
FEW_RECORDS = 100_000
"""Of more records twenty pairs each are compared, or as many as of so many."""
BESIDE_OTHERS, ALONE, OF_FEW = 15, 300, 2000
"""Products a record of words, or letters in threes, that near texts are found by: beside statements
of other fields, in the only one, and there as long as all together are no more than MOST_OF_FEW.
"""
MOST_OF_FEW = 20_000_000
FEW_FIELDS = 2
"""Of so few near names are looked for as well: statements of one or two keys miss misspelt ones."""
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
    looser : tuple of BlockingStatement
        For once weights are known: these are learned from pairs that are mostly alike.
    """

    pairs: Pairs
    statements: Sequence[Counted]
    possible: float
    near: tuple[Near, ...] = ()
    cut: tuple[str, ...] = ()
    looser: tuple[BlockingStatement, ...] = ()

    def widened(self, second: Int32 | None, n: int) -> Candidates:
        """With the pairs of the looser statements."""
        found, statements = self.pairs, list(self.statements)
        for one in self.looser:
            joined = found.joined(Pairs.of_keys(block_pairs(one, second), n), n)
            statements.append(replace(one, gain=len(joined) - len(found)))
            found = joined
        return replace(self, pairs=found, statements=statements, looser=())

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
    statements, looser = proposed_and_looser(keys_of(fields), second, most=most, conduct=to_count)
    uncounted = to_count.over
    pairs, said = all_pairs(statements, second, n, conduct=conduct)
    near = []
    few = len(fields) <= FEW_FIELDS
    for field in fields:
        if not conduct.over and (
            field.of_many_words or (field.kind in ("name", "numbered") and (few or not said))
        ):
            products = BESIDE_OTHERS * n
            if field.kind == "text":
                products = max(ALONE * n, min(OF_FEW * n, MOST_OF_FEW))
            found, pairs = add_near(field, pairs, second, most=products)
            near.append(found)
    cut = (
        (f"candidates are those of {len(said):,} blocking statements",)
        if uncounted or conduct.over
        else ()
    )
    return Candidates(pairs, said, possible, tuple(near), cut, tuple(looser))


def compare_candidates(
    comparisons: Sequence[FieldComparison], candidates: Candidates, progress: Progress = SILENT
) -> Patterns:
    """The patterns of the candidates' levels; a cancel is heard between two columns."""
    return patterns_of(levels_of(comparisons, candidates.pairs, progress), comparisons)
