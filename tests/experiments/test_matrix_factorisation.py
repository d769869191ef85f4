"""Matrix factorisation recovers a noisy low-rank matrix from half of its entries."""

from __future__ import annotations

import numpy as np

from experiments.matrix_factorisation import predict_ratings


def test_hidden_entries_of_a_low_rank_matrix_are_recovered() -> None:
    rng = np.random.default_rng(0)
    truth = 0.5 + 0.1 * rng.normal(size=(60, 3)) @ rng.normal(size=(3, 40))
    seen = rng.random(truth.shape) < 0.5
    row, column = np.nonzero(seen)
    noisy = truth[row, column] + 0.01 * rng.normal(size=row.size)
    predicted = predict_ratings(row, column, noisy, factors=4, burn_in=30, samples=40)
    error = float(np.sqrt(np.mean((predicted - truth)[~seen] ** 2)))
    assert predicted.shape == truth.shape
    assert error < 0.25 * float(truth[~seen].std())
