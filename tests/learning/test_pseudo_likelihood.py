"""Pseudo-likelihood against a naive computation from whole-state potentials."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import pytest
from scipy.optimize import check_grad, minimize
from scipy.sparse import csr_array

from tests.learning.small_networks import Enumeration, network, random_network, templates
from workbench.learning import Example, hidden_among_labelled
from workbench.learning.flip_counts import FlipCounts, compressed, flip_counts, together
from workbench.learning.pseudo_likelihood import GenerativePseudoLikelihood, PseudoLikelihood
from workbench.network import potentials
from workbench.network.ground_network import Blocks, GroundNetwork


def naive(net: GroundNetwork, labels: np.ndarray, weights: np.ndarray) -> float:
    """Sum over atoms (or blocks) of the log probability of the labels given the rest;
    illegal alternatives drop out.
    """
    members = net.blocks.members.toarray().astype(bool)
    groups = [np.flatnonzero(row) for row in members]
    groups += [np.array([atom]) for atom in range(net.n_atoms) if not members[:, atom].any()]
    total = 0.0
    for index, group in enumerate(groups):
        options = [[atom] for atom in group]
        if index >= len(members) or net.blocks.kind[index] == 1:
            options.append([])
        scores = []
        for option in options:
            state = labels.copy()
            state[group] = 0
            state[option] = 1
            ell = net.A @ state + net.b
            legal = not ((ell > 0) & net.hard).any()
            scores.append(-weights @ potentials(net, state) if legal else -np.inf)
        total += -weights @ potentials(net, labels) - np.logaddexp.reduce(scores)
    return total


def labels_for(net: GroundNetwork, seed: int) -> np.ndarray:
    from tests.learning.small_networks import states

    legal = states(net)
    return legal[seed % len(legal)]


def with_block(net: GroundNetwork, atoms: list[int], kind: int) -> GroundNetwork:
    from dataclasses import replace

    members = np.zeros((1, net.n_atoms), np.int8)
    members[0, atoms] = 1
    return replace(
        net, blocks=Blocks(csr_array(members), np.array([kind], np.int8), np.ones(1, np.int8))
    )


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", [None, 0, 1])
def test_counts_are_the_same_a_run_of_rows_at_a_time(seed: int, kind: int | None) -> None:
    net = random_network(seed, hard=2 if seed % 2 else 0)
    if kind is not None:
        net = with_block(net, [0, 2, 5], kind)
    labels = labels_for(net, 11 * seed)
    whole, parts = flip_counts(net, labels), flip_counts(net, labels, rows_at_once=2)
    assert parts.features.toarray() == pytest.approx(whole.features.toarray(), abs=1e-12)
    for name in ("group", "none_allowed", "true", "none"):
        assert np.array_equal(getattr(parts, name), getattr(whole, name)), name


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", [None, 0, 1])
def test_agrees_with_the_naive_computation(seed: int, kind: int | None) -> None:
    net = random_network(seed, hard=2 if seed % 2 else 0)
    if kind is not None:
        net = with_block(net, [0, 2, 5], kind)
    labels = labels_for(net, 11 * seed)
    counts = flip_counts(net, labels)
    rng = np.random.default_rng(seed)
    for _ in range(3):
        weights = rng.normal(size=4)
        expected = naive(net, labels, weights)
        assert counts.log_likelihood(weights)[0] == pytest.approx(expected)
        assert compressed(counts).log_likelihood(weights)[0] == pytest.approx(expected)
        error = check_grad(
            lambda w: counts.log_likelihood(w)[0], lambda w: counts.log_likelihood(w)[1], weights
        )
        assert error < 1e-5


def test_scaled_rows_count_with_their_scale() -> None:
    net = network([(0, (1, 2)), (0, (-1, 2)), (1, (1, -2))], 2, 2, scale=[2.0, -0.5, 1.0])
    labels, weights = np.array([1.0, 0.0]), np.array([0.3, -0.8])
    assert flip_counts(net, labels).log_likelihood(weights)[0] == pytest.approx(
        naive(net, labels, weights)
    )


def test_finds_the_maximum_over_several_examples() -> None:
    nets = [random_network(seed) for seed in (1, 2)]
    labels = [labels_for(net, 5) for net in nets]
    examples = [Example(net, label) for net, label in zip(nets, labels)]
    answer = PseudoLikelihood(prior_sd=1.0).fit(examples, templates(4))

    def loss(weights: np.ndarray) -> float:
        return weights @ weights / 2 - sum(
            naive(net, label, weights) for net, label in zip(nets, labels)
        )

    expected = minimize(loss, np.zeros(4), method="BFGS", options={"gtol": 1e-6})
    assert answer.weights == pytest.approx(expected.x, abs=1e-3)
    assert answer.status == "converged"


def test_fixed_weights_stay() -> None:
    net = random_network(3)
    answer = PseudoLikelihood().fit([Example(net, labels_for(net, 3))], templates(4, fixed=(1,)))
    assert answer.weights[1] == 0.7


def test_hidden_atoms_have_no_term() -> None:
    unit = np.zeros((2, 1))
    unit[:, 0] = 1
    net = network([], 2, 1, unit=unit)
    learner = PseudoLikelihood(prior_sd=1.0, engine=Enumeration())
    alone = learner.fit([Example(network([], 1, 1, unit=unit[:1]), np.array([1.0]))], templates(1))
    answer = learner.fit([Example(net, np.array([1.0, np.nan]))], templates(1))
    assert answer.weights == pytest.approx(alone.weights)


@pytest.mark.parametrize("seed", range(20))
def test_hidden_atoms_that_meet_no_label_are_not_completed(seed: int) -> None:
    random = np.random.default_rng(seed)
    net = random_network(seed, rows=seed % 4)
    if seed % 5 == 0:
        net = with_block(net, [0, 2, 5], 1)
    labels = np.where(random.random(net.n_atoms) < 0.5, np.nan, 0.0)
    labels[random.integers(net.n_atoms)] = 0.0
    hidden = np.isnan(labels)
    joined = [*(net.A.toarray() != 0), *net.blocks.members.toarray().astype(bool)]
    met = any((row & hidden).any() and (row & ~hidden).any() for row in joined)
    assert hidden_among_labelled(net, labels) == met


def test_what_is_hidden_apart_is_learned_from_without_most_likely_states() -> None:
    """An engine that may not be asked: held-out rows of attributes alone tell nothing."""
    clauses = [(0, (-1, 2)), (0, (-3, 4))]
    labels = np.array([1.0, 1.0, np.nan, np.nan])
    learner = PseudoLikelihood(engine=cast(Any, "not one that could be asked"))
    answer = learner.fit([Example(network(clauses, 4, 1), labels)], templates(1))
    alone = learner.fit([Example(network(clauses[:1], 2, 1), labels[:2])], templates(1))
    assert answer.weights == pytest.approx(alone.weights)


@dataclass(frozen=True)
class Parts:
    parts: list[FlipCounts]

    def flip_counts(self) -> list[FlipCounts]:
        return self.parts


def test_counts_from_a_source_give_the_same_weights() -> None:
    nets = [random_network(seed) for seed in (4, 5)]
    labels = [labels_for(net, 9) for net in nets]
    direct = PseudoLikelihood().fit(
        [Example(n, label) for n, label in zip(nets, labels)], templates(4)
    )
    source = Parts([flip_counts(net, label) for net, label in zip(nets, labels)])
    counted = GenerativePseudoLikelihood().fit(
        [Example(nets[0], labels[0], counts=source)], templates(4)
    )
    assert counted.weights == pytest.approx(direct.weights, abs=1e-4)
    assert together(source.parts).n_groups == sum(part.n_groups for part in source.parts)
