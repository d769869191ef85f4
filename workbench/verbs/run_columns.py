"""What results leave in the tables of runs, as columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.arrays import Array, Bool, Float
from workbench.verbs.written_rules import template_texts

if TYPE_CHECKING:
    from workbench.grounding import Grounding
    from workbench.language.program import Program
    from workbench.network import Templates
    from workbench.verbs.crossval import FoldResult
    from workbench.verbs.infer import InferenceResult


def weight_columns(
    program: Program, templates: Templates, weights: Array, grounding: Grounding
) -> dict[str, Any]:
    """The weights of a program's templates, with what was counted of each."""
    return {
        "template": np.arange(templates.n_templates),
        "rule": templates.rule,
        "clause": templates.clause,
        "formula": list(template_texts(program, templates)),
        "written": list(templates.formula or ("",) * templates.n_templates),
        "share": templates.share,
        "weight": weights,
        "initial": templates.weight,
        "fixed": templates.fixed,
        **dict(
            zip(("open", "satisfied", "violated"), map(_counts, grounding.network.groundings.T))
        ),
    }


def _counts(numbers: Float) -> list[int | None]:
    """Whole numbers; None, which is stored as unknown, above what the column holds."""
    return [int(number) if number < 2.0**63 else None for number in numbers.tolist()]


def trace_columns(trace: Mapping[str, Array]) -> dict[str, Any]:
    """Every series of a trace, one below the other."""
    series = [(name, np.asarray(values, dtype=np.float64)) for name, values in trace.items()]
    if not series:
        return {}
    return {
        "step": np.concatenate([np.arange(values.size) for _, values in series]),
        "series": [name for name, values in series for _ in range(values.size)],
        "value": np.concatenate([values for _, values in series]),
    }


def prediction_columns(result: InferenceResult, among: Bool | None = None) -> dict[str, Any]:
    """The atoms that were asked about (or those among some), by their keys, and their values."""
    asked = result.is_query if among is None else result.is_query & among
    atoms, ids = result.grounding.atoms, np.flatnonzero(asked)
    return {
        "world": atoms.world[ids],
        "predicate": np.array(atoms.predicates, object)[atoms.predicate[ids]],
        "arguments": atoms.arguments(ids),
        "value": result.values[ids],
    }


def atom_types(result: InferenceResult) -> dict[str, tuple[str, ...]]:
    """The argument types of the predicates that were asked about."""
    atoms = result.grounding.atoms
    return {
        name: types
        for name, types, hidden in zip(atoms.predicates, atoms.types, atoms.hidden)
        if not hidden
    }


def fold_weights(fold: FoldResult) -> dict[str, Any]:
    """The weights that a fold learned."""
    learned = fold.learning
    return weight_columns(learned.program, learned.templates, learned.weights, learned.grounding)


def held_out_columns(fold: FoldResult) -> dict[str, Any]:
    """The predictions of the atoms that were held out, with their truth."""
    held_out = fold.held_out[fold.inference.is_query]
    columns = prediction_columns(fold.inference)
    return {name: column[held_out] for name, column in columns.items()} | {"truth": fold.truth}


def fold_metrics(fold: FoldResult) -> dict[str, Any]:
    """The scores of a fold."""
    return {"metric": list(fold.scores), "value": [float(one) for one in fold.scores.values()]}


def by_fold(parts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Columns of folds one below the other, with a column `fold`."""
    sizes = [len(next(iter(part.values()))) for part in parts]
    joined = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    return {"fold": np.repeat(np.arange(len(parts)), sizes)} | joined
