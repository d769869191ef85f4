"""Positive numbers: whether what tells them adds up, or multiplies."""

from __future__ import annotations

import numpy as np

from workbench.structure.boosting import Boosted, BoostingSettings
from workbench.structure.rule_task import RuleTask
from workbench.structure.screening import screened

SPREAD = 0.5
"""Of the logarithms, at least: of numbers that vary less, sums and products say the same."""
GAIN = 0.97
"""Of the error of trees of the numbers, at most, that trees of their logarithms leave."""
MOST_ROWS, TREES = 10_000, 60
SETTINGS = BoostingSettings(rate=0.1, leaves=8, bins=63, share=0.5)


def by_logarithms(task: RuleTask) -> bool:
    """Whether few trees of a number's logarithm err clearly less on held-out rows than trees of the
    number itself.
    """
    y = task.y
    if len(y) < 60 or y.min() <= 0 or np.log(y).std() < SPREAD:
        return False
    if len(y) > MOST_ROWS:
        return by_logarithms(task.evenly(MOST_ROWS))
    held_out = task.splits(discrete=False)[0]
    training = np.setdiff1d(np.arange(len(y)), held_out)
    if len(training) < 40 or not len(held_out):
        return False
    X, seen = task.X[training], y[training]
    columns = screened(X, np.log(seen), discrete=False, most=100)
    if not len(columns):
        return False
    errors = []
    for numbers, back in ((seen, np.asarray), (np.log(seen), np.exp)):
        trees = Boosted(X[:, columns], numbers, SETTINGS, discrete=False)
        trees.grow(TREES)
        said = back(trees.predict(task.X[np.ix_(held_out, columns)]))
        errors.append(float(np.abs(said - y[held_out]).mean()))
    return errors[1] < GAIN * errors[0]
