"""What labels teach beside what is known without them, and where pairs are joined from."""

from __future__ import annotations

import numpy as np
import pytest

from workbench.linkage.blend import SPREAD, Blend
from workbench.linkage.estimates import best_threshold
from workbench.linkage.mixture import sigmoid


def _labels(n: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Held-out probabilities that are twice as sure as they should be, log odds without labels that
    say nothing beside them, and labels.
    """
    rng = np.random.default_rng(seed)
    true = rng.normal(-1.0, 2.0, n)
    return sigmoid(2.0 * true), rng.normal(size=n), rng.random(n) < sigmoid(true)


def test_probabilities_that_are_too_sure_come_to_hold() -> None:
    held_out, scores, match = _labels(4000, seed=1)
    blend = Blend.likeliest(held_out, scores, match)
    assert blend.taught == pytest.approx(0.5, abs=0.05)
    assert abs(blend.without) < 0.1
    told = sigmoid(blend.log_odds(held_out, scores))
    for low in (0.05, 0.2, 0.4, 0.6, 0.8):
        inside = (told >= low) & (told < low + 0.15)
        assert match[inside].mean() == pytest.approx(told[inside].mean(), abs=0.06)


def test_it_is_the_most_likely_and_few_labels_change_little() -> None:
    held_out, scores, match = _labels(12, seed=2)
    before, found = Blend(), Blend.likeliest(held_out, scores, match)

    def cost(blend: Blend) -> float:
        off = np.array([blend.start, blend.taught - before.taught, blend.without - before.without])
        wrong = np.where(match, -1.0, 1.0) * blend.log_odds(held_out, scores)
        return float(np.logaddexp(0.0, wrong).sum() + (off / SPREAD) @ (off / SPREAD) / 2)

    rng = np.random.default_rng(3)
    for step in rng.normal(scale=0.05, size=(50, 3)):
        moved = Blend(found.start + step[0], found.taught + step[1], found.without + step[2])
        assert cost(moved) >= cost(found)
    assert abs(found.taught - 1.0) < 2 * SPREAD[1]


def test_pairs_are_joined_from_half_of_the_best_expected_f1_on() -> None:
    """Beside the exact optimum over every cut, which the grid can miss by a step."""
    rng = np.random.default_rng(4)
    for centre in (-4.0, -1.0, 3.0):
        scores = rng.normal(centre, 3.0, 5000)
        told = np.sort(sigmoid(scores))[::-1]
        f1 = 2 * np.cumsum(told) / (np.arange(1, told.size + 1) + told.sum())
        found = best_threshold(scores)
        assert abs(found - f1.max() / 2) <= 0.05
    assert best_threshold(np.array([-9.0, 9.0, 9.0])) == 0.5
