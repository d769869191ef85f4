"""A PSL 2.4 document run as PSL runs it: learned from its `learn` split, inferred,
and evaluated as it says.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from workbench.arrays import Int64
from workbench.database import Database, data_hash
from workbench.errors import Diagnostic
from workbench.evaluation import binary_scores, categorical_accuracy, continuous_scores
from workbench.grounding import GroundRequest
from workbench.language.program import Program
from workbench.language.psl_document import PslDocument
from workbench.language.psl_document_reading import read_psl_document
from workbench.network import Domain
from workbench.verbs.common import as_json, as_program
from workbench.verbs.loading import load
from workbench.verbs.options import How
from workbench.verbs.psl_options import DocumentSettings, document_settings

if TYPE_CHECKING:
    from workbench.verbs.infer import InferenceResult
    from workbench.verbs.learning_result import LearningResult

__all__ = [
    "DocumentPlan",
    "DocumentRun",
    "Evaluation",
    "evaluated",
    "learn_document",
    "plan_of",
    "what_was_done",
    "with_weights",
]


@dataclass(frozen=True)
class Evaluation:
    """What one evaluator of a document found of a predicate."""

    predicate: str
    evaluator: str
    figures: Mapping[str, float]


@dataclass(frozen=True)
class DocumentPlan:
    """What a document asks for.

    Attributes
    ----------
    has_learn_split : bool
        It lists facts for learning apart, truth among them.
    """

    document: PslDocument
    settings: DocumentSettings
    has_learn_split: bool

    @property
    def learns(self) -> bool:
        """Whether weights are learned before inference, unless the user keeps them."""
        return self.has_learn_split and self.settings.learn is not False

    def warnings(self) -> list[Diagnostic]:
        """One warning that lists what is not obeyed."""
        ignored = [*self.settings.ignored, *_without_equal(self.document)]
        if any(facts.split == "validation" for facts in self.document.facts):
            ignored.append("the split `validation`")
        if not ignored:
            return []
        help_text = "engines and learners take --set name=value; `evaluate` has more metrics"
        message = (
            f"the document asks for what has no equal here, and is left out: {'; '.join(ignored)}"
        )
        return [Diagnostic("E0832", message, None, help_text, severity="warning")]


@dataclass(frozen=True)
class DocumentRun:
    """What running a document gave.

    Attributes
    ----------
    learning : LearningResult or None
        None where the document's own weights were kept.
    done : str
        What was done, in words.
    """

    inference: InferenceResult
    learning: LearningResult | None
    evaluations: tuple[Evaluation, ...]
    done: str
    warnings: tuple[Diagnostic, ...] = field(default=())

    def summary(self) -> dict[str, Any]:
        """The figures of `InferenceResult.summary`, with `done`,
        `evaluations` and the `learning` run's own.
        """
        return self.inference.summary() | {
            "done": self.done,
            "evaluations": [as_json(one) for one in self.evaluations],
            "learning": None if self.learning is None else self.learning.summary(),
        }


def plan_of(path: str | os.PathLike[str], *, task: str = "infer") -> DocumentPlan:
    """Read a document and what it asks for; options of one task come over those of both."""
    document = read_psl_document(path)
    own = document.learn_options if task == "learn" else document.infer_options
    from workbench.learning import default_learner

    settings = document_settings(
        {**document.options, **own}, default_learner(Domain.UNIT, hidden=False)
    )
    splits = {facts.split for facts in document.facts if facts.partition == "truth"}
    return DocumentPlan(document, settings, "learn" in splits)


def learn_document(
    path: str | os.PathLike[str], settings: DocumentSettings, **how: Unpack[How]
) -> tuple[LearningResult, str]:
    """Learn a document's weights from its `learn` split, in a workspace of its own;
    with the hash of those facts.
    """
    from workbench.verbs.learn import learn

    program = as_program(Path(path))
    with Database.open() as database:
        database.declare(program)
        load(database, path, split="learn")
        result = learn(
            database,
            program,
            GroundRequest(role="learn"),
            learner=settings.learner,
            options=settings.learner_options,
            **how,
        )
        return result, data_hash(database)


def with_weights(program: Program, result: LearningResult) -> Program:
    """The program with the weights that were learned for its rules, of which each has one."""
    learned = {
        int(rule): float(weight) for rule, weight in zip(result.templates.rule, result.weights)
    }
    rules = (
        replace(rule, weight=replace(rule.weight, kind="given", value=learned[number]))
        if number in learned and rule.weight.kind != "hard"
        else rule
        for number, rule in enumerate(program.rules)
    )
    return replace(program, rules=tuple(rules))


def what_was_done(plan: DocumentPlan, learning: LearningResult | None) -> str:
    """What happened to the document's weights, in words."""
    if learning is not None:
        found = (
            f"{learning.templates.n_templates} weights by {learning.learned.learner} "
            f"({learning.learned.status})"
        )
        return (
            f"learned {found} from the document's learn split, then inferred; --no-learn keeps "
            "its weights"
        )
    if not plan.has_learn_split:
        return "inferred with the document's weights; it has no learn split"
    why = "the document says runtime.learn = false" if plan.settings.learn is False else "as asked"
    return f"inferred with the document's weights, {why}; its learn split was not used"


def evaluated(plan: DocumentPlan, result: InferenceResult) -> tuple[Evaluation, ...]:
    """The document's evaluations of an answer, of those evaluators that have an equal.

    Atoms are scored that the truth lists, as in PSL.
    """
    found = []
    names = {name.casefold(): name for name in result.query}
    for predicate, evaluators in plan.document.evaluations.items():
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
                obeyed, _ = _read_options(score[1], options, plan.document.arity(predicate))
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


def _discrete(
    result: InferenceResult, ids: Int64, options: Mapping[str, Any]
) -> Mapping[str, float]:
    at = options.get("discreteevaluator.threshold", 0.5)
    found = binary_scores(
        result.values[ids], (result.grounding.truth[ids] >= at).astype(np.float64), threshold=at
    )
    return {
        name: found[name]
        for name in ("F1", "precision", "recall", "accuracy", "atoms", "positives")
    }


def _ranked(result: InferenceResult, ids: Int64, options: Mapping[str, Any]) -> Mapping[str, float]:
    at = options.get("aucevaluator.threshold", 0.5)
    found = binary_scores(
        result.values[ids], (result.grounding.truth[ids] >= at).astype(np.float64)
    )
    return {name: found[name] for name in ("AUC-ROC", "AUC-PR", "AUC-PR(-)", "atoms", "positives")}


def _continuous(
    result: InferenceResult, ids: Int64, options: Mapping[str, Any]
) -> Mapping[str, float]:
    found = continuous_scores(result.values[ids], result.grounding.truth[ids])
    return {name: found[name] for name in ("MAE", "MSE", "RMSE", "atoms")}


def _categorical(
    result: InferenceResult, ids: Int64, options: Mapping[str, Any]
) -> Mapping[str, float]:
    """Whether the likeliest category of each item is its true one;
    the category is the argument at an index.
    """
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


_Score = Callable[["InferenceResult", Int64, Mapping[str, Any]], Mapping[str, float]]
_Read = Callable[[object, int], object]
_EVALUATORS: Mapping[str, tuple[_Score, Mapping[str, _Read]]] = {
    "discreteevaluator": (_discrete, {"discreteevaluator.threshold": _degree}),
    "aucevaluator": (_ranked, {"aucevaluator.threshold": _degree}),
    "continuousevaluator": (_continuous, {}),
    "categoricalevaluator": (_categorical, {"categoricalevaluator.categoryindexes": _places}),
}
"""By name in small letters: the figures, and how the options that are obeyed are read."""


def _read_options(
    known: Mapping[str, _Read], options: Mapping[str, object], arity: int
) -> tuple[dict[str, object], list[str]]:
    """The options of an evaluator that are obeyed, and the names of the others."""
    read: dict[str, object] = {}
    for name in options.keys() & known.keys():
        with suppress(ValueError, IndexError):
            read[name] = known[name](options[name], arity)
    return read, [name for name in options if name not in read]


def _without_equal(document: PslDocument) -> list[str]:
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
                    f"{evaluator} of {predicate}"
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
