"""How alike a pair is beside all other records, as columns for learners."""

from __future__ import annotations

import numpy as np

from experiments.er_labelled import _ranked, best_cut
from workbench.linkage.blocking import Pairs
from workbench.linkage.fields import make_field


def test_a_pair_is_ranked_among_the_pairs_of_either_record() -> None:
    texts = ["red car 7", "red car", "red car 7", "blue boat", "red"]
    known = list(dict.fromkeys(texts))
    codes = np.array([known.index(text) for text in texts], np.int32)
    field = make_field("title", "text", known, codes)
    pairs = Pairs(np.array([0, 0, 0, 1], np.int32), np.array([2, 3, 4, 2], np.int32))
    said, from_left, from_right, better_left, better_right = _ranked(field, pairs).T
    assert np.isclose(said[0], 1.0)
    assert said[1] == 0.0
    assert np.isclose(from_left[0], 0.0)
    assert from_left[1] < from_left[2] < 0
    assert better_left[:3].tolist() == [0, 2, 1]
    assert better_right[[0, 3]].tolist() == [0, 1]
    assert from_right[3] < 0


def test_the_best_cut_has_the_largest_f1() -> None:
    random = np.random.default_rng(0)
    values = random.random(80)
    match = random.random(80) < values
    cut = best_cut(values, match)

    def f1(at: float) -> float:
        return float(2 * (match & (values >= at)).sum() / ((values >= at).sum() + match.sum()))

    assert f1(cut) == max(f1(value) for value in values)
