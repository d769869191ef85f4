"""Intervals of weights against finite differences, a closed form, and each other."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.learning.small_networks import network, random_network, templates
from tests.learning.test_pseudo_likelihood import labels_for, with_block
from workbench.errors import UsageError
from workbench.learning import Example
from workbench.learning.flip_counts import flip_counts
from workbench.learning.intervals import information, weight_intervals
from workbench.network import Domain
from workbench.progress import Conduct


@pytest.mark.parametrize("seed", range(4))
def test_information_is_the_negative_hessian(seed: int) -> None:
    net = with_block(random_network(seed), [0, 1], seed % 2)
    counts = flip_counts(net, labels_for(net, seed))
    weights = np.random.default_rng(seed).normal(size=net.n_templates)
    numeric = [
        (counts.log_likelihood(weights - step)[1] - counts.log_likelihood(weights + step)[1]) / 2e-5
        for step in np.eye(net.n_templates) * 1e-5
    ]
    assert np.allclose(information(counts, weights), numeric, atol=1e-6)


def coins(true: int, false: int) -> Example:
    """Atoms that one unit clause speaks of, so many of them true."""
    n = true + false
    return Example(
        network([], n, 2, unit=np.c_[np.ones(n), np.zeros(n)]),
        np.r_[np.ones(true), np.zeros(false)],
    )


def test_laplace_of_coins_is_the_textbook_interval() -> None:
    found = weight_intervals(
        [coins(60, 40)], templates(2), np.array([np.log(1.5), 0.0]), prior_sd=np.inf
    )
    half = 1.959964 / np.sqrt(100 * 0.6 * 0.4)
    assert found.high - found.low == pytest.approx([2 * half, np.inf])
    fixed = weight_intervals(
        [coins(60, 40)], templates(2, fixed=(1,)), np.array([np.log(1.5), 0.7])
    )
    assert (fixed.low[1], fixed.high[1]) == (0.7, 0.7)


@pytest.mark.parametrize(("worlds", "unit"), [(1, "atoms"), (5, "worlds")])
def test_the_bootstrap_agrees_where_terms_are_independent(worlds: int, unit: str) -> None:
    examples = [coins(60, 40)] * worlds
    weights = np.array([np.log(1.5), 0.0])
    found = weight_intervals(
        examples, templates(2), weights, method="bootstrap", resamples=300, conduct=Conduct(1)
    )
    laplace = weight_intervals(examples, templates(2), weights)
    assert found.resampled == unit
    wide = (laplace.high - laplace.low)[0]
    assert (found.high - found.low)[0] == pytest.approx(
        wide if worlds == 1 else 0.0, rel=0.15, abs=1e-3
    )
    again = weight_intervals(
        examples, templates(2), weights, method="bootstrap", resamples=300, conduct=Conduct(1)
    )
    assert np.array_equal(found.low, again.low)


def test_hinge_weights_stay_above_zero() -> None:
    net = replace(network([(0, (1, 2)), (1, (-1, 2)), (1, (-2,))], 2, 2), domain=Domain.UNIT)
    found = weight_intervals(
        [Example(net, np.array([0.4, 0.6]))], templates(2), np.array([0.5, 1.0])
    )
    assert (found.low >= 0).all()
    assert (found.high > [0.5, 1.0]).all()
    with pytest.raises(UsageError, match="laplace"):
        weight_intervals(
            [Example(net, np.array([0.4, 0.6]))], templates(2), np.ones(2), method="bootstrap"
        )
