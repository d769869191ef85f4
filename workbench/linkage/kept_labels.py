"""What labels taught, without the records that they name: asked of pairs of others; fitted
trees are arrays, which need no library that fits them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, field
from typing import Any

import numpy as np

from workbench.arrays import Array, Float, Int64
from workbench.linkage.blend import Blend
from workbench.linkage.blocking import Pairs
from workbench.linkage.fields import Field
from workbench.linkage.mixture import sigmoid
from workbench.linkage.supervised import EVERYWHERE, Supervised, design_of, words_of

CHUNK = 1 << 12
"""Rows that are asked at once."""


@dataclass(frozen=True)
class Forest:
    """Binary trees, node after node; a row goes left where its feature is at most the threshold.

    Attributes
    ----------
    roots : int64 array, shape (n_trees,)
    feature : int64 array, shape (n_nodes,)
    threshold, value : float64 arrays, shape (n_nodes,)
    left, right : int64 arrays, shape (n_nodes,)
        A leaf has itself on either side.
    """

    roots: Int64
    feature: Int64
    threshold: Float
    value: Float
    left: Int64
    right: Int64

    @classmethod
    def of_trees(cls, trees: Any) -> Forest:
        """Scikit-learn's `ExtraTreesClassifier` of two classes:
        the share of the second at each leaf.
        """
        parts = [
            {
                "feature": one.feature,
                "leaf": one.children_left < 0,
                "threshold": one.threshold,
                "value": one.value[:, 0, 1] / one.value[:, 0].sum(axis=1),
                "left": one.children_left,
                "right": one.children_right,
            }
            for one in (tree.tree_ for tree in trees.estimators_)
        ]
        return cls._joined(parts)

    @classmethod
    def of_boosted(cls, boosted: Any) -> Forest:
        """Scikit-learn's `HistGradientBoostingClassifier` of two classes,
        over columns without missing values.
        """
        parts = [
            {
                "feature": nodes["feature_idx"],
                "leaf": nodes["is_leaf"] > 0,
                "threshold": nodes["num_threshold"],
                "value": nodes["value"],
                "left": nodes["left"],
                "right": nodes["right"],
            }
            for nodes in (predictor.nodes for (predictor,) in boosted._predictors)
        ]
        return cls._joined(parts)

    @classmethod
    def _joined(cls, parts: Sequence[Mapping[str, Array]]) -> Forest:
        sizes = np.array([len(one["feature"]) for one in parts], np.int64)
        roots = np.cumsum(sizes) - sizes
        columns = {name: np.concatenate([one[name] for one in parts]) for name in parts[0]}
        first, own = np.repeat(roots, sizes), np.arange(sizes.sum())
        left, right = (
            np.where(columns["leaf"], own, columns[name].astype(np.int64) + first)
            for name in ("left", "right")
        )
        feature = np.where(columns["leaf"], 0, columns["feature"]).astype(np.int64)
        return cls(
            roots,
            feature,
            columns["threshold"].astype(np.float64),
            columns["value"].astype(np.float64),
            left,
            right,
        )

    def sums(self, X: Array) -> Float:
        """The sum of the trees' values for each row of `X`, shape (n_rows,);
        O(rows x trees x depth).
        """
        found = np.zeros(len(X))
        for start in range(0, len(X), CHUNK):
            part = X[start : start + CHUNK]
            rows, at = np.arange(len(part))[:, None], np.tile(self.roots, (len(part), 1))
            while True:
                low = part[rows, self.feature[at]] <= self.threshold[at]
                following = np.where(low, self.left[at], self.right[at])
                if np.array_equal(following, at):
                    break
                at = following
            found[start : start + CHUNK] = self.value[at].sum(axis=1)
        return found

    def as_record(self) -> dict[str, Any]:
        """JSON-ready fields; no number loses a bit."""
        return {name: getattr(self, name).tolist() for name in self.__dataclass_fields__}

    @classmethod
    def read(cls, said: Mapping[str, Any]) -> Forest:
        """The forest that `as_record` described."""
        roots, feature, left, right = (
            np.array(said[name], np.int64) for name in ("roots", "feature", "left", "right")
        )
        threshold, value = (np.array(said[name], np.float64) for name in ("threshold", "value"))
        return cls(roots, feature, threshold, value, left, right)


@dataclass(frozen=True)
class KeptSupervised:
    """`Supervised` as numbers.

    Attributes
    ----------
    start : float
        Log odds that the boosted trees begin with.
    words : mapping of str to (float, float)
        What the linear model gives a word that one record has, and one that both have; others say
        nothing.
    """

    trees: Forest
    boosted: Forest
    start: float
    words: Mapping[str, tuple[float, float]]
    intercept: float
    seen: tuple[float, float] = EVERYWHERE
    blend: Blend = field(default_factory=Blend)

    @classmethod
    def of(cls, learned: Supervised) -> KeptSupervised:
        """What stays of fitted models."""
        texts = learned.whole.words.texts
        weights = learned.of_words.coef_[0].reshape(2, len(texts))
        told = np.flatnonzero(np.abs(weights).sum(axis=0))
        return cls(
            Forest.of_trees(learned.trees),
            Forest.of_boosted(learned.boosted),
            float(np.ravel(learned.boosted._baseline_prediction)[0]),
            {texts[word]: (float(weights[0, word]), float(weights[1, word])) for word in told},
            float(learned.of_words.intercept_[0]),
            learned.seen,
            learned.blend,
        )

    def probabilities(
        self, fields: Sequence[Field], whole: Field, pairs: Pairs, beside: Float
    ) -> Float:
        """As `Supervised.probabilities`, of pairs of other records."""
        weights = np.array(
            [self.words.get(word, (0.0, 0.0)) for word in whole.words.texts]
        ).reshape(-1, 2)
        said = words_of(whole, pairs) @ weights.T.ravel() + self.intercept
        X = design_of(fields, pairs, whole, beside, said)
        of_trees = self.trees.sums(X.astype(np.float32)) / len(self.trees.roots)
        return np.asarray((of_trees + sigmoid(self.start + self.boosted.sums(X))) / 2)

    def as_record(self) -> dict[str, Any]:
        """JSON-ready fields."""
        said = {"start": self.start, "words": dict(self.words), "intercept": self.intercept}
        said |= {"seen": list(self.seen), "blend": list(astuple(self.blend))}
        return said | {"trees": self.trees.as_record(), "boosted": self.boosted.as_record()}

    @classmethod
    def read(cls, said: Mapping[str, Any]) -> KeptSupervised:
        """What `as_record` described."""
        words = {word: (apart, shared) for word, (apart, shared) in said["words"].items()}
        trees, boosted = (Forest.read(said[name]) for name in ("trees", "boosted"))
        low, high = said.get("seen", EVERYWHERE)
        blend = Blend(*said.get("blend", ()))
        return cls(trees, boosted, said["start"], words, said["intercept"], (low, high), blend)
