"""What candidates miss, estimated from what they find in several ways,
beside the truth of made-up records.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.linkage_kinds import made_up
from benchmarks.linkage_sets import Tables, companies, households
from experiments.cluster_scores import cluster_scores
from workbench.linkage.blocking import Pairs
from workbench.linkage.candidates import find_candidates
from workbench.linkage.captured import captured_share
from workbench.verbs.linking.link import link
from workbench.verbs.linking.reading import read_linked


def written(folder: Path, made: Tables) -> tuple[list[Path], np.ndarray]:
    paths = [folder / f"{letter}.csv" for letter, _ in zip("ab", made[0])]
    for frame, path in zip(made[0], paths):
        frame.to_csv(path, index=False)
    return paths, np.concatenate(made[1])


def found_share(same: np.ndarray, truth: np.ndarray, second: np.ndarray | None) -> float:
    """Of the pairs of one thing, of two files those across."""
    sizes = np.bincount(truth)
    if second is None:
        return float(same.sum() / (sizes * (sizes - 1) // 2).sum())
    beside = np.bincount(truth[second == 1], minlength=len(sizes))
    return float(same.sum() / (beside * (sizes - beside)).sum())


MADE = {
    **{
        f"{kind}, half blank, {seed}": lambda kind=kind, seed=seed: made_up(
            kind, 1500, seed=seed, blank=0.5
        )
        for kind in ("firms", "songs", "medicines", "references", "hotels", "products", "persons")
        for seed in (5101, 5102)
    },
    "firms, a fifth blank": lambda: made_up("firms", 1500, seed=5103, blank=0.2),
    "songs": lambda: made_up("songs", 1500, seed=5104),
    "hotels in two files, half blank": lambda: made_up(
        "hotels", 2500, seed=5105, apart=True, blank=0.5
    ),
    "households": lambda: households(2000, seed=5106, copies=1.5),
    "companies": lambda: companies(1000, seed=5107, overlap=0.5),
}


@pytest.mark.parametrize("kind", sorted(MADE))
def test_the_share_of_matches_that_candidates_hold_is_estimated(tmp_path: Path, kind: str) -> None:
    """Told which candidates are matches, and not how many there are beside."""
    paths, truth = written(tmp_path, MADE[kind]())
    read = read_linked(paths, "id")
    second = read.records.source if len(paths) == 2 else None
    candidates = find_candidates(read.choice.fields, second)
    same = truth[candidates.pairs.left] == truth[candidates.pairs.right]
    told = captured_share(
        read.choice.fields,
        candidates.pairs,
        np.where(same, 20.0, -20.0),
        candidates.proposed,
        candidates.near,
        second,
    )
    assert told == pytest.approx(found_share(same, truth, second), abs=0.08)


@pytest.mark.parametrize("kind", ["firms", "references", "persons"])
def test_recall_counts_what_candidates_miss(tmp_path: Path, kind: str) -> None:
    paths, truth = written(tmp_path, made_up(kind, 1500, seed=5201, blank=0.5))
    result = link(paths, id_column="id")
    pairs = result.candidates.pairs
    same = truth[pairs.left] == truth[pairs.right]
    share = found_share(same, truth, None)
    assert share < 0.75
    assert result.estimates.candidate_recall == pytest.approx(share, abs=0.12)
    assert result.estimates.recall <= result.estimates.candidate_recall + 0.02


@pytest.mark.parametrize("seed", [5301, 5302])
def test_the_share_of_matches_counts_those_that_no_statement_finds(
    tmp_path: Path, seed: int
) -> None:
    """Two thirds of the matches share too little: those that are found are no rarer for it."""
    paths, truth = written(tmp_path, made_up("persons", 2000, seed=seed, again=0.4, blank=0.5))
    result = link(paths, id_column="id")
    scores = cluster_scores(result.clustering.label, truth)
    assert scores["recall"] > 0.25
    assert result.estimates.precision == pytest.approx(scores["precision"], abs=0.1)
    assert result.estimates.recall == pytest.approx(scores["recall"], abs=0.1)


def test_matches_that_only_labels_name_are_not_taken_for_found(tmp_path: Path) -> None:
    """They made few of the matches that statements find, and recall .03 of a linkage that found
    most.
    """
    paths, truth = written(tmp_path, made_up("firms", 1500, seed=5301, blank=0.5))
    read = read_linked(paths, "id")
    candidates = find_candidates(read.choice.fields, None)
    rng = np.random.default_rng(0)
    rows = rng.permutation(np.repeat(np.arange(1500), 2)).reshape(-1, 2)
    rows = np.sort(rows[truth[rows[:, 0]] != truth[rows[:, 1]]][:150], axis=1)
    named = Pairs(rows[:, 0].astype(np.int32), rows[:, 1].astype(np.int32))
    beside = candidates.beside(named, len(read.records))
    same = truth[candidates.pairs.left] == truth[candidates.pairs.right]
    # As if pairs that nothing finds were matches.
    scores = np.full(len(beside.pairs), 20.0)
    places = np.searchsorted(beside.pairs.keys(1500), candidates.pairs.keys(1500))
    scores[places] = np.where(same, 20.0, -20.0)

    def told(pairs: Pairs, scores: np.ndarray) -> float:
        fields = read.choice.fields
        return captured_share(fields, pairs, scores, candidates.proposed, candidates.near, None)

    alone = told(candidates.pairs, np.where(same, 20.0, -20.0))
    more = (scores > 0).sum() / same.sum()
    assert alone * more < 1.0
    assert told(beside.pairs, scores) == pytest.approx(alone * more, abs=0.02)
