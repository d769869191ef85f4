"""Blocking statements that are worth their pairs, from the counts of records that share keys."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from workbench.arrays import Int32
from workbench.linkage.blocking import LARGEST_BLOCK, BlockingStatement, count_pairs
from workbench.linkage.keys import BlockingKey
from workbench.progress import PLAIN, Conduct

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
    room = min(most, FEW_A_RECORD * n) - sum(one.pairs for one in found)
    return found + _within(sorted(loose, key=lambda one: -one.excess), room)


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
