"""Gradient boosting of small trees: classes by their likelihood, numbers by absolute error.

What scikit-learn's HistGradientBoosting does, tree by tree and without its work around each.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.arrays import Bool, Float, Float32, Int64, Real, UInt8
from workbench.network.compiled import allocating
from workbench.structure.sparse_fits import sigmoid, softmax
from workbench.structure.tree_growth import Grown, grow_tree


@dataclass(frozen=True)
class BoostingSettings:
    """How trees are grown.

    Attributes
    ----------
    rate : float
        By which leaves' values are multiplied.
    leaves, bins, least : int
        Leaves of a tree and bins of known values of a column, at most; rows of a leaf, at least.
    share : float
        Of the columns, drawn for each node, that may be cut there.
    """

    rate: float = 0.06
    leaves: int = 15
    bins: int = 255
    least: int = 20
    l2: float = 0.0
    share: float = 1.0
    seed: int = 0


@dataclass(frozen=True)
class Tree:
    """A tree of thresholds: a node a place, the root first.

    Attributes
    ----------
    column : int64 array, shape (n_nodes,)
        -1 in leaves.
    threshold : float64 array, shape (n_nodes,)
        Values up to it go left; infinity where known values part from unknown ones.
    unknown_left : bool array, shape (n_nodes,)
    left : int64 array, shape (n_nodes,)
        The right child is the next.
    value : float64 array, shape (n_nodes,)
    """

    column: Int64
    threshold: Float
    unknown_left: Bool
    left: Int64
    value: Float

    def scores(self, X: Real) -> Float:
        """The value of the leaf of each row."""
        at = _leaves(X, self.column, self.threshold, self.unknown_left, self.left)
        return np.asarray(self.value[at])


@allocating
def _leaves(X: Real, column: Int64, threshold: Float, unknown_left: Bool, left: Int64) -> Int64:
    found = np.zeros(len(X), np.int64)
    for row in range(len(X)):
        at = 0
        while left[at]:
            x = X[row, column[at]]
            goes = unknown_left[at] if np.isnan(x) else x <= threshold[at]
            at = left[at] + (0 if goes else 1)
        found[row] = at
    return found


class Boosted:
    """A growing sum of trees for each class, for one of two, or for a number.

    Attributes
    ----------
    classes : float64 array
        The labels that occur; empty for numbers.
    base : float64 array, shape (n_sums,)
        What each sum begins with: one of two classes, or of numbers, as many as there are classes.
    trees : list of list of Tree
        A list a round, a tree a sum.
    """

    def __init__(self, X: Real, y: Float, settings: BoostingSettings, *, discrete: bool) -> None:
        self.settings, self.discrete, self.y = settings, discrete, y
        self.classes = np.unique(y) if discrete else np.empty(0)
        self.base = self._base()
        self.trees: list[list[Tree]] = []
        self._cuts = [_thresholds(column, settings.bins) for column in np.asarray(X.T, np.float64)]
        self._bins = _binned(X, self._cuts)
        sizes = [len(cuts) + 2 for cuts in self._cuts]
        self._begins = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
        self._room = np.empty((settings.leaves, self._begins[-1], 3))
        self._unknown = np.asarray(np.isnan(X).any(axis=0))
        self._said = np.tile(self.base, (len(y), 1))
        self._masks = _Masks(X.shape[1], settings)

    def grow(self, rounds: int) -> None:
        """So many rounds more."""
        for _ in range(rounds):
            gradients, hessians = self._slopes()
            self.trees.append(
                [
                    self._grown(place, gradients[place], hessians[place])
                    for place in range(len(self.base))
                ]
            )

    def scores(self, X: Real, since: int | None = None) -> Float:
        """The sums, shape (n_rows, n_sums); only of the rounds from one on, without the base."""
        X = np.ascontiguousarray(X, np.float64)
        total = (
            np.tile(self.base, (len(X), 1)) if since is None else np.zeros((len(X), len(self.base)))
        )
        for trees in self.trees[since or 0 :]:
            for place, tree in enumerate(trees):
                total[:, place] += tree.scores(X)
        return total

    def predict(self, X: Real) -> Float:
        """Probabilities of the classes, shape (n_rows, n_classes); or numbers, shape (n_rows,)."""
        return self.predicted(self.scores(X))

    def predicted(self, scores: Float) -> Float:
        """What the sums make of rows."""
        if not self.discrete:
            return np.asarray(scores[:, 0])
        return _probabilities(scores)

    def _base(self) -> Float:
        if not self.discrete:
            return np.array([np.median(self.y)])
        tiny = 10 * np.finfo(np.float64).eps
        if len(self.classes) == 2:
            share = np.clip(np.mean(self.y == self.classes[1]), tiny, 1 - tiny)
            return np.array([np.log(share / (1 - share))])
        shares = np.clip([np.mean(self.y == one) for one in self.classes], tiny, 1 - tiny)
        return np.asarray(np.log(shares) - np.log(shares).mean())

    def _slopes(self) -> tuple[Float32, Float32]:
        """Gradients and hessians of the loss, shape (n_sums, n_rows)."""
        if not self.discrete:
            gradients = np.where(self._said[:, 0] > self.y, 1.0, -1.0)[None]
            return gradients.astype(np.float32), np.ones(gradients.shape, np.float32)
        held = self.y == self.classes[-len(self.base) :, None]
        p = np.ascontiguousarray(_probabilities(self._said)[:, -len(self.base) :].T)
        return (p - held).astype(np.float32), (p * (1 - p)).astype(np.float32)

    def _grown(self, place: int, gradients: Float32, hessians: Float32) -> Tree:
        settings = self.settings
        grown = Grown(
            *grow_tree(
                self._bins,
                self._begins,
                self._unknown,
                gradients,
                hessians,
                self._masks.next(),
                self._room,
                settings.least,
                settings.l2,
            )
        )
        self._masks.used(grown.used)
        value = settings.rate * grown.value
        said = self._said[:, place]
        if not self.discrete:  # the gradient of an absolute error says nothing of how far to go
            for leaf in np.flatnonzero(grown.left == 0):
                rows = grown.leaf == leaf
                value[leaf] = settings.rate * np.median(self.y[rows] - said[rows])
        said += value[grown.leaf]
        threshold = np.zeros(len(value))
        for node in np.flatnonzero(grown.left > 0):
            cuts = self._cuts[grown.column[node]]
            cut = grown.cut[node]
            threshold[node] = cuts[cut] if cut < len(cuts) else np.inf
        return Tree(grown.column, threshold, grown.unknown_left, grown.left, value)


def _probabilities(scores: Float) -> Float:
    """Of two classes from the log odds of the second; of more from a sum each."""
    if scores.shape[1] == 1:
        second = sigmoid(scores)
        return np.concatenate((1 - second, second), axis=1)
    return softmax(scores)


class _Masks:
    """Which columns may be cut, drawn for one node after the other."""

    def __init__(self, n_columns: int, settings: BoostingSettings) -> None:
        old = np.random.RandomState(settings.seed)
        old.randint(np.iinfo(np.uint32).max, dtype="u8")  # scikit-learn's own draw before this one
        self._random = np.random.default_rng(old.randint(np.iinfo(np.uint32).max, dtype="u8"))
        self._n = max(1, int(np.ceil(settings.share * n_columns)))
        self._all = np.ones((2 * settings.leaves, n_columns), np.bool_)
        self._drawn = self._all[:0]

    def next(self) -> Bool:
        """Enough for a tree."""
        if self._n == self._all.shape[1]:
            return self._all
        more = np.zeros((len(self._all) - len(self._drawn), self._all.shape[1]), np.bool_)
        more[:, : self._n] = True
        for mask in more:
            self._random.shuffle(mask)
        self._drawn = np.concatenate((self._drawn, more))
        return self._drawn

    def used(self, n: int) -> None:
        """The first so many are not to be given again."""
        self._drawn = self._drawn[n:]


def _thresholds(values: Float, most: int) -> Float:
    """What parts the bins of a column, ascending: between all values, or between equal shares."""
    known = np.sort(values[~np.isnan(values)])
    distinct = known[np.append(True, known[1:] != known[:-1])[: len(known)]]
    if len(distinct) <= most:
        return np.asarray((distinct[1:] + distinct[:-1]) / 2)
    # The values at both sides of each share of the rows (NumPy's `averaged_inverted_cdf`).
    at = len(known) * (np.linspace(0, 100, most + 1)[1:-1] / 100) - 1
    low = np.floor(at).astype(np.int64)
    cuts = np.where(at > low, known[low + 1], (known[low] + known[low + 1]) / 2)
    return np.asarray(cuts[np.append(True, cuts[1:] != cuts[:-1])])


def _binned(X: Real, cuts: list[Float]) -> UInt8:
    """The bin of each value, shape (n_rows, n_columns); unknown ones behind all others."""
    found = np.empty(X.shape, np.uint8)
    for column, values in enumerate(np.ascontiguousarray(X.T)):
        places = np.searchsorted(cuts[column], values)
        found[:, column] = np.where(np.isnan(values), len(cuts[column]) + 1, places)
    return found
