"""What a study fits: rules or boosted trees for a yes-or-no or a number,
one set of rules a class for a category.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from workbench.arrays import Float, Real
from workbench.structure.boosted_trees import fit_boosted_trees
from workbench.structure.class_rules import as_far_as_time_goes, fit_class_rules, rules_of_classes
from workbench.structure.distilled_rules import with_what_trees_say
from workbench.structure.grown_rules import fit_grown_rules
from workbench.structure.number_scales import scale_of
from workbench.structure.rule_task import RuleTask
from workbench.structure.sparse_fits import softmax
from workbench.structure.weighted_rules import WeightedRules, fit_weighted_rules, mean_of
from workbench.tables.facts import TargetKind
from workbench.threads import one_blas_thread

LearnerName = Literal["rules", "boosted_trees"]


@dataclass(frozen=True)
class FittedRules:
    """The weighted rules of each part of a target: one part, or one for each class of a category.

    Attributes
    ----------
    kind : {'yes/no', 'category', 'number'}
    """

    kind: TargetKind
    parts: tuple[WeightedRules, ...]

    def predict(self, X: Real) -> Float:
        """Probabilities or numbers, shape (n,); of a category probabilities that sum to 1,
        shape (n, n_classes).
        """
        if self.kind != "category":
            return self.parts[0].predict(X)
        each = np.stack([part.scores(X) for part in self.parts], axis=1)
        return softmax(each)

    @property
    def columns(self) -> tuple[int, ...]:
        """The candidates that some rule reads, ascending."""
        return tuple(
            sorted({at for part in self.parts for term in part.terms for at in term.columns})
        )

    @property
    def alone(self) -> FittedRules | None:
        """What a fit without the columns that enter as they are would be, where that is known."""
        parts = tuple(part.alone for part in self.parts if part.alone is not None)
        return replace(self, parts=parts) if len(parts) == len(self.parts) else None

    @property
    def complete(self) -> bool:
        """Whether no fit ran out of time."""
        return all(part.complete for part in self.parts)


def fit_learner(
    learner: LearnerName,
    kind: TargetKind,
    task: RuleTask,
    *,
    n_classes: int = 2,
    linear: Collection[int] = (),
) -> FittedRules:
    """Fit a learner to labelled rows; `task.y` is 0 or 1, a number, or the place of a class.

    Columns in `linear` (labels of neighbours) stand beside trees of yes or no as they are;
    `task.counted` are the same to rules, which choose whether to read them by held-out rows. All on
    one thread: threads that wait for each other over short sums cost more than they give.
    """
    with one_blas_thread():
        if kind == "category" and n_classes > 2:
            fewer = as_far_as_time_goes(task, n_classes)
            parts = _parts(learner, kind, fewer, n_classes, linear)
            if len(fewer.y) < len(task.y):
                parts = tuple(replace(one, complete=False) for one in parts)
            return FittedRules(kind, parts)
        if kind != "number":
            return FittedRules(kind, _parts(learner, kind, task, n_classes, linear))
        scale = scale_of(task)
        parts = _parts(learner, kind, replace(task, y=scale.sums(task.y)), n_classes, linear)
        return FittedRules(kind, tuple(replace(one, scale=scale) for one in parts))


def _parts(
    learner: LearnerName,
    kind: TargetKind,
    task: RuleTask,
    n_classes: int,
    linear: Collection[int],
) -> tuple[WeightedRules, ...]:
    if learner == "boosted_trees":
        return _trees(kind, task, n_classes, linear)
    return tuple(part.without_slight(task.X) for part in _rules(kind, task, n_classes))


def _rules(kind: TargetKind, task: RuleTask, n_classes: int) -> tuple[WeightedRules, ...]:
    if kind == "number":
        return (fit_grown_rules(task),)
    if kind == "category":
        return fit_class_rules(task, n_classes)
    return (_rules_and_trees_said(task),)


def _rules_and_trees_said(task: RuleTask) -> WeightedRules:
    rules = fit_weighted_rules(task)
    # Trees see no labels of other rows.
    return rules if task.counted is not None else with_what_trees_say(rules, task)


def _trees(
    kind: TargetKind, task: RuleTask, n_classes: int, linear: Collection[int]
) -> tuple[WeightedRules, ...]:
    """Boosted trees, and the rules of the same rows, each counting half; trees alone where held-out
    rows say clearly that rules err more.

    Trees miss what is straight, rules what is not, and what either takes from chance is not the
    other's: the mean of two such models mostly foretells more than either.
    """
    classes = n_classes if kind == "category" else 2
    first = replace(task, conduct=task.conduct.within(0.5))
    trees = fit_boosted_trees(first, discrete=kind != "number", n_classes=classes, linear=linear)
    if kind == "category" and len(trees) == 1:  # two classes: the odds of the second
        trees = (WeightedRules((), np.empty(0), 0.0, True), *trees)
    if task.conduct.over:
        return trees
    X = task.X.copy() if linear else task.X
    X[:, list(linear)] = np.nan
    blind = replace(task, X=X, counted=None)
    if kind == "category":
        rules = rules_of_classes(blind, n_classes)
    else:
        rules = (fit_weighted_rules(blind) if kind == "yes/no" else fit_grown_rules(blind),)
    if not any(part.terms for part in rules) or _err_more(rules, trees):
        return trees
    return tuple(mean_of(one, other) for one, other in zip(trees, rules))


def _err_more(rules: tuple[WeightedRules, ...], trees: tuple[WeightedRules, ...]) -> bool:
    """Whether rules clearly err more on the rows that chose the trees' number, where both were
    judged by one loss.
    """
    losses = (
        [part.losses[0] for (part,) in (rules, trees) if part.losses] if len(rules) == 1 else []
    )
    return len(losses) == 2 and losses[0] > CLEARLY * losses[1]


CLEARLY = 1.05
