"""What one column of texts says by chance, told by texts that begin as one record's and end as
another's.

Of a single column the pairs that are alike are all that is seen: of these nobody can say which are
matches and which are namesakes. But texts that cross those of two records drawn at random are alike
to a third one by chance: what belongs together in a text, the words of a street, mostly stays so.
As many pairs as these make at each level of likeness are by chance, and those beyond are matches
(the local false discovery rate: Efron 2010, chapter 5). Crossed texts are like the parents'
duplicates for no chance: those pairs are left out as soon as these are known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from workbench.arrays import Float, Int8, Int32, Int64
from workbench.linkage.blocking import Pairs
from workbench.linkage.comparison import MISSING, FieldComparison, compare, first_equal
from workbench.linkage.field_tree import FAR
from workbench.linkage.fields import Field, Frequencies
from workbench.linkage.mixture import Mixture, sigmoid
from workbench.linkage.neighbours import Near, near_pairs
from workbench.linkage.problem import LinkProblem
from workbench.linkage.sorting import are_among

HALVED = 6
"""Letters of a value of one word from which on it is crossed between two letters."""
EVEN = 0.5
"""Of the pairs of some level, matches are more than so many, or there are none."""
TOO_FEW = 0.05
LEAST = 0.5
"""Pairs by chance of each level, at least: of what was not seen nothing is sure."""
SURELY = 0.5
"""Standard deviations of the pairs by chance that are taken for such, too."""
CROSSED, MOST_CROSSED = 3000, 5000
"""Texts are crossed until they are so many, and as many as records, but of more than so many some
drawn at random.
"""
ROUNDS = 8
"""In which duplicates become known, at most."""


@dataclass(frozen=True)
class CrossedTexts:
    """The near pairs of a single field, and those of its records with crossed texts.

    Attributes
    ----------
    keys : int64 array, shape (n_pairs,)
        The near pairs, as `Pairs.keys`.
    levels : int8 array, shape (n_pairs,)
    """

    comparison: FieldComparison
    keys: Int64
    levels: Int8
    crossed: Sequence[_Crossed]

    @classmethod
    def drawn(
        cls, comparison: FieldComparison, near: Near, second: Int32 | None, seed: int
    ) -> CrossedTexts:
        """Texts crossed at random, as often as few records need."""
        field, random = comparison.field, np.random.default_rng(seed)
        pairs = near_pairs(field, near, second)
        times = 1 + CROSSED // max(field.filled, 1)
        crossed = [_Crossed.drawn(comparison, near, second, random) for _ in range(times)]
        return cls(comparison, pairs.keys(len(field.codes)), compare(comparison, pairs), crossed)

    def told(self, possible: float, within: Float | None = None) -> Mixture | None:
        """m, u and the share of matches; None where no more pairs are alike than chance makes.

        Parameters
        ----------
        within : float64 array, shape (n_levels,), optional
            Pairs within two sources that repeat nothing: as many as there are by chance across, at
            least, where parts of texts stand together in many of them (the makers of a shop).
        """
        seen = _counts(self.comparison, self.levels)
        right, least = np.zeros(len(seen)), 0.0 if within is None else within
        for _ in range(ROUNDS):
            sure = self.keys[right[self.levels] > EVEN]
            chance = np.mean([one.counts(sure) for one in self.crossed], axis=0)
            before = right
            right = _beyond(seen, np.maximum(chance, least), first_equal(self.comparison))
            if np.array_equal(before > EVEN, right > EVEN):
                break
        # Of more pairs than records the words are what comes together, and not the things.
        if right.max() <= EVEN or seen[right > EVEN].sum() > self.comparison.field.filled:
            return None
        matches = right * seen
        others = np.maximum(seen - matches, LEAST)
        others[FAR] += possible - seen.sum()
        m, u = (_shares(one + LEAST / len(one)) for one in (matches, others))
        return Mixture((m,), (u,), float(np.clip(matches.sum() / possible, 1e-12, 0.5)))


def of_a_text_alone(chances: Sequence[Float], place: int, told: Mixture) -> Mixture:
    """What a text tells, among fields that say nothing."""
    m, u = list(chances), list(chances)
    m[place], u[place] = told.m[0], told.u[0]
    return Mixture(tuple(m), tuple(u), told.prior)


def beside_a_text(problem: LinkProblem, place: int, told: Mixture) -> Mixture:
    """With the levels that other fields have among the matches of a text, and by chance."""
    match = sigmoid(told.scores(problem.levels[:, [place]])) * problem.across
    m = [
        _shares(np.bincount(problem.levels[:, at], match, minlength=len(base)) + base)
        for at, base in enumerate(problem.assumed.m)
    ]
    u = list(problem.chances)
    m[place], u[place] = told.m[0], told.u[0]
    return Mixture(tuple(m), tuple(u), told.prior)


@dataclass(frozen=True)
class _Crossed:
    """Pairs of a record and a crossed text that are near.

    Attributes
    ----------
    levels : int8 array, shape (n_pairs,)
    parents : pair of int64 arrays, shape (n_pairs,)
        The pair of the record and each of the text's two records, as `Pairs.keys`.
    share : float
        Which share of the records' texts is crossed.
    """

    comparison: FieldComparison
    levels: Int8
    parents: tuple[Int64, Int64]
    share: float

    @classmethod
    def drawn(
        cls,
        comparison: FieldComparison,
        near: Near,
        second: Int32 | None,
        random: np.random.Generator,
    ) -> _Crossed:
        """Each record's text goes on as another's of the same source."""
        field, n = comparison.field, len(comparison.field.codes)
        there = np.flatnonzero(field.codes >= 0)
        if len(there) > MOST_CROSSED:
            there = np.sort(random.permutation(there)[:MOST_CROSSED])
        side = np.zeros(n, np.int32) if second is None else second
        other = there.copy()
        for one in (0, 1):
            of_side = np.flatnonzero(side[there] == one)
            other[of_side] = there[random.permutation(of_side)]
        both = _with_texts(field, _crossing(field, there, other, random))
        of_two = np.repeat([0, 1], [n, len(there)]).astype(np.int32)
        found = near_pairs(both, near, of_two, np.unique(both.codes[n:]))
        record, text = found.left, found.right - n
        keep = (record != there[text]) & (record != other[text])
        if second is not None:
            keep &= second[record] != second[there[text]]
        record, text = record[keep], text[keep]
        compared = FieldComparison(both, comparison.near, comparison.equal)
        levels = compare(compared, Pairs(record, (text + n).astype(np.int32)))
        parents = (_keys(record, there[text], n), _keys(record, other[text], n))
        return cls(comparison, levels, parents, len(there) / max(field.filled, 1))

    def counts(self, sure: Int64) -> Float:
        """Pairs of two records that are by chance at each level; without those where the record is
        surely the same as a parent.
        """
        keep = ~(are_among(self.parents[0], sure) | are_among(self.parents[1], sure))
        # Each pair of records has two in which one of them is crossed.
        return 0.5 / self.share * _counts(self.comparison, self.levels[keep])


def _beyond(seen: Float, chance: Float, equal: int) -> Float:
    """Of each level the share of pairs that are not by chance: rising with likeness, and of equal
    texts with rarity; 0 where so few are that parts of texts stand together more often than by
    chance.
    """
    found = np.zeros(len(seen))
    for part in (slice(FAR + 1, equal), slice(equal, None)):
        pool = _pools(seen[part], chance[part])
        of_pool, by_chance = (np.bincount(pool, of[part]) for of in (seen, chance))
        beyond = of_pool - by_chance - SURELY * np.sqrt(by_chance)
        found[part] = np.maximum.accumulate(beyond / np.maximum(of_pool, 1.0))[pool]
    return np.where(found < TOO_FEW, 0.0, found)


def _pools(seen: Float, chance: Float) -> Int64:
    """Which neighbouring levels count as one, so that the share of pairs by chance falls: who is
    more alike is no less likely a match (pooled adjacent violators: Barlow et al. 1972).
    """
    blocks: list[tuple[float, float, int]] = []
    for one in zip(seen.tolist(), chance.tolist(), [1] * len(seen)):
        blocks.append(one)
        while len(blocks) > 1 and blocks[-2][0] * blocks[-1][1] >= blocks[-1][0] * blocks[-2][1]:
            last, before = blocks.pop(), blocks.pop()
            blocks.append((before[0] + last[0], before[1] + last[1], before[2] + last[2]))
    return np.repeat(np.arange(len(blocks)), [size for _, _, size in blocks])


def _counts(comparison: FieldComparison, levels: Int8) -> Float:
    return np.bincount(levels, minlength=comparison.n_levels).astype(np.float64)


def _shares(counts: Float) -> Float:
    found = counts.copy()
    found[MISSING] = 0.0
    return np.asarray(found / found.sum())


def _keys(one: Int32, other: Int64, n: int) -> Int64:
    return np.minimum(one, other).astype(np.int64) * n + np.maximum(one, other)


def _crossing(field: Field, one: Int64, other: Int64, random: np.random.Generator) -> list[str]:
    """Texts that begin as those of some records and end as those of others, cut at the same share
    of their words.
    """
    parts = [_parts(str(text)) for text in field.texts]
    found = []
    for left, right, at in zip(field.codes[one], field.codes[other], random.random(len(one))):
        begins, ends = parts[left], parts[right]
        places = [1 + int(at * (len(words) - 1)) for words in (begins, ends)]
        whole = min(len(begins), len(ends)) < 2
        crossed = ends if whole else [*begins[: places[0]], *ends[places[1] :]]
        found.append("".join(crossed).strip())
    return found


def _parts(text: str) -> list[str]:
    """Words with the blank behind them; of a long single one its halves."""
    words = text.split()
    if len(words) == 1 and len(text) >= HALVED:
        half = len(text) // 2
        return [text[:half], text[half:]]
    return [f"{word} " for word in words]


def _with_texts(field: Field, texts: Sequence[str]) -> Field:
    """The field of its records and further ones; how rare a text or a word is stays as it was."""
    known = {str(text): code for code, text in enumerate(field.texts)}
    codes = np.array([known.setdefault(text, len(known)) for text in texts], np.int32)
    counts = np.zeros(len(known), np.int64)
    counts[: len(field.counts)] = field.counts
    held = dict(zip(field.words.texts, field.held.tolist()))
    among = Frequencies(counts, field.filled, held, {}, 1.0)
    every = np.array(list(known), object)
    codes = np.append(field.codes, codes)
    return Field(field.name, field.kind, every, codes, among=among, begun=field.words)
