"""Few rules grown on what boosted trees say.

A label is one bit, and which of many terms follows it best is much chance. Trees average that out,
and few terms that are grown on their log odds tell more than the same number chosen on labels
(Breiman and Shang 1996, born-again trees). Weights and size are still those of the labels.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from workbench.arrays import Float, Int64, Real
from workbench.progress import SILENT, Progress, expired, remaining
from workbench.structure.boosted_trees import fit_boosted_trees
from workbench.structure.grown_rules import grown_terms
from workbench.structure.sparse_fits import log_loss, refitted
from workbench.structure.terms import Term
from workbench.structure.weighted_rules import RIDGES, WeightedRules, random_splits

__all__ = ["distilled_where_better"]

MOST_ROWS = 20_000
"""Beyond so many labels tell enough of themselves."""
FAR = 6.0
"""Log odds beyond which how sure trees are says nothing more."""
NEAR = 1.05
"""How much more than the rules' loss that of trees may be, for terms to be grown on them."""
PATIENCE = 8
"""Terms that may bring nothing on held-out rows before growing ends."""


def distilled_where_better(
    rules: WeightedRules,
    X: Real,
    y: Float,
    *,
    most_rules: int = 30,
    held_out: Sequence[Int64] | None = None,
    seed: int = 0,
    deadline: float | None = None,
    progress: Progress = SILENT,
) -> WeightedRules:
    """Rules grown on what trees say, where these foretell held-out rows better than `rules`; else
    `rules`.

    Parameters
    ----------
    rules : WeightedRules
        Of the same rows, with their loss on each held-out set.
    X : float array, shape (n_rows, n_candidates)
    y : float64 array, shape (n_rows,)
        0 and 1.
    held_out, seed
        As `rules` were fitted with.

    Notes
    -----
    On the rows outside each held-out set trees are fitted, and terms grown on their log odds.
    Where the trees themselves do clearly worse on the first set, nothing is grown.
    """
    splits = random_splits(y, True, seed) if held_out is None else list(held_out)
    if len(y) > MOST_ROWS or len(rules.losses) < len(splits) or remaining(deadline) < 5:
        return rules
    losses: dict[tuple[int, float], list[float]] = {}
    for number, (left_out, bar) in enumerate(zip(splits, rules.losses)):
        progress.step("rules", number, len(splits) + 1)
        training = np.setdiff1d(np.arange(len(y)), left_out)
        trees = _trees(X[training], y[training], seed, deadline)
        if not number and log_loss(trees.scores(X[left_out]), y[left_out]) > NEAR * bar:
            return rules
        learned, asked = (X[training], y[training]), (X[left_out], y[left_out])
        for choice, loss in _tried(_grown(trees, learned[0], most_rules, deadline), learned, asked):
            losses.setdefault(choice, []).append(loss)
        if expired(deadline):
            return rules
    means = {one: float(np.mean(each)) for one, each in losses.items() if len(each) == len(splits)}
    if not means or min(means.values()) >= float(np.mean(rules.losses)):
        return rules
    size, ridge = min(means, key=means.__getitem__)
    terms = _grown(_trees(X, y, seed, deadline), X, size, deadline)
    found = _weighed(list(terms), X, y, ridge)
    return replace(found, complete=not expired(deadline))


def _trees(X: Real, y: Float, seed: int, deadline: float | None) -> WeightedRules:
    return fit_boosted_trees(X, y, discrete=True, seed=seed, deadline=deadline)[0]


def _grown(trees: WeightedRules, X: Real, most: int, deadline: float | None) -> Iterator[Term]:
    return grown_terms(X, np.clip(trees.scores(X), -FAR, FAR), most, deadline)


def _tried(
    terms: Iterator[Term], learned: tuple[Real, Float], asked: tuple[Real, Float]
) -> Iterator[tuple[tuple[int, float], float]]:
    """The loss on the asked rows of the first terms, ever more of them, under each ridge."""
    (X, y), (X_asked, truth) = learned, asked
    values, asked_values = np.empty((len(X), 0)), np.empty((len(X_asked), 0))
    best, size = np.inf, 0
    for term in terms:
        values = np.column_stack((values, term.values(X)))
        asked_values = np.column_stack((asked_values, term.values(X_asked)))
        for ridge in RIDGES:
            weights, intercept = _weights(values, y, ridge)
            loss = log_loss(asked_values @ weights + intercept, truth)
            yield (values.shape[1], ridge), loss
            if loss < 0.999 * best:
                best, size = loss, values.shape[1]
        if values.shape[1] - size >= PATIENCE:
            return


def _weighed(terms: Sequence[Term], X: Real, y: Float, ridge: float) -> WeightedRules:
    weights, intercept = _weights(np.column_stack([one.values(X) for one in terms]), y, ridge)
    return WeightedRules(tuple(terms), weights, intercept, True)


def _weights(values: Float, y: Float, ridge: float) -> tuple[Float, float]:
    """The ridge is of columns of one spread."""
    spread = np.maximum(values.std(axis=0), 0.05)
    fit = refitted(values / spread, y, np.arange(values.shape[1]), ridge)
    return fit.weights / spread, fit.intercept
