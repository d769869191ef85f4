"""Learners that fit weights to ground networks with truth."""

from workbench.learning.intervals import WeightIntervals, weight_intervals
from workbench.learning.learner import Example, LearnedWeights, Learner
from workbench.learning.registry import LEARNERS, make_learner
from workbench.learning.validation import Validation, validate

__all__ = [
    "LEARNERS",
    "Example",
    "LearnedWeights",
    "Learner",
    "Validation",
    "WeightIntervals",
    "make_learner",
    "validate",
    "weight_intervals",
]
