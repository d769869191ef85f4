"""Cross-validation over worlds: learn on all but one, predict that one, score it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from workbench.database import Database
from workbench.errors import UsageError
from workbench.evaluation import scores
from workbench.grounding import GroundRequest, ground
from workbench.language.program import Program
from workbench.progress import SILENT, Progress
from workbench.verbs.common import as_json
from workbench.verbs.infer import InferenceResult, Task, solve
from workbench.verbs.learn import LearningResult, learn

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["CrossValidation", "FoldResult", "crossval"]


@dataclass(frozen=True)
class FoldResult:
    """One fold: what was learned without the test world, and how well it predicts it.

    Attributes
    ----------
    world : str
        The test world's name.
    learning : LearningResult
    inference : InferenceResult
    truth : float64 array, shape (n_query_atoms,)
    scores : mapping of str to float
    """

    world: str
    learning: LearningResult
    inference: InferenceResult
    truth: npt.NDArray[np.float64]
    scores: Mapping[str, float]


@dataclass(frozen=True)
class CrossValidation:
    """All folds, and the means over them."""

    folds: tuple[FoldResult, ...]
    seconds: float

    def table(self) -> pd.DataFrame:
        """One row a fold, one column a metric."""
        import pandas as pd

        return pd.DataFrame([dict(fold.scores) for fold in self.folds], index=[fold.world for fold in self.folds])

    def summary(self) -> dict[str, Any]:
        """JSON-ready: scores by fold, mean and sample standard deviation by metric."""
        frame = self.table()
        return {
            "folds": [{"world": fold.world, **as_json(dict(fold.scores))} for fold in self.folds],
            "mean": as_json(frame.mean().to_dict()),
            "sd": as_json(frame.std(ddof=1).to_dict() if len(frame) > 1 else {}),
            "seconds": round(self.seconds, 3),
        }


def crossval(
    database: Database,
    program: Program,
    request: GroundRequest,
    *,
    worlds: Sequence[int],
    learner: str = "auto",
    learner_options: Mapping[str, object] | None = None,
    task: Task = "marginal",
    engine: str = "auto",
    engine_options: Mapping[str, object] | None = None,
    seed: int = 0,
    time_limit: float | None = None,
    progress: Progress = SILENT,
) -> CrossValidation:
    """Leave one world out.

    Raises
    ------
    UsageError
        With fewer than two worlds.
    """
    if len(worlds) < 2:
        raise UsageError.of(
            "E0806",
            f"cross-validation leaves one world out, and there is {len(worlds)}",
            help="load each database as a world of its own (--world FILE, or a `world` column)",
        )
    begun = perf_counter()
    names = {number: name for name, number in database.worlds().items()}
    folds = []
    for number, test in enumerate(worlds):
        progress.step("fold", number, len(worlds), names[test])
        training = replace(request, worlds=tuple(world for world in worlds if world != test), role="learn")
        learning = learn(
            database,
            program,
            training,
            learner=learner,
            options=learner_options,
            seed=seed,
            time_limit=time_limit,
            progress=progress,
        )
        start = perf_counter()
        held_out = replace(request, worlds=(test,), role="learn", templates=learning.grounding.templates)
        grounding = ground(database, program, held_out)
        weights = learning.weights
        solution = solve(
            grounding,
            weights,
            task,
            engine,
            engine_options or {},
            discrete=program.language == "mln",
            seed=seed,
            time_limit=time_limit,
            progress=progress,
        )
        inference = InferenceResult(solution, grounding, program, weights, task, perf_counter() - start)
        query = inference.is_query
        truth = grounding.atoms.truth()[query]
        folds.append(FoldResult(names[test], learning, inference, truth, scores(solution.values[query], truth)))
    progress.step("fold", len(worlds), len(worlds))
    return CrossValidation(tuple(folds), perf_counter() - begun)
