"""Learning from labelled pairs, and the labels' part in `link`."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from benchmarks.linkage import people
from workbench.linkage.blocking import every_pair
from workbench.linkage.features import pair_features, whole_record
from workbench.linkage.fields import make_field
from workbench.verbs.linking.link import link


def test_features_leave_the_fields_as_they_are_and_know_equality() -> None:
    texts = ["red car 7", "red car 8", "blue boat"]
    field = make_field("title", "text", texts, np.array([0, 0, 1, 2, -1], np.int32))
    before = [field.words.ids.copy(), field.words.starts.copy()]
    pairs = every_pair(5, None)
    X = pair_features([field], pairs, whole_record([field]))
    assert all(
        (one == two).all() for one, two in zip(before, (field.words.ids, field.words.starts))
    )
    assert (pair_features([field], pairs, whole_record([field])) == X).sum() == (~np.isnan(X)).sum()
    missing = pairs.right == 4
    assert np.isnan(X[missing, 0]).all()
    assert not np.isnan(X[~missing]).any()
    assert X[0, 1] == 1
    assert X[1, 1] == 0


def test_labels_help(tmp_path: Path) -> None:
    frame, truth = people(1200, seed=3, copies=3.0, spoiled=1.8)
    path = tmp_path / "people.csv"
    frame.to_csv(path, index=False)
    without = link([path])
    pairs = without.candidates.pairs
    chosen = np.random.default_rng(0).permutation(len(pairs))[: len(pairs) // 2]
    same = (truth.to_numpy()[pairs.left] == truth.to_numpy()[pairs.right]).astype(int)
    rows = [f"{pairs.left[at]},{pairs.right[at]},{same[at]}" for at in chosen]
    (tmp_path / "labels.csv").write_text("\n".join(["left,right,match", *rows]), encoding="utf-8")
    result = link([path], labels=tmp_path / "labels.csv")
    rest = np.setdiff1d(np.arange(len(pairs)), chosen)

    def loss(scores: np.ndarray) -> float:
        asked = np.clip(scores[rest], -15, 15)
        return float(np.mean(np.logaddexp(0, asked) - same[rest] * asked))

    assert loss(result.scores) < loss(without.scores)
