"""What one column of texts says by chance, told by records whose words are shuffled.

Of a single column the pairs that are alike are all that is seen: of these nobody can say which are
matches and which are namesakes. But words come together by chance in records that take their first,
their last and their other words from records drawn at random: as many pairs as these make with true
records are by chance at each level of likeness, and those beyond are matches (the local false
discovery rate: Efron 2010, chapter 5).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from workbench.arrays import Array, Float, Int32
from workbench.linkage.blocking import Pairs
from workbench.linkage.comparison import MISSING, FieldComparison, compare
from workbench.linkage.field_tree import FAR
from workbench.linkage.fields import Field
from workbench.linkage.mixture import Mixture
from workbench.linkage.neighbours import Near, near_pairs

HALVED = 6
"""Letters of a value of one word from which on its halves are shuffled as two words."""
EVEN = 0.5
"""Of the pairs of some level, matches are more than so many, or there are none."""
LEAST = 0.5
"""Pairs by chance of each level, at least: of what was not seen nothing is sure."""


def by_shuffled_words(
    comparison: FieldComparison, near: Near, second: Int32 | None, possible: float, seed: int
) -> Mixture | None:
    """m, u and the share of matches of a single field; None where no more pairs are alike than
    chance makes.
    """
    field, n = comparison.field, len(comparison.field.codes)
    both = _with_shuffled(field, np.random.default_rng(seed))
    shuffled = np.repeat(np.arange(2, dtype=np.int32), n)
    pairs = near_pairs(both, near, shuffled)
    if second is not None:
        across = second[pairs.left % n] != second[pairs.right % n]
        pairs = Pairs(pairs.left[across], pairs.right[across])
    compared = FieldComparison(both, comparison.near, comparison.equal)
    # Each pair of records has two in which one of them is shuffled.
    chance = 0.5 * _counts(compared, compare(compared, pairs))
    seen = _counts(comparison, compare(comparison, near_pairs(field, near, second)))
    beyond = np.maximum(seen - chance - np.sqrt(chance), 0.0) / np.maximum(seen, 1.0)
    right = _rising(beyond[FAR + 1 :], seen[FAR + 1 :])
    matches = np.concatenate((np.zeros(FAR + 1), right)) * seen
    # Of more pairs than records the words are what comes together, and not the things.
    if right.max(initial=0.0) <= EVEN or seen[FAR + 1 :][right > EVEN].sum() > n:
        return None
    others = np.maximum(seen - matches, LEAST)
    others[FAR] += possible - seen.sum()
    m, u = (_shares(one + LEAST / len(one)) for one in (matches, others))
    return Mixture((m,), (u,), float(np.clip(matches.sum() / possible, 1e-12, 0.5)))


def _rising(shares: Float, weight: Float) -> Float:
    """The nearest shares that never fall: who is more alike is no less likely a match (pooled
    adjacent violators: Barlow et al. 1972); where nothing is seen, as below.
    """
    blocks: list[tuple[float, float, int]] = []
    for share, seen in zip(shares.tolist(), weight.tolist()):
        if not seen and blocks:
            share = blocks[-1][0]
        blocks.append((share, seen, 1))
        while len(blocks) > 1 and blocks[-2][0] >= blocks[-1][0]:
            (one, seen_one, size), (other, seen_other, more) = blocks[-2:]
            both = max(seen_one + seen_other, 1e-9)
            pooled = (one * seen_one + other * seen_other) / both
            blocks[-2:] = [(pooled, seen_one + seen_other, size + more)]
    return np.repeat([one[0] for one in blocks], [one[2] for one in blocks])


def _counts(comparison: FieldComparison, levels: Array) -> Float:
    return np.bincount(levels, minlength=comparison.n_levels).astype(np.float64)


def _shares(counts: Float) -> Float:
    found = counts.copy()
    found[MISSING] = 0.0
    return np.asarray(found / found.sum())


def _with_shuffled(field: Field, random: np.random.Generator) -> Field:
    """The field of twice as many records: itself, and with its words shuffled."""
    there = np.flatnonzero(field.codes >= 0)
    parts = [_parts(str(field.texts[code])) for code in field.codes[there]]
    first = _permuted([one[0] for one in parts], random)
    last = _permuted([one[-1] for one in parts if len(one) > 1], random)
    others = _permuted([word for one in parts for word in one[1:-1]], random)
    texts = [
        "".join([next(first), *(next(others) for _ in one[2:]), *([next(last)] if one[1:] else [])])
        for one in parts
    ]
    known = {str(text): code for code, text in enumerate(field.texts)}
    codes = np.full(len(field.codes), -1, np.int32)
    codes[there] = [known.setdefault(text.strip(), len(known)) for text in texts]
    every = np.array(list(known), object)
    return Field(field.name, field.kind, every, np.concatenate((field.codes, codes)))


def _parts(text: str) -> list[str]:
    """Words with the blank behind them; of a long single one its halves."""
    words = text.split()
    if len(words) == 1 and len(text) >= HALVED:
        half = len(text) // 2
        return [text[:half], text[half:]]
    return [f"{word} " for word in words]


def _permuted(words: Sequence[str], random: np.random.Generator) -> Iterator[str]:
    return iter([words[place] for place in random.permutation(len(words))])
