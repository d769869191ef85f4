"""WebKB and CiteSeer: counts as documented, labels kept out, one fold trained in part."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np

from experiments import citeseer, webkb
from experiments.experiment import Experiment
from experiments.margin_study import MarginSetting, MarginStudy, score_systems
from experiments.table import published_figures
from tests.kits.datasets import dataset
from tests.learning.small_networks import templates
from workbench.database import Database
from workbench.grounding import GroundRequest, ground
from workbench.inference import make_engine
from workbench.learning import Example
from workbench.network.build import network_from_clauses


def test_citeseer_counts() -> None:
    data = dataset("citeseer")
    with Database.open() as database:
        program = citeseer.load(database, data, ["Constraint"])
        request = GroundRequest(query=("InField",), role="learn", worlds=("Constraint",))
        grounding = ground(database, program, request)
        truth = np.nan_to_num(grounding.truth, nan=0.0)
    assert truth.sum() == 1281 + 2375 + 3321
    assert np.all(np.diff(grounding.network.A.indptr) <= 2)


def test_citeseer_labels_reach_no_network(tmp_path: Path) -> None:
    data = dataset("citeseer")
    (tmp_path / "alchemy-form").mkdir()
    path = Path("alchemy-form") / "constraint.db.gz"
    with gzip.open(data / path, "rt", encoding="utf-8") as file:
        kept = [line for line in file if not line.startswith("InField(")]
    with gzip.open(tmp_path / path, "wt", encoding="utf-8") as file:
        file.writelines(kept)
    networks = []
    for source in (data, tmp_path):
        with Database.open() as database:
            program = citeseer.load(database, source, ["Constraint"])
            request = GroundRequest(query=("InField",), role="learn", worlds=("Constraint",))
            networks.append(ground(database, program, request).network)
    first, second = networks
    assert (first.A != second.A).nnz == 0
    assert (first.unit != second.unit).nnz == 0
    np.testing.assert_array_equal(first.b, second.b)


def test_webkb_is_declared_and_published() -> None:
    assert webkb.EXPERIMENTS[0].published["MM-Hamming-LPRelax", "average", "F1"] == 0.601
    assert set(webkb.SYSTEMS) >= {system for system, _, _ in webkb.EXPERIMENTS[0].published}
    assert (
        citeseer.EXPERIMENTS[0].published["MM-Hamming-LPRelax-10000", "Reinforcement", "F1"]
        == 0.968
    )


def study(n: int = 3) -> MarginStudy:
    examples = []
    for world in range(n):
        network = network_from_clauses(
            4, [[1], [-2], [3], [-1, 4], [-3, 4]], [0, 1, 0, 2, 2], n_templates=5
        )
        examples.append(Example(network, np.array([1.0, 0.0, 1.0, float(world < 9)])))
    return MarginStudy(("a", "b", "c")[:n], tuple(examples), templates(5), (0.1, 1.0), ("rounded",))


def test_settings_are_chosen_without_the_test_world() -> None:
    whole = study()
    weights, candidate = whole.max_margin(0, "hamming")
    assert isinstance(candidate, MarginSetting)
    assert whole.f1(0, weights, make_engine("lp", "map")) == 1.0
    spoilt = study()
    broken = Example(spoilt.examples[0].network, 1.0 - spoilt.examples[0].truth)
    other = MarginStudy(
        spoilt.names,
        (broken, *spoilt.examples[1:]),
        spoilt.templates,
        spoilt.penalties,
        spoilt.cuts,
    )
    again, same = other.max_margin(0, "hamming")
    assert same == candidate
    np.testing.assert_array_equal(again, weights)


def test_iterations_are_chosen_without_the_test_world() -> None:
    whole = study()
    weights, stop = whole.likelihood_held_out(0, (2, 6))
    assert stop in (2, 6)
    spoilt = Example(whole.examples[0].network, 1.0 - whole.examples[0].truth)
    other = MarginStudy(
        whole.names, (spoilt, *whole.examples[1:]), whole.templates, whole.penalties, whole.cuts
    )
    again, same = other.likelihood_held_out(0, (2, 6))
    assert same == stop
    np.testing.assert_array_equal(again, weights)


def test_each_system_is_scored_on_each_world_left_out(tmp_path: Path) -> None:
    whole = study()
    weights = np.array([1.0, 1.0, 1.0, 1.0, 1.0])
    value = Experiment(
        name="t",
        subject="",
        title="title",
        systems=("A", "B"),
        published=published_figures(("a", "b", "average"), ("F1",), {"A": (0.5, 0.6, 0.55)}),
        measure=lambda run: score_systems(
            run,
            whole,
            {"A": "lp", "B": "ilp"},
            lambda _study, test, system: (weights, system * test),
        ),
        average=True,
    )
    table = value.run(data_dir=tmp_path, folds=2)
    assert [(one.system, one.column, one.value) for one in table.folds_detail] == [
        (system, name, 1.0) for system in "AB" for name in "ab"
    ]
    assert table.notes == ("A, b: A.", "B, b: B.")
    assert set(table.seconds) == {"A", "B"}
    assert (table.find("A", "average", "F1").published, table.find("A", "average", "F1").folds) == (
        0.55,
        2,
    )
