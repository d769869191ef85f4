"""Correlated fields: matches have independent fields, non-matches follow trees of fields; EM,
closed at every step.

Pairs of different people that were made candidates are alike for a reason: families share a
surname, a place and a postcode at once. Counted as independent, such agreements look like a match.
Among non-matches each field therefore depends on one other (Chow & Liu 1968; Friedman, Geiger &
Goldszmidt 1997, as classifier), and there may be two kinds of non-matches, each with its tree. EM
finds a class that is alike; whether that is the matches its start decides
(`workbench.linkage.fitting`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from workbench.arrays import Float, Int8
from workbench.linkage.field_tree import (
    FAR,
    PRIOR_COUNT,
    EveryPair,
    FieldTree,
    field_tree,
    log_shares,
)
from workbench.linkage.mixture import Mixture
from workbench.progress import PLAIN, Conduct

OF_ONE_SHAPE = 4
"""Steps of EM that fit the tables of the same trees; then trees are chosen anew (Friedman 1998)."""


@dataclass(frozen=True)
class TreeModel:
    """Levels among matches and among the other candidates.

    Attributes
    ----------
    match : tuple of float64 arrays, shape (n_levels,)
        log P(level | match).
    share : float
        The logarithm of the matches' share of all pairs that could match.
    trace : tuple of float
        The log likelihood, step by step.
    """

    match: tuple[Float, ...]
    share: float
    others: tuple[FieldTree, ...]
    trace: tuple[float, ...] = ()

    @property
    def intercept(self) -> float:
        """The logarithm of the odds that a pair is a match, before its levels are seen."""
        return self.share - float(np.logaddexp.reduce([one.share for one in self.others]))

    @property
    def parent(self) -> tuple[int, ...]:
        """The field that each depends on among most non-matches."""
        return max(self.others, key=lambda one: one.share).parent

    def classes(self, levels: Int8) -> Float:
        """log P(levels and class), the matches' first, shape (n, 1 + n_others)."""
        match = np.full(len(levels), self.share)
        for place, one in enumerate(self.match):
            match += one[levels[:, place]]
        return np.column_stack((match, *(one.total(levels) for one in self.others)))

    def contributions(self, levels: Int8) -> Float:
        """What each field adds to the log odds, shape (n, n_fields).

        Where there are kinds of non-matches, beside those that the pair would be of.
        """
        others = self.classes(levels)[:, 1:]
        kind = np.exp(others - np.logaddexp.reduce(others, axis=1, keepdims=True))
        found = np.stack([one[levels[:, place]] for place, one in enumerate(self.match)], axis=1)
        for place, other in enumerate(self.others):
            found -= kind[:, place, None] * other.parts(levels)
        return found

    def scores(self, levels: Int8) -> Float:
        """Log odds of a match, shape (n,)."""
        classes = self.classes(levels)
        return np.asarray(classes[:, 0] - np.logaddexp.reduce(classes[:, 1:], axis=1))

    def scores_without(self, levels: Int8, place: int) -> Float:
        """Log odds of a match by the other fields alone, shape (n,):
        the field at `place` is summed out.
        """
        of_each = []
        for level in range(FAR, len(self.match[place])):
            assumed = levels.copy()
            assumed[:, place] = level
            of_each.append(self.classes(assumed))
        classes = np.logaddexp.reduce(of_each)
        return np.asarray(classes[:, 0] - np.logaddexp.reduce(classes[:, 1:], axis=1))

    def as_record(self) -> dict[str, Any]:
        """JSON-ready fields, without the trace."""
        match = [one.tolist() for one in self.match]
        others = [one.as_record() for one in self.others]
        return {"match": match, "share": self.share, "others": others}

    @classmethod
    def read(cls, said: Mapping[str, Any]) -> TreeModel:
        """The model that `as_record` described."""
        others = tuple(map(FieldTree.read, said["others"]))
        return cls(tuple(map(np.array, said["match"])), said["share"], others)


def independent(mixture: Mixture) -> TreeModel:
    """The mixture of independent fields in the form of a tree model."""
    match = tuple(np.log(np.maximum(m, 1e-12)) for m in mixture.m)
    tables = tuple((one - weights)[None, :] for one, weights in zip(match, mixture.weights))
    other = FieldTree((-1,) * len(match), tables, float(np.log1p(-mixture.prior)))
    return TreeModel(match, float(np.log(mixture.prior)), (other,), mixture.trace)


@dataclass(frozen=True)
class GivenPairs:
    """The pairs that classes are fitted to.

    Attributes
    ----------
    levels : int8 array, shape (n_patterns, n_fields)
    counts : float64 array, shape (n_patterns,)
        Pairs of each pattern.
    sizes : sequence of int
        Levels of each field.
    most_far : float64 array, shape (n_fields,)
        The largest share of far values among matches that have both: a constraint of the M-step.
    every : EveryPair or None
        All pairs that could match, of which the given ones are candidates; the others are of the
        last kind. Without it all are given.
    known : pair of float64 arrays, shape (n_patterns,), or None
        How many pairs of each pattern are labelled as matches and as non-matches; EM leaves those
        as they are.
    """

    levels: Int8
    counts: Float
    sizes: Sequence[int]
    most_far: Float
    every: EveryPair | None = None
    known: tuple[Float, Float] | None = None

    def weights(self, probability: Float) -> Float:
        """How many pairs of each pattern are of each class, where free ones are as likely."""
        if self.known is None:
            return np.asarray(probability * self.counts[:, None])
        yes, no = self.known
        free = np.maximum(self.counts - yes - no, 0.0)
        weight, others = probability * free[:, None], probability[:, 1:]
        weight[:, 0] += yes
        weight[:, 1:] += no[:, None] * others / np.maximum(others.sum(axis=1, keepdims=True), 1e-12)
        return np.asarray(weight)


def fit_classes(
    given: GivenPairs, start: Float, *, iterations: int = 80, conduct: Conduct = PLAIN
) -> TreeModel:
    """EM from the classes of a start.

    Parameters
    ----------
    start : float64 array, shape (n_patterns, 1 + n_others)
        The probability of each class, the matches' first.
    conduct : Conduct, optional
        At its deadline, or a cancel, EM ends with the step that it is at.
    """
    probability = start
    trace: list[float] = []
    before: TreeModel | None = None
    while True:
        model = _maximised(given, given.weights(probability), tuple(trace), before)
        probability, likelihood = _normalised(model.classes(given.levels))
        trace.append(float(likelihood @ given.counts))
        settled = len(trace) > 1 and trace[-1] - trace[-2] < 1e-6 * abs(trace[-1])
        if (settled and before is None) or len(trace) == iterations or conduct.over:
            return model
        before = None if settled or len(trace) % OF_ONE_SHAPE == 0 else model


def _normalised(classes: Float) -> tuple[Float, Float]:
    """Probabilities of the classes of each row, and the logarithm of their sum."""
    largest = classes.max(axis=1)
    probability = np.exp(classes - largest[:, None])
    total = probability.sum(axis=1)
    return probability / total[:, None], largest + np.log(total)


def _maximised(
    given: GivenPairs, weight: Float, trace: tuple[float, ...], before: TreeModel | None
) -> TreeModel:
    """The M-step: shares of expected counts, and the trees of largest mutual information, or those
    of the model before.
    """
    levels, every = given.levels, given.every
    of_match = [
        _of_matches(levels[:, place], weight[:, 0], size, given.most_far[place])
        for place, size in enumerate(given.sizes)
    ]
    shares = weight.sum(axis=0) + PRIOR_COUNT
    if every is not None:
        shares[-1] = max(shares[-1], every.number - shares[:-1].sum())
    shares = np.log(shares / shares.sum())
    last = weight.shape[1] - 1
    others = tuple(
        field_tree(
            levels,
            np.ascontiguousarray(weight[:, kind]),
            given.sizes,
            float(shares[kind]),
            None
            if every is None or kind < last
            else every.without(levels, weight[:, :last].sum(axis=1)),
            None if before is None else before.others[kind - 1].parent,
        )
        for kind in range(1, last + 1)
    )
    return TreeModel(tuple(of_match), float(shares[0]), others, trace)


def _of_matches(level: Int8, weight: Float, size: int, most: float) -> Float:
    """log P(level | match) of a field, with at most so large a share of far values."""
    counts = np.asarray(np.bincount(level, weight, minlength=size) + PRIOR_COUNT, np.float64)
    there = counts[FAR:].sum()
    if counts[FAR] > most * there:
        counts[FAR + 1 :] *= (1.0 - most) * there / (there - counts[FAR])
        counts[FAR] = most * there
    return log_shares(counts)
