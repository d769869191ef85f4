"""Cross-validation: learn without a part of data, predict that part, score it, for each fold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeVar, Unpack

import numpy as np

from workbench.arrays import Bool, Float
from workbench.database import Database
from workbench.errors import Cancelled, Diagnostic, ExitCode, UsageError, WorkbenchError
from workbench.evaluation import range_of, scores, summary
from workbench.grounding import Grounding, GroundRequest, fitted, ground
from workbench.grounding.backend import DuckDB
from workbench.grounding.interruption import interruptible
from workbench.inference import Status
from workbench.inference.accepts import Task
from workbench.language.program import Program
from workbench.progress import SILENT, Progress
from workbench.verbs.common import as_json
from workbench.verbs.fold_plans import FoldPlan, held_out_atoms
from workbench.verbs.infer import InferenceResult, solve_given
from workbench.verbs.inference_faults import infeasible_error, refuse_numbers
from workbench.verbs.learn import learn
from workbench.verbs.learning_result import LearningResult
from workbench.verbs.options import How

if TYPE_CHECKING:
    import pandas as pd

Plan = TypeVar("Plan")
Result = TypeVar("Result")


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

    @property
    def cut_short(self) -> bool:
        """Whether the time was over for its learner or its engine."""
        return Status.LIMIT in (self.learning.learned.status, self.inference.solution.status)


@dataclass(frozen=True)
class CrossValidation:
    """The folds, and the means over them.

    Attributes
    ----------
    folds : tuple of FoldResult
        Those that were finished.
    planned : int
        How many there are.
    status : {'done', 'limit', 'cancelled'}
        `limit` where the time was over for a learner or an engine of some fold.
    """

    folds: tuple[FoldResult, ...]
    seconds: float
    planned: int
    status: str = "done"
    run_id: int | None = None

    def table(self) -> pd.DataFrame:
        """One row a fold, one column a metric."""
        import pandas as pd

        return pd.DataFrame(
            [dict(fold.scores) for fold in self.folds],
            index=[fold.plan.name for fold in self.folds],
        )

    def summary(self) -> dict[str, Any]:
        """JSON-ready: scores by fold; by metric the mean, the sample sd and the 95 % t interval."""
        names = [fold.plan.name for fold in self.folds]
        found = scores_by_fold(
            names, [fold.scores for fold in self.folds], self.seconds, self.run_id
        )
        ends = {
            "learned": Counter(fold.learning.learned.status for fold in self.folds),
            "predicted": Counter(str(fold.inference.solution.status) for fold in self.folds),
        }
        return {"status": self.status, "planned": self.planned, **found, **as_json(ends)}


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

    Raises Cancelled before the first fold is finished; InfeasibleError where hard rules and the
    evidence of a fold admit no state; E0844 where the time limit left every fold out.

    Parameters
    ----------
    candidates : mapping of parameter to values, optional
        Of the learner, chosen anew in each fold on its last training world.
    inductive : bool
        Predict the atoms of a fold without the labels of the others, which are evidence for them
        elsewise.
    **how
        The seconds of `time_limit` are for each fold's learner, and for its engine; a fold for
        which they do not suffice to predict all of its part is left out. Where it is cancelled the
        folds that are finished are the answer.
    """
    refuse_numbers(program, "crossval")
    begun, progress = perf_counter(), how.get("progress", SILENT)
    fold = _Fold(
        database,
        program,
        request,
        {"learner": learner, "options": learner_options, "candidates": candidates},
        {"task": task, "engine": engine, "options": engine_options or {}},
        inductive,
        how,
    )
    begins = finished(plans, fold.result, lambda plan: plan.name, progress)
    found = tuple(one for one in begins if one is not None)
    if not found:
        raise _no_answer()
    late = len(found) < len(begins) or any(one.cut_short for one in found)
    status = "cancelled" if len(begins) < len(plans) else "limit" if late else "done"
    return CrossValidation(found, perf_counter() - begun, len(plans), status)


def _no_answer() -> WorkbenchError:
    return WorkbenchError(
        (
            Diagnostic(
                "E0844",
                "the time limit ended before any fold was predicted",
                help="the seconds are for the engine of each fold: allow more, or take another",
            ),
        ),
        ExitCode.LIMIT,
    )


def finished(
    plans: Sequence[Plan],
    result: Callable[[Plan], Result],
    name: Callable[[Plan], str],
    progress: Progress,
) -> list[Result]:
    """The results of folds one after the other; of those that were finished where it is cancelled.

    Raises Cancelled where none was.
    """
    found: list[Result] = []
    try:
        for number, plan in enumerate(plans):
            progress.step("fold", number, len(plans), name(plan))
            found.append(result(plan))
    except (Cancelled, KeyboardInterrupt):
        if not found:
            raise
    else:
        progress.report("fold", len(plans), len(plans), "")
    return found


@dataclass(frozen=True)
class _Fold:
    """How each fold is learned and predicted."""

    database: Database
    program: Program
    request: GroundRequest
    learning: Mapping[str, Any]
    solving: Mapping[str, Any]
    inductive: bool
    how: How

    def result(self, plan: FoldPlan) -> FoldResult | None:
        """Learn without the plan's part, predict it, score it;
        None where its engine ended without a value for some atom of it.
        """
        with interruptible(DuckDB(self.database.connection), self.progress):
            program = fitted(self.database, self.program, plan.train)
            learning = learn(
                self.database,
                program,
                replace(self.request, worlds=plan.train, role="learn"),
                held_out=None if plan.kept is None else partial(self._unseen, plan.kept),
                all_false=True,
                **self.learning,
                **self.how,
            )
            return self._scored(plan, program, learning)

    @property
    def progress(self) -> Progress:
        return self.how.get("progress", SILENT)

    def _unseen(self, kept: int | None, grounding: Grounding) -> Bool:
        return held_out_atoms(self.database, grounding.atoms, kept)

    def _scored(
        self, plan: FoldPlan, program: Program, learning: LearningResult
    ) -> FoldResult | None:
        start = perf_counter()
        testing = replace(
            self.request, worlds=plan.test, role="learn", templates=learning.grounding.templates
        )
        grounding = ground(self.database, program, testing, progress=self.progress)
        truth = grounding.truth
        tested = (
            np.ones(truth.size, np.bool_)
            if plan.kept is None
            else self._unseen(plan.kept, grounding)
        )
        known = np.where(tested | self.inductive, np.nan, truth)
        solution = solve_given(grounding, learning.weights, known, **self.solving, **self.how)
        # A cancelled engine hands back what it has, which may be nothing to score.
        self.progress.step("scores", 0, None, plan.name)
        if solution.status is Status.INFEASIBLE:
            # The conflict is one of the network given the labels.
            raise infeasible_error(grounding, replace(solution, conflict=None))
        inference = InferenceResult(
            solution,
            grounding,
            program,
            learning.weights,
            self.solving["task"],
            perf_counter() - start,
        )
        held_out = tested & inference.is_query
        if not held_out.any():
            raise UsageError.of(
                "E0806",
                f"{plan.name} holds out no atom of a query predicate",
                help="make folds of a predicate that is asked for",
            )
        if np.isnan(solution.values[held_out]).any():
            return None
        found = scores(solution.values[held_out], truth[held_out])
        return FoldResult(plan, learning, inference, held_out, truth[held_out], found)
