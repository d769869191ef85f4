"""A class that agrees in every field is found beside a larger one that is refuted."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from benchmarks.linkage_kinds import made_up
from experiments.cluster_scores import cluster_scores
from workbench.verbs.linking.link import link


def test_few_hotels_are_found_beside_the_many_that_are_near_one_another(tmp_path: Path) -> None:
    (table,), (truth,) = made_up("hotels", 2000, seed=8132, again=0.05)
    table.to_csv(tmp_path / "hotels.csv", index=False)
    result = link([tmp_path / "hotels.csv"], id_column="id")
    assert cluster_scores(result.clustering.label, np.asarray(truth))["F1"] > 0.8


def test_hotels_that_are_near_one_another_are_not_linked_where_none_repeats(tmp_path: Path) -> None:
    (table,), _ = made_up("hotels", 1500, seed=8147, again=0.0)
    table.to_csv(tmp_path / "hotels.csv", index=False)
    result = link([tmp_path / "hotels.csv"], id_column="id")
    assert {one.code for one in result.warnings} >= {"E0681"}
    assert len(np.unique(result.clustering.label)) == len(table)
