"""Cross-validation: learn without a part of the data, predict that part, score it,
for each fold.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from workbench.arrays import Bool, Float
from workbench.database import Database, held_out_keys, read_folds
from workbench.errors import UsageError
from workbench.evaluation import k_fold, scores, summary
from workbench.grounding import AtomTable, GroundRequest, fitted, ground
from workbench.inference.accepts import Task
from workbench.language.program import Program
from workbench.progress import SILENT
from workbench.verbs.common import as_json
from workbench.verbs.infer import InferenceResult, solve_given
from workbench.verbs.learn import learn
from workbench.verbs.learning_result import LearningResult
from workbench.verbs.options import How
from workbench.verbs.program_faults import refuse_numbers

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "CrossValidation",
    "FoldPlan",
    "FoldResult",
    "crossval",
    "grouped_worlds",
    "kept_folds",
    "scores_by_fold",
    "world_folds",
]


@dataclass(frozen=True)
class FoldPlan:
    """What one fold learns from and is tested on.

    Attributes
    ----------
    train, test : tuple of int
        Ids of worlds.
    kept : int or None
        The workspace's fold whose atoms are held out by name. Learner and predictor see all other
        labels; the two lists of worlds are the same.
    """

    name: str
    train: tuple[int, ...]
    test: tuple[int, ...]
    kept: int | None = None


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
    """JSON-ready: scores by fold; by metric the mean,
    the sample standard deviation and the 95 % t interval.
    """
    metrics = dict.fromkeys(metric for one in found for metric in one)
    over = {metric: summary([one.get(metric, np.nan) for one in found]) for metric in metrics}
    several = over if len(found) > 1 else {}
    return {
        "folds": [{"fold": name, **as_json(dict(one))} for name, one in zip(names, found)],
        "mean": as_json({metric: one.mean for metric, one in over.items()}),
        "sd": as_json({metric: one.sd for metric, one in several.items()}),
        "interval": as_json({metric: [one.low, one.high] for metric, one in several.items()}),
        "seconds": round(seconds, 3),
        "run": run,
    }


def world_folds(database: Database, worlds: Sequence[int]) -> tuple[FoldPlan, ...]:
    """Leave one world out.

    Raises
    ------
    UsageError
        E0806 with fewer than two worlds.
    """
    if len(worlds) < 2:
        raise UsageError.of(
            "E0806",
            f"cross-validation leaves one world out, and there is {len(worlds)}",
            help="load each database as a world of its own (--world FILE, or a `world` column), "
            "or make folds of atoms",
        )
    names = {number: name for name, number in database.worlds().items()}
    return tuple(
        FoldPlan(names[test], tuple(w for w in worlds if w != test), (test,)) for test in worlds
    )


def grouped_worlds(
    database: Database,
    worlds: Sequence[int],
    groups: int | Sequence[Sequence[str]],
    *,
    seed: int = 0,
) -> tuple[FoldPlan, ...]:
    """Leave several worlds out at a time.

    Parameters
    ----------
    groups : int, or sequence of sequences of str
        The number of folds that the worlds are dealt into, or each fold's worlds; worlds in none
        are always trained on.

    Raises
    ------
    UsageError
        E0705 where there are not so many worlds, E0806 for an unknown world or a fold without a
        world to learn from.
    """
    names = {number: name for name, number in database.worlds().items() if number in worlds}
    if isinstance(groups, int):
        chosen = [
            [worlds[index] for index in fold.test]
            for fold in k_fold(len(worlds), groups, seed=seed)
        ]
    else:
        ids, chosen = {name: number for number, name in names.items()}, []
        for group in groups:
            unknown = [name for name in group if name not in ids]
            if unknown:
                known = f"the worlds are {', '.join(ids)}"
                raise UsageError.of("E0806", f"there is no world {unknown[0]}", help=known)
            chosen.append([ids[name] for name in group])
    plans = []
    for test in chosen:
        train = tuple(world for world in worlds if world not in test)
        if not train or not test:
            raise UsageError.of(
                "E0806", "a fold needs a world to learn from and a world to be tested on"
            )
        plans.append(FoldPlan(" + ".join(names[world] for world in test), train, tuple(test)))
    return tuple(plans)


def kept_folds(database: Database, worlds: Sequence[int]) -> tuple[FoldPlan, ...]:
    """The folds kept in the workspace, within some worlds.

    Raises
    ------
    UsageError
        E0806 where there are none, or a fold has no world left to learn from or to be tested on.
    """
    found = read_folds(database)
    if not found:
        raise UsageError.of(
            "E0806", "this workspace has no folds", help="make some first, or leave one world out"
        )
    by_name, plans = database.worlds(), []
    for fold in found:
        train = tuple(number for name in fold.train_worlds if (number := by_name[name]) in worlds)
        if fold.test_atoms:
            plans.append(FoldPlan(f"fold {fold.number + 1}", train, train, fold.number))
            continue
        test = tuple(number for name in fold.test_worlds if (number := by_name[name]) in worlds)
        if test and train:
            plans.append(FoldPlan(" + ".join(fold.test_worlds), train, test))
    if not plans or not all(plan.train for plan in plans):
        raise UsageError.of(
            "E0806", "no fold has both worlds to learn from and a world to be tested on"
        )
    return tuple(plans)


def held_out_atoms(database: Database, atoms: AtomTable, fold: int | None) -> Bool:
    """Whether each atom is held out, by name or with its world, in a fold of the workspace;
    shape (n_atoms,).
    """
    worlds, keys = ((), {}) if fold is None else held_out_keys(database, fold)
    found = np.isin(atoms.world, worlds)
    for predicate, (world, constants) in keys.items():
        ids = atoms.locate(predicate, world, constants)
        found[ids[ids >= 0]] = True
    return found


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
