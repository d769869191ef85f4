"""Propositional baselines of the link-prediction papers: naive Bayes, and tree-augmented."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from workbench.arrays import Bool, Float, Int64


@dataclass(frozen=True)
class NaiveBayes:
    """Naive Bayes of categories with Laplace smoothing; scikit-learn's `CategoricalNB`."""

    model: Any

    @classmethod
    def fit(
        cls, attributes: Int64, label: Bool, categories: Int64, *, smoothing: float = 1.0
    ) -> NaiveBayes:
        """Fit to attributes (n, m) of `categories[k]` values each, and labels, shape (n,)."""
        from sklearn.naive_bayes import CategoricalNB

        return cls(CategoricalNB(alpha=smoothing, min_categories=categories).fit(attributes, label))

    def probability(self, attributes: Int64) -> Float:
        """Probability of the label being true, shape (n,)."""
        true = np.flatnonzero(self.model.classes_)
        predicted = self.model.predict_proba(attributes)
        return np.asarray(
            predicted[:, true[0]] if true.size else np.zeros(len(attributes)), np.float64
        )


@dataclass(frozen=True)
class TreeAugmentedBayes:
    """A Bayesian network: the class is a parent of every attribute, and each attribute has one
    attribute parent more.

    The tree is the one of greatest conditional mutual information (Friedman, Geiger and Goldszmidt
    1997).

    Attributes
    ----------
    prior : float64 array, shape (2,)
        Log probability of the class.
    parent : int64 array, shape (m,)
        The attribute parent; -1 for the root.
    offset : int64 array, shape (m,)
        Where each attribute's values start among all values.
    table : float64 array, shape (2, n_values, n_values)
        Log probability of the second value given the first and the class; the root's stand on the
        diagonal.
    """

    prior: Float
    parent: Int64
    offset: Int64
    table: Float

    @classmethod
    def fit(
        cls, attributes: Int64, label: Bool, categories: Int64, *, smoothing: float = 1.0
    ) -> TreeAugmentedBayes:
        """Fit as `NaiveBayes.fit`. O(n m + n_values^2) and one spanning tree."""
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import breadth_first_order, minimum_spanning_tree

        n, m = attributes.shape
        offset = np.r_[0, np.cumsum(categories)[:-1]].astype(np.int64)
        n_values = int(categories.sum())
        owner = np.repeat(np.arange(m), categories)
        pairs = np.empty((2, n_values, n_values))
        for of_class in (0, 1):
            rows = attributes[label == bool(of_class)] + offset
            columns = rows.ravel()
            onehot = csr_array(
                (np.ones(columns.size), columns, np.arange(len(rows) + 1) * m),
                shape=(len(rows), n_values),
            )
            pairs[of_class] = (onehot.T @ onehot).toarray()

        information = _conditional_mutual_information(pairs, owner, offset, smoothing)
        strength = np.triu(information, 1)
        tree = minimum_spanning_tree(
            csr_array(np.where(np.triu(np.ones((m, m)), 1) > 0, -1.0 - strength, 0.0))
        )
        _, before = breadth_first_order(tree, 0, directed=False)
        parent = np.where(before < 0, -1, before).astype(np.int64)

        smoothed = pairs + smoothing
        size = categories[owner]
        of_parent = np.diagonal(pairs, axis1=1, axis2=2)
        table = np.log(smoothed / (of_parent[:, :, None] + smoothing * size[None, None, :]))
        count = np.array([n - label.sum(), label.sum()], np.float64)
        root = np.arange(offset[0], offset[0] + categories[0])
        marginal = np.log(
            (of_parent[:, root] + smoothing) / (count[:, None] + smoothing * categories[0])
        )
        table[:, root, root] = marginal
        return cls(np.log((count + smoothing) / (n + 2 * smoothing)), parent, offset, table)

    def probability(self, attributes: Int64) -> Float:
        """Probability of the label being true, shape (n,)."""
        values = attributes + self.offset
        given = np.where(self.parent >= 0, values[:, np.maximum(self.parent, 0)], values)
        score = self.prior[:, None] + np.array(
            [table[given, values].sum(axis=1) for table in self.table]
        )
        return np.asarray(1 / (1 + np.exp(np.clip(score[0] - score[1], -700, 700))))


def _conditional_mutual_information(
    pairs: Float, owner: Int64, offset: Int64, smoothing: float
) -> Float:
    """I(X_i; X_j | class) of every two attributes from smoothed pair counts, shape (m, m)."""
    size = np.bincount(owner)
    joint = pairs + smoothing / np.outer(size, size)[owner][:, owner]
    total = joint[:, : size[0], : size[0]].sum(axis=(1, 2))
    rows = np.add.reduceat(joint, offset, axis=2)[:, np.arange(owner.size), :]
    columns = np.add.reduceat(joint, offset, axis=1)
    ratio = joint * total[:, None, None] / (rows[:, :, owner] * columns[:, owner, :])
    terms = joint * np.log(ratio) / total.sum()
    return np.asarray(
        np.add.reduceat(np.add.reduceat(terms.sum(axis=0), offset, axis=0), offset, axis=1)
    )
