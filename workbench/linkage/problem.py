"""What a class of matches is fitted to: patterns of pairs, and what is known of these."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from workbench.arrays import Float, Int8, Int64
from workbench.linkage.comparison import FieldComparison, first_equal
from workbench.linkage.field_tree import EveryPair
from workbench.linkage.mixture import Mixture, Patterns
from workbench.linkage.numbers import hold_numbers

SAMPLE = 40_000
"""Pairs that starts are tried on."""
TEXTS = 1000
"""That tell whether a column holds codes."""
OF_ONE = 2.0
"""Records that hold a value of a code that names things, but for its own; kinds are held by more.
"""


@dataclass(frozen=True)
class LinkProblem:
    """Patterns of levels, and what is known of their pairs.

    Attributes
    ----------
    mixtures : pair of Mixture
        Of independent fields, by chance with and without matches.
    assumed : Mixture
        With matches as they are in most data.
    possible : float
        Pairs of records that could match, candidates or not.
    known : pair of float64 arrays, shape (n_patterns,), or None
        How many pairs of each pattern are labelled as matches and as non-matches.
    apart : float64 array, shape (n_patterns,), or None
        How many pairs of each pattern are no candidates, but known not to match: within two sources
        that repeat nothing.
    every : EveryPair or None
        All pairs that could match, where not all are compared.
    captured : callable
        From log odds of the patterns to the share of matches among the candidates, of those that
        statements would find if no value were missing.
    joining : callable
        From the patterns that a finer and a wider class take to the evidence that the wider joins
        the things of the finer: `workbench.linkage.groups.evidence_of_joining`.
    """

    patterns: Patterns
    comparisons: Sequence[FieldComparison]
    mixtures: tuple[Mixture, Mixture]
    assumed: Mixture
    possible: float
    records: int
    known: tuple[Float, Float] | None = None
    apart: Float | None = None
    every: EveryPair | None = None
    captured: Callable[[Float], float] = lambda _: 1.0
    joining: Callable[..., float] = lambda finer, wider, lost=False: -np.inf

    @property
    def levels(self) -> Int8:
        """Of each pattern."""
        return self.patterns.levels

    @property
    def counts(self) -> Float:
        """How many pairs have each pattern, those known to be apart among them."""
        return self.patterns.counts.astype(np.float64)

    @property
    def within(self) -> Float:
        """How many of these are known to be apart."""
        return np.zeros(len(self.patterns.counts)) if self.apart is None else self.apart

    def apart_at(self, place: int) -> Float | None:
        """How many of those have each level of a field, where any are known."""
        if self.apart is None:
            return None
        found = np.bincount(self.levels[:, place], self.apart, minlength=self.sizes[place])
        return found.astype(np.float64)

    @property
    def across(self) -> Float:
        """How many are not: the pairs that could match."""
        return np.maximum(self.counts - self.within, 0.0)

    @property
    def chances(self) -> tuple[Float, ...]:
        """Of each field, the levels' shares among random pairs."""
        return self.mixtures[0].u

    @property
    def sizes(self) -> list[int]:
        """Levels of each field."""
        return [one.n_levels for one in self.comparisons]

    @property
    def among(self) -> EveryPair | None:
        """All pairs, those within sources as many as those across."""
        if self.every is None:
            return None
        return self.every.times(1.0 if self.apart is None else 2.0)


@dataclass(frozen=True)
class Sample:
    """Patterns of a sample of pairs.

    Attributes
    ----------
    rows : int64 array
        Their places.
    drawn, within : float64 arrays
        How many pairs the sample has of each, and how many of those are known to be apart.
    known : pair of float64 arrays, or None
        How many are known as matches and as non-matches.
    """

    rows: np.ndarray
    levels: Int8
    drawn: Float
    within: Float
    known: tuple[Float, Float] | None

    @classmethod
    def of(cls, problem: LinkProblem, seed: int) -> Sample:
        """All pairs where they are few; labelled ones are all in it."""
        counts = problem.patterns.counts
        rows, drawn = _thinned(counts, problem.known, seed)
        within = drawn * problem.within[rows] / problem.counts[rows]
        known = None
        if problem.known is not None:
            known = (problem.known[0][rows], problem.known[1][rows])
        if problem.apart is not None:
            known = (np.zeros(len(rows)), within)
        return cls(rows, problem.levels[rows], drawn, within, known)

    @property
    def across(self) -> Float:
        """Without those that are known to be apart."""
        return self.drawn - self.within


def _thinned(
    counts: Int64, known: tuple[Float, Float] | None, seed: int
) -> tuple[np.ndarray, Float]:
    """Patterns of a sample of pairs and how many it has of each; labelled pairs are all in it."""
    total = int(counts.sum())
    if total <= SAMPLE:
        return np.arange(len(counts)), counts.astype(float)
    chosen = np.random.default_rng(seed).binomial(counts, SAMPLE / total).astype(float)
    if known is not None:
        chosen = np.maximum(chosen, known[0] + known[1])
    rows = np.flatnonzero(chosen)
    return rows, chosen[rows]


def is_a_code(problem: LinkProblem, place: int) -> bool:
    """Whether a field is a code that few records share, which hardly changes."""
    comparison, chance = problem.comparisons[place], problem.chances[place]
    equal = float(chance[first_equal(comparison) :].sum())
    texts = comparison.field.texts[:TEXTS].tolist()
    return (
        equal * problem.records <= OF_ONE
        and comparison.field.kind == "code"
        and not hold_numbers(texts)
    )
