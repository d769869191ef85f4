"""From one clause to a theory: Aleph's covering loops; Huynh and Mooney's (2008) collector."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from workbench.arrays import Bool, Float, Int32, Int64
from workbench.errors import InputError
from workbench.language.ilp.problem import Mode
from workbench.progress import PLAIN, Conduct
from workbench.structure.background import Background, Examples
from workbench.structure.coverage import Coverage, IndexedCoverage, pack, unpack
from workbench.structure.covers import CoverCache
from workbench.structure.saturation import BottomClause, saturate
from workbench.structure.scores import ClassCounts, fit_m
from workbench.structure.search import FoundClause, search_clause
from workbench.structure.settings import SearchSettings


@dataclass(frozen=True)
class InducedTheory:
    """A set of clauses for the target.

    Attributes
    ----------
    parts : int32 array, shape (n_clauses, n_literals)
        Components (of the learner's `CoverCache`) of the theory's clauses, in order of discovery.
    positives, negatives : int64 arrays, shape (n_clauses,)
        Covered when the clause was chosen.
    score : float64 array, shape (n_clauses,)
    ground : int64 array
        Positive examples that no acceptable clause covered; they stand for themselves.
    collected : int64 array
        Numbers of all clauses kept on the way, reduced under theta-subsumption: no two of them are
        equivalent.
    nodes : int
        Clauses evaluated.
    status : {'complete', 'limit', 'cancelled'}
    """

    parts: Int32
    positives: Int64
    negatives: Int64
    score: Float
    ground: Int64
    collected: Int64
    nodes: int
    status: str


@dataclass
class _Cover:
    """What a covering loop came to so far."""

    uncovered: Bool
    found: list[FoundClause] = field(default_factory=list)
    ground: list[int] = field(default_factory=list)
    collected: list[Int64] = field(default_factory=list)
    nodes: int = 0
    status: str = "complete"

    def take(self, seed: int, answer: FoundClause, cache: CoverCache) -> None:
        """Add what the search from a seed found; without a clause the seed stands for itself."""
        self.nodes += answer.nodes
        self.collected.append(answer.collected)
        self.uncovered[seed] = False
        if answer.parts is None:
            self.ground.append(seed)
            return
        self.found.append(answer)
        self.uncovered &= ~unpack(cache.bits(answer.parts[None]), len(self.uncovered))[0]

    def theory(self, cache: CoverCache) -> InducedTheory:
        found = self.found
        return InducedTheory(
            np.array([one.parts for one in found], np.int32).reshape(len(found), cache.n_literals),
            np.array([one.positives for one in found], np.int64),
            np.array([one.negatives for one in found], np.int64),
            np.array([one.score for one in found], np.float64),
            np.array(self.ground, np.int64),
            cache.reduced(np.unique(np.concatenate(self.collected)))
            if self.collected
            else np.zeros(0, np.int64),
            self.nodes,
            self.status,
        )


def _evenly(seeds: Int64, most: int | None) -> Int64:
    """At most so many of the seeds, evenly spread."""
    if most is None or len(seeds) <= most:
        return seeds
    return seeds[np.linspace(0, len(seeds) - 1, most).astype(np.int64)]


@dataclass
class ClauseLearner:
    """Bottom-clause search over one background and examples; keeps caches between calls.

    Parameters
    ----------
    examples : Examples
        All examples, of all folds: a cover is computed once.
    coverage : Coverage or None
        Who evaluates bodies; None for `IndexedCoverage`.
    """

    background: Background
    examples: Examples
    head: Mode
    modes: Sequence[Mode]
    settings: SearchSettings
    coverage: Coverage | None = None
    cache: CoverCache = field(init=False)
    _bottoms: dict[int, BottomClause] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        if any(argument.mark == "#" for argument in self.head.arguments):
            raise InputError.of(
                "E0607",
                f"the head mode {self.head} has a constant place",
                help="learn one target for each constant, or make the place an input",
            )
        coverage = self.coverage or IndexedCoverage(self.background, self.examples)
        self.cache = CoverCache(
            coverage, self.settings.clauselength - 1, 1 + self.background.max_arity
        )

    def bottom(self, example: int) -> BottomClause:
        """The example's bottom clause, computed once."""
        if example not in self._bottoms:
            self._bottoms[example] = saturate(
                self.background,
                self.examples,
                example,
                self.head,
                self.modes,
                depth=self.settings.i,
            )
        return self._bottoms[example]

    def learn(
        self,
        train: Bool | None = None,
        *,
        loop: Literal["induce", "induce_cover", "induce_max"] = "induce",
        label: Literal[0, 1] = 1,
        most_seeds: int | None = None,
        conduct: Conduct = PLAIN,
    ) -> InducedTheory:
        """Cover the training examples of one label, by default the positives, with clauses.

        Raises E0604 without positives, E0608 when no positive joins with the background.

        Parameters
        ----------
        train : bool array, shape (n_examples,), or None for all labelled examples
        loop : {'induce', 'induce_cover', 'induce_max'}
            `induce` counts only positives not covered yet, `induce_cover` all positives; both take
            the next uncovered positive as the seed. `induce_max` searches from every positive and
            keeps, for each, the best clause found that covers it, so that the examples' order has
            no influence.
        label : {1, 0}
            Which examples are to be covered; the others take the part of the negatives. Clauses for
            the label 0 speak against the target.
        most_seeds : int or None
            Examples that are searched from at most, evenly spread over those of the label.
        conduct : Conduct
            At its deadline, or a cancel, the theory so far is returned, and says so.
        """
        labelled = ~np.isnan(self.examples.label)
        chosen = labelled if train is None else labelled & train
        positive = chosen & (self.examples.label == label)
        negative = chosen & (self.examples.label == 1 - label)
        self._check(positive)
        counts = self._class_counts(positive, negative)
        seeds = _evenly(np.flatnonzero(positive), most_seeds)
        cover = _Cover(positive.copy())
        for done, seed in enumerate(seeds.tolist()):
            if conduct.over:
                cover.status = conduct.stopped
                break
            if loop != "induce_max" and not cover.uncovered[seed]:
                continue
            conduct.progress.report("search", done, len(seeds), f"{len(cover.found)} clauses")
            counted = cover.uncovered if loop == "induce" else positive
            counts = replace(counts, positives=int(counted.sum()))
            answer = search_clause(
                self.bottom(seed), self.cache, pack(counted), pack(negative), self.settings, counts,
                conduct=conduct
            )  # fmt: skip
            cover.take(seed, answer, self.cache)
        if loop == "induce_max":
            cover.found = self._best_for_each(cover.found, positive)
        return cover.theory(self.cache)

    def _class_counts(self, positive: Bool, negative: Bool) -> ClassCounts:
        """How many examples of each class there are, and what scores presume of a clause."""
        n_positive, n_negative = int(positive.sum()), int(negative.sum())
        prior = self.settings.prior
        if prior is None:
            prior = n_positive / (n_positive + n_negative)
        counts = ClassCounts(n_positive, n_negative, prior, self.settings.m)
        if self.settings.evalfn == "fitted_m":
            counts = replace(counts, m=self._fitted_m(positive, negative, counts))
        return counts

    def predict(self, theory: InducedTheory) -> Bool:
        """Whether a clause of the theory, or a ground example, covers each; (n_examples,)."""
        result = np.zeros(len(self.examples), np.bool_)
        if len(theory.parts):
            result |= unpack(
                np.bitwise_or.reduce(self.cache.bits(theory.parts), axis=0), len(result)
            )
        result[theory.ground] = True
        return result

    def _check(self, positive: Bool) -> None:
        if not positive.any():
            raise InputError.of(
                "E0604", f"`{self.examples.predicate}` has no positive training example"
            )
        if not any(len(self.bottom(seed)) for seed in np.flatnonzero(positive).tolist()):
            raise InputError.of(
                "E0608",
                f"no background fact joins with a positive example of `{self.examples.predicate}`",
                help="check that the modes' types name the same constants as the examples'",
            )

    def _fitted_m(self, positive: Bool, negative: Bool, counts: ClassCounts) -> float:
        bottom = self.bottom(int(np.flatnonzero(positive)[0]))
        single = np.flatnonzero(bottom.layer == 1)
        pairs = np.array([(a, b) for a in single for b in single if a <= b], np.int64).reshape(
            -1, 2
        )
        tally = self.cache.tally(
            self.cache.parts(bottom.literals[pairs]), np.stack([pack(positive), pack(negative)])
        )
        return fit_m(tally[:, 0], tally[:, 1], counts.prior)

    def _best_for_each(self, found: list[FoundClause], positive: Bool) -> list[FoundClause]:
        if not found:
            return []
        parts = np.array([answer.parts for answer in found], np.int32)
        covered = unpack(self.cache.bits(parts), len(positive))
        order = np.argsort([-answer.score for answer in found], kind="stable")
        first = covered[order].argmax(axis=0)
        kept = sorted(set(order[first[positive & covered.any(axis=0)]].tolist()))
        distinct = {found[index].parts.tobytes(): found[index] for index in reversed(kept)}
        return list(distinct.values())[::-1]
