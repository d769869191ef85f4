"""Preference prediction on Jester: like jokes are rated alike (Bach et al. 2017, section 7.3)."""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from experiments.experiment import PROGRAMS, Experiment, Reproduction
from experiments.matrix_factorisation import predict_ratings
from experiments.psl_worlds import best_marks, measure_splits
from workbench.arrays import Float, Int64
from workbench.database import Database, Partition, load_frame
from workbench.evaluation.metrics import continuous_scores
from workbench.inference.elsewhere import cpu_seconds
from workbench.language import read_program

METRICS = ("NMSE", "NMAE")
LEAST_SIMILARITY = 0.6
PRIOR = 0.5
"""The paper's text has the mean observed rating; its authors' released program sets that, does not
store it, and so learns and predicts with the 0.5 it began with."""


def joke_similarity(user: Int64, joke: Int64, rating: Float) -> Float:
    """Adjusted cosine between jokes' observed ratings, mapped to [0, 1], 0 below 0.6; shape
    (n_jokes, n_jokes).

    Ratings are taken minus their user's average; the sums run over users who rated both jokes.
    """
    ratings = np.zeros((int(user.max()) + 1, int(joke.max()) + 1))
    rated = np.zeros_like(ratings)
    ratings[user, joke], rated[user, joke] = rating, 1.0
    average = ratings.sum(axis=1) / np.maximum(rated.sum(axis=1), 1.0)
    centred = np.where(rated > 0.0, ratings - average[:, None], 0.0)
    norm = np.sqrt((centred**2).T @ rated)
    cosine = (centred.T @ centred) / np.maximum(norm * norm.T, 1e-12)
    similarity = (cosine + 1.0) / 2.0
    np.fill_diagonal(similarity, 0.0)
    return np.asarray(np.where(similarity >= LEAST_SIMILARITY, similarity, 0.0))


def measure(run: Reproduction) -> None:
    """Ten splits of 1,000 train and 1,000 test users, half of each user's ratings observed."""
    directory = run.directory / "hlmrf" / "jester"

    def load(database: Database, number: int) -> None:
        for world, mark in (("train", "tr"), ("test", "te")):
            _load(database, world, directory, mark, number)

    spent = measure_splits(
        run,
        read_program(PROGRAMS / "jester.psl"),
        "Likes",
        column="jester",
        number=10,
        load=load,
        score=lambda _, test, values: _errors(values, test.example.truth),
        step=1.0,
        others={"BPMF": lambda number: _factorised(directory, number)},
    )
    run.measured.notes.extend(
        [
            f"Ground rows of a test world: {int(np.mean(spent.rows)):,} on average.",
            *best_marks(run.measured.scores, lower_is_better=METRICS),
        ]
    )


def _errors(values: Float, truth: Float) -> dict[str, float]:
    found = continuous_scores(values, truth)
    return {metric: found[metric] for metric in METRICS}


def _read(path: Path) -> tuple[Int64, Int64, Float]:
    with gzip.open(path, "rt") as lines:
        table = np.loadtxt(lines)
    return table[:, 0].astype(np.int64), table[:, 1].astype(np.int64), table[:, 2]


def _factorised(directory: Path, split: int) -> Mapping[str, float]:
    """Scores of matrix factorisation on the training users' and the observed test ratings."""
    known = [
        _read(directory / f"jester-1-{part}-{split}.txt.gz")
        for part in ("tr-obs", "tr-uno", "te-obs")
    ]
    user, joke, rating = (np.concatenate(columns) for columns in zip(*known))
    asked_user, asked_joke, truth = _read(directory / f"jester-1-te-uno-{split}.txt.gz")
    predicted = predict_ratings(user, joke, rating)[asked_user, asked_joke]
    return _errors(np.clip(predicted, 0.0, 1.0), truth)


def _load(database: Database, world: str, directory: Path, mark: str, split: int) -> None:
    """One world: observed ratings, ratings to predict as targets with truth, what these say."""
    observed = _read(directory / f"jester-1-{mark}-obs-{split}.txt.gz")
    hidden = _read(directory / f"jester-1-{mark}-uno-{split}.txt.gz")

    def put(
        predicate: str,
        partition: Partition = "evidence",
        value: Float | None = None,
        **columns: npt.ArrayLike,
    ) -> None:
        frame = pd.DataFrame({name: np.asarray(one).astype(str) for name, one in columns.items()})
        if value is not None:
            frame["value"] = value
        how: Any = {"world": world, "partition": partition}
        of = None if value is None else "value"
        load_frame(database, frame, predicate=predicate, value=of, **how)

    user, joke, rating = observed
    put("Likes", user=_users(user), joke=_jokes(joke), value=rating)
    put("Likes", "target", user=_users(hidden[0]), joke=_jokes(hidden[1]))
    put("Likes", "truth", user=_users(hidden[0]), joke=_jokes(hidden[1]), value=hidden[2])
    users, jokes = np.unique(user), np.unique(np.concatenate([joke, hidden[1]]))
    put("User", user=_users(users))
    put("Joke", joke=_jokes(jokes))
    by_user = np.bincount(user, rating)[users] / np.bincount(user)[users]
    put("UserAverage", user=_users(users), value=by_user)
    rated = np.unique(joke)
    by_joke = np.bincount(joke, rating)[rated] / np.bincount(joke)[rated]
    put("JokeAverage", joke=_jokes(rated), value=by_joke)
    put("Prior", name=["all"], value=np.array([PRIOR]))
    similarity = joke_similarity(user, joke, rating)
    first, second = np.nonzero(similarity)
    put(
        "SimRating",
        first=_jokes(first),
        second=_jokes(second),
        value=np.minimum(similarity[first, second], 1.0),
    )


def _users(users: Int64) -> list[str]:
    return [f"u{user}" for user in users]


def _jokes(jokes: Int64) -> list[str]:
    return [f"j{joke}" for joke in jokes]


EXPERIMENTS = (Experiment.described("psl-jester", measure, clock=cpu_seconds),)
