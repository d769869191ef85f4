"""The propositional baselines against a model they can represent; attributes by hand."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from experiments.baselines import NaiveBayes, TreeAugmentedBayes
from experiments.relational_attributes import TrueFacts, pair_attributes


def sample_tree(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Class -> x0, x1 = x0 with noise that depends on the class, x2 independent of all."""
    rng = np.random.default_rng(0)
    label = rng.random(n) < 0.4
    first = rng.integers(0, 3, n)
    same = rng.random(n) < np.where(label, 0.9, 0.2)
    second = np.where(same, first, (first + 1) % 3)
    return np.stack([first, second, rng.integers(0, 2, n)], axis=1), label


def test_tree_finds_the_dependency_that_naive_bayes_cannot_see() -> None:
    attributes, label = sample_tree(20_000)
    categories = np.array([3, 3, 2])
    tree = TreeAugmentedBayes.fit(attributes, label, categories)
    naive = NaiveBayes.fit(attributes, label, categories)
    assert tree.parent[1] == 0
    expected = label[(attributes == [1, 1, 0]).all(axis=1)].mean()
    assert tree.probability(np.array([[1, 1, 0]])) == pytest.approx(expected, abs=0.02)
    assert naive.probability(np.array([[1, 1, 0]])) == pytest.approx(0.4, abs=0.03)


def test_tree_is_a_distribution() -> None:
    attributes, label = sample_tree(200)
    tree = TreeAugmentedBayes.fit(attributes, label, np.array([3, 3, 2]))
    every = np.array(list(product(range(3), range(3), range(2))))
    values = every + tree.offset
    given = np.where(tree.parent >= 0, values[:, np.maximum(tree.parent, 0)], values)
    for table in tree.table:
        assert np.exp(table[given, values].sum(axis=1)).sum() == pytest.approx(1)


def test_attributes_count_facts() -> None:
    relations = {
        "wrote": TrueFacts(("paper", "person"), np.array([[0, 0], [0, 1], [1, 1], [1, 2]])),
        "at": TrueFacts(("person", "level"), np.array([[0, 1], [2, 0]])),
    }
    table = pair_attributes(
        relations, {"person": 3, "paper": 2, "level": 2}, "person", small=("level",)
    )
    values = dict(zip(table.names, table.values.T))
    assert values["first: wrote/1"].reshape(3, 3)[:, 0].tolist() == [1, 2, 1]
    assert values["second: at/0, level 1"].reshape(3, 3)[0].tolist() == [1, 0, 0]
    assert values["both: wrote/1 - paper - wrote/1"].reshape(3, 3).tolist() == [
        [1, 1, 0],
        [1, 2, 1],
        [0, 1, 1],
    ]
    alone = pair_attributes(
        relations, {"person": 3, "paper": 2, "level": 2}, "person", small=("level",), order="1"
    )
    assert not any(name.startswith("both") for name in alone.names)
    assert (table.values < table.categories).all()
