"""From the patterns of compared pairs to weights: the mixture, its tree, and what speaks against
these.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from workbench.arrays import Bool, Float, Int8, Int32
from workbench.linkage.at_worst import wrong_at_worst
from workbench.linkage.blocking import Pairs
from workbench.linkage.candidates import Candidates
from workbench.linkage.captured import captured_share
from workbench.linkage.clustering import Unfound
from workbench.linkage.comparison import FieldComparison, levels_of
from workbench.linkage.crossed import CrossedTexts, beside_a_text, of_a_text_alone
from workbench.linkage.doubts import Doubt, told_apart
from workbench.linkage.field_tree import EveryPair
from workbench.linkage.fields import Field
from workbench.linkage.fitting import CONSISTENT, FEWEST_FIELDS, MOST, NO_MATCHES, Fitted, fit_tree
from workbench.linkage.groups import evidence_of_joining
from workbench.linkage.link_model import LinkModel
from workbench.linkage.lost import with_lost
from workbench.linkage.mixture import (
    Mixture,
    Patterns,
    assumed_mixture,
    fit_mixture,
    sample_pairs,
    sigmoid,
)
from workbench.linkage.neighbours import Near
from workbench.linkage.problem import LinkProblem
from workbench.linkage.sources import Within, calibrated_to_within, with_pairs_within
from workbench.linkage.tree import TreeModel, independent
from workbench.progress import PLAIN, Conduct

RANDOM_PAIRS = 400_000
OF_ONE_FIELD = 0.9
"""The share of pairs that may be wrong where nothing but one field is known: namesakes."""


def learn(
    comparisons: Sequence[FieldComparison],
    candidates: Candidates,
    patterns: Patterns,
    second: Int32 | None,
    *,
    known: tuple[Float, Float] | None = None,
    conduct: Conduct = PLAIN,
) -> LinkModel:
    """EM: first independent fields with chance agreement known, then correlated ones; what a
    deadline leaves of it.

    Of two sources that repeat nothing, pairs within each are known not to match.

    Parameters
    ----------
    known : pair of float64 arrays, shape (n_patterns,), optional
        Labelled matches and non-matches of each pattern.
    """
    conduct.progress.report("weights", 0, 2, "")
    records = _Records.sampled(comparisons, candidates, second, conduct)
    mixtures = (
        records.of_independent_fields(patterns, False, conduct),
        records.of_independent_fields(patterns, True, conduct),
    )
    conduct.progress.report("weights", 1, 2, "")
    assumed = assumed_mixture(patterns, comparisons, records.chances, candidates.possible)
    apart, repeats, within = None, 0.0, None
    if known is None and not conduct.over:
        sure = records.assumed_of_texts(assumed)
        patterns, apart, repeats, within = records.with_pairs_within(patterns, sure, conduct.seed)
    problem = LinkProblem(
        patterns, comparisons, mixtures, assumed, candidates.possible, records.number, known,
        apart, records.every, partial(records.captured, patterns),
        partial(records.joining, patterns),
    )  # fmt: skip
    fitted, against, has, wrong = records.fitted(problem, conduct), None, 1.0, 0.0
    if known is None and fitted.at_chance is None and not conduct.over:
        fitted, against = told_apart(fitted, problem, conduct)
        fitted, has = with_lost(fitted, problem, conduct)
        wrong = wrong_at_worst(fitted.model, problem) if len(comparisons) > 1 else OF_ONE_FIELD
    model = records.said(problem, fitted, against, repeats)
    model = replace(model, has=has, wrong=wrong, within=within)
    if conduct.over:
        cut = ("weights are those that EM had by then, from fewer starts",)
        return replace(model, cut=cut)
    return model


@dataclass(frozen=True)
class _Records:
    """Records with their candidates, and a sample of all pairs.

    Attributes
    ----------
    levels : int8 array, shape (n_sampled, n_comparisons)
        Of random pairs.
    chances : tuple of float64 arrays
        Of each field, the levels' shares among random pairs.
    """

    comparisons: Sequence[FieldComparison]
    candidates: Candidates
    second: Int32 | None
    levels: Int8
    chances: tuple[Float, ...]
    seed: int

    @classmethod
    def sampled(
        cls,
        comparisons: Sequence[FieldComparison],
        candidates: Candidates,
        second: Int32 | None,
        conduct: Conduct,
    ) -> _Records:
        n = len(comparisons[0].field.codes)
        random = Pairs(*sample_pairs(n, RANDOM_PAIRS, conduct.seed, second))
        levels = levels_of(comparisons, random)
        chances = tuple(one.chance(levels[:, place]) for place, one in enumerate(comparisons))
        return cls(comparisons, candidates, second, levels, chances, conduct.seed)

    @property
    def number(self) -> int:
        """How many they are."""
        return len(self.comparisons[0].field.codes)

    @property
    def fields(self) -> list[Field]:
        return [one.field for one in self.comparisons]

    @property
    def every(self) -> EveryPair | None:
        """All pairs, where not all are candidates."""
        if len(self.candidates.pairs) >= self.candidates.possible:
            return None
        totals = tuple(
            one.totals(self.levels[:, at], self.second) for at, one in enumerate(self.comparisons)
        )
        return EveryPair(self.candidates.possible, totals)

    def of_independent_fields(self, patterns: Patterns, less: bool, conduct: Conduct) -> Mixture:
        """With matches that missing values hide from all statements counted as well, if their share
        confirms itself.

        Weights that then take other pairs for matches find that statements miss many more: fields
        are not independent.

        Parameters
        ----------
        less : bool
            Whether chance is without what the expected matches share.
        """

        def fitted(share: float) -> tuple[Mixture, float]:
            model = fit_mixture(
                patterns,
                self.comparisons,
                self.chances,
                self.candidates.possible,
                captured=share,
                less_matches=less,
                conduct=conduct,
            )
            return model, self.captured(patterns, model.scores(patterns.levels))

        first, share = fitted(1.0)
        if share > MOST or conduct.over:
            return first
        again, confirmed = fitted(share)
        return again if confirmed > CONSISTENT * share else first

    def captured(self, patterns: Patterns, scores: Float) -> float:
        """The share of matches among candidates, of those that statements would find if no value
        were missing.

        Parameters
        ----------
        scores : float64 array, shape (n_patterns,)
            Log odds.
        """
        pairs = self.candidates.pairs
        of_pair = scores[patterns.of_pair[: len(pairs)]]
        share, at_most = (
            captured_share(
                self.fields,
                pairs,
                of_pair,
                self.candidates.proposed,
                self.candidates.near,
                self.second,
                filled=filled,
            )
            for filled in (False, True)
        )
        return min(1.0, share / at_most)

    def with_pairs_within(
        self, patterns: Patterns, assumed: Mixture, seed: int
    ) -> tuple[Patterns, Float | None, float, Within | None]:
        """What pairs within two sources that repeat nothing teach: `with_pairs_within`."""
        if self.second is None or not (self.candidates.proposed or self.candidates.near):
            return patterns, None, 0.0, None
        return with_pairs_within(
            patterns,
            self.comparisons,
            self.candidates.proposed,
            self.candidates.near,
            self.second,
            assumed,
            seed,
        )

    @property
    def text(self) -> int | None:
        """The place of the field that is told by crossed texts, if there is one."""
        return next((at for at, one in enumerate(self.fields) if one.kind == "text"), None)

    @cached_property
    def crossed(self) -> CrossedTexts:
        """The near pairs of the text, and those with crossed ones."""
        assert self.text is not None
        name = self.fields[self.text].name
        near = next((one for one in self.candidates.near if one.field == name), Near(name))
        return CrossedTexts.drawn(self.comparisons[self.text], near, self.second, self.seed)

    def assumed_of_texts(self, assumed: Mixture) -> Mixture:
        """The assumed model, or what crossed texts tell: few texts of one thing are equal."""
        if self.text is None or self.second is None:
            return assumed
        told = self.crossed.told(self.candidates.possible)
        return assumed if told is None else of_a_text_alone(self.chances, self.text, told)

    def fitted(self, problem: LinkProblem, conduct: Conduct) -> Fitted:
        """The model of most merit; where few fields stand beside a text what crossed ones tell."""
        place = self.text
        if place is None or problem.known is not None:
            return fit_tree(problem, conduct)
        told = self.crossed.told(problem.possible, problem.apart_at(place))
        if told is None:
            return Fitted(replace(independent(problem.assumed), share=NO_MATCHES), (place,))
        return Fitted(independent(beside_a_text(problem, place, told)))

    def joining(self, patterns: Patterns, finer: Bool, wider: Bool, lost: bool = False) -> float:
        """The evidence that a wider class of patterns joins the things of a finer one."""
        pairs = self.candidates.pairs
        of_pair = patterns.of_pair[: len(pairs)]
        return evidence_of_joining(
            pairs,
            self.number,
            finer[of_pair],
            wider[of_pair],
            lost,
            across_sources=self.second is not None,
        )

    def said(
        self, problem: LinkProblem, fitted: Fitted, against: Doubt | None, repeats: float
    ) -> LinkModel:
        """The model with what speaks against it, calibrated to the pairs within two sources."""
        patterns, tree, scale = problem.patterns, fitted.model, 1.0
        if problem.apart is not None and fitted.at_chance is None:
            shift, scale = calibrated_to_within(
                tree.scores(patterns.levels), patterns.counts - problem.apart, problem.apart
            )
            tree = replace(tree, share=tree.share + shift)
            repeats = repeats / scale - max(0.0, shift)
        of_pair = patterns.of_pair[: len(self.candidates.pairs)]
        joined = 0.0
        if problem.every is not None:
            joined = _likelier(tree.scores(patterns.levels)[of_pair], tree)
        return LinkModel(
            tuple(self.comparisons),
            problem.mixtures[0 if len(self.comparisons) >= FEWEST_FIELDS else 1],
            tree,
            None if fitted.at_chance is None else self._named(fitted.at_chance),
            self._named(fitted.apart),
            self._named(fitted.joined),
            unfound=Unfound(joined, repeats),
            against=None if against is None else self._against(against),
            scale=scale,
        )

    def _named(self, places: Sequence[int]) -> tuple[str, ...]:
        return tuple(self.fields[place].name for place in places)

    def _against(self, doubt: Doubt) -> tuple[str, float]:
        return self.fields[doubt.place].name, 1.0 - doubt.wrong


def _likelier(scores: Float, tree: TreeModel) -> float:
    """How much likelier candidates are to match than all pairs, as log odds."""
    share = float(np.clip(sigmoid(scores).mean(), 1e-9, 0.5)) if len(scores) else 1e-9
    return max(0.0, float(np.log(share) - np.log1p(-share)) - tree.intercept)
