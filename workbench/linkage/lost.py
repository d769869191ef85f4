"""Matches that a class lost: records of who moved are alike in all that does not move with them.

What a tree of correlated fields takes for alike otherwise is one kind of pairs or several: families
differ in forename and birthday, who moved in street, town and telephone. Latent classes of
independent fields (Lazarsfeld & Henry 1968) tell these kinds apart. Each is different things or
matches by the odds that `workbench.linkage.doubts` has for a field: how it joins the things of the
class, how many it has beside these, and whether a code differs; and by how many changes explain it,
for street and town change at once, forename and birthday do not. Pairs within two sources that
repeat nothing tell how many are wrong. What is lost rather than not EM learns from; what perhaps is
lowers the recall that is said.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from math import log, log1p
from typing import NamedTuple

import numpy as np
from scipy.sparse.csgraph import connected_components

from workbench.arrays import Bool, Float, Int8
from workbench.linkage.comparison import first_equal
from workbench.linkage.doubts import OF_A_CODE, PRIOR, STEEPLY
from workbench.linkage.field_tree import FAR, log_shares
from workbench.linkage.fitting import FEWEST_FIELDS, Fitted, fit_to_all
from workbench.linkage.mixture import sigmoid
from workbench.linkage.problem import LinkProblem, is_a_code
from workbench.linkage.tree import TreeModel
from workbench.progress import PLAIN, Conduct

MANY = 15.0
"""Pairs of a kind; of fewer nothing is told."""
AGAINST, ANOTHER = 3.0, 2.0
"""Log odds against a kind's being matches, for a class has most of these; and for each further
change that makes its records differ.
"""
MOST = 0.45
"""Of the matches with them: these agree more often than not in every field."""
MOSTLY = 0.5
"""Of a kind's pairs, those that are far in a field in which it differs."""
TELLING = 0.05
"""Of the pairs, those that are far, and those that are not, in a field that kinds may differ in."""
BRIEFLY, STEPS = 5, 60
"""Of EM, from each start, and on from the best."""
PRIOR_COUNT = 0.3


class Kind(NamedTuple):
    """Pairs that are alike and not taken for matches.

    Attributes
    ----------
    weight : float64 array, shape (n_patterns,)
        How many of each pattern are of it.
    share : float
        Of them and the matches together.
    odds : float
        Log odds that they are matches.
    told : bool
        Whether pairs within two sources tell these.
    """

    weight: Float
    share: float
    odds: float
    told: bool

    @property
    def are_lost(self) -> bool:
        """Whether they are matches rather than not."""
        return self.odds > 0

    @property
    def matches(self) -> Float:
        """How many of each pattern are taken for matches, or are expected to be where they are not
        taken.
        """
        certain = self.are_lost and not self.told
        return self.weight if certain else self.weight * sigmoid(np.asarray(self.odds))


def with_lost(
    fitted: Fitted, problem: LinkProblem, conduct: Conduct = PLAIN
) -> tuple[Fitted, float]:
    """The class with the matches that it lost, and the share of all matches that it is expected to
    have of those that look like such; few fields lose none to a correlated class.
    """
    if len(problem.comparisons) < FEWEST_FIELDS:
        return fitted, 1.0
    model, found = fitted.model, kinds_of(fitted, problem)
    lost = [one for one in found if one.are_lost]
    if lost:
        weight = np.sum([one.matches for one in lost], axis=0)
        model = _taught(model, weight, problem, conduct)
    taken = float(sigmoid(model.scores(problem.levels)) @ problem.across)
    perhaps = sum(float(one.matches.sum()) for one in found if not one.are_lost)
    return replace(fitted, model=model), taken / max(taken + perhaps, 1e-9)


def kinds_of(fitted: Fitted, problem: LinkProblem) -> list[Kind]:
    """The kinds of pairs that an assumed model takes for matches, and the class does not."""
    scores = fitted.model.scores(problem.levels)
    alike = problem.assumed.scores(problem.levels)
    across = problem.across
    matches = float(sigmoid(scores) @ across)
    rows = np.flatnonzero((scores <= 0) & (alike > 0))
    weight = across[rows] * sigmoid(-scores[rows])
    if weight.sum() <= MANY:
        return []
    of_kind = latent_classes(problem.levels[rows], weight, problem.sizes)
    found = []
    for own in of_kind.T:
        likely = np.zeros(len(scores))
        likely[rows] = sigmoid(-scores[rows]) * own
        one = _judged(likely, matches, scores > 0, fitted, problem)
        found += [] if one is None else [one]
    return found


def _judged(
    likely: Float, matches: float, taken: Bool, fitted: Fitted, problem: LinkProblem
) -> Kind | None:
    """The kind of which each pattern is so likely."""
    weight = likely * problem.across
    number = float(weight.sum())
    share = number / (number + matches)
    # Where the class differs as well, as in the system that a record is of, nothing is said.
    far = _far(problem.levels, weight)
    more = far - _far(problem.levels, taken * problem.across)
    differing = np.flatnonzero((far > MOSTLY) & (more > MOSTLY / 2)).tolist()
    if number <= MANY or share > MOST or not differing or set(differing) & set(fitted.apart):
        return None
    if problem.apart is not None:
        within = float(likely @ problem.apart)
        wrong = min((within + np.sqrt(within) + 1.0) / (number + 2.0), 1.0 - 1e-3)
        return Kind(weight, share, log1p(-wrong) - log(wrong), True)
    joining = problem.joining(taken, taken | (likely > 0.5), True)
    apart = AGAINST + joining + STEEPLY * (log(share) - log1p(-share)) + PRIOR
    apart += OF_A_CODE * any(is_a_code(problem, place) for place in differing)
    apart += ANOTHER * (_changes(problem, differing, (1.0 - likely) * ~taken) - 1)
    return Kind(weight, share, -apart, False)


def _changes(problem: LinkProblem, differing: Sequence[int], likely: Float) -> int:
    """How many changes make records differ so: fields of which one mostly agrees where another does
    change together, such as a street and its town.
    """
    weight = likely * problem.across
    equal = np.column_stack(
        [problem.levels[:, place] >= first_equal(problem.comparisons[place]) for place in differing]
    )
    both = equal.T @ (weight[:, None] * equal)
    together = both > MOSTLY * np.maximum(np.diag(both)[:, None], 1.0)
    return int(connected_components(together, directed=False)[0])


def _far(levels: Int8, weight: Float) -> Float:
    """Of each field, the share of far values among pairs that have both."""
    there, far = weight @ (levels > 0), weight @ (levels == FAR)
    return np.asarray(far / np.maximum(there, 1e-9))


def latent_classes(levels: Int8, weight: Float, sizes: Sequence[int]) -> Float:
    """The probabilities of classes of independent fields, shape (n_patterns, n_classes): EM from
    three that differ in a field each, of the likeliest start; one where no two fields tell.
    """
    far = _far(levels, weight)
    telling = np.flatnonzero((far > TELLING) & (far < 1.0 - TELLING)).tolist()
    starts = [_parted(levels, one, other) for one, other in combinations(telling, 2)]
    if not starts:
        return np.ones((len(levels), 1))
    tried = [_fitted(levels, weight, sizes, start, BRIEFLY) for start in starts]
    best = max(tried, key=lambda one: one[1])[0]
    return _fitted(levels, weight, sizes, best, STEPS)[0]


def _parted(levels: Int8, one: int, other: int) -> Float:
    """Pairs that are far in one field, those of the rest that are far in another, and the rest."""
    first = levels[:, one] == FAR
    second = ~first & (levels[:, other] == FAR)
    start = np.column_stack((first, second, ~first & ~second)) + 1e-2
    return np.asarray(start / start.sum(axis=1, keepdims=True))


def _fitted(
    levels: Int8, weight: Float, sizes: Sequence[int], start: Float, steps: int
) -> tuple[Float, float]:
    """EM: probabilities of the classes, and the log likelihood."""
    probability, likelihood = start, -np.inf
    for _ in range(steps):
        each = weight[:, None] * probability
        classes = np.tile(np.log(each.sum(axis=0) + PRIOR_COUNT), (len(levels), 1))
        for place, size in enumerate(sizes):
            level = levels[:, place]
            for kind in range(each.shape[1]):
                counts = np.bincount(level, each[:, kind], minlength=size).astype(np.float64)
                classes[:, kind] += log_shares(counts + PRIOR_COUNT)[level]
        total = np.logaddexp.reduce(classes, axis=1)
        probability = np.exp(classes - total[:, None])
        before, likelihood = likelihood, float(total @ weight)
        if likelihood - before < 1e-6 * abs(likelihood):
            break
    return probability, likelihood


def _taught(model: TreeModel, lost: Float, problem: LinkProblem, conduct: Conduct) -> TreeModel:
    """The class that EM finds where its matches and lost pairs are known to match."""
    across = problem.across
    yes = np.minimum(sigmoid(model.scores(problem.levels)) * across + lost, across)
    match = yes / np.maximum(across, 1e-9)
    others = np.exp(model.classes(problem.levels)[:, 1:])
    others *= ((1.0 - match) / np.maximum(others.sum(axis=1), 1e-300))[:, None]
    start = np.column_stack((match, others))
    return fit_to_all(problem, start, (yes, problem.within), conduct)
