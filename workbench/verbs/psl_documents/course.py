"""A PSL 2.4 document run as PSL runs it: learned from its `learn` split, inferred, evaluated."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from workbench.database import Database, data_hash
from workbench.errors import Diagnostic
from workbench.grounding import GroundRequest
from workbench.language.program import Program
from workbench.language.psl.document import PslDocument
from workbench.language.psl.document_reading import read_psl_document
from workbench.network import Domain, Templates
from workbench.verbs.common import as_json, as_program
from workbench.verbs.loading import load
from workbench.verbs.options import How
from workbench.verbs.psl_documents.evaluations import Evaluation, without_equal
from workbench.verbs.psl_documents.options import DocumentSettings, document_settings
from workbench.verbs.psl_documents.validation import ValidationWorld, validation_world

if TYPE_CHECKING:
    from workbench.verbs.infer import InferenceResult
    from workbench.verbs.learn import Judge
    from workbench.verbs.learning_result import LearningResult


@dataclass(frozen=True)
class DocumentPlan:
    """What a document asks for.

    Attributes
    ----------
    settings, learning : DocumentSettings
        Of inference and of learning: the options of each come over those of both.
    has_learn_split, has_validation_split : bool
        It lists facts for learning, for validation apart, truth among them.
    """

    document: PslDocument
    settings: DocumentSettings
    learning: DocumentSettings
    has_learn_split: bool
    has_validation_split: bool

    @property
    def learns(self) -> bool:
        """Whether weights are learned before inference, unless the user keeps them."""
        return self.has_learn_split and not self.says_not_to

    @property
    def says_not_to(self) -> bool:
        """Whether its options turn learning off."""
        return False in (self.settings.learn, self.learning.learn)

    @property
    def validates(self) -> bool:
        """Whether what is learned is judged on the validation split."""
        said_not_to = False in (self.settings.validation, self.learning.validation)
        return self.learns and self.has_validation_split and not said_not_to

    @property
    def keeps_best(self) -> bool:
        """Whether the weights are taken that were best there."""
        return False not in (self.settings.keep_best, self.learning.keep_best)

    def warnings(self) -> list[Diagnostic]:
        """One warning that lists what is not obeyed."""
        options = dict.fromkeys((*self.settings.ignored, *self.learning.ignored))
        ignored = [*options, *without_equal(self.document)]
        if not self.validates and any(one.split == "validation" for one in self.document.facts):
            ignored.append("the split `validation`, by which nothing is judged")
        if not ignored:
            return []
        help_text = "engines and learners take --set name=value; `evaluate` has more metrics"
        message = (
            f"the document asks for what has no equal here, and is left out: {'; '.join(ignored)}"
        )
        return [Diagnostic.warning("E0832", message, None, help_text)]


@dataclass(frozen=True)
class DocumentRun:
    """What running a document gave.

    Attributes
    ----------
    learning : LearningResult or None
        None where the document's own weights were kept.
    done : str
        What was done, in words.
    validation : tuple of Evaluation
        Of the validation split at the learned weights.
    """

    inference: InferenceResult
    learning: LearningResult | None
    evaluations: tuple[Evaluation, ...]
    done: str
    warnings: tuple[Diagnostic, ...] = field(default=())
    validation: tuple[Evaluation, ...] = ()

    def summary(self) -> dict[str, Any]:
        """`InferenceResult.summary` with `done`, `evaluations` and the `learning` run's own."""
        return self.inference.summary() | {
            "done": self.done,
            "evaluations": [as_json(one) for one in self.evaluations],
            "validation": [as_json(one) for one in self.validation],
            "learning": None if self.learning is None else self.learning.summary(),
        }


def plan_of(path: str | os.PathLike[str]) -> DocumentPlan:
    """Read a document and what it asks for."""
    from workbench.learning import default_learner

    document, default = read_psl_document(path), default_learner(Domain.UNIT, hidden=False)
    settings, learning = (
        document_settings({**document.options, **own}, default)
        for own in (document.infer_options, document.learn_options)
    )
    return DocumentPlan(
        document, settings, learning, _has(document, "learn"), _has(document, "validation")
    )


def _has(document: PslDocument, split: str) -> bool:
    """Whether something is listed for a split alone, and a truth that it reads."""
    own = any(facts.split == split for facts in document.facts)
    truths = {facts.split for facts in document.facts if facts.partition == "truth"}
    return own and bool(truths & {"all", split})


@dataclass(frozen=True)
class Taught:
    """What a document's splits taught.

    Attributes
    ----------
    facts : str
        The hash of what was learned from.
    """

    learning: LearningResult
    facts: str
    validation: tuple[Evaluation, ...]


def learn_document(path: str | os.PathLike[str], plan: DocumentPlan, **how: Unpack[How]) -> Taught:
    """Learn a document's weights from its `learn` split, in a workspace of its own, and judge them
    by its `validation` split.
    """
    from workbench.verbs.learn import learn

    program, settings, judges = as_program(Path(path)), plan.learning, list[ValidationWorld]()

    def judge(templates: Templates) -> Judge:
        judges.append(validation_world(path, plan.document, program, templates))
        return judges[0].judge

    with Database.open() as database:
        database.declare(program)
        load(database, path, split="learn")
        result = learn(
            database,
            program,
            GroundRequest(role="learn"),
            learner=settings.learner,
            options=settings.learner_options,
            judge=judge if plan.validates and plan.keeps_best else None,
            **how,
        )
        facts = data_hash(database)
    if plan.validates and not judges:
        judge(result.templates)
    return Taught(result, facts, judges[0].evaluations(result.weights) if judges else ())


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
            f"learned {found} from the document's learn split{_judged(plan, learning)}, then "
            "inferred; --no-learn keeps its weights"
        )
    if not plan.has_learn_split:
        return "inferred with the document's weights; it has no learn split"
    why = "the document says runtime.learn = false" if plan.says_not_to else "as asked"
    return f"inferred with the document's weights, {why}; its learn split was not used"


def _judged(plan: DocumentPlan, learning: LearningResult) -> str:
    """What the validation split had to say, in words."""
    if not plan.validates:
        return ""
    kept = learning.learned.trace.get("kept", np.empty(0))
    if not kept.size:
        return ", judged by its validation split"
    return f", those of step {int(kept[-1])} of {kept.size}, the best on its validation split"
