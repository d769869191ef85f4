"""Scoring predictions, in a file or a result, against facts."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from workbench.arrays import Array
from workbench.errors import Diagnostic, UsageError, nearest
from workbench.evaluation import calibration, categorical_accuracy, scores
from workbench.language.ground_atoms import AtomKey, parse_atom
from workbench.verbs.labels import plainly, read_predictions, read_truth

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workbench.verbs.infer import InferenceResult

__all__ = ["evaluate_file", "evaluate_result"]


def evaluate_file(
    predictions: Path,
    truth: Sequence[Path],
    *,
    threshold: float = 0.5,
    kind: Literal["auto", "binary", "continuous"] = "auto",
    categorical: Sequence[str] = (),
) -> dict[str, Any]:
    """Score a predictions file against fact files; an unlisted atom is false, `?` is skipped.

    Parameters
    ----------
    threshold : float
    kind : {'auto', 'binary', 'continuous'}
        As in `workbench.evaluation.scores`: `continuous` gives the errors of 0/1 labels, too.
    categorical : sequence of str
        Predicates whose last argument is a category of what the others name: `by_predicate` gives their categorical
        accuracy, the first category by name winning ties.

    Returns
    -------
    dict
        Metrics over all predictions, the number `scored`, the number of true facts of predicted predicates that have no
        prediction (`unpredicted`), the same `by_predicate`, a `calibration` table, and `warnings`.
    """
    atoms, values = read_predictions(predictions)
    result = _scored(atoms, np.asarray(values), truth, threshold, kind)
    for name in categorical:
        if name not in result["by_predicate"]:
            known = ", ".join(result["by_predicate"])
            raise UsageError.of("E0828", f"no labelled prediction is of {name}", help=f"predicates: {known}")
        accuracy = _categorical([(a, v) for a, v in zip(atoms, values) if a[0] == name and a[1]], _labels(atoms, truth))
        result["by_predicate"][name]["categorical accuracy"] = accuracy
        result[f"categorical accuracy, {name}"] = accuracy
    return result


def _categorical(predicted: Sequence[tuple[AtomKey, float]], labels: Mapping[AtomKey, float]) -> float:
    truth = np.array([labels.get(atom, 0.0) for atom, _ in predicted])
    _, item = np.unique([repr(atom[1][:-1]) for atom, _ in predicted], return_inverse=True)
    _, category = np.unique([atom[1][-1] for atom, _ in predicted], return_inverse=True)
    return categorical_accuracy([value for _, value in predicted], truth, item, category)


def _labels(atoms: Sequence[AtomKey], truth: Sequence[Path]) -> dict[AtomKey, float]:
    """The labels in the predictions' spelling: case and underscores tell predicates apart only where both occur."""
    predicted = dict.fromkeys(name for name, _ in atoms)
    labels = read_truth(truth, {plainly(name): len(arguments) for name, arguments in atoms})
    named = {name for name, _ in labels}
    folded = {plainly(name): name for name in predicted}
    return {
        (name if name in predicted else _respelt(name, folded, named), arguments): value
        for (name, arguments), value in labels.items()
    }


def _respelt(name: str, folded: Mapping[str, str], taken: set[str]) -> str:
    other = folded.get(plainly(name), name)
    return name if other in taken else other


def _scored(
    atoms: Sequence[AtomKey],
    values: Array,
    truth: Sequence[Path],
    threshold: float,
    kind: Literal["auto", "binary", "continuous"] = "auto",
) -> dict[str, Any]:
    labels = _labels(atoms, truth)
    target = np.array([labels.get(atom, 0.0) for atom in atoms])
    predicates = np.array([atom[0] for atom in atoms])
    known = set(atoms)
    result: dict[str, Any] = dict(scores(values, target, kind=kind, threshold=threshold))
    result["scored"] = int(np.isfinite(target).sum())
    result["unpredicted"] = sum(
        1 for atom, value in labels.items() if value > 0 and atom[0] in set(predicates) and atom not in known
    )
    by_predicate = {}
    for name in dict.fromkeys(predicates.tolist()):
        chosen = predicates == name
        if np.isfinite(target[chosen]).any():
            by_predicate[name] = dict(scores(values[chosen], target[chosen], kind=kind, threshold=threshold))
    result["by_predicate"] = by_predicate
    result["calibration"] = _calibration(values, target)
    result["warnings"] = [warning.as_record() for warning in _unmatched(predicates, labels) + _repeated(atoms)]
    return result


def _calibration(values: Array, target: Array) -> list[dict[str, Any]]:
    """How often atoms came true, by tenths of the probability they were given; none for fractional labels."""
    if not np.isin(target[np.isfinite(target)], (0.0, 1.0)).all():
        return []
    table = calibration(values, target)
    columns = (table.lower, table.upper, table.count, table.mean_predicted, table.fraction_true)
    names = ("from", "to", "atoms", "predicted", "true")
    return [dict(zip(names, row)) for row in zip(*(column.tolist() for column in columns))]


def _unmatched(predicates: Array, labels: Mapping[AtomKey, float]) -> list[Diagnostic]:
    """A warning when no label is of a predicted predicate: every prediction is then scored against false."""
    named = sorted({name for name, _ in labels})
    predicted = sorted(set(predicates.tolist()))
    if not named or set(named) & set(predicted):
        return []
    close = nearest(predicted[0], named)
    return [
        Diagnostic(
            "E0826",
            f"the truth holds no fact of {', '.join(predicted)}, so all predictions are scored against false",
            help=f"the truth is of {', '.join(named[:5])}" + (f"; did you mean {close}?" if close else ""),
            severity="warning",
        )
    ]


def _repeated(atoms: Sequence[AtomKey]) -> list[Diagnostic]:
    """A warning when an atom is predicted more than once: all of its predictions are scored against one label."""
    twice = next((atom for atom, count in Counter(atoms).items() if count > 1), None)
    if twice is None:
        return []
    name, arguments = twice
    return [
        Diagnostic(
            "E0830",
            f"{name}({', '.join(arguments)}) is predicted more than once, and each prediction scored against one label",
            help="score the predictions of one world (column `world`) at a time, against its own facts",
            severity="warning",
        )
    ]


def evaluate_result(
    result: InferenceResult, truth: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None = None
) -> dict[str, Any]:
    """Score an inference result against fact files, or the labels that its grounding kept apart."""
    frame = result.predictions()
    if truth is None:
        labels = result.grounding.truth[result.is_query]
        return dict(scores(frame["value"].to_numpy(), labels))
    paths = [Path(truth)] if isinstance(truth, str | os.PathLike) else [Path(path) for path in truth]
    atoms = [atom for text in frame["atom"] if (atom := parse_atom(text)) is not None]
    return _scored(atoms, frame["value"].to_numpy(dtype=np.float64), paths, 0.5)
