"""Learning from labelled pairs, and the labels' part in `link`."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from benchmarks.linkage import people
from experiments.cluster_scores import cluster_scores
from workbench.linkage.blocking import every_pair
from workbench.linkage.fields import make_field
from workbench.linkage.label_evidence import LabelEvidence
from workbench.linkage.supervised import design_of, pair_features, whole_record
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


def test_the_last_bits_of_logarithms_decide_nothing() -> None:
    """Processors differ in them by their vector instructions; trees would split elsewhere."""
    texts = ["red car 7", "red car 8", "blue boat", "red boat"]
    field = make_field("title", "text", texts, np.array([0, 0, 1, 2, 3], np.int32))
    pairs, whole = every_pair(5, None), whole_record([field])
    said = np.log(np.arange(2.0, 2.0 + len(pairs)))
    beside = np.column_stack((said / 3.0, said))
    nearly = (np.nextafter(one, 9.0) for one in (beside, said))
    once = design_of([field], pairs, whole, beside, said)
    again = design_of([field], pairs, whole, *nearly)
    assert (once == again).all()
    assert (np.abs(once[:, -1] - said) < 1e-8).all()


def test_labels_help(tmp_path: Path) -> None:
    frame, truth = people(500, seed=3, copies=3.0, spoiled=1.8)
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


def test_few_labels_whose_non_matches_come_to_mind_do_no_harm(tmp_path: Path) -> None:
    """Matches beside random pairs: these are told apart by anything, and nothing else may be."""
    frame, truth = people(500, seed=5, copies=2.0, spoiled=2.5)
    path = tmp_path / "people.csv"
    frame.to_csv(path, index=False)
    of = truth.to_numpy()
    random = np.random.default_rng(0)
    left, right = np.triu_indices(len(of), 1)
    same = np.flatnonzero(of[left] == of[right])
    chosen = np.concatenate((random.choice(same, 30), random.choice(len(left), 30)))
    rows = [f"{left[at]},{right[at]},{int(of[left[at]] == of[right[at]])}" for at in set(chosen)]
    (tmp_path / "labels.csv").write_text("\n".join(["left,right,match", *rows]), encoding="utf-8")

    def F1(**given: Path) -> float:
        return cluster_scores(link([path], **given).clustering.label, of)["F1"]

    assert F1(labels=tmp_path / "labels.csv") > F1() - 0.01


def test_labels_speak_for_log_odds_that_many_of_them_are_likelier_by() -> None:
    before = np.repeat([-2.0, -9.0, 3.0], [16, 2, 1])
    others = np.where(before == -2.0, 2.0, before)
    match = before != -9.0
    both = LabelEvidence(np.arange(19), match)
    assert both.speaks_for(others, before)
    assert not both.speaks_for(before, others)
    assert both.shift(before) > 0
    one = LabelEvidence(np.arange(1), np.ones(1, bool))
    assert not one.speaks_for(others, before)
    slip = LabelEvidence(np.arange(17), np.arange(17) == 16)
    assert not slip.speaks_for(np.where(before < -5, 9.0, before), before), "a slip is no reason"
    many = np.concatenate((before, np.full(3000, -1.5)))
    assert not both.speaks_for(np.where(many > -5, 2.0, many), many), "pairs that no label is like"
