"""The Alzheimer data and modes: what is evidence, what folds are, what constraints give."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from scipy.sparse import csr_array

from experiments.alzheimer import EXPERIMENTS
from experiments.alzheimer_data import DrugData, load_drugs, our_modes
from experiments.collective import intransitive_triples, relation_network
from tests.kits.datasets import dataset
from workbench.inference.registry import make_engine


@pytest.fixture(scope="module")
def memory() -> DrugData:
    return load_drugs(dataset(), "memory")


def test_no_target_atom_is_evidence(memory: DrugData) -> None:
    target = memory.problem.target
    assert target not in memory.background.predicates
    assert all(mode.predicate != target for mode in our_modes())
    assert sum(map(len, memory.background.facts)) == 628
    assert {mode.predicate for mode in our_modes()} <= set(memory.background.predicates)


def test_examples_are_all_ordered_pairs_and_folds_as_shipped(memory: DrugData) -> None:
    drugs = np.unique(memory.examples.arguments)
    assert len(memory.examples) == len(drugs) * (len(drugs) - 1) == 650
    assert int(np.nansum(memory.examples.label)) == 321
    assert int((memory.folds["fold_orig"] > 0).sum()) == 642
    pair = {tuple(row): k for k, row in enumerate(memory.examples.arguments.tolist())}
    reverse = np.array([pair[b, a] for a, b in memory.examples.arguments.tolist()])
    assert np.array_equal(memory.folds["fold_pair"], memory.folds["fold_pair"][reverse])


def test_published_figures_are_complete() -> None:
    assert EXPERIMENTS[0].published["ALEPH++ExactL1", "amine", "accuracy"] == 89.4
    assert EXPERIMENTS[0].published["ALEPH++ExactL1", "memory", "AUC-ROC"] == 0.844
    assert EXPERIMENTS[0].published["ALEPH++ExactL2+transitivity", "acetyl", "accuracy"] == 88.7


def test_map_states_and_samples_are_transitive() -> None:
    pairs = np.array(list(permutations(range(6), 2)), np.int32)
    rng = np.random.default_rng(0)
    log_odds = csr_array(rng.normal(scale=2.0, size=(len(pairs), 1)))
    for antisymmetric in (False, True):
        network = relation_network(pairs, log_odds, transitive=True, antisymmetric=antisymmetric)
        state = make_engine("ilp", "map").solve(network, np.ones(1))
        assert state.status == "optimal"
        assert intransitive_triples(pairs, state.values > 0.5) == (
            0 if antisymmetric else _loops(pairs, state.values)
        )
        one = make_engine("mcsat", "marginal", samples=1, burn_in=1, chains=1)
        for seed in range(5):
            raw = one.solve(network, np.ones(1), seed=seed, start=state.values).diagnostics[
                "raw_probability"
            ]
            sample = np.asarray(raw) > 0.5
            assert intransitive_triples(pairs, sample) == (
                0 if antisymmetric else _loops(pairs, sample)
            )


def _loops(pairs: np.ndarray, values: np.ndarray) -> int:
    """Pairs true both ways: t(x, x) would follow; transitivity forbids them as well."""
    true = {tuple(pair) for pair, value in zip(pairs.tolist(), values) if value > 0.5}
    return sum((b, a) in true for a, b in true)
