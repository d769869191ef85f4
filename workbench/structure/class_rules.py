"""Rules of a category: few for all classes together, that say what many rules for each class and
boosted trees say.

A budget of rules shared out among classes gives each too few, and an easy class as many as a hard
one. So each class is told from the others by as many rules as are asked for altogether, and of all
of these, and of steps and bends of what tells most, those are kept that say most of the whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice

import numpy as np

from workbench.arrays import Float, Float32, Int64
from workbench.progress import remaining
from workbench.structure.boosted_trees import fit_boosted_trees
from workbench.structure.condensed import HALF, told_in_turn
from workbench.structure.distilled_rules import FAR, MOST_ROWS, with_what_trees_say
from workbench.structure.rule_task import RuleTask
from workbench.structure.screening import screened_for
from workbench.structure.softmax_fits import fit_softmax
from workbench.structure.sparse_fits import softmax
from workbench.structure.term_choices import bent_terms, terms_of
from workbench.structure.terms import Term
from workbench.structure.weighted_rules import WeightedRules, fit_weighted_rules

OTHERS, FEWEST_OTHERS = 5, 500
"""Rows of other classes, for each of a class that is told from them and at least."""
MOST_COLUMNS, MOST_BENT, N_CUTS = 60, 25, 10
A_CELL = 1e-6
"""Seconds that a cell of the columns takes for each class, about."""
FEWEST_ROWS = 200


def fit_class_rules(task: RuleTask, n_classes: int) -> tuple[WeightedRules, ...]:
    """At most `task.most_rules` rules of all classes together: a sum for each, the logits of a
    softmax. Of two classes the sum of the second is the logarithm of its odds.

    `task.y` holds the places of classes.
    """
    if n_classes == 2:
        rules = fit_weighted_rules(task)
        return _of_two(rules if task.counted is not None else with_what_trees_say(rules, task))
    each = rules_of_classes(task, n_classes)
    with_trees = task.counted is None and len(task.y) <= MOST_ROWS and not task.conduct.over
    if len(task.y) > MOST_ROWS:
        task = task.evenly(MOST_ROWS)
    said = np.stack([part.scores(task.X) for part in each], axis=1)
    said -= said.mean(axis=1, keepdims=True)
    if with_trees:  # which see no labels of other rows
        trees = fit_boosted_trees(
            replace(task, conduct=task.conduct.quiet), discrete=True, n_classes=n_classes
        )
        theirs = np.stack([part.scores(task.X) for part in trees], axis=1)
        theirs -= theirs.mean(axis=1, keepdims=True)
        said = (1 - HALF) * said + HALF * np.clip(theirs, -FAR, FAR)
    return _condensed(each, said, task)


def as_far_as_time_goes(task: RuleTask, n_classes: int) -> RuleTask:
    """The task on as many rows as can be learned from until its deadline."""
    left = remaining(task.conduct.deadline)
    most = left / (A_CELL * n_classes * max(task.X.shape[1], 1))
    return (
        task if len(task.y) <= max(most, FEWEST_ROWS) else task.evenly(int(max(most, FEWEST_ROWS)))
    )


def rules_of_classes(task: RuleTask, n_classes: int) -> tuple[WeightedRules, ...]:
    """Rules that tell each class from the others, at most `task.most_rules` for each, made one
    distribution.
    """
    if n_classes == 2:
        return _of_two(fit_weighted_rules(task))
    rng = np.random.default_rng(task.conduct.seed)
    parts = []
    for place in range(n_classes):
        task.conduct.progress.step("rules", place, n_classes)
        conduct = task.conduct.within(1 / (n_classes - place + 1)).quiet
        parts.append(fit_weighted_rules(replace(_one_class(task, place, rng), conduct=conduct)))
    # The sums of rules for each class alone as the logits of a softmax: a factor and a base each.
    truth = np.eye(n_classes)[task.y.astype(np.int64)]
    scores = [part.scores(task.X)[None] for part in parts]
    factors, bases = fit_softmax(scores, truth, around=1.0)
    return tuple(
        replace(
            part,
            weights=part.weights * factor[0],
            intercept=float(part.intercept * factor[0] + base),
        )
        for part, factor, base in zip(parts, factors, bases)
    )


def _of_two(second: WeightedRules) -> tuple[WeightedRules, ...]:
    return WeightedRules((), np.empty(0), 0.0, True, complete=second.complete), second


def _one_class(task: RuleTask, place: int, rng: np.random.Generator) -> RuleTask:
    """A class, and as many rows of others as tell what sets it apart: of a rare one few."""
    held = task.y == place
    others = np.flatnonzero(~held)
    most = max(OTHERS * int(held.sum()), FEWEST_OTHERS)
    if len(others) > most:
        others = rng.permutation(others)[:most]
    rows = np.sort(np.concatenate((np.flatnonzero(held), others)))
    return replace(task.of_rows(rows), y=held[rows].astype(np.float64))


@dataclass(frozen=True)
class _Ordered:
    """Terms of a class, each the one that says most of what those before it do not.

    Attributes
    ----------
    values : float32 array, shape (n_terms, n_rows)
    gains : sequence of float
        What each adds, in squares of logits that are told.
    """

    terms: Sequence[Term]
    values: Float32
    gains: Sequence[float]


def _condensed(
    each: Sequence[WeightedRules], said: Float, task: RuleTask
) -> tuple[WeightedRules, ...]:
    """At most so many terms of all classes that say most of the logits of a softmax, weighed to
    give its probabilities.
    """
    probability = softmax(said)
    telling = [np.empty(0, np.int64)] * len(each)
    if not task.conduct.over:
        telling = screened_for([*said.T], task.X, discrete=False, most=MOST_COLUMNS)
    ordered = [
        _ordered(_pool(part, task, columns), logits, p * (1 - p) + 1e-3, task)
        for part, columns, logits, p in zip(each, telling, said.T, probability.T)
    ]
    numbers = _shared_out([one.gains for one in ordered], task.most_rules)
    values = [one.values[:number].astype(np.float64) for one, number in zip(ordered, numbers)]
    weights, bases = fit_softmax(values, probability)
    return tuple(
        replace(part, terms=tuple(one.terms[:number]), weights=of, intercept=float(base), losses=())
        for part, one, number, of, base in zip(each, ordered, numbers, weights, bases)
    )


def _pool(part: WeightedRules, task: RuleTask, columns: Int64) -> list[Term]:
    """The terms of a class's own rules, and those of the columns that tell most of its logits."""
    made = chain(terms_of(task.X, columns, n_cuts=N_CUTS), bent_terms(task.X, columns[:MOST_BENT]))
    return list(dict.fromkeys((*part.terms, *(one.term for one in made))))


def _ordered(pool: Sequence[Term], logits: Float, shares: Float, task: RuleTask) -> _Ordered:
    """The first terms of a pool; logits count where probabilities move with them."""
    values = np.empty((len(pool), len(logits)), np.float32)
    for place, term in enumerate(pool):
        values[place] = term.values(task.X)
    turns = list(islice(told_in_turn(values, logits, shares), task.most_rules))
    places = [place for place, _, _ in turns]
    return _Ordered([pool[at] for at in places], values[places], [gain for _, gain, _ in turns])


def _shared_out(gains: Sequence[Sequence[float]], most: int) -> list[int]:
    """How many of the first of each class are among the `most` that add most."""
    numbers = [0] * len(gains)
    for _ in range(most):
        following = [of[number] if number < len(of) else 0.0 for of, number in zip(gains, numbers)]
        best = int(np.argmax(following))
        if following[best] <= 0:
            break
        numbers[best] += 1
    return numbers
