"""Which pairs people are asked about."""

from __future__ import annotations

import numpy as np

from workbench.linkage.asked import LEAST, SURE, worth_asking


def test_the_least_sure_and_others_of_every_likelihood_are_asked_in_turn() -> None:
    rng = np.random.default_rng(1)
    scores = rng.normal(-3.0, 4.0, 3000)
    settled = rng.random(3000) < 0.1
    between = rng.integers(0, 2000, 3000)
    asked = worth_asking(scores, 0.5, between, settled, 400)
    assert len(np.unique(asked)) == 400
    assert not settled[asked].any()
    assert len(np.unique(between[asked])) == 400
    # Of pairs between two clusters the least sure, and of these the least sure of all first.
    distance = np.where(settled, np.inf, np.abs(scores - 0.5))
    least = np.array([distance[between == one].min() for one in between[asked]])
    assert (distance[asked] == least).all()
    assert distance[asked[0]] == distance.min()
    drawn = scores[asked[np.argsort(distance[asked])[200:]]]
    assert drawn.min() >= np.log(LEAST / (1 - LEAST))
    units, counts = np.unique(np.floor(np.minimum(drawn, SURE)), return_counts=True)
    assert {-5.0, -4.0, -3.0, 3.0, 4.0} <= set(units.tolist())
    assert counts[:3].max() - counts[:3].min() <= 8


def test_few_pairs_are_all_asked_about_and_none_of_none() -> None:
    scores, between = np.array([-9.0, 3.0, 0.1, -0.2]), np.arange(4)
    asked = worth_asking(scores, 0.0, between, np.zeros(4, np.bool_), 10)
    assert asked[0] == 2
    assert sorted(asked.tolist()) == [0, 1, 2, 3]
    assert not len(worth_asking(scores, 0.0, between, np.ones(4, np.bool_), 10))
