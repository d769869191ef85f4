"""Learners that fit weights to ground networks with truth."""

from workbench.learning.choice import Choice, Validation, choose, validate
from workbench.learning.intervals import WeightIntervals, weight_intervals
from workbench.learning.learner import Declaration, LearnedWeights, Learner
from workbench.learning.registry import LEARNERS, default_learner, learners_table, make_learner
from workbench.learning.training import Example, hidden_among_labelled
