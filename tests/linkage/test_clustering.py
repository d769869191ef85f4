"""Clusters against every partition of small components, and scores against counting pairs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, permutations

import numpy as np
import pytest

from experiments.cluster_scores import cluster_scores
from workbench.arrays import Float, Int32, Int64
from workbench.linkage.blocking import Pairs
from workbench.linkage.clustering import cluster
from workbench.linkage.correlation_kernels import (
    greedy_joining,
    moved_singly,
    packed_triangles,
    violated,
)
from workbench.linkage.exact import exact_partition
from workbench.linkage.matching import match_one_to_one


def partitions(n: int) -> Iterator[Int64]:
    """All partitions, as growth strings."""

    def grow(label: list[int]) -> Iterator[list[int]]:
        if len(label) == n:
            yield label
            return
        for one in range(max(label, default=-1) + 2):
            yield from grow([*label, one])

    return (np.array(label) for label in grow([]))


def random_weights(n: int, seed: int) -> Float:
    upper = np.triu(np.random.default_rng(seed).normal(0.3, 2.0, (n, n)), 1)
    return np.asarray(upper + upper.T)


@pytest.mark.parametrize("seed", range(6))
def test_exact_is_the_best_partition_and_bounds_hold(seed: int) -> None:
    w = random_weights(6, seed)
    best = min(violated(w, label) for label in partitions(6))
    found = moved_singly(w, greedy_joining(w, True), 20)
    assert packed_triangles(w) <= best + 1e-9 <= violated(w, found) + 1e-6
    exact = exact_partition(w, np.arange(6))
    assert exact.energy == pytest.approx(best)
    assert exact.bound == pytest.approx(best)


def test_components_are_clustered_apart_and_pairs_between_are_asked_for() -> None:
    # 0-1-2 is a chain whose ends were no candidates; 3 and 4 are apart.
    pairs = Pairs(np.array([0, 1, 3], np.int32), np.array([1, 2, 4], np.int32))
    asked: list[tuple[int, int]] = []

    def score(more: Pairs) -> Float:
        asked.extend(zip(more.left.tolist(), more.right.tolist()))
        return np.full(len(more), -9.0)

    found = cluster(5, pairs, np.array([2.0, 3.0, -1.0]), score)
    assert asked == [(0, 2)]
    assert found.label.tolist() == [0, 1, 1, 2, 3]
    assert found.energy == pytest.approx(2.0)
    assert found.status == "optimal"


def test_large_components_are_cut_at_weak_links_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.linkage.components.LARGEST", 2)
    pairs = Pairs(np.array([0, 1, 2], np.int32), np.array([1, 2, 3], np.int32))
    found = cluster(4, pairs, np.array([9.0, 1.0, 9.0]), lambda more: np.full(len(more), -1.0))
    assert found.label.tolist() == [0, 0, 1, 1]
    assert found.large == 4
    assert found.energy == pytest.approx(1.0)
    assert found.status == "feasible"


@pytest.mark.parametrize("seed", range(3))
def test_few_records_are_clustered_alike_without_machine_code(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    w = random_weights(9, seed)
    one, other = np.triu_indices(9, 1)
    pairs = Pairs(one.astype(np.int32), other.astype(np.int32))
    plain = cluster(9, pairs, w[one, other], lambda more: np.zeros(len(more)))
    monkeypatch.setattr("workbench.linkage.clustering.FEW", 0)
    compiled = cluster(9, pairs, w[one, other], lambda more: np.zeros(len(more)))
    np.testing.assert_array_equal(plain.label, compiled.label)
    assert (plain.energy, plain.bound) == (compiled.energy, compiled.bound)


def test_one_to_one_is_the_best_assignment() -> None:
    random = np.random.default_rng(3)
    second = np.array([0, 0, 0, 1, 1, 1], np.int32)
    left, right = (
        one.ravel().astype(np.int32) for one in np.meshgrid([0, 1, 2], [3, 4, 5], indexing="ij")
    )
    scores = random.normal(0.5, 2.0, 9)
    found = match_one_to_one(6, Pairs(left, right), scores, second)
    gains = np.maximum(scores.reshape(3, 3), 0)
    best = max(gains[[0, 1, 2], list(order)].sum() for order in permutations(range(3)))
    assert found.energy == pytest.approx(gains.sum() - best)
    assert np.bincount(found.label).max() <= 2


def test_scores_of_clusters_are_those_of_counted_pairs() -> None:
    random = np.random.default_rng(0)
    found, truth = random.integers(0, 6, 40), random.integers(0, 5, 40)
    said, real = (
        {pair for pair in combinations(range(40), 2) if label[pair[0]] == label[pair[1]]}
        for label in (found, truth)
    )
    scores = cluster_scores(found, truth)
    assert scores["precision"] == pytest.approx(len(said & real) / len(said))
    assert scores["recall"] == pytest.approx(len(said & real) / len(real))

    def cubed(one: Int32, other: Int32) -> float:
        return float(np.mean([np.mean(other[one == one[i]] == other[i]) for i in range(40)]))

    assert scores["B-cubed precision"] == pytest.approx(cubed(found, truth))
    assert scores["B-cubed recall"] == pytest.approx(cubed(truth, found))
