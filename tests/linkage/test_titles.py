"""Records that say all in a title: model numbers, written apart or together, tell them apart."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from benchmarks.linkage_kinds import made_up
from benchmarks.linkage_titles import TITLES
from experiments.cluster_scores import cluster_scores
from workbench.linkage.numbers import words_in
from workbench.verbs.linking.link import link


@pytest.mark.parametrize("text", ["oil filter ab 1234", "ab1234 oil filter", "oil ab1234x filter"])
def test_a_number_and_the_letters_beside_it_are_one_word(text: str) -> None:
    found = words_in(text)
    assert "ab1234" in found
    assert not {"ab", "1234"} & set(found)
    assert len(found) == len(set(found))


def test_short_numbers_and_long_words_stay_as_they_are() -> None:
    assert words_in("12 st johns road") == ["12", "st", "johns", "road"]
    assert words_in("to be or not to be") == ["to", "be", "or", "not"]
    assert words_in("windows 2000 professional") == ["windows", "2000", "professional"]


@pytest.mark.parametrize("apart", [False, True])
def test_offers_of_one_model_number_are_found(tmp_path: Path, apart: bool) -> None:
    again = 0.5 if apart else 0.3
    tables, truths = made_up("offers", 2000, seed=41, again=again, apart=apart, kinds=TITLES)
    files = [tmp_path / f"{letter}.csv" for letter, _ in zip("ab", tables)]
    for table, file in zip(tables, files):
        table.to_csv(file, index=False)
    result = link(files, id_column="id")
    of = dict(zip(map(str, pd.concat(tables)["id"]), np.concatenate(truths)))
    truth = np.array([of[str(one)] for one in result.records.ids])
    scores = cluster_scores(result.clustering.label, truth)
    assert scores["precision"] > 0.9
    assert scores["F1"] > 0.5
