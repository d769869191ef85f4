"""What EM begins with: which pairs are matches, which are alike otherwise."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from workbench.arrays import Float
from workbench.linkage.mixture import sigmoid

STEPS = 50


def root_of(falling: Callable[[float], float], low: float, high: float) -> float:
    """The root between `low` and `high`, or the end that it lies beyond, by halving."""
    for _ in range(STEPS):
        middle = (low + high) / 2.0
        low, high = (middle, high) if falling(middle) > 0 else (low, middle)
    return (low + high) / 2.0


PARTNERS = (0.05, 0.5)
"""Matches a record that strict starts take, those of the largest log odds."""
STRICTER = 3.0
ASSUMED = ((0.0, 4.0), (0.0, 8.0), (3.0, 6.0))
"""What is added to the assumed log odds of matches,
and of those and the pairs that are alike otherwise.
"""
STRICT = ((5.0, 4.0), (10.0, 0.0))
"""Taken from the assumed log odds of matches and added to those of alike pairs,
where the best start is refuted.
"""


def starts_of(
    scores: Float, less: Float, alike: Float, counts: Float, partners: float
) -> list[Float]:
    """Classes to begin with: matches,
    pairs that are alike otherwise where there are many, the rest.
    """
    plain, fewer = sigmoid(scores), sigmoid(less)
    strict = [sigmoid(scores - _shift(scores, counts, share * partners)) for share in PARTNERS]
    pairs = [(match, plain) for match in (*strict, sigmoid(scores - STRICTER))]
    pairs += [(sigmoid(less - STRICTER), fewer)]
    pairs += [(sigmoid(alike + more), sigmoid(alike + wider)) for more, wider in ASSUMED]
    found = [_classes(match, either) for match, either in pairs]
    return found + [
        np.column_stack((match, 1.0 - match))
        for match in (sigmoid(alike), sigmoid(alike - STRICTER))
    ]


def strict_starts(alike: Float) -> list[Float]:
    """Fewer matches and more pairs that are alike otherwise."""
    return [_classes(sigmoid(alike - less), sigmoid(alike + more)) for less, more in STRICT]


def halved_start(match: Float, alike: Float, counts: Float) -> Float:
    """Those of a class that are more alike than its mean as matches, the others beside."""
    weight = match * counts
    mean = float(weight @ alike) / max(float(weight.sum()), 1e-9)
    return _classes(match * sigmoid(alike - mean), match)


def _classes(match: Float, either: Float) -> Float:
    """Matches, pairs that are alike otherwise, and the rest."""
    between = either * (1.0 - match)
    classes = np.column_stack((match, between, 1.0 - match - between)) + 1e-9
    return np.asarray(classes / classes.sum(axis=1, keepdims=True))


def _shift(scores: Float, counts: Float, wanted: float) -> float:
    """What is taken from the log odds so that so many pairs are expected to match."""
    wanted = min(max(wanted, 1e-6), 0.99 * float(counts.sum()))
    reach = float(np.abs(scores).max(initial=1.0)) + 60.0
    return root_of(lambda shift: float(sigmoid(scores - shift) @ counts) - wanted, -reach, reach)
