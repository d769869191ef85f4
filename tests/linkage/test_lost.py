"""Matches that differ in all that moves with a person are found again, families are not; what may
be lost is said.
"""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from benchmarks.linkage_sets import households
from experiments.cluster_scores import cluster_scores
from workbench.linkage.lost import Kind, latent_classes
from workbench.linkage.problem import LinkProblem
from workbench.verbs.linking.link import link
from workbench.verbs.linking.result import LinkResult

FORENAMES = "Anna Ben Carl Dora Emil Fritz Greta Hans Ida Jan Karl Lena Max Nora Otto Paul".split()


def movers(n: int, seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Persons in families of one address; a fifth of the second records are of a new one."""
    random = np.random.default_rng(seed)
    towns = [f"Town{place}" for place in range(12)]

    def letters(number: int) -> str:
        return "".join(chr(97 + place) for place in random.integers(0, 26, number)).capitalize()

    def address() -> dict[str, str]:
        town = int(random.integers(12))
        street = f"{letters(5)} Road {random.integers(1, 200)}"
        return {"street": street, "town": towns[town], "postcode": f"{1000 + 7 * town}"}

    rows, truth = [], []
    surname, home = letters(6), address()
    for person in range(n):
        if random.random() < 0.6:
            surname, home = letters(6), address()
        born = np.datetime64("1940-01-01") + random.integers(0, 24_000)
        name = {"forename": str(random.choice(FORENAMES)), "surname": surname, "born": str(born)}
        for copy in range(1 + (random.random() < 0.5)):
            rows.append(name | (address() if copy and random.random() < 0.2 else home))
            truth.append(person)
    frame = pd.DataFrame(rows)
    frame.insert(0, "id", [f"r{row}" for row in range(len(frame))])
    return frame, np.array(truth)


def linked(frame: pd.DataFrame, folder: Path) -> LinkResult:
    frame.to_csv(folder / "a.csv", index=False)
    return link([folder / "a.csv"], id_column="id")


@pytest.mark.parametrize("seed", [1, 2])
def test_who_moved_is_found_again_beside_families(tmp_path: Path, seed: int) -> None:
    frame, truth = movers(1500, seed)
    result = linked(frame, tmp_path)
    true = cluster_scores(result.clustering.label, truth)
    assert true["precision"] > 0.98
    assert true["recall"] > 0.95
    assert result.estimates.recall == pytest.approx(true["recall"], abs=0.1)


def test_families_are_no_matches_that_were_lost(tmp_path: Path) -> None:
    (frame,), (truth,) = households(2000, seed=47, copies=2.5, blank=0.3)
    result = linked(frame, tmp_path)
    assert cluster_scores(result.clustering.label, truth)["precision"] > 0.96


def test_classes_that_differ_in_fields_each_are_told_apart() -> None:
    random = np.random.default_rng(0)
    kind = random.integers(0, 3, 600)
    levels = 1 + (random.random((600, 6)) < 0.95).astype(np.int8)
    for one in range(3):
        levels[np.ix_(kind == one, [2 * one, 2 * one + 1])] = 1
    found = latent_classes(levels.astype(np.int8), np.ones(600), [3] * 6).argmax(axis=1)
    agree = pd.crosstab(kind, found).to_numpy()
    assert agree.max(axis=1).sum() > 550
    assert len(set(agree.argmax(axis=1))) == 3


def test_pairs_within_are_rounded_and_leave_no_fewer_than_none_across() -> None:
    rounded = SimpleNamespace(counts=np.array([3.0, 2.0]), within=np.array([3.006, 0.0]))
    assert LinkProblem.across.fget(rounded).tolist() == [0.0, 2.0]  # type: ignore[attr-defined]


def test_what_is_certainly_no_match_counts_none() -> None:
    kind = Kind(np.array([40.0, 60.0]), 0.1, odds=-5000.0, told=False)
    assert not kind.are_lost
    assert kind.matches == pytest.approx([0.0, 0.0], abs=1e-300)
