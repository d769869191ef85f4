"""The hinge-loss experiments: programs parse, splits are fair, a small fold runs."""

from __future__ import annotations

import numpy as np
import pytest

from experiments import (
    experiment,
    psl_documents,
    psl_epinions,
    psl_jester,
    psl_olivetti,
    reproduce,
)
from experiments.experiment import PROGRAMS
from tests.kits.datasets import dataset
from workbench.inference.admm import ADMM
from workbench.language import parse_psl, read_program


def test_programs_have_the_published_rules() -> None:
    epinions = read_program(PROGRAMS / "epinions.psl")
    assert len(epinions.rules) == 16 + 2 + 2
    assert len({rule.text for rule in epinions.rules}) == 20
    documents = parse_psl(psl_documents.program_text(["1", "2", "3"]))
    assert len(documents.rules) == 2 * 3 + 1 + 1


def test_halves_share_no_document_and_half_the_labels_show() -> None:
    for split in psl_documents.splits(1000, 3):
        assert not np.intersect1d(split.train, split.test).size
        assert 400 < split.observed.sum() < 600


def test_published_folds_of_epinions() -> None:
    trusts = np.loadtxt(dataset() / "hlmrf" / "epinions" / "trusts.txt", dtype=np.int64)
    fold_of = psl_epinions.published_folds(trusts)
    assert np.bincount(fold_of).tolist() == [1098, 1078, 1108, 1032, 1097, 1109, 1149, 1004]
    shuffled = np.random.default_rng(0).permutation(len(trusts))
    assert np.array_equal(psl_epinions.published_folds(trusts[shuffled]), fold_of[shuffled])


def test_published_figures_are_all_there() -> None:
    for name in ("psl-cora", "psl-citeseer"):
        found = experiment(name)
        assert [system for system, _, _ in found.published] == list(found.systems)
        assert len(found.systems) == 9


@pytest.mark.parametrize(
    ("name", "system"), [("psl-epinions", "HL-MRF-Q MPLE"), ("psl-cora", "HL-MRF-Q MLE")]
)
def test_one_fold_of_one_system(name: str, system: str) -> None:
    table = reproduce(name, data_dir=dataset(), folds=1, systems=[system])
    measured = {row.metric: row.ours for row in table.rows if row.system == system}
    assert all(value is not None and 0.3 < value <= 1.0 for value in measured.values())


def test_a_flat_picture_is_completed_flat() -> None:
    network, templates = psl_olivetti.face_network(8)
    assert network.n_rows == 4 * 4 * 56 + 2 * 2 * 64
    image = np.full(64, 0.4)
    hole = np.arange(64) % 8 < 4
    values = ADMM().solve(psl_olivetti.observe(network, image, hole), templates.weight).values
    assert np.all(np.abs(values[hole] - 0.45) < 0.06)


def test_joke_similarity_is_the_adjusted_cosine() -> None:
    user, joke = np.array([0, 0, 1, 1, 2, 2]), np.array([0, 1, 0, 1, 0, 2])
    rating = np.array([0.9, 0.8, 0.2, 0.3, 0.5, 0.9])
    similarity = psl_jester.joke_similarity(user, joke, rating)
    assert similarity[0, 0] == 0.0
    centred = {0: [0.05, -0.05], 1: [-0.05, 0.05]}
    np.testing.assert_allclose(
        np.dot(centred[0], centred[1]) / np.dot(centred[0], centred[0]), -1.0
    )
    assert similarity[0, 1] == 0.0
