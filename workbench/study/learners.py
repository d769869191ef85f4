"""What a study fits: rules or boosted trees for a yes-or-no or a number, one set of rules a class for a category."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from workbench.arrays import Float, Int64, Real
from workbench.progress import SILENT, Progress
from workbench.structure.boosted_trees import fit_boosted_trees
from workbench.structure.weighted_rules import WeightedRules, fit_weighted_rules

__all__ = ["FittedRules", "LearnerName", "TargetKind", "fit_learner"]

LearnerName = Literal["rules", "boosted_trees"]
TargetKind = Literal["yes/no", "category", "number"]


@dataclass(frozen=True)
class FittedRules:
    """The weighted rules of each part of a target: one part, or one for each class of a category.

    Attributes
    ----------
    kind : {'yes/no', 'category', 'number'}
    parts : tuple of WeightedRules
    """

    kind: TargetKind
    parts: tuple[WeightedRules, ...]

    def predict(self, X: Real) -> Float:
        """Probabilities or numbers, shape (n,); of a category probabilities that sum to 1, shape (n, n_classes)."""
        if self.kind != "category":
            return self.parts[0].predict(X)
        each = np.stack([part.predict(X) for part in self.parts], axis=1)
        return np.asarray(each / np.maximum(each.sum(axis=1, keepdims=True), 1e-12))

    @property
    def columns(self) -> tuple[int, ...]:
        """The candidates that some rule reads, ascending."""
        return tuple(sorted({at for part in self.parts for term in part.terms for at in term.columns}))

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
    own: Int64 | None = None,
    held_out: Sequence[Int64] | None = None,
    seed: int = 0,
    deadline: float | None = None,
    progress: Progress = SILENT,
) -> FittedRules:
    """Fit a learner to labelled rows; `y` is 0 or 1, a number, or the place of a class.

    Columns in `linear` (labels of neighbours) enter rules as they are; trees, which could only cut them, do without.
    """
    targets = [(y == place).astype(np.float64) for place in range(n_classes)] if kind == "category" else [y]
    each = max(most_rules // len(targets), 1)
    parts = []
    for target in targets:
        if learner == "rules":
            part = fit_weighted_rules(
                X, target, discrete=kind != "number", most_rules=each, linear=linear, own=own,
                held_out=held_out, seed=seed, deadline=deadline, progress=progress,
            )  # fmt: skip
        else:
            part = fit_boosted_trees(
                X, target, discrete=kind != "number", without=linear, held_out=held_out, seed=seed,
                deadline=deadline, progress=progress,
            )  # fmt: skip
        parts.append(part)
    return FittedRules(kind, tuple(parts))
