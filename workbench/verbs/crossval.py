"""Cross-validation: learn without a part of data, predict that part, score it, for each fold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from workbench.arrays import Bool, Float
from workbench.database import Database
from workbench.errors import UsageError
from workbench.evaluation import range_of, scores, summary
from workbench.grounding import GroundRequest, fitted, ground
from workbench.inference.accepts import Task
from workbench.language.program import Program
from workbench.progress import SILENT
from workbench.verbs.common import as_json
from workbench.verbs.fold_plans import FoldPlan, held_out_atoms
from workbench.verbs.infer import InferenceResult, solve_given
from workbench.verbs.learn import learn
from workbench.verbs.learning_result import LearningResult
from workbench.verbs.options import How
from workbench.verbs.program_faults import refuse_numbers

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["CrossValidation", "FoldResult", "crossval", "scores_by_fold"]


@dataclass(frozen=True)
class FoldResult:
    """One fold: what was learned without its test part, and how well it predicts it.

    Attributes
    ----------
    held_out : bool array, shape (n_atoms,)
        The atoms that are scored.
    truth : float64 array, shape (n_held_out,)
    """

    plan: FoldPlan
    learning: LearningResult
    inference: InferenceResult
    held_out: Bool
    truth: Float
    scores: Mapping[str, float]


@dataclass(frozen=True)
class CrossValidation:
    """All folds, and the means over them."""

    folds: tuple[FoldResult, ...]
    seconds: float
    run_id: int | None = None

    def table(self) -> pd.DataFrame:
        """One row a fold, one column a metric."""
        import pandas as pd

        return pd.DataFrame(
            [dict(fold.scores) for fold in self.folds],
            index=[fold.plan.name for fold in self.folds],
        )

    def summary(self) -> dict[str, Any]:
        """JSON-ready: scores by fold; by metric the mean,
        the sample standard deviation and the 95 % t interval.
        """
        names = [fold.plan.name for fold in self.folds]
        return scores_by_fold(
            names, [fold.scores for fold in self.folds], self.seconds, self.run_id
        )


def scores_by_fold(
    names: Sequence[str],
    found: Sequence[Mapping[str, float]],
    seconds: float,
    run: int | None = None,
) -> dict[str, Any]:
    """JSON-ready: scores by fold; by metric mean, standard deviation and 95 % t interval."""
    metrics = dict.fromkeys(metric for one in found for metric in one)
    over = {metric: summary([one.get(metric, np.nan) for one in found]) for metric in metrics}
    several = over if len(found) > 1 else {}
    return {
        "folds": [{"fold": name, **as_json(dict(one))} for name, one in zip(names, found)],
        "mean": as_json({metric: one.mean for metric, one in over.items()}),
        "sd": as_json({metric: one.sd for metric, one in several.items()}),
        "interval": as_json(
            {
                metric: np.clip([one.low, one.high], *range_of(metric)).tolist()
                for metric, one in several.items()
            }
        ),
        "seconds": round(seconds, 3),
        "run": run,
    }


def crossval(
    database: Database,
    program: Program,
    request: GroundRequest,
    *,
    plans: Sequence[FoldPlan],
    learner: str = "auto",
    learner_options: Mapping[str, object] | None = None,
    candidates: Mapping[str, Sequence[object]] | None = None,
    task: Task = "marginal",
    engine: str = "auto",
    engine_options: Mapping[str, object] | None = None,
    inductive: bool = False,
    **how: Unpack[How],
) -> CrossValidation:
    """Learn, predict and score every fold. Labels of a test part reach neither the learner nor the
    predictor.

    Parameters
    ----------
    candidates : mapping of parameter to values, optional
        Of the learner, chosen anew in each fold on its last training world.
    inductive : bool
        Predict the atoms of a fold without the labels of the others, which are evidence for them
        elsewise.
    """
    refuse_numbers(program, "crossval")
    begun, progress = perf_counter(), how.get("progress", SILENT)
    folds = []
    for number, plan in enumerate(plans):
        progress.step("fold", number, len(plans), plan.name)

        def unseen(grounding: Any, kept: int | None = plan.kept) -> Bool:
            return held_out_atoms(database, grounding.atoms, kept)

        learned_from = fitted(database, program, plan.train)
        learning = learn(
            database,
            learned_from,
            replace(request, worlds=plan.train, role="learn"),
            learner=learner,
            options=learner_options,
            candidates=candidates,
            held_out=None if plan.kept is None else unseen,
            all_false=True,
            **how,
        )
        start = perf_counter()
        templates = learning.grounding.templates
        testing = replace(request, worlds=plan.test, role="learn", templates=templates)
        grounding = ground(database, learned_from, testing, progress=progress)
        truth = grounding.truth
        tested = np.ones(truth.size, np.bool_) if plan.kept is None else unseen(grounding)
        solution = solve_given(
            grounding,
            learning.weights,
            np.where(tested | inductive, np.nan, truth),
            task,
            engine,
            engine_options or {},
            **how,
        )
        # A cancelled engine hands back what it has, which may be nothing to score.
        progress.step("scores", number, len(plans), plan.name)
        inference = InferenceResult(
            solution, grounding, learned_from, learning.weights, task, perf_counter() - start
        )
        held_out = tested & inference.is_query
        if not held_out.any():
            raise UsageError.of(
                "E0806",
                f"{plan.name} holds out no atom of a query predicate",
                help="make folds of a predicate that is asked for",
            )
        found = scores(solution.values[held_out], truth[held_out])
        folds.append(FoldResult(plan, learning, inference, held_out, truth[held_out], found))
    progress.step("fold", len(plans), len(plans))
    return CrossValidation(tuple(folds), perf_counter() - begun)
