"""What a study fits: rules or boosted trees for a yes-or-no or a number,
one set of rules a class for a category.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from workbench.arrays import Float, Int64, Real
from workbench.progress import SILENT, Progress
from workbench.structure.boosted_trees import fit_boosted_trees
from workbench.structure.distilled_rules import distilled_where_better
from workbench.structure.grown_rules import fit_grown_rules
from workbench.structure.rule_design import CountedLabels
from workbench.structure.sparse_fits import softmax
from workbench.structure.weighted_rules import WeightedRules, fit_weighted_rules
from workbench.tables.facts import TargetKind
from workbench.threads import one_blas_thread

__all__ = ["FittedRules", "LearnerName", "TargetKind", "fit_learner"]

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
    X: Real,
    y: Float,
    *,
    n_classes: int = 2,
    most_rules: int = 30,
    linear: Collection[int] = (),
    counted: CountedLabels | None = None,
    own: Int64 | None = None,
    held_out: Sequence[Int64] | None = None,
    seed: int = 0,
    deadline: float | None = None,
    progress: Progress = SILENT,
) -> FittedRules:
    """Fit a learner to labelled rows; `y` is 0 or 1, a number, or the place of a class.

    Columns in `linear` (labels of neighbours) stand beside trees of yes or no as they are;
    `counted` are the same to rules, which choose whether to read them by held-out rows. All on one
    thread: threads that wait for each other over short sums cost more than they give.
    """
    with one_blas_thread():
        return _fitted(
            learner,
            kind,
            X,
            y,
            n_classes,
            most_rules,
            linear,
            counted,
            own,
            held_out,
            seed,
            deadline,
            progress,
        )


def _fitted(
    learner: LearnerName,
    kind: TargetKind,
    X: Real,
    y: Float,
    n_classes: int,
    most_rules: int,
    linear: Collection[int],
    counted: CountedLabels | None,
    own: Int64 | None,
    held_out: Sequence[Int64] | None,
    seed: int,
    deadline: float | None,
    progress: Progress,
) -> FittedRules:
    if learner == "boosted_trees":
        trees = fit_boosted_trees(
            X, y, discrete=kind != "number", n_classes=n_classes if kind == "category" else 2,
            linear=linear, held_out=held_out, seed=seed, deadline=deadline, progress=progress,
        )  # fmt: skip
        if kind == "category" and len(trees) == 1:  # two classes: the odds of the second
            trees = (WeightedRules((), np.empty(0), 0.0, True), *trees)
        return FittedRules(kind, trees)
    if kind == "number":
        grown = fit_grown_rules(
            X,
            y,
            most_rules=most_rules,
            own=own,
            held_out=held_out,
            seed=seed,
            deadline=deadline,
            progress=progress,
        )
        return FittedRules(kind, (grown,))
    targets = (
        [(y == place).astype(np.float64) for place in range(n_classes)]
        if kind == "category"
        else [y]
    )
    each = max(most_rules // len(targets), 1)
    parts = tuple(
        fit_weighted_rules(
            X, target, most_rules=each, counted=counted, own=own,
            held_out=held_out, seed=seed, deadline=deadline, progress=progress,
        )
        for target in targets
    )  # fmt: skip
    if kind == "category":
        return FittedRules(kind, _joined(parts, X, y))
    (rules,) = parts
    if counted is not None:  # trees see no labels of other rows
        return FittedRules(kind, parts)
    better = distilled_where_better(
        rules, X, y, most_rules=most_rules, held_out=held_out, seed=seed, deadline=deadline,
        progress=progress,
    )  # fmt: skip
    return FittedRules(kind, (better,))


def _joined(parts: tuple[WeightedRules, ...], X: Real, y: Float) -> tuple[WeightedRules, ...]:
    """Rules for each class against the rest, made one distribution over the classes.

    The sums, times one factor and with a base for each class, are the logits of a softmax; factor
    and bases are those of the greatest likelihood, under a slight pull to what the parts say.
    """
    from scipy.optimize import minimize

    scores = np.stack([part.scores(X) for part in parts], axis=1)
    place = y.astype(np.int64)

    def loss(at: Float) -> tuple[float, Float]:
        logits = at[0] * scores + at[1:]
        probability = softmax(logits)
        told = probability[np.arange(len(place)), place]
        lost = -float(np.log(np.maximum(told, 1e-300)).sum())
        error = probability.copy()
        error[np.arange(len(place)), place] -= 1
        pull = np.concatenate(([at[0] - 1], at[1:]))
        gradient = np.concatenate(([float((error * scores).sum())], error.sum(axis=0)))
        return lost + 0.5 * float(pull @ pull), gradient + pull

    with one_blas_thread():
        found = minimize(loss, np.append(1.0, np.zeros(len(parts))), jac=True, method="L-BFGS-B").x
    return tuple(
        replace(
            part, weights=part.weights * found[0], intercept=float(part.intercept * found[0] + base)
        )
        for part, base in zip(parts, found[1:])
    )
