"""Which alike class is the matches: EM with two kinds of non-matches, from several starts.

Likelihood does not tell: where matches are few, families or neighbours explain more pairs than they
do. What tells is said in `workbench.linkage.merit`. Models of independent fields, which no
correlation has drawn away, stand beside those that the starts lead to; a little less is made of
them, and of those with a single kind of non-matches. A class that joins the things of a finer one
gives way to it (`workbench.linkage.groups`). Where every class is refuted, there are no duplicates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from workbench.arrays import Float
from workbench.linkage.comparison import first_equal
from workbench.linkage.determined import with_determined
from workbench.linkage.field_tree import EveryPair
from workbench.linkage.groups import Things, of_single_things
from workbench.linkage.merit import Judge, unlike_levels
from workbench.linkage.mixture import sigmoid
from workbench.linkage.problem import LinkProblem, Sample
from workbench.linkage.starts import halved_start, starts_of, strict_starts
from workbench.linkage.tree import GivenPairs, TreeModel, fit_classes, independent
from workbench.progress import PLAIN, Conduct

FEWEST_FIELDS, MANY_FIELDS, TWICE = 3, 4, 2.0
"""Fewer fields do not tell correlated classes apart, or where these have so many times the merit of
others.
"""
MOST_FAR = 0.45
"""Matches agree more often than not in every field that some pairs agree in;
two sources may call venues otherwise.
"""
LEAST_CLARITY = 0.5
"""Of the assumed model, where all are refuted for few fields: with less it takes chance pairs."""
SOME = 0.001
SINGLE = 0.95
"""What the merit of a model with a single kind of non-matches counts:
it may take families for matches.
"""
INDEPENDENT = 0.7
"""What the merit of independent fields counts beside that of correlated ones."""
NEARLY = 0.15
"""Of a refuted class's merit another one must have that is not plain; a few chance pairs have less.
"""
MOST = 0.75
"""Of the matches that statements would find if no value were missing:
the others change no weight that matters.
"""
CONSISTENT = 0.8
"""Of that share as much again by the weights that it leads to, and these are taken."""
STEPS, BRIEFLY = 80, 5
"""Of EM at most, and on from a class: half of the best one takes up the other half in the end, and
then the first as well; on all pairs EM may leave the class that was chosen on a sample."""
NO_MATCHES = -700.0
"""The log odds where there are none."""


@dataclass(frozen=True)
class Fitted:
    """The model of the matches, and what spoke against others.

    Attributes
    ----------
    at_chance : tuple of int, or None
        Where every class is refuted, the fields in which the best agrees by chance; the model knows
        no matches then.
    apart : tuple of int
        Fields in which things differ that another class joins, of more merit.
    joined : tuple of int
        Fields in which records of one thing differ that another class of nearly the merit tells
        apart; too few repeat for sureness.
    """

    model: TreeModel
    at_chance: tuple[int, ...] | None = None
    apart: tuple[int, ...] = ()
    joined: tuple[int, ...] = ()


def fit_tree(problem: LinkProblem, conduct: Conduct = PLAIN) -> Fitted:
    """The model of most merit that is not refuted: EM with correlated non-matches from several
    starts, or without; from a deadline or a cancel on no start is tried but the first.
    """
    if not len(problem.patterns.counts):
        return Fitted(independent(problem.mixtures[1]))
    search = _Search.of(problem, conduct)
    plain = [independent(one) for one in (*reversed(problem.mixtures), problem.assumed)]
    few = None
    if len(problem.comparisons) < MANY_FIELDS:
        plain = [with_determined(one, problem) for one in plain]
        few = search.of_few_fields(plain)
        if len(problem.comparisons) < FEWEST_FIELDS:
            return few
    found = search.first(plain)
    most = max(merit for merit, _ in found)
    if few and most <= TWICE * search.judge.merit(few.model):
        return few
    if problem.known is not None:
        return search.ended(search.judge.best(found)[1], Things(found))
    halved = search.halved(found)
    things = search.of_things(found + halved)
    most, best = search.judge.best(things.found)
    if search.judge.refutes(best):
        kept = search.not_refuted(things.found, most)
        if not kept:
            return few or Fitted(replace(best, share=NO_MATCHES), search.judge.at_chance(best))
        things = search.of_things(kept)
        most, best = search.judge.best(things.found)
        if few and most <= TWICE * search.judge.merit(few.model):
            return few
    if any(best is one for one in plain):
        return Fitted(best, apart=things.apart, joined=things.joined)
    return search.ended(best, things)


@dataclass(frozen=True)
class _Search:
    """Classes that EM finds in a sample of the pairs, and their judge.

    Attributes
    ----------
    alike : float64 array
        The assumed log odds of the sample's patterns.
    """

    problem: LinkProblem
    conduct: Conduct
    sample: Sample
    judge: Judge
    alike: Float

    @classmethod
    def of(cls, problem: LinkProblem, conduct: Conduct) -> _Search:
        """With a sample drawn by the conduct's seed."""
        sample = Sample.of(problem, conduct.seed)
        alike = problem.assumed.scores(sample.levels)
        judge = Judge(
            sample.levels,
            sample.across,
            problem.across.sum() / problem.possible,
            alike - problem.assumed.intercept,
            *unlike_levels(problem.chances),
            sample.within,
            np.array(
                [
                    chance[first_equal(one) :].sum()
                    for one, chance in zip(problem.comparisons, problem.chances)
                ]
            ),
        )
        return cls(problem, conduct, sample, judge, alike)

    def of_few_fields(self, plain: Sequence[TreeModel]) -> Fitted:
        """Of independent fields the best model that is not refuted; or the assumed one, the last,
        if it expects to find most matches.
        """
        # The assumed model confirms itself: without pairs within files the surest is taken.
        sure = self.problem.apart is None
        few = [(1.0 if sure else self.judge.merit(one), one) for one in plain]
        labelled = self.problem.known is not None
        things = Things(few) if labelled else self.of_things(few)
        kept = [one for one in things.found if labelled or not self.judge.refutes(one[1])]
        if kept:
            return Fitted(self.judge.best(kept)[1], apart=things.apart, joined=things.joined)
        assumed = plain[-1]
        if self.judge.clarity(assumed) < LEAST_CLARITY:
            return Fitted(replace(assumed, share=NO_MATCHES), self.judge.at_chance(assumed))
        return Fitted(assumed)

    def first(self, plain: Sequence[TreeModel]) -> list[tuple[float, TreeModel]]:
        """The classes that all starts lead to, and without labels those of independent fields;
        those that are confirmed, if any is.
        """
        levels, drawn = self.sample.levels, self.sample.drawn
        scores, less = (one.scores(levels) for one in self.problem.mixtures)
        records = self.problem.records * drawn.sum() / self.problem.counts.sum()
        found = self.fitted(starts_of(scores, less, self.alike, self.sample.across, records))
        if self.problem.known is None:
            found += [(INDEPENDENT * self.judge.merit(one), one) for one in plain]
        return [one for one in found if self.judge.confirms(one[1])] or found

    def halved(self, found: Sequence[tuple[float, TreeModel]]) -> list[tuple[float, TreeModel]]:
        """What half of the best class leads to."""
        match = sigmoid(self.judge.best(found)[1].scores(self.sample.levels))
        return self.fitted([halved_start(match, self.alike, self.sample.across)], BRIEFLY)

    def not_refuted(
        self, found: Sequence[tuple[float, TreeModel]], most: float
    ) -> list[tuple[float, TreeModel]]:
        """Where the best class is refuted: others, from stricter starts as well."""
        every = [*found, *self.fitted(strict_starts(self.alike))]
        return [
            one
            for one in every
            if (one[0] > NEARLY * most or self.judge.is_plain(one[1]))
            and not self.judge.refutes(one[1])
        ]

    def of_things(self, found: Sequence[tuple[float, TreeModel]]) -> Things:
        """Without those that join the things of a finer one."""

        def joining(finer: TreeModel, wider: TreeModel, lost: bool = False) -> float:
            taken = (one.scores(self.problem.levels) > 0 for one in (finer, wider))
            return self.problem.joining(*taken, lost)

        return of_single_things(found, self.judge, joining)

    def fitted(self, starts: Sequence[Float], steps: int = STEPS) -> list[tuple[float, TreeModel]]:
        """What EM finds from each start, with its merit."""
        sample, among = self.sample, self.problem.among
        every = None
        if among is not None:
            every = among.times(float(sample.drawn.sum() / self.problem.counts.sum()))
        sizes, most_far = self.problem.sizes, self._most_far
        given = GivenPairs(sample.levels, sample.drawn, sizes, most_far, every, sample.known)
        tried = [
            across_sources(
                fit_classes(given, start, iterations=steps, conduct=self.conduct),
                sample.drawn,
                sample.within,
                every,
            )
            for place, start in enumerate(starts)
            if not place or not self.conduct.over
        ]
        return [
            (self.judge.merit(one) * (SINGLE if len(one.others) == 1 else 1.0), one)
            for one in tried
        ]

    def ended(self, best: TreeModel, things: Things) -> Fitted:
        """The class of the sample fitted to all pairs, with the matches that no statement found."""
        problem = self.problem
        if len(self.sample.rows) < len(problem.counts):
            best = self._of_all(best)
        share = 1.0 if self.conduct.over else problem.captured(best.scores(problem.levels))
        more = replace(best, share=best.share - float(np.log(share)))
        confirmed = share > MOST or problem.captured(more.scores(problem.levels)) > (
            CONSISTENT * share
        )
        return Fitted(more if confirmed else best, apart=things.apart, joined=things.joined)

    def _of_all(self, model: TreeModel) -> TreeModel:
        classes = model.classes(self.problem.levels)
        start = np.exp(classes - np.logaddexp.reduce(classes, axis=1, keepdims=True))
        known = self.problem.known
        if self.problem.apart is not None:
            known = (np.zeros(len(start)), self.problem.apart)
        return fit_to_all(
            self.problem, start, known, self.conduct, most_far=self._most_far, iterations=BRIEFLY
        )

    @cached_property
    def _most_far(self) -> Float:
        """The share of far values among matches at most, of each field."""
        across = self.problem.across
        equal = [
            across @ (self.problem.levels[:, at] >= first_equal(one))
            for at, one in enumerate(self.problem.comparisons)
        ]
        return np.where(np.array(equal) > SOME * across.sum(), MOST_FAR, 1.0)


def fit_to_all(
    problem: LinkProblem,
    start: Float,
    known: tuple[Float, Float] | None,
    conduct: Conduct,
    *,
    most_far: Float | None = None,
    iterations: int = STEPS,
) -> TreeModel:
    """What EM finds in all pairs from the classes of a start, given matches and non-matches."""
    far = np.ones(len(problem.sizes)) if most_far is None else most_far
    given = GivenPairs(problem.levels, problem.counts, problem.sizes, far, problem.among, known)
    found = fit_classes(given, start, iterations=iterations, conduct=conduct)
    return across_sources(found, problem.counts, problem.within, problem.among)


def across_sources(
    model: TreeModel, counts: Float, apart: Float, every: EveryPair | None
) -> TreeModel:
    """With the shares of kinds of non-matches among pairs across,
    without those that are known to be apart.
    """
    if not apart.any():
        return model
    number, within = (
        (counts.sum(), apart.sum()) if every is None else (every.number, every.number / 2)
    )
    others = float(number) * (1.0 - np.exp(model.share))
    less = float(np.log(max(others - within, 1e-3 * others) / others))
    return replace(
        model, others=tuple(replace(one, share=one.share + less) for one in model.others)
    )
