"""Recording runs, and reading back what was recorded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.arrays import Bool
from workbench.database import Database, RunRecord, data_hash, read_run, record_run, take_linkage
from workbench.database import take_run as transferred
from workbench.database.written_predictions import rows_since
from workbench.language import as_written
from workbench.verbs.common import as_json, recorded_program, with_types_of
from workbench.verbs.run_columns import (
    atom_types,
    by_fold,
    fold_metrics,
    fold_weights,
    held_out_columns,
    prediction_columns,
    trace_columns,
    weight_columns,
)
from workbench.verbs.written_rules import learned_text

if TYPE_CHECKING:
    from workbench.verbs.crossval import CrossValidation
    from workbench.verbs.infer import InferenceResult
    from workbench.verbs.learning_result import LearningResult
    from workbench.verbs.structure_result import StructureResult

FEW = 8
"""Where no more than one value in so many is another, values that changed are recorded alone."""


def _applied(result: InferenceResult) -> str:
    """The program with the weights that were applied: a learner's may stand in place of its own."""
    templates = result.grounding.templates
    if np.array_equal(result.weights, templates.weight, equal_nan=True):
        return as_written(result.program)
    return learned_text(result.program, templates, result.weights)


def record_inference(
    database: Database,
    result: InferenceResult,
    seed: int,
    parameters: Mapping[str, Any],
    *,
    parent: int | None = None,
    facts: str | None = None,
    moved: Bool | None = None,
) -> int:
    """Record an inference run with its weights, predictions and trace, and the run it started from;
    its id.

    Parameters
    ----------
    facts : str, optional
        The hash of the data, where it is known.
    moved : bool array, shape (n_atoms,), optional
        The atoms whose value is another than in the run it started from, where that had the same
        atoms: where these are few, they alone are recorded.
    """
    solution, base = result.solution, None
    if moved is not None and parent is not None:
        own = int(np.count_nonzero(moved)) + rows_since(database, parent)
        base = parent if own * FEW <= moved.size else None
    summary = {
        key: value
        for key, value in result.summary().items()
        if key not in ("diagnostics", "warnings", "run")
    }
    return record_run(
        database,
        RunRecord(
            kind="infer",
            status=str(solution.status),
            seconds=result.seconds,
            program_text=_applied(result),
            engine=solution.engine,
            seed=seed,
            parent=parent,
            data_hash=facts or data_hash(database),
            parameters={
                "language": result.program.language,
                "task": result.task,
                "query": list(result.query),
                **as_json(parameters),
                "figures": summary,
            },
            weights=weight_columns(
                result.program, result.grounding.templates, result.weights, result.grounding
            ),
            atom_types=atom_types(result),
            predictions=prediction_columns(result, moved if base is not None else None),
            traces=trace_columns(solution.trace),
            base=base,
        ),
    )


def record_learning(
    database: Database,
    result: LearningResult,
    seed: int,
    parameters: Mapping[str, Any],
    *,
    facts: str | None = None,
) -> int:
    """Record a learning run with its weights and trace; its id.

    `facts` is the hash of what was learned from, where that is not what the workspace holds.
    Where no worlds were named, the last one that there was is: others may come.
    """
    there = list(database.worlds())
    if facts is None and not parameters.get("worlds") and there:
        parameters = {**parameters, "worlds_up_to": there[-1]}
    weights = weight_columns(result.program, result.templates, result.weights, result.grounding)
    if result.intervals is not None:
        weights |= {"low": result.intervals.low, "high": result.intervals.high}
    weights |= result.rate_columns()
    return record_run(
        database,
        RunRecord(
            kind="learn",
            status=result.learned.status,
            seconds=result.seconds,
            program_text=result.text(),
            engine=result.learned.learner,
            seed=seed,
            data_hash=facts or data_hash(database),
            parameters={"language": result.program.language, **as_json(parameters)},
            weights=weights,
            traces=trace_columns(result.learned.trace),
        ),
    )


def record_ended(
    database: Database, kind: str, seconds: float, program: str, parameters: Mapping[str, Any]
) -> int:
    """Record a run that was ended before it had anything to show; its id."""
    return record_run(
        database,
        RunRecord(
            kind=kind,
            status="cancelled",
            seconds=seconds,
            program_text=program,
            engine=parameters.get("learner")
            or parameters.get("engine")
            or parameters.get("method"),
            seed=parameters.get("seed"),
            parameters={**as_json(parameters), "ended": True},
        ),
    )


def record_figures(
    database: Database,
    kind: str,
    status: str,
    seconds: float,
    engine: str,
    figures: Mapping[str, float | None],
    parameters: Mapping[str, Any],
) -> int:
    """Record work whose answer is in files, by its figures: a linkage, a model; its id."""
    known = {name: float(value) for name, value in figures.items() if value is not None}
    return record_run(
        database,
        RunRecord(
            kind,
            status,
            seconds,
            program_text="",
            engine=engine,
            seed=parameters.get("seed"),
            parameters={"language": "", **as_json(parameters), "figures": as_json(known)},
            metrics={"metric": list(known), "value": list(known.values())},
        ),
    )


def take_run(database: Database, source: Database, number: int) -> int:
    """Record in `database` the run that a copy of it made, with what is kept beside it, and declare
    its predicates as the copy did; its id here.
    """
    with database.transaction():
        taken = transferred(database, source, number)
        run = read_run(source, number)
        if run.kind in ("infer", "learn", "crossval"):
            database.declare(with_types_of(database, recorded_program(run)))
        kept = source.setting(beside(number))
        if kept is not None:
            database.remember(beside(taken), kept)
        take_linkage(database, source, number, taken)
    return taken


def beside(number: int) -> str:
    """The setting that holds what a study keeps beside its run."""
    return f"study of run {number}"


def record_structure(
    database: Database, result: StructureResult, seed: int, parameters: Mapping[str, Any]
) -> int:
    """Record a search for rules: program, rules with what they cover, figures; its id."""
    numbers = np.arange(len(result.rules))
    none = np.full(len(result.rules), np.nan)
    weights = [np.nan if rule.weight is None else rule.weight for rule in result.rules]
    return record_run(
        database,
        RunRecord(
            kind="structure",
            status=result.status,
            seconds=result.seconds,
            program_text=result.text,
            engine=result.method,
            seed=seed,
            data_hash=data_hash(database),
            parameters={
                "language": "mln",
                **as_json(parameters),
                "figures": as_json(dict(result.figures)),
            },
            weights={
                "template": numbers,
                "rule": numbers,
                "clause": np.zeros_like(numbers),
                "formula": [rule.text for rule in result.rules],
                "weight": weights,
                "initial": none,
                "fixed": np.zeros(len(numbers), np.bool_),
                "satisfied": [rule.positives for rule in result.rules],
                "violated": [rule.negatives for rule in result.rules],
            },
        ),
    )


def record_crossval(
    database: Database, result: CrossValidation, seed: int, parameters: Mapping[str, Any]
) -> int:
    """Record a cross-validation, predictions and metrics fold by fold; its id."""
    last = result.folds[-1]
    # What a program takes from data, such as edges of bins, is each fold's own.
    programs = [as_written(fold.learning.program) for fold in result.folds]
    names = {number: name for name, number in database.worlds().items()}
    folds = [
        {
            "name": fold.plan.name,
            "worlds": [names[world] for world in fold.plan.test],
            "kept": fold.plan.kept,
        }
        for fold in result.folds
    ]
    return record_run(
        database,
        RunRecord(
            kind="crossval",
            status=result.status,
            seconds=result.seconds,
            program_text=programs[-1],
            engine=last.learning.learned.learner,
            seed=seed,
            data_hash=data_hash(database),
            parameters={
                "language": last.learning.program.language,
                **as_json(parameters),
                "folds": folds,
                **({"planned": result.planned} if result.status != "done" else {}),
                **({"programs": programs} if len(set(programs)) > 1 else {}),
            },
            weights=by_fold([fold_weights(fold) for fold in result.folds]),
            atom_types=atom_types(last.inference),
            predictions=by_fold([held_out_columns(fold) for fold in result.folds]),
            metrics=by_fold([fold_metrics(fold) for fold in result.folds]),
        ),
    )
