"""Numbers: whether what tells them adds up, or multiplies."""

from __future__ import annotations

import numpy as np

from workbench.arrays import Float, Int64
from workbench.language.number_scale import NumberScale
from workbench.structure.boosting import Boosted, BoostingSettings
from workbench.structure.rule_task import RuleTask, random_splits
from workbench.structure.screening import screened

SPREAD = 0.2
"""Of the logarithms, at least: of numbers that vary less, sums and products say the same."""
GAIN = 0.01
"""The share of the error that logarithms spare, at least."""
MOST_ROWS, TREES = 10_000, 120
SETTINGS = BoostingSettings(rate=0.1, leaves=2, bins=63, share=0.5)
"""Trees of one question each: what they say adds up, as what rules say does."""


def scale_of(task: RuleTask) -> NumberScale:
    """What rules for a number are to add up to: its logarithm, of numbers of which some are 0 that
    of the number and one, where sums of steps of these err less on held-out rows than those of the
    number itself, by more than the gain's standard error; else the number.
    """
    y, plain = task.y, NumberScale.PLAIN
    if len(y) < 60 or y.min() < 0:
        return plain
    scale = NumberScale.POSITIVE if y.min() > 0 else NumberScale.NONNEGATIVE
    if scale.sums(y).std() < SPREAD:
        return plain
    some = task if len(y) <= MOST_ROWS else task.evenly(MOST_ROWS)
    return scale if _errs_less(some, scale) else plain


def _errs_less(task: RuleTask, scale: NumberScale) -> bool:
    y = task.y
    # Whether sums or products tell a number does not pass: any rows may judge, also earlier ones.
    held_out = random_splits(y, False, task.conduct.seed)
    errors = [_errors(task, scale, rows) for rows in held_out]
    plain, logarithms = np.concatenate([np.empty((2, 0)), *errors], axis=1)
    gain = plain - logarithms
    if not len(gain):
        return False
    return bool(gain.mean() > max(GAIN * plain.mean(), gain.std() / np.sqrt(len(gain))))


def _errors(task: RuleTask, scale: NumberScale, held_out: Int64) -> Float:
    """What trees of the number and of its logarithm, learned from other rows, err on each held-out
    row, shape (2, n_rows).
    """
    training = np.setdiff1d(np.arange(len(task.y)), held_out)
    X, seen = task.X[training], task.y[training]
    columns = screened(X, scale.sums(seen), discrete=False, most=100) if len(training) >= 40 else ()
    if not len(columns) or not len(held_out):
        return np.empty((2, 0))
    errors = []
    for one in (NumberScale.PLAIN, scale):
        trees = Boosted(X[:, columns], one.sums(seen), SETTINGS, discrete=False)
        trees.grow(TREES)
        said = one.numbers(trees.predict(task.X[np.ix_(held_out, columns)]))
        errors.append(np.abs(said - task.y[held_out]))
    return np.stack(errors)
