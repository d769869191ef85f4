"""Records of three columns, of which two tell the same: a town and its postcode are no address."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from benchmarks.linkage_sets import PLACES, STREETS, misspelt
from experiments.cluster_scores import cluster_scores
from workbench.arrays import Array
from workbench.linkage.link_model import LinkModel
from workbench.verbs.linking.link import link


def addresses(n: int, seed: int) -> tuple[pd.DataFrame, Array]:
    """Addresses written up to a few times each, of few towns; and which is which."""
    random = np.random.default_rng(seed)
    names = [
        f"{random.choice(STREETS)} {kind}" for kind in ("Street", "Road", "Lane") for _ in range(40)
    ]
    rows: list[tuple[str, str | None, str | None]] = []
    truth: list[int] = []
    while len(rows) < n:
        street, number = random.choice(names), random.integers(1, 150)
        flat = f"Flat {random.integers(1, 20)} " if random.random() < 0.3 else ""
        town = int(len(PLACES) * random.random() ** 1.5)
        code = f"{10000 + 97 * town + random.integers(20)}"
        thing = len(rows)
        for _ in range(random.geometric(0.6)):
            written = street.replace("Street", random.choice(["Street", "St"]))
            written = misspelt(random, written) if random.random() < 0.1 else written
            called = flat.replace("Flat", random.choice(["Flat", "Apt"]))
            rows.append(
                (
                    f"{called}{number} {written}",
                    PLACES[town] if random.random() < 0.95 else None,
                    code if random.random() < 0.8 else None,
                )
            )
            truth.append(thing)
    return pd.DataFrame(rows, columns=["address", "town", "postcode"]), np.array(truth)


@pytest.mark.parametrize("seed", [4, 14])
def test_who_shares_town_and_postcode_alone_is_another(tmp_path: Path, seed: int) -> None:
    table, truth = addresses(3000, seed)
    table.to_csv(tmp_path / "addresses.csv", index_label="id")
    result = link([tmp_path / "addresses.csv"], id_column="id")
    scores = cluster_scores(result.clustering.label, truth)
    assert scores["precision"] > 0.7
    assert scores["F1"] > 0.65
    assert isinstance(result.model, LinkModel)
    levels = result.model.levels(result.candidates.pairs)
    adds = result.model.tree.contributions(levels)
    assert np.abs(adds[levels == 0]).max() < 1e-9, "a missing value says nothing"


@pytest.mark.parametrize("seed", [44, 55])
def test_a_town_with_its_postcode_joins_addresses_that_repeat_each_for_itself(
    tmp_path: Path, seed: int
) -> None:
    table, truth = addresses(1000, seed)
    table.to_csv(tmp_path / "addresses.csv", index_label="id")
    result = link([tmp_path / "addresses.csv"], id_column="id")
    scores = cluster_scores(result.clustering.label, truth)
    assert scores["F1"] > 0.75
    assert result.estimates.precision == pytest.approx(scores["precision"], abs=0.06)


def test_three_fields_without_any_duplicate_are_said_to_have_none(tmp_path: Path) -> None:
    table, truth = addresses(4000, 7)
    table = table[~pd.Series(truth).duplicated().to_numpy()]
    table.to_csv(tmp_path / "addresses.csv", index_label="id")
    result = link([tmp_path / "addresses.csv"], id_column="id")
    assert len(result.clustering) == len(table)
    assert [one.code for one in result.warnings] == ["E0681"]


@pytest.mark.parametrize("order", [None, 2])
def test_a_town_says_nothing_beside_its_postcode_in_any_order(
    tmp_path: Path, order: int | None
) -> None:
    random = np.random.default_rng(5)
    streets = [f"{name} Road" for name in "Oak Elm Ash Mill Church Lake Hill Park".split()]
    rows, truth = [], []
    for thing in range(900):
        town = int(random.integers(20))
        street = f"{random.integers(1, 900)} {random.choice(streets)}"
        for copy in range(1 + (random.random() < 0.4)):
            written = street.replace("Road", "Rd") if copy else street
            rows.append((written, f"Town{chr(97 + town)}", f"{1000 + 97 * town}"))
            truth.append(thing)
    frame = pd.DataFrame(rows, columns=["address", "town", "postcode"])
    frame.insert(0, "id", [f"{row:04d}" for row in range(len(frame))])
    place = np.arange(len(frame))
    if order is not None:
        place = np.random.default_rng(order).permutation(place)
    frame.iloc[place].to_csv(tmp_path / "a.csv", index=False)
    result = link([tmp_path / "a.csv"], id_column="id")
    true = cluster_scores(result.clustering.label, np.array(truth)[place])
    assert true["precision"] > 0.85
    assert true["recall"] > 0.8
