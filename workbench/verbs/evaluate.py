"""Scoring predictions, in a file or a result, against the facts that label them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.database import (
    DEFAULT_WORLD,
    BesideTruth,
    Database,
    Predictions,
    Unlisted,
    beside_truth,
    label_counts,
    label_keys,
    load_predictions,
    read_predictions,
)
from workbench.errors import InputError, UsageError, nearest
from workbench.evaluation import categorical_accuracy
from workbench.verbs.common import plainly
from workbench.verbs.score_report import Kind, Scored, reading, score_report
from workbench.verbs.truth import load_truth

if TYPE_CHECKING:
    from workbench.verbs.infer import InferenceResult


def evaluate_file(
    predictions: Path,
    truth: Sequence[Path],
    *,
    threshold: float = 0.5,
    kind: Kind = "auto",
    categorical: Sequence[str] = (),
    unlisted: Unlisted = "auto",
) -> dict[str, Any]:
    """Score a predictions file against files of facts.

    Raises E0826 where no prediction has a label; what reading the files raises; E0707 where
    predictions are of several worlds, and the truth does not say of which; E0828 for a categorical
    predicate without labels.

    Parameters
    ----------
    predictions : Path
        As `infer --out` writes it; a column `world` tells atoms of one name apart.
    truth : sequence of Path
        What `load` takes, and PSL's tables. `WORLD=FILE` names the world of a file's facts.
    kind : {'auto', 'binary', 'continuous'}
        As in `workbench.evaluation.scores`: `continuous` gives the errors of 0/1 labels, too.
    categorical : sequence of str
        Predicates whose last argument is a category of what the others name: `by_predicate` gives
        their categorical accuracy, the first category by name winning ties.
    unlisted : {'auto', 'false', 'skip'}
        What an atom is that the truth does not list: `auto` takes it for false where the truth
        lists true atoms of its predicate only, a closed-world list, and leaves it out where labels
        below 1 are among them, where the truth is PSL's, and where it lists nothing of the
        predicate. Atoms marked `?` are always left out.

    Returns
    -------
    dict
        Metrics over all scored predictions, how many were `scored` and `left_out`, the `reading` of
        unlisted atoms in words, the number of true facts of predicted predicates that have no
        prediction (`unpredicted`), the same `by_predicate`, a `calibration` table, and `warnings`.
    """
    parts = _read(read_predictions(predictions), truth, unlisted)
    result = score_report(parts, threshold, kind)
    for name in categorical:
        if name not in result["by_predicate"]:
            known = ", ".join(result["by_predicate"])
            raise UsageError.of(
                "E0828", f"no labelled prediction is of {name}", help=f"predicates: {known}"
            )
        part = next(part for part in parts if part.predicate == name)
        label = np.nan_to_num(part.truth, nan=0.0)
        _, category = np.unique(part.beside.category, return_inverse=True)
        accuracy = categorical_accuracy(part.beside.value, label, part.beside.item, category)
        result["by_predicate"][name]["categorical accuracy"] = accuracy
        result[f"categorical accuracy, {name}"] = accuracy
    return result


def evaluate_result(
    result: InferenceResult,
    truth: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None = None,
    *,
    unlisted: Unlisted = "auto",
) -> dict[str, Any]:
    """Score a result against files of facts, or its workspace's labels; see `evaluate_file`."""
    atoms, ids = result.grounding.atoms, np.flatnonzero(result.is_query)
    if truth is None:
        report = score_report(_in_workspace(result, unlisted), 0.5, "auto")
        if result.learned_in_sample:
            report["reading"] += "; in-sample: the weights were learned from these labels"
        return report | {"in_sample": result.learned_in_sample}
    paths = (
        [Path(truth)] if isinstance(truth, str | os.PathLike) else [Path(path) for path in truth]
    )
    names = np.array(atoms.predicates, object)[atoms.predicate[ids]].tolist()
    several = len(atoms.worlds) > 1 or DEFAULT_WORLD not in atoms.worlds.values()
    given = Predictions(
        list(zip(names, atoms.argument_names(ids))),
        atoms.world_names(ids).tolist() if several else None,
        result.values[ids],
    )
    return score_report(_read(given, paths, unlisted), 0.5, "auto")


def _read(given: Predictions, truth: Sequence[Path], unlisted: Unlisted) -> list[Scored]:
    """Predictions and truth, met by key in a workspace of their own."""
    with Database.open() as database:
        soft = load_truth(database, truth, given)
        labelled = dict.fromkeys(database.predicates(), 0) | label_counts(database)
        spelt = _spelling(given.arities, labelled)
        given, world = _in_worlds(database, given)
        load_predictions(database, given, spelt, world=world)
        parts = []
        for name in given.arities:
            beside = beside_truth(database, spelt[name])
            parts.append(Scored(name, beside, reading(beside, unlisted, soft=spelt[name] in soft)))
    if not any(np.isfinite(part.truth).any() for part in parts):
        raise _nothing_to_score(
            given.arities, [name for name, count in labelled.items() if count or name not in spelt]
        )
    return parts


def _spelling(predicted: Mapping[str, int], labelled: Mapping[str, int]) -> dict[str, str]:
    """The truth's predicate for each predicted one; case and underscores count if both occur."""
    free = {
        plainly(name): name for name, count in labelled.items() if count and name not in predicted
    }
    return {
        name: name if labelled.get(name) else free.get(plainly(name), name) for name in predicted
    }


def _in_worlds(database: Database, given: Predictions) -> tuple[Predictions, str]:
    """The predictions with worlds that the truth knows, and the world of those that name none."""
    known, named = list(database.worlds()), list(dict.fromkeys(given.worlds or ()))
    if len(known) <= 1 and len(named) <= 1:
        return Predictions(given.atoms, None, given.values), known[0] if known else DEFAULT_WORLD
    if (
        named
        and not set(named).isdisjoint(known)
        and not (DEFAULT_WORLD in known and DEFAULT_WORLD not in named)
    ):
        return given, DEFAULT_WORLD
    said = (
        f"the predictions are of the worlds {', '.join(named)}"
        if named
        else "the predictions name no world"
    )
    of = ", ".join(name for name in known if name != DEFAULT_WORLD) or "none that it names"
    raise UsageError.of(
        "E0707",
        f"{said}, and the truth is of {of}",
        help="name the world of each file of truth, --truth WORLD=FILE, and have a column `world` "
        "in the predictions",
    )


def _in_workspace(result: InferenceResult, unlisted: Unlisted) -> list[Scored]:
    """Predictions beside the labels of the workspace that they were made in."""
    atoms, database = result.grounding.atoms, result.grounding.origin.database
    withheld = result.grounding.origin.vocabulary.request.role == "learn"
    parts = []
    for number, (name, hidden) in enumerate(zip(atoms.predicates, atoms.hidden)):
        ids = np.flatnonzero(atoms.predicate == number)
        if hidden or not ids.size:
            continue
        world, constants, value = label_keys(database, name, tuple(atoms.worlds), withheld=withheld)
        places = atoms.locate(name, world, constants)
        label, listed = np.full(ids.size, np.nan), np.zeros(ids.size, np.bool_)
        label[places[places >= 0] - ids[0]] = value[places >= 0]
        listed[places[places >= 0] - ids[0]] = True
        beside = BesideTruth(
            value=result.values[ids],
            label=label,
            listed=listed,
            item=np.zeros(0, np.int64),
            category=np.zeros(0, object),
            all_true=not bool(np.any(value < 1)),
            n_labels=int(value.size),
            unpredicted=int(np.sum(value[places < 0] > 0)),
        )
        parts.append(
            Scored(name, beside, reading(beside, unlisted, soft=result.program.language == "psl"))
        )
    return parts


def _nothing_to_score(predicted: Mapping[str, int], named: Sequence[str]) -> InputError:
    first = next(iter(predicted))
    close = nearest(first, named)
    what = f"the truth is of {', '.join(sorted(named)[:5]) or 'nothing'}"
    error = InputError.of(
        "E0826",
        f"the truth holds no label of {', '.join(predicted)}, so there is nothing to score",
        help=f"{what}; did you mean {close}?"
        if close
        else f"{what}; --unlisted false scores all atoms as false",
    )
    assert isinstance(error, InputError)
    return error
