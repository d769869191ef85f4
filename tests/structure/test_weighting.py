"""Weights of clauses, by number, by existence, by logarithm: chosen on held-out examples."""

from __future__ import annotations

import numpy as np
import pytest

from tests.structure.worlds import background_of
from workbench.arrays import Float, Int32
from workbench.language.ilp.problem import infer_modes
from workbench.progress import Conduct
from workbench.structure.coverage import IndexedCoverage
from workbench.structure.covers import CoverCache
from workbench.structure.induction import ClauseLearner
from workbench.structure.settings import SearchSettings
from workbench.structure.weighting import FEATURES, Feature, Weighting, body_values, weigh

N = 300


def owners(rule: str) -> tuple[CoverCache, Int32, Float]:
    """People with some things each; the label follows from their number, from having any,
    or from its logarithm.
    """
    rng = np.random.default_rng(3)
    owned = rng.choice([0, 0, 0, 1, 2, 3, 30], N)
    log_odds = {
        "count": 0.5 * owned - 4,
        "exists": 4.0 * (owned > 0) - 2,
        "log": 2 * np.log1p(owned) - 3,
    }[rule]
    label = (rng.random(N) < 1 / (1 + np.exp(-log_odds))).astype(float)
    rows = [(f"p{k}", f"t{k}_{item}") for k in range(N) for item in range(owned[k])]
    types = {"target": ("person",), "owns": ("person", "thing")}
    people = [(f"p{k}",) for k in range(N)]
    background, examples = background_of({"owns": rows}, types, "target", people, label.tolist())
    cache = CoverCache(IndexedCoverage(background, examples), 1, 3)
    return cache, cache.parts(np.array([[[0, -1, -2]]], np.int32)), label


@pytest.mark.parametrize("feature", FEATURES)
def test_the_kind_of_feature_that_made_the_labels_is_chosen(feature: Feature) -> None:
    cache, parts, label = owners(feature)
    found = weigh(cache, parts, label, "l2")
    assert found.feature == feature
    assert found.figures[f"held_out_{feature}"] == max(
        found.figures[f"held_out_{kind}"] for kind in FEATURES
    )


@pytest.mark.parametrize("weighting", ["l1", "l2", "elastic", "group"])
def test_probabilities_are_those_of_the_printed_weights(weighting: Weighting) -> None:
    cache, parts, label = owners("log")
    train = label.copy()
    train[::3] = np.nan
    twice = np.concatenate([parts, parts])
    found = weigh(cache, twice, train, weighting, "log")
    log_odds = np.log1p(cache.counts(found.parts)).T @ found.weights + found.unit
    assert np.allclose(found.probabilities(cache), 1 / (1 + np.exp(-log_odds)))
    once = weigh(cache, parts, train, weighting, "log").probabilities(cache)
    assert np.abs(once - found.probabilities(cache)).max() < 0.02


def test_when_time_is_up_one_kind_of_feature_is_fitted_to_the_end() -> None:
    cache, parts, label = owners("exists")
    found = weigh(cache, parts, label, "l2", conduct=Conduct(deadline=0.0))
    assert found.feature == FEATURES[0]
    assert [name for name in found.figures if name.startswith("held_out")] == [
        f"held_out_{FEATURES[0]}"
    ]
    assert found.figures["gap"] < 1e-6


def test_features_of_bodies() -> None:
    cache, parts, _ = owners("count")
    counts = cache.counts(parts)[0]
    assert np.array_equal(body_values(cache, parts, "count").toarray()[:, 0], counts)
    assert np.array_equal(body_values(cache, parts, "exists").toarray()[:, 0], counts > 0)
    assert np.allclose(body_values(cache, parts, "log").toarray()[:, 0], np.log1p(counts))


def test_clauses_against_the_target_are_found_from_negatives() -> None:
    rows = {"red": [("a",), ("b",)], "blue": [("c",), ("d",), ("e",)]}
    types = {"good": ("car",), "red": ("car",), "blue": ("car",)}
    cars = [(name,) for name in "abcdef"]
    background, examples = background_of(rows, types, "good", cars, [1, 1, 0, 0, 0, 0])
    modes = infer_modes("good", types)
    learner = ClauseLearner(background, examples, modes[0], modes[1:], SearchSettings())
    against = learner.learn(label=0)
    (body,) = learner.cache.body_literals(against.parts)
    assert background.predicates[body[0, 0]] == "blue"
    assert (against.positives.tolist(), against.negatives.tolist()) == ([3], [0])
    assert (
        len(learner.learn(label=0, most_seeds=1).ground)
        + len(learner.learn(label=0, most_seeds=1).parts)
        == 1
    )
