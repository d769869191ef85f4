"""Comparison levels: how two records agree in a field,
from missing over far and close to equal and rare.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from workbench.arrays import Array, Bool, Float, Int8, Int32
from workbench.linkage.blocking import Pairs
from workbench.linkage.fields import Field, FieldKind, words_in_order
from workbench.linkage.numbers import codes_of, compared_numbers, written_otherwise
from workbench.linkage.similarity import (
    edits,
    jaro_winkler,
    shared_information,
    words_alike,
)
from workbench.linkage.sorting import distinct_pairs
from workbench.progress import SILENT, Progress

MISSING = 0
STEPS = (*np.arange(0.2, 1.0, 0.05), *np.arange(1.0, 2.6, 0.1))
"""Of likeness, of a single column's texts: their pairs tell which steps say something."""
RARITY = (2, 8, 32, 128, 512, 2048)
"""Values held by up to so many records form a level of agreement each:
a rare value that agrees says more.
"""
FEW = 1000
"""Pairs, which are compared in less time than threads take to begin."""


@dataclass(frozen=True)
class FieldComparison:
    """The levels of one field. Level 0 is missing, 1 far; the last ones are equal values, the
    commonest first.

    Attributes
    ----------
    near : tuple of str
        Names of the levels between far and equal, in words.
    equal : tuple of (int or None)
        The largest number of records that hold a value, of each level of equal values; None for
        any.
    """

    field: Field
    near: tuple[str, ...]
    equal: tuple[int | None, ...]

    @property
    def n_levels(self) -> int:
        return 2 + len(self.near) + len(self.equal)

    @property
    def levels(self) -> tuple[str, ...]:
        """All levels in words."""
        equal = ["same" if most is None else f"same, held by up to {most:,}" for most in self.equal]
        return ("missing", "far", *self.near, *equal)

    @cached_property
    def equal_level(self) -> Int8:
        """Of each value, the level of two records that both hold it."""
        found = np.full(len(self.field.texts), 2 + len(self.near), np.int8)
        for place, most in enumerate(self.equal):
            if most is not None:
                found[self.field.counts <= most] = 2 + len(self.near) + place
        return found

    def chance(self, levels: Int8) -> Float:
        """The probability of each level for two records drawn at random, given that both have a
        value.

        Of equal values it is exact, from their counts; the others share the rest as in `levels` of
        a sample.
        """
        counts = self.field.counts.astype(float)
        total = max(2.0, counts.sum())
        found = np.bincount(levels, minlength=self.n_levels).astype(float) + 0.5
        found[MISSING] = 0.0
        first = 2 + len(self.near)
        same = np.bincount(self.equal_level, counts * (counts - 1), minlength=self.n_levels) / (
            total * (total - 1)
        )
        found[first:] = 0.0
        found *= max(1e-9, 1.0 - same.sum()) / max(found.sum(), 1e-12)
        return np.asarray(found + same)

    def totals(self, levels: Int8, second: Int32 | None) -> Float:
        """How many of all pairs that could match have each level; of equal values exactly, as
        `chance` the others.

        Parameters
        ----------
        levels : int8 array
            Of a sample of pairs.
        second : int32 array or None
            0 and 1: the source of each record, of two.
        """
        sides = (
            [self.field.codes]
            if second is None
            else [self.field.codes[second == side] for side in (0, 1)]
        )
        counts = [
            np.bincount(codes[codes >= 0], minlength=len(self.field.texts)).astype(float)
            for codes in sides
        ]
        one, other = counts[0], counts[-1]
        each, every = one * other, one.sum() * other.sum()
        if second is None:
            each, every = one * (one - 1) / 2, every / 2
        found = np.bincount(levels, minlength=self.n_levels).astype(float) + 0.5
        first = 2 + len(self.near)
        same = np.bincount(self.equal_level, each, minlength=self.n_levels)
        found[MISSING] = found[first:] = 0.0
        return np.asarray(found / found.sum() * max(every - same.sum(), 0.0) + same)


def first_equal(comparison: FieldComparison) -> int:
    """The first level of equal values."""
    return 2 + len(comparison.near)


def make_comparison(field: Field) -> FieldComparison:
    """The comparison that suits a field's kind."""
    top = int(field.counts.max(initial=0))
    bounds = [most for most in RARITY if most < top]
    return FieldComparison(field, near_levels(field.kind), (None, *reversed(bounds)))


def near_levels(kind: FieldKind) -> tuple[str, ...]:
    """Names of the levels between far and equal of a kind of field."""
    return _LEVELS[kind][0]


def compare(comparison: FieldComparison, pairs: Pairs) -> Int8:
    """The level of each pair.

    Cost: similarities are computed once for each different pair of values.
    """
    field = comparison.field
    left, right = field.codes[pairs.left], field.codes[pairs.right]
    levels = np.zeros(len(pairs), np.int8)
    equal = (left == right) & (left >= 0)
    levels[equal] = comparison.equal_level[left[equal]]
    different = np.flatnonzero((left != right) & (left >= 0) & (right >= 0))
    if len(different):
        one, other, place = distinct_pairs(left[different], right[different], len(field.texts))
        levels[different] = _LEVELS[field.kind][1](field, one, other)[place]
    return levels


def _names(field: Field, one: Int32, other: Int32) -> Int8:
    alike = jaro_winkler(field.texts, one, other)
    ordered = np.array([words_in_order(str(text)) for text in field.texts], object)
    turned = ordered != field.texts
    asked = np.flatnonzero(turned[one] | turned[other])
    alike[asked] = np.maximum(alike[asked], jaro_winkler(ordered, one[asked], other[asked]))
    return np.digitize(alike, (0.7, 0.8, 0.88, 0.94)).astype(np.int8) + np.int8(1)


def _numbered(
    plain: Callable[[Field, Int32, Int32], Int8],
) -> Callable[[Field, Int32, Int32], Int8]:
    """With levels for texts that share numbers alone, and for those that are alike but for them."""

    def level(field: Field, one: Int32, other: Int32) -> Int8:
        words = plain(field, one, other)
        same, differ = compared_numbers(field.texts, one, other)
        found = np.where(words > 1, words + np.int8(2), words)
        found[(words == 1) & same] = 2
        found[(words > 2) & differ] = 3
        return found

    return level


def _codes(field: Field, one: Int32, other: Int32) -> Int8:
    """Spaces say nothing of a code: they are put in one place or another, or nowhere."""
    texts = [str(text) for text in field.texts]
    apart = edits(np.array([text.replace(" ", "") for text in texts], object), one, other, most=2)
    level = np.full(len(one), 1, np.int8)
    level[_begin_alike(texts, one, other)] = 2
    level[apart == 2] = 3
    level[apart == 1] = 4
    level[(apart == 0) | written_otherwise(texts, one, other)] = 5
    return level


def _begin_alike(texts: Sequence[str], one: Int32, other: Int32) -> Bool:
    """Which pairs have the first word in common, or the first half of the only one."""
    first = [text.partition(" ")[0] for text in texts]
    half = [text if " " in text else text[: (len(text) + 1) // 2] for text in texts]
    of_first, of_half = (codes_of(part)[0] for part in (first, half))
    return np.asarray((of_first[one] == of_first[other]) | (of_half[one] == of_half[other]))


def _dates(field: Field, one: Int32, other: Int32) -> Int8:
    apart = edits(field.texts, one, other, most=2)
    years = np.array(
        [int(start) if (start := str(text)[:4]).isdecimal() else np.nan for text in field.texts]
    )
    gap = np.abs(years[one] - years[other])
    level = np.full(len(one), 1, np.int8)
    level[gap <= 10] = 2
    level[gap <= 2] = 3
    level[apart == 2] = 4
    level[gap == 0] = 5
    level[apart <= 1] = 6
    return level


def _numbers(field: Field, one: Int32, other: Int32) -> Int8:
    values, spread = field.numbers, field.spread
    gap = np.abs(values[one] - values[other])
    size = np.maximum(np.maximum(np.abs(values[one]), np.abs(values[other])), 1e-12)
    level = np.full(len(one), 1, np.int8)
    level[gap <= 0.5 * spread] = 2
    level[(gap <= 0.1 * spread) | (gap <= 0.01 * size) & (gap <= 0.3 * spread)] = 3
    level[gap <= 0.02 * spread] = 4
    level[gap <= 0.002 * spread] = 5
    return level


def _words(field: Field, one: Int32, other: Int32) -> Int8:
    alike = words_alike(field.weighted, one, other)
    return np.digitize(alike, (0.15, 0.3, 0.45, 0.6, 0.75, 0.9)).astype(np.int8) + np.int8(1)


def _texts(field: Field, one: Int32, other: Int32) -> Int8:
    """The cosine counts more where the words that are shared say more."""
    alike = words_alike(field.weighted, one, other)
    alike *= np.sqrt(0.15 + shared_information(field, one, other))
    return np.digitize(alike, STEPS).astype(np.int8) + np.int8(1)


def _categories(field: Field, one: Int32, other: Int32) -> Int8:
    return np.where(jaro_winkler(field.texts, one, other) >= 0.9, 2, 1).astype(np.int8)


_OF_NAMES = ("somewhat alike", "alike", "close", "very close")
_OF_WORDS = (
    "few words shared",
    "some words shared",
    "many words shared",
    "most words shared",
    "nearly all words shared",
    "all but a word shared",
)
_OF_CODES = ("same beginning", "two letters apart", "one letter apart", "written otherwise")
_OF_NUMBERS = ("numbers shared alone", "alike but for numbers")
_LEVELS: dict[str, tuple[tuple[str, ...], Callable[[Field, Int32, Int32], Int8]]] = {
    "name": (_OF_NAMES, _names),
    "numbered": ((*_OF_NUMBERS, *_OF_NAMES), _numbered(_names)),
    "code": (_OF_CODES, _codes),
    "numbered code": ((*_OF_NUMBERS, *_OF_CODES), _numbered(_codes)),
    "date": (
        (
            "within ten years",
            "within two years",
            "two digits apart",
            "same year",
            "one digit apart",
        ),
        _dates,
    ),
    "number": (("near", "close", "very close", "nearly equal"), _numbers),
    "words": (_OF_WORDS, _words),
    "numbered words": ((*_OF_NUMBERS, *_OF_WORDS), _numbered(_words)),
    "category": (("alike",), _categories),
    "text": (tuple(f"alike by {step:.2f}" for step in STEPS), _texts),
}


def levels_of(
    comparisons: Sequence[FieldComparison], pairs: Pairs, progress: Progress = SILENT
) -> Array:
    """The levels of all pairs, int8 shape (n_pairs, n_comparisons), of many two columns at a time;
    raises Cancelled between two.
    """
    if len(pairs) <= FEW:
        return np.stack([compare(one, pairs) for one in comparisons], axis=1)
    levels = np.empty((len(pairs), len(comparisons)), np.int8)
    with ThreadPoolExecutor(2) as pool:
        compared = [pool.submit(compare, one, pairs) for one in comparisons]
        try:
            for place, one in enumerate(comparisons):
                progress.step("comparing", place, len(comparisons), one.field.name)
                levels[:, place] = compared[place].result()
        finally:
            pool.shutdown(cancel_futures=True)
    return levels
