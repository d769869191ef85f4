"""Bayesian probabilistic matrix factorisation (Salakhutdinov and Mnih 2008), for ratings."""

from __future__ import annotations

import numpy as np

from workbench.arrays import Float, Int64


def predict_ratings(
    row: Int64,
    column: Int64,
    rating: Float,
    *,
    factors: int = 10,
    burn_in: int = 50,
    samples: int = 150,
    seed: int = 0,
) -> Float:
    """Posterior mean of every rating, by Gibbs sampling; shape (rows, columns).

    Factors of rows and of columns are normal, with normal-Wishart hyperpriors (their section 3.1:
    mean 0, strength 2, `factors` degrees of freedom, identity scale); the noise's precision has a
    flat gamma prior and is sampled as well. Ratings are standardised by their own mean and
    deviation. O((rows + columns) factors^3) a sample.
    """
    rng = np.random.default_rng(seed)
    centre, spread = float(rating.mean()), max(float(rating.std()), 1e-12)
    shape = (int(row.max()) + 1, int(column.max()) + 1)
    observed, value = np.zeros(shape), np.zeros(shape)
    observed[row, column], value[row, column] = 1.0, (rating - centre) / spread
    left, right = (0.1 * rng.normal(size=(size, factors)) for size in shape)
    noise = 1.0
    total = np.zeros(shape)
    for sweep in range(burn_in + samples):
        left = _factors(rng, left, right, observed, value, noise)
        right = _factors(rng, right, left, observed.T, value.T, noise)
        fitted = left @ right.T
        error = float((observed * (value - fitted) ** 2).sum())
        noise = rng.gamma(1.0 + rating.size / 2.0, 1.0 / (1.0 + error / 2.0))
        if sweep >= burn_in:
            total += fitted
    return np.asarray(centre + spread * total / samples)


def _factors(
    rng: np.random.Generator, own: Float, other: Float, observed: Float, value: Float, noise: float
) -> Float:
    """New factors of one side, each given the other's and the sampled mean and precision of all."""
    size, d = own.shape
    mean, scatter = own.mean(axis=0), np.cov(own.T, bias=True) * size
    inverse_scale = np.eye(d) + scatter + (2.0 * size / (2.0 + size)) * np.outer(mean, mean)
    root = np.linalg.cholesky(np.linalg.inv(inverse_scale)) @ _bartlett(rng, d, d + size)
    precision = root @ root.T
    centre = rng.multivariate_normal(
        size * mean / (2.0 + size), np.linalg.inv((2.0 + size) * precision)
    )
    products = (other[:, :, None] * other[:, None, :]).reshape(len(other), -1)
    each = precision + noise * (observed @ products).reshape(size, d, d)
    right = precision @ centre + noise * (observed * value) @ other
    lower = np.linalg.cholesky(each)
    middle = np.linalg.solve(each, right[:, :, None])
    return np.asarray(
        (middle + np.linalg.solve(lower.transpose(0, 2, 1), rng.normal(size=(size, d, 1))))[:, :, 0]
    )


def _bartlett(rng: np.random.Generator, d: int, freedom: int) -> Float:
    """A lower triangle T such that `T T^T` is Wishart with identity scale."""
    triangle = np.tril(rng.normal(size=(d, d)), -1)
    np.fill_diagonal(triangle, np.sqrt(rng.chisquare(freedom - np.arange(d))))
    return triangle
