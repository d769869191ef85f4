"""Cross-validation of rules for an ILP problem: examples predicted by others' rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Any, Literal, Unpack, cast

import numpy as np

from workbench.arrays import Float, Int64
from workbench.database import Database
from workbench.database.ilp import load_ilp
from workbench.database.relation_arrays import read_examples
from workbench.errors import UsageError
from workbench.evaluation import k_fold, scores
from workbench.grounding.ilp_background import derive_facts
from workbench.language.ilp.problem import IlpProblem
from workbench.leaving import heard
from workbench.parameters import read_parameters
from workbench.progress import SILENT
from workbench.structure.induction import ClauseLearner
from workbench.verbs.crossval import finished, scores_by_fold
from workbench.verbs.induction import Induction, arrays
from workbench.verbs.options import How, conduct_of


@dataclass(frozen=True)
class InductionCrossValidation:
    """Scores fold by fold, and what was predicted for every example.

    Attributes
    ----------
    names : tuple of str
        The folds.
    rules : tuple of int
        Clauses learned in each fold.
    fold : int64 array, shape (n_examples,)
        The fold in which each example was held out; -1 for one that is in none.
    predicted, truth : float64 arrays, shape (n_examples,)
        NaN where a fold was not finished.
    planned : int
        How many folds there are.
    status : {'done', 'limit', 'cancelled'}
        `limit` where the time was over for the search of some fold.
    """

    names: tuple[str, ...]
    scores: tuple[Mapping[str, float], ...]
    rules: tuple[int, ...]
    fold: Int64
    predicted: Float
    truth: Float
    seconds: float
    planned: int
    status: str = "done"

    def summary(self) -> dict[str, Any]:
        """JSON-ready: as of other cross-validations, with each fold's number of clauses."""
        record = scores_by_fold(self.names, self.scores, self.seconds)
        return (
            {"status": self.status, "planned": self.planned}
            | record
            | {
                "folds": [
                    fold | {"rules": rules} for fold, rules in zip(record["folds"], self.rules)
                ]
            }
        )


def induction_of(learner: str, options: Mapping[str, object]) -> Induction:
    """How to learn, from a command's words: the learner is the weighting, other settings are the
    search's.

    Raises E0610, E0611, E0613: see `Induction`.

    Parameters
    ----------
    learner : str
        'auto' for weights under a Laplace prior; 'none', 'l1', 'l2', 'elastic', 'group'.
    options : mapping
        `loop`, `features`, `collect`, and the search's settings by Aleph's names.
    """
    own = {
        name: value for name, value in options.items() if name in ("loop", "features", "collect")
    }
    read = read_parameters(
        Induction, {name: own[name] for name in own if name == "collect"}, "the search", "E0610"
    )
    rest = {name: value for name, value in options.items() if name not in own}
    loop, features = str(own.get("loop", "induce")), str(own.get("features", "auto"))
    collect = cast("float | None", read.get("collect"))
    return Induction(
        cast(Any, loop), "l1" if learner == "auto" else learner, features, collect, rest
    )


def crossval_induction(
    database: Database,
    problem: IlpProblem,
    induction: Induction,
    *,
    folds: int | Literal["kept"] = 5,
    **how: Unpack[How],
) -> InductionCrossValidation:
    """Learn clauses and weights without a fold's examples, predict them, score them.

    Covers are computed once for all folds. No label of a held-out example reaches the search or the
    weights.

    Raises E0806 where the files give no folds, or a fold has no example to learn from; E0705 for
    more folds than examples of a label.

    Parameters
    ----------
    folds : int or 'kept'
        So many folds of equal shares of positives, drawn with `seed`; or those that the files give
        their examples.
    **how
        The seconds of `time_limit` are for each fold's learning.
    """
    began, progress = perf_counter(), how.get("progress", SILENT)
    problem = derive_facts(problem)
    load_ilp(database, problem)
    background, examples = arrays(database, problem)
    seed, given = how.get("seed", 0), read_examples(database, problem.target)[2]
    fold = given if folds == "kept" else _dealt(examples.label, folds, seed)
    numbers = sorted(set(fold[fold >= 0].tolist()))
    if len(numbers) < 2:
        raise UsageError.of(
            "E0806",
            "the files give their examples no folds",
            help="give a number: --folds 5 deals them",
        )
    learner = ClauseLearner(
        background, examples, problem.head_mode, problem.body_modes, induction.search(problem)
    )
    predicted = np.full(len(examples), np.nan)

    def result(number: int) -> tuple[Mapping[str, float], int, str]:
        induced = induction.learn(learner, fold != number, conduct_of(how))
        progress.step("scores", 0, None, str(number))
        held = fold == number
        predicted[held] = induced.probabilities(learner)[held]
        clauses = induced.parts if induced.weighted is None else induced.weighted.parts
        return scores(predicted[held], examples.label[held]), len(clauses), induced.theory.status

    found = finished(numbers, lambda one: heard(progress, partial(result, one)), str, progress)
    late = any(end == "limit" for _, _, end in found)
    status = "cancelled" if len(found) < len(numbers) else "limit" if late else "done"
    return InductionCrossValidation(
        tuple(str(number) for number in numbers[: len(found)]),
        tuple(one for one, _, _ in found),
        tuple(clauses for _, clauses, _ in found),
        fold,
        predicted,
        examples.label,
        perf_counter() - began,
        len(numbers),
        status,
    )


def _dealt(label: Float, folds: int, seed: int) -> Int64:
    """The fold of each example, each label dealt evenly."""
    dealt = np.full(len(label), -1, np.int64)
    for value in (1.0, 0.0):
        chosen = np.flatnonzero(label == value)
        for number, part in enumerate(k_fold(len(chosen), folds, seed=seed)):
            dealt[chosen[part.test]] = number
    return dealt
