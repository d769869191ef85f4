"""Which class is the matches: the border decides, not likelihood."""

from __future__ import annotations

import numpy as np
import pytest

from workbench.linkage.clustering import Unfound
from workbench.linkage.merit import separation
from workbench.linkage.tree import EveryPair, GivenPairs, fit_classes

RANDOM = np.random.default_rng(3)


def drawn(n: int, agree: tuple[float, ...]) -> np.ndarray:
    return np.column_stack([np.where(RANDOM.random(n) < one, 2, 1) for one in agree]).astype(
        np.int8
    )


LEVELS = np.concatenate(
    (
        drawn(300, (0.9, 0.9, 0.95, 0.95)),
        drawn(900, (0.02, 0.02, 0.98, 0.98)),
        drawn(9000, (0.02, 0.3, 0.02, 0.02)),
    )
)
MATCH = np.arange(len(LEVELS)) < 300
ONES = np.ones(len(LEVELS))


def test_separation_is_largest_at_the_true_class() -> None:
    def of(match: np.ndarray) -> float:
        return separation(
            np.where(match, 20.0, -20.0) + 0.1 * (LEVELS == 2).sum(axis=1), LEVELS, ONES
        )

    half = MATCH & (np.arange(len(LEVELS)) < 150)
    with_families = np.arange(len(LEVELS)) < 1200
    assert of(MATCH) > max(of(half), of(with_families)) + 0.2


def test_likelihood_never_falls_and_contributions_add_up() -> None:
    start = (
        np.column_stack((MATCH, ~MATCH & (LEVELS[:, 2] == 2), ~MATCH & (LEVELS[:, 2] == 1))) * 0.9
        + 0.03
    )
    model = fit_classes(
        GivenPairs(LEVELS, ONES, [3] * 4, np.ones(4)), start / start.sum(axis=1, keepdims=True)
    )
    assert (np.diff(model.trace) > -1e-6 * abs(model.trace[0])).all()
    classes = model.classes(LEVELS)
    odds = classes[:, 0] - np.log(np.exp(classes[:, 1:]).sum(axis=1))
    assert model.scores(LEVELS) == pytest.approx(odds)
    one = fit_classes(
        GivenPairs(LEVELS, ONES, [3] * 4, np.ones(4)), np.column_stack((MATCH, ~MATCH)) * 1.0
    )
    assert one.contributions(LEVELS).sum(axis=1) + one.intercept == pytest.approx(
        one.scores(LEVELS)
    )


def test_a_pair_that_no_statement_could_find_is_no_match_for_being_rare_among_candidates() -> None:
    """Each statement finds pairs that agree in its field:
    no candidate but a match differs in both.
    """
    random = np.random.default_rng(5)
    everything = np.where(random.random((400_000, 3)) < (0.01, 0.01, 0.2), 2, 1).astype(np.int8)
    found = everything[(everything[:, :2] == 2).any(axis=1)]
    matches = np.where(random.random((300, 3)) < 0.95, 2, 1).astype(np.int8)
    levels, match = np.concatenate((found, matches)), np.arange(len(found) + 300) >= len(found)
    number = float(len(everything) + 300)
    totals = tuple(
        np.bincount(np.append(everything, matches, axis=0)[:, at], minlength=3) * 1.0
        for at in range(3)
    )
    start, ones = np.column_stack((match, ~match)) * 0.98 + 0.01, np.ones(len(levels))
    model = fit_classes(
        GivenPairs(levels, ones, [3] * 3, np.ones(3), EveryPair(number, totals)), start
    )
    of_no_statement = np.array([[1, 1, 2]], np.int8)
    assert model.scores(of_no_statement)[0] < -8
    among_candidates = fit_classes(GivenPairs(levels, ones, [3] * 3, np.ones(3)), start)
    assert among_candidates.scores(of_no_statement)[0] > model.scores(of_no_statement)[0] + 3
    nothing_known = np.zeros((1, 3), np.int8)
    assert model.scores(nothing_known)[0] == pytest.approx(np.log(300 / number), abs=0.2)


def test_pairs_that_no_statement_found_are_as_likely_as_candidates_and_no_match_for_that() -> None:
    unfound = Unfound(joined=5.0, repeats=-6.0)
    within = np.array([False, False, False, False, True])
    said = unfound.applied(np.array([-7.0, -3.0, 2.0, -20.0, 4.0]), within)
    assert said == pytest.approx([-2.0, 0.0, 2.0, -15.0, -2.0])
