"""A class that agrees in every field is found beside a larger one that is refuted."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.linkage_kinds import NOUNS, made_up, surname
from benchmarks.linkage_sets import FORENAMES
from experiments.cluster_scores import cluster_scores
from workbench.verbs.linking.link import link

CENTS, MORE = [0.99, 1.29], ["", "", "", " (Live)", " [Explicit]"]


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


def test_kinds_and_prices_that_each_shop_has_of_its_own_do_not_refute_songs(
    tmp_path: Path,
) -> None:
    random = np.random.default_rng(4)
    artists = [f"{random.choice(FORENAMES)} {surname(random)}" for _ in range(60)]
    rows = []
    for thing in range(300):
        song = " ".join(random.choice(NOUNS, 2, replace=False))
        album = " ".join(random.choice(NOUNS, 3, replace=False))
        artist, length = random.choice(artists), int(random.integers(120, 330))
        for _ in range(1 + int(random.random() < 0.5)):
            genre, price = random.choice(["Pop", "Rock", "Country", "Folk"]), random.choice(CENTS)
            label = random.choice(["Sony", "Warner", "Universal"])
            rows.append(
                (f"{song}{random.choice(MORE)}", artist, album, length, genre, price, label)
            )
            rows[-1] += (thing,)
    columns = ["song", "artist", "album", "length", "genre", "price", "label", "thing"]
    table = pd.DataFrame(rows, columns=columns).sample(frac=1.0, random_state=2)
    table.drop(columns="thing").to_csv(tmp_path / "songs.csv", index=False)
    result = link([tmp_path / "songs.csv"])
    assert cluster_scores(result.clustering.label, table["thing"].to_numpy())["F1"] > 0.95
