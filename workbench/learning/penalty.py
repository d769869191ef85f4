"""Choosing max-margin's C by F1: on the training databases, as the paper does, or on databases held out of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from workbench.arrays import Float
from workbench.errors import UsageError
from workbench.inference.lp import LinearRelaxation
from workbench.inference.solution import Engine
from workbench.learning.learner import Example, LearnedWeights
from workbench.network.ground_network import Templates
from workbench.progress import SILENT, Progress

if TYPE_CHECKING:
    from workbench.learning.max_margin import MaxMargin

__all__ = ["PenaltyChoice", "choose_penalty", "map_f1"]

GRID = (1.0, 10.0, 100.0, 1000.0, 10000.0)


@dataclass(frozen=True)
class PenaltyChoice:
    """The penalty chosen, the weights it gives on all examples, and the F1 of each penalty tried.

    Attributes
    ----------
    learner : MaxMargin
        With the chosen penalty.
    learned : LearnedWeights
    penalties, scores : float64 arrays, shape (n_penalties,)
    """

    learner: MaxMargin
    learned: LearnedWeights
    penalties: Float
    scores: Float


def map_f1(example: Example, weights: Float, engine: Engine, *, seed: int = 0) -> float:
    """F1 of the MAP state over the example's scored and labelled atoms; 1 where nothing is true in either."""
    values = engine.solve(example.network, weights, seed=seed).values
    counted = ~np.isnan(example.truth)
    if example.scored is not None:
        counted &= example.scored
    predicted, true = values[counted] >= 0.5, example.truth[counted] == 1.0
    marked = int(predicted.sum() + true.sum())
    return 2.0 * int((predicted & true).sum()) / marked if marked else 1.0


def choose_penalty(
    learner: MaxMargin,
    examples: Sequence[Example],
    templates: Templates,
    *,
    penalties: Sequence[float] = GRID,
    by: Literal["training", "held_out"] = "training",
    folds: int | None = None,
    engine: Engine | None = None,
    seed: int = 0,
    deadline: float | None = None,
    progress: Progress = SILENT,
) -> PenaltyChoice:
    """Train at every penalty, from small to large with the cuts carried over, and keep the best by average F1.

    Parameters
    ----------
    by : {'training', 'held_out'}
        Judge on the training databases themselves, or leave each of them out in turn.
    folds : int, optional
        With `held_out`: how many of the databases, the first ones, take their turn; all by default.
    engine : Engine, optional
        The MAP engine that predicts; `LinearRelaxation()` by default.

    Raises
    ------
    UsageError
        E0509, where fewer than two databases are there to hold one out.
    """
    engine = engine or LinearRelaxation()
    grid = sorted(penalties)

    def path(chosen: Sequence[Example], upto: Sequence[float]) -> tuple[LearnedWeights, ...]:
        return learner.fit_path(chosen, templates, upto, seed=seed, deadline=deadline, progress=progress)

    if by == "training":
        trained = path(examples, grid)
        scores = [np.mean([map_f1(one, learned.weights, engine, seed=seed) for one in examples]) for learned in trained]
        best = int(np.argmax(scores))
        learned = trained[best]
    else:
        if len(examples) < 2:
            raise UsageError.of("E0509", "a single training database cannot be held out", help="choose by training F1")
        table = []
        for held in range(min(folds or len(examples), len(examples))):
            rest = [example for index, example in enumerate(examples) if index != held]
            table.append([map_f1(examples[held], one.weights, engine, seed=seed) for one in path(rest, grid)])
        scores = list(np.mean(table, axis=0))
        best = int(np.argmax(scores))
        learned = path(examples, grid[: best + 1])[-1]
    return PenaltyChoice(replace(learner, penalty=grid[best]), learned, np.array(grid), np.array(scores, dtype=float))
