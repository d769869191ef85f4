"""Weights of few columns for each class, as the logits of a softmax."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from workbench.arrays import Float

PULL = 1.0
"""On the squares of weights; a hundredth of it on bases."""


def fit_softmax(
    columns: Sequence[Float], target: Float, around: float = 0.0
) -> tuple[list[Float], Float]:
    """Weights of each class's columns, and its base, under which the target is likeliest.

    The least cross entropy of the target and the softmax of the sums, and a slight pull of weights
    to `around`, by L-BFGS (Liu and Nocedal 1989). O(cells) a step.

    Parameters
    ----------
    columns : sequence of float64 arrays, shape (n_columns, n_rows)
        Those of each class; any number of them.
    target : float64 array, shape (n_rows, n_classes)
        Probabilities; 0 and 1 of labels.

    Returns
    -------
    weights : list of float64 arrays, shape (n_columns,)
    bases : float64 array, shape (n_classes,)
    """
    from scipy.optimize import minimize

    ends = np.cumsum([len(one) for one in columns])
    width, n_classes = int(ends[-1]), len(columns)
    near = np.append(np.full(width, around), np.zeros(n_classes))
    pull = np.append(np.full(width, PULL), np.full(n_classes, PULL / 100))

    def parts(at: Float) -> list[Float]:
        return np.split(at[:width], ends[:-1])

    def loss(at: Float) -> tuple[float, Float]:
        logits = np.stack([of @ one for of, one in zip(parts(at), columns)], axis=1) + at[width:]
        largest = logits.max(axis=1, keepdims=True)
        powers = np.exp(logits - largest)
        total = powers.sum(axis=1, keepdims=True)
        lost = float((np.log(total) + largest).sum() - (target * logits).sum())
        error = powers / total - target
        slopes = np.concatenate(
            [*(one @ error[:, k] for k, one in enumerate(columns)), error.sum(0)]
        )
        off = at - near
        return lost + 0.5 * float(pull @ off**2), slopes + pull * off

    found = minimize(loss, near, jac=True, method="L-BFGS-B").x
    return parts(found), found[width:]
