"""Few terms that say what a few and all others say together.

Which of many columns alike a sparse fit keeps is much chance, a dense one under a ridge spreads
weights over all of them; both err differently, and their mean foretells more than either. It can be
told by few terms again, whose weights are those of the mean: labels would bring the chance back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from workbench.arrays import Float, Int64, Real

HALF = 0.5
CLEARLY = 2.0
"""Standard errors by which another share must err less."""
SHARES = (0.0, 0.25, HALF, 0.75, 1.0)
"""How much of what is said all terms say."""
ENOUGH = 0.98
"""Of the variance of what is said: more terms would be more to read."""
OWN = 0.02
"""Of a column's variance: one of which others tell more is none of its own."""


def share_of_all(
    few: Sequence[Float], every: Sequence[Float], errors: Callable[[int, Float], Float]
) -> tuple[float, tuple[float, ...]]:
    """How much all terms count, and the mean error on each held-out set.

    Half, unless held-out rows say clearly otherwise: few terms are the best of very many tries, and
    seem better than they are.

    Parameters
    ----------
    few, every : sequence of float64 arrays
        What each says of each held-out set.
    errors : callable
        What each row errs, from the number of a set and what is said.
    """
    of = {
        share: [
            errors(number, (1 - share) * one + share * other)
            for number, (one, other) in enumerate(zip(few, every))
        ]
        for share in SHARES
    }
    means = {share: float(np.mean([*map(np.mean, each)])) for share, each in of.items()}
    best = min(means, key=means.__getitem__)
    more = np.concatenate(of[HALF]) - np.concatenate(of[best])
    share = best if more.mean() > CLEARLY * more.std() / np.sqrt(len(more)) else HALF
    return share, tuple(float(one.mean()) for one in of[share])


def condensed(
    columns: Real | Float, said: Float, most: int, enough: float = ENOUGH
) -> tuple[Int64, Float, float]:
    """Places, weights and intercept of at most so many columns, shape (n_columns, n_rows), whose
    weighted sum is near what is said, shape (n_rows,): up to `enough` of its variance.
    """
    middle = float(said.mean())
    apart, kept = said - middle, list[int]()
    left = float(apart @ apart)
    bar = (1 - enough) * left
    turns = told_in_turn(columns, said)
    while len(kept) < most and left > bar and (turn := next(turns, None)):
        kept.append(turn.place)
        left = turn.left
    centre = columns[kept].mean(axis=1)
    chosen = (columns[kept] - centre[:, None]).astype(np.float64)
    weights = np.linalg.solve(chosen @ chosen.T + np.eye(len(kept)), chosen @ apart)
    return np.array(kept, np.int64), weights, middle - float(weights @ centre)


class Turn(NamedTuple):
    """The place of a column, and of the squares of what is said what it adds and leaves."""

    place: int
    gain: float
    left: float


def told_in_turn(columns: Real | Float, said: Float, shares: Float | None = None) -> Iterator[Turn]:
    """Columns, shape (n_columns, n_rows), one after the other: each the one that tells most of what
    those before it leave of what is said, shape (n_rows,).

    Orthogonal least squares (Chen, Billings and Luo 1989); `shares`: how much each row counts, all
    the same where it is None.
    """
    root = None if shares is None else np.sqrt(shares).astype(columns.dtype)
    if root is None or shares is None:
        apart, left = columns - columns.mean(axis=1)[:, None], said - float(said.mean())
    else:
        even = shares / shares.sum()
        apart = (columns - (columns @ even.astype(columns.dtype))[:, None]) * root
        left = (said - float(even @ said)) * root
    basis = np.empty((0, len(said)))
    sizes = np.asarray(np.einsum("ij,ij->i", apart, apart), np.float64)
    own, before = OWN * sizes, float(left @ left)
    while True:
        told = (apart @ left.astype(apart.dtype)).astype(np.float64) ** 2
        told = np.where(sizes > own, told / np.maximum(sizes, 1e-300), 0.0)
        if not len(told) or told.max() <= 0:
            return
        best = int(told.argmax())
        rest = apart[best] - basis.T @ (basis @ apart[best])
        unit = rest / np.linalg.norm(rest)
        basis = np.vstack((basis, unit))
        left = left - (left @ unit) * unit
        now = float(left @ left)
        yield Turn(best, before - now, now)
        before = now
        sizes = sizes - (apart @ unit.astype(apart.dtype)) ** 2
        sizes[best] = 0.0
