"""Which class is the matches: the border decides, not likelihood."""

from __future__ import annotations

import numpy as np
import pytest

from workbench.linkage.merit import separation
from workbench.linkage.tree import fit_classes

RANDOM = np.random.default_rng(3)


def drawn(n: int, agree: tuple[float, ...]) -> np.ndarray:
    return np.column_stack([np.where(RANDOM.random(n) < one, 2, 1) for one in agree]).astype(np.int8)


LEVELS = np.concatenate(
    (drawn(300, (0.9, 0.9, 0.95, 0.95)), drawn(900, (0.02, 0.02, 0.98, 0.98)), drawn(9000, (0.02, 0.3, 0.02, 0.02)))
)
MATCH = np.arange(len(LEVELS)) < 300
ONES = np.ones(len(LEVELS))


def test_separation_is_largest_at_the_true_class() -> None:
    def of(match: np.ndarray) -> float:
        return separation(np.where(match, 20.0, -20.0) + 0.1 * (LEVELS == 2).sum(axis=1), LEVELS, ONES)

    half = MATCH & (np.arange(len(LEVELS)) < 150)
    with_families = np.arange(len(LEVELS)) < 1200
    assert of(MATCH) > max(of(half), of(with_families)) + 0.2


def test_likelihood_never_falls_and_contributions_add_up() -> None:
    start = np.column_stack((MATCH, ~MATCH & (LEVELS[:, 2] == 2), ~MATCH & (LEVELS[:, 2] == 1))) * 0.9 + 0.03
    model = fit_classes(LEVELS, ONES, start / start.sum(axis=1, keepdims=True), [3] * 4, np.ones(4))
    assert (np.diff(model.trace) > -1e-6 * abs(model.trace[0])).all()
    classes = model.classes(LEVELS)
    odds = classes[:, 0] - np.log(np.exp(classes[:, 1:]).sum(axis=1))
    assert model.scores(LEVELS) == pytest.approx(odds)
    one = fit_classes(LEVELS, ONES, np.column_stack((MATCH, ~MATCH)) * 1.0, [3] * 4, np.ones(4))
    assert one.contributions(LEVELS).sum(axis=1) + one.intercept == pytest.approx(one.scores(LEVELS))
