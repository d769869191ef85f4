"""Learners that fit weights to ground networks with truth."""

from workbench.learning.choice import Choice, Validation, choose, validate
from workbench.learning.intervals import WeightIntervals, weight_intervals
from workbench.learning.learner import Example, LearnedWeights, Learner
from workbench.learning.registry import LEARNERS, make_learner

__all__ = [
    "LEARNERS",
    "Choice",
    "Example",
    "LearnedWeights",
    "Learner",
    "Validation",
    "WeightIntervals",
    "choose",
    "make_learner",
    "validate",
    "weight_intervals",
]
