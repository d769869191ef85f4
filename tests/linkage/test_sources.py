"""Pairs within two sources as known non-matches: where they teach, and where they would mislead."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.linkage_kinds import made_up
from benchmarks.linkage_sets import Tables, companies, households, papers
from benchmarks.linkage_variants import VARIANTS
from experiments.cluster_scores import cluster_scores
from workbench.linkage.blocking import Pairs
from workbench.linkage.candidates import compare_candidates, find_candidates
from workbench.linkage.comparison import levels_of, make_comparison
from workbench.linkage.estimates import threshold_curve
from workbench.linkage.mixture import assumed_mixture, sample_pairs, sigmoid
from workbench.linkage.sources import Within, calibrated_to_within, with_pairs_within
from workbench.verbs.linking.link import link
from workbench.verbs.linking.reading import read_linked


def written(folder: Path, made: Tables) -> tuple[list[Path], np.ndarray]:
    paths = [folder / f"{letter}.csv" for letter in "ab"]
    for frame, path in zip(made[0], paths):
        frame.to_csv(path, index=False)
    return paths, np.concatenate(made[1])


@pytest.mark.parametrize("seed", [45, 71])
def test_firms_of_one_name_are_told_apart_where_few_are_in_both_registers(
    tmp_path: Path, seed: int
) -> None:
    """Of pairs with one name and one web address most are two firms:
    as many are within each register.
    """
    paths, truth = written(tmp_path, companies(1500, seed=seed, overlap=0.05))
    result = link(paths, id_column="id")
    precision = cluster_scores(result.clustering.label, truth)["precision"]
    assert precision > 0.8
    assert result.estimates.precision == pytest.approx(precision, abs=0.1)


def test_records_of_a_register_that_repeats_nothing_are_not_joined_by_one_of_the_other(
    tmp_path: Path,
) -> None:
    paths, _ = written(tmp_path, companies(2000, seed=71, overlap=0.5))
    result = link(paths, id_column="id")
    own = result.clustering.label * 2 + result.records.source
    assert len(np.unique(own)) > 0.995 * len(own)


def test_firms_that_moved_are_found_where_many_are_in_both_registers(tmp_path: Path) -> None:
    paths, truth = written(tmp_path, companies(2000, seed=71, overlap=0.5))
    result = link(paths, id_column="id")
    true = cluster_scores(result.clustering.label, truth)
    assert true["F1"] > 0.83
    assert true["recall"] > 0.7
    assert result.estimates.precision == pytest.approx(true["precision"], abs=0.06)


@pytest.mark.parametrize("within", [1.0, 30.0])
def test_log_odds_are_shifted_until_the_pairs_within_account_for_the_false_ones(
    within: float,
) -> None:
    scores, across = np.array([6.0, 2.0, -6.0]), np.array([60.0, 60.0, 900.0])
    apart = np.array([0.0, within, 890.0])
    taken = sigmoid(scores)
    shift, scale = calibrated_to_within(scores, across, apart)
    wrong = across * (1 - sigmoid(scale * (scores + shift)))
    assert taken @ wrong == pytest.approx(taken @ apart + 0.5)
    assert (shift < 0) == (within > 10)
    assert scale == pytest.approx(1.0)


def test_log_odds_are_scaled_where_pairs_within_look_more_alike_than_they_expect() -> None:
    scores, across = np.array([12.0, 2.0, -6.0]), np.array([60.0, 60.0, 900.0])
    apart = np.array([3.0, 20.0, 890.0])
    taken = sigmoid(scores)
    shift, scale = calibrated_to_within(scores, across, apart)
    wrong = across * (1 - sigmoid(scale * (scores + shift)))
    assert taken @ wrong == pytest.approx(taken @ apart + 0.5, rel=1e-3)
    assert (taken * scores) @ (wrong - apart) == pytest.approx(0.0, abs=0.1)
    assert scale < 0.5


def tracks(seed: int) -> Tables:
    """Each file has versions of a song, which are as alike as its records in the other file."""
    return made_up("tracks", 2000, seed=seed, again=0.5, apart=True, kinds=VARIANTS)


def repeating(seed: int) -> Tables:
    (frame,), (truth,) = households(3000, seed=seed, copies=2.5)
    side = np.random.default_rng(seed).random(len(frame)) < 0.5
    return [frame[~side], frame[side]], [truth[~side], truth[side]]


def otherwise(made: Tables) -> Tables:
    """With venues by year, called otherwise in each library, and too many to be told for one."""
    tables, truths = made
    return [one.assign(venue=one.venue + " " + one.year.astype(str)) for one in tables], truths


@pytest.mark.parametrize(
    ("made", "taught"),
    [
        (lambda: companies(1500, seed=45, overlap=0.05), True),
        (lambda: repeating(6), False),
        (lambda: tracks(33), True),
        (lambda: otherwise(papers(1500, seed=71, overlap=0.5)), False),
    ],
    ids=[
        "registers",
        "files that repeat persons",
        "versions of tracks",
        "libraries that call venues otherwise",
    ],
)
def test_only_sources_that_repeat_nothing_and_speak_alike_teach(
    tmp_path: Path, made: object, taught: bool
) -> None:
    paths, truth = written(tmp_path, made())  # type: ignore[operator]
    read = read_linked(paths, "id")
    second = read.records.source
    comparisons = [make_comparison(field) for field in read.choice.fields]
    found = find_candidates(read.choice.fields, second)
    patterns = compare_candidates(comparisons, found)
    sampled = levels_of(comparisons, Pairs(*sample_pairs(len(second), 50_000, 0, second)))
    chances = [one.chance(sampled[:, place]) for place, one in enumerate(comparisons)]
    assumed = assumed_mixture(patterns, comparisons, chances, found.possible)
    both, apart, repeats, within = with_pairs_within(
        patterns, comparisons, found.proposed, found.near, second, assumed, 0
    )
    assert (apart is not None) == taught == (repeats < 0) == (within is not None)
    if apart is not None and within is not None:
        assert len(within.pairs) * within.ratio == pytest.approx(apart.sum())
        across = (truth[found.pairs.left] != truth[found.pairs.right]).sum()
        assert apart.sum() == pytest.approx(across, rel=0.1)
        assert both.counts.sum() == pytest.approx(len(found.pairs) + apart.sum(), rel=0.01)


def test_a_shift_takes_no_pairs_that_are_as_many_within() -> None:
    """Few matches are expected at first, and pairs of the lower log odds are by chance."""
    scores = np.array([1.0, -2.0, -4.0, -6.0])
    across, apart = np.array([50.0, 900.0, 700.0, 9000.0]), np.array([0.0, 2.0, 690.0, 9000.0])
    shift, scale = calibrated_to_within(scores, across, apart)
    taken = scale * (scores + shift) > 0
    assert taken.tolist() == [True, True, False, False]


def test_pairs_within_tell_how_many_are_wrong_as_surely_as_they_are_many() -> None:
    within = Within(Pairs(*np.zeros((2, 0), np.int32)), np.zeros((0, 1), np.int8), 2.0)
    assert within.false(10, 250, 1000) == pytest.approx((15.75, 24.75))
    scores = np.full(1000, 3.0)
    said = threshold_curve(scores)["precision"][10]
    told = [
        threshold_curve(scores, false=lambda _, sure=sure: (200.0, sure))["precision"][10]
        for sure in (1e6, 1.0)
    ]
    assert said > 0.95
    assert said - 0.01 < told[0] < said
    assert told[1] == pytest.approx(0.8, abs=0.001)
