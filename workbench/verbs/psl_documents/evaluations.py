"""The evaluations that a PSL document asks for, as PSL makes them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from workbench.arrays import Float, Int64
from workbench.evaluation import binary_scores, categorical_accuracy, continuous_scores
from workbench.grounding import Grounding
from workbench.language.psl.document import PslDocument


@dataclass(frozen=True)
class Evaluation:
    """What one evaluator of a document found of a predicate."""

    predicate: str
    evaluator: str
    figures: Mapping[str, float]

    @property
    def merit(self) -> float:
        """The figure that stands for the others in PSL; larger is better."""
        name, sign = _REPRESENTATIVE[self.evaluator.casefold()]
        return sign * self.figures[name]


class Evaluable(Protocol):
    """Values of the atoms of a grounding that has their truth."""

    @property
    def query(self) -> Sequence[str]: ...

    @property
    def grounding(self) -> Grounding: ...

    @property
    def values(self) -> Float: ...


def evaluated(document: PslDocument, result: Evaluable) -> tuple[Evaluation, ...]:
    """The document's evaluations of an answer, of those evaluators that have an equal.

    Atoms are scored that the truth lists, as in PSL.
    """
    found = []
    names = {name.casefold(): name for name in result.query}
    for predicate, evaluators in document.evaluations.items():
        name = names.get(predicate.casefold())
        if name is None:
            continue
        ids = np.flatnonzero(
            result.grounding.atoms.predicate == result.grounding.atoms.predicates.index(name)
        )
        ids = ids[np.isfinite(result.grounding.truth[ids])]
        for evaluator, options in map(_evaluator, evaluators):
            score = _EVALUATORS.get(evaluator.casefold())
            if score is not None and ids.size:
                obeyed, _ = _read_options(score[1], options, document.arity(predicate))
                found.append(Evaluation(name, evaluator, score[0](result, ids, obeyed)))
    return tuple(found)


def _evaluator(entry: object) -> tuple[str, Mapping[str, object]]:
    """An evaluator's short name and its options, however the document writes them."""
    if not isinstance(entry, Mapping):
        return _short(entry), {}
    options = entry.get("options")
    named = (
        {str(name).casefold(): value for name, value in options.items()}
        if isinstance(options, Mapping)
        else {}
    )
    return _short(entry.get("evaluator", "")), named


def _short(name: object) -> str:
    return str(name).rsplit(".", 1)[-1]


def _discrete(result: Evaluable, ids: Int64, options: Mapping[str, Any]) -> Mapping[str, float]:
    at = options.get("discreteevaluator.threshold", 0.5)
    found = binary_scores(
        result.values[ids], (result.grounding.truth[ids] >= at).astype(np.float64), threshold=at
    )
    return {
        name: found[name]
        for name in ("F1", "precision", "recall", "accuracy", "atoms", "positives")
    }


def _ranked(result: Evaluable, ids: Int64, options: Mapping[str, Any]) -> Mapping[str, float]:
    at = options.get("aucevaluator.threshold", 0.5)
    found = binary_scores(
        result.values[ids], (result.grounding.truth[ids] >= at).astype(np.float64)
    )
    return {name: found[name] for name in ("AUC-ROC", "AUC-PR", "AUC-PR(-)", "atoms", "positives")}


def _continuous(result: Evaluable, ids: Int64, options: Mapping[str, Any]) -> Mapping[str, float]:
    found = continuous_scores(result.values[ids], result.grounding.truth[ids])
    return {name: found[name] for name in ("MAE", "MSE", "RMSE", "atoms")}


def _categorical(result: Evaluable, ids: Int64, options: Mapping[str, Any]) -> Mapping[str, float]:
    """Whether each item's likeliest category is its true one; an argument is the category."""
    names = result.grounding.atoms.argument_names(ids)
    width = len(names[0])
    places = options.get("categoricalevaluator.categoryindexes", {width - 1})
    worlds = result.grounding.atoms.world[ids].tolist()
    items = [
        (world, *(row[i] for i in range(width) if i not in places))
        for world, row in zip(worlds, names)
    ]
    categories = [tuple(row[i] for i in sorted(places)) for row in names]
    item, category = (_numbered(keys) for keys in (items, categories))
    accuracy = categorical_accuracy(result.values[ids], result.grounding.truth[ids], item, category)
    return {"categorical accuracy": accuracy, "atoms": float(ids.size)}


def _numbered(keys: Sequence[tuple[object, ...]]) -> Int64:
    """The rank of each key."""
    rank = {key: number for number, key in enumerate(sorted(set(keys), key=repr))}
    return np.array([rank[key] for key in keys], np.int64)


def _degree(value: object, arity: int) -> float:
    return float(str(value))


def _places(value: object, arity: int) -> set[int]:
    """Argument places, of which negative ones count from the end."""
    return {range(arity)[int(place)] for place in str(value).split(",")}


_Score = Callable[[Evaluable, Int64, Mapping[str, Any]], Mapping[str, float]]


_Read = Callable[[object, int], object]


_EVALUATORS: Mapping[str, tuple[_Score, Mapping[str, _Read]]] = {
    "discreteevaluator": (_discrete, {"discreteevaluator.threshold": _degree}),
    "aucevaluator": (_ranked, {"aucevaluator.threshold": _degree}),
    "continuousevaluator": (_continuous, {}),
    "categoricalevaluator": (_categorical, {"categoricalevaluator.categoryindexes": _places}),
}
"""By name in small letters: the figures, and how the options that are obeyed are read."""

_REPRESENTATIVE: Mapping[str, tuple[str, float]] = {
    "discreteevaluator": ("F1", 1.0),
    "aucevaluator": ("AUC-ROC", 1.0),
    "continuousevaluator": ("MSE", -1.0),
    "categoricalevaluator": ("categorical accuracy", 1.0),
}


def _read_options(
    known: Mapping[str, _Read], options: Mapping[str, object], arity: int
) -> tuple[dict[str, object], list[str]]:
    """The options of an evaluator that are obeyed, and the names of the others."""
    read: dict[str, object] = {}
    for name in options.keys() & known.keys():
        with suppress(ValueError, IndexError):
            read[name] = known[name](options[name], arity)
    return read, [name for name in options if name not in read]


def without_equal(document: PslDocument) -> list[str]:
    """Evaluators without an equal or a truth, and options of evaluators that are not obeyed."""
    labelled = {
        facts.predicate
        for facts in document.facts
        if facts.partition == "truth" and facts.split in ("all", "infer")
    }
    found = []
    for predicate, evaluators in document.evaluations.items():
        for evaluator, options in map(_evaluator, evaluators):
            known = _EVALUATORS.get(evaluator.casefold())
            if known is None or predicate not in labelled:
                found.append(
                    f"{evaluator or 'an evaluation without `evaluator`'} of {predicate}"
                    + ("" if known is None else ", which has no truth")
                )
                continue
            _, left = _read_options(known[1], options, document.arity(predicate))
            found += [
                f"{name} = {options[name]} of {evaluator}"
                for name in left
                if str(options[name]).casefold() != "false"
            ]
    return found
