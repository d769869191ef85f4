"""Weight learning: ground with the labels as truth, fit, and give the learned program back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, Unpack, cast

import numpy as np

from workbench.arrays import Bool, Float
from workbench.database import Database
from workbench.errors import Diagnostic, InputError, UsageError
from workbench.grounding import Grounding, GroundRequest, LazyRows, ground, ground_lazily
from workbench.inference.row_source import RowStore
from workbench.language.program import Program
from workbench.learning import (
    LEARNERS,
    Example,
    Learner,
    default_learner,
    hidden_among_labelled,
    make_learner,
    validate,
    weight_intervals,
)
from workbench.network import Templates
from workbench.network.ground_network import Domain
from workbench.progress import SILENT, Conduct, Progress
from workbench.verbs.generative import DatabaseFlipCounts
from workbench.verbs.inference_faults import refuse_numbers, says_nothing
from workbench.verbs.learning_faults import (
    check_labels,
    contradicted,
    mostly_false,
    named_for_all,
    refuse_copies,
)
from workbench.verbs.learning_result import LearningResult
from workbench.verbs.options import How, conduct_of
from workbench.verbs.results import is_query, query_predicates

Judge = Callable[[Float], float]
HeldOut = Callable[[Grounding], Bool]
"""Which atoms of a grounding keep their labels from the learner."""


def example_of(grounding: Grounding, held_out: HeldOut | None = None) -> Example:
    """A grounding as a training example; hidden predicates and held-out atoms do not count."""
    scored, truth = is_query(grounding), grounding.truth
    if held_out is not None:
        unseen = held_out(grounding)
        scored &= ~unseen
        truth = np.where(unseen, np.nan, truth)
    check_labels(grounding, truth)
    return Example(grounding.network, truth, None if scored.all() else scored)


def learn(
    database: Database,
    program: Program,
    request: GroundRequest,
    *,
    learner: str = "auto",
    options: Mapping[str, object] | None = None,
    candidates: Mapping[str, Sequence[object]] | None = None,
    intervals: str | None = None,
    held_out: HeldOut | None = None,
    lazy: bool = False,
    all_false: bool = False,
    judge: Callable[[Templates], Judge] | None = None,
    **how: Unpack[How],
) -> LearningResult:
    """Ground the training worlds and fit the weights of every template that is not fixed.

    Raises E0501 when no open atom has a label; E0819 for the generative learner with atoms held
    out, or with intervals; E0512 for lazy grounding with another learner than max margin.

    Parameters
    ----------
    learner : str
        A key of `workbench.learning.LEARNERS`, or `auto`: by language, and by whether an open atom
        without a label meets one with a label.
    options : mapping of parameter to value, optional
        Of the learner.
    candidates : mapping of parameter to values, optional
        Of these, every combination is tried without the last training world, and the one that
        predicts it best taken.
    intervals : {'laplace', 'bootstrap'}, optional
        Intervals of the weights beside them; see `workbench.learning.weight_intervals`.
    held_out : callable, optional
        From a grounding to the atoms whose labels the learner does not see, for folds made of
        atoms.
    lazy : bool
        Ground hard rules and rules of a settled weight only where a state violates them (max
        margin).
    all_false : bool
        Learn also where the data state no label, so that all atoms are false by the closed world: a
        part of data that state some, such as the training worlds of a fold.
    judge : callable, optional
        From the templates to how good their weights are elsewhere: of the weights on the way the
        best are the answer.
    **how
        The seconds of `time_limit` are for the learner, from the end of grounding.
    """
    refuse_numbers(program, "learn")
    begun, progress = perf_counter(), how.get("progress", SILENT)
    settings, conduct = options or {}, conduct_of(how)
    given = None if learner == "auto" else make_learner(learner, **settings)
    if lazy and (given is None or not given.declares.lazy or candidates or intervals):
        raise _not_lazy()
    apart = held_out is not None or intervals is not None
    if given is not None and given.declares.counts and apart:
        raise UsageError.of("E0819", f"{given.name} takes neither folds of atoms nor intervals")
    passes = _in_passes(program, given) and not (lazy or candidates or apart)
    request = replace(request, role="learn", on_disk=passes)
    task = _Task(database, program, request, held_out, progress)
    grounding, source = task.ground(lazy)
    templates, labelled = grounding.templates, _labelled(grounding, held_out, all_false)
    hidden = hidden_among_labelled(grounding.network, labelled.truth)
    chosen = given or make_learner(
        default_learner(grounding.network.domain, hidden=hidden), **settings
    )
    tried: dict[str, object] = {}
    if candidates:
        chosen, tried = task.validated(chosen, candidates, templates, conduct)
    parts, examples = task.examples(chosen, grounding, labelled, source)
    with nullcontext() if source is None else closing(source):
        learned = chosen.fit(
            examples, templates, seed=conduct.seed, deadline=conduct.deadline,
            progress=conduct.progress, judge=None if judge is None else judge(templates),
        )  # fmt: skip
    learned = replace(learned, diagnostics={**learned.diagnostics, **tried})
    bounds = None
    if intervals is not None:
        worlds = task.examples_by_world(templates) if intervals == "bootstrap" else [labelled]
        bounds = weight_intervals(
            worlds, templates, learned.weights, method=cast(Any, intervals),
            prior_sd=float(cast(Any, settings.get("prior_sd", 2.0))), conduct=conduct,
        )  # fmt: skip
    result = LearningResult(
        learned, templates, program, grounding, perf_counter() - begun,
        intervals=bounds, truth=labelled.truth,
    )  # fmt: skip
    return replace(result, warnings=_warnings(result, parts))


def _labelled(grounding: Grounding, held_out: HeldOut | None, all_false: bool) -> Example:
    """The grounding as an example that has labels, and room for what learners make of it."""
    labelled = example_of(grounding, held_out)
    if not np.isfinite(labelled.truth).any() or not (grounding.labelled or all_false):
        raise _without_labels(grounding)
    if grounding.memory is not None:
        refuse_copies(grounding, labelled.truth)
    return labelled


def _in_passes(program: Program, given: Learner | None) -> bool:
    """Whether the learner, or the language's own, reads its rows in passes, so from disk too."""
    domain = Domain.BOOLEAN if program.language == "mln" else Domain.UNIT
    meant = LEARNERS[default_learner(domain, hidden=False)] if given is None else given
    return meant.declares.passes


def _warnings(result: LearningResult, parts: Sequence[Grounding]) -> tuple[Diagnostic, ...]:
    """What grounding said, and what the weights say of rules and labels."""
    return (
        *result.grounding.warnings,
        *contradicted(parts, result.learned),
        *says_nothing(
            result.program,
            result.weights,
            unfinished=result.learned.status in ("limit", "cancelled"),
        ),
        *mostly_false(result),
        *named_for_all(result.grounding),
    )


def _not_lazy() -> UsageError:
    lazily = ", ".join(name for name, one in LEARNERS.items() if one.declares.lazy)
    return UsageError.of(
        "E0512",
        f"only {lazily} learns without grounding every rule, and without --validate and "
        "--intervals",
        help=f"add --learner {lazily}, or leave --lazy out",
    )


def _without_labels(grounding: Grounding) -> InputError:
    asked = ", ".join(query_predicates(grounding)) or "the query predicates"
    return InputError.of(
        "E0501", "no query atom has a label to learn from", help=f"give data with facts of {asked}"
    )


@dataclass(frozen=True)
class _Task:
    """What is learned from: data, rules, and the labels that the learner does not see."""

    database: Database
    program: Program
    request: GroundRequest
    held_out: HeldOut | None
    progress: Progress

    def ground(self, lazy: bool) -> tuple[Grounding, LazyRows | None]:
        """All worlds in one network and, where it is lazy, the source of the rows left out."""
        self.progress.step("ground", 0.0)
        if not lazy:
            return ground(self.database, self.program, self.request, progress=self.progress), None
        hard = [n for n, rule in enumerate(self.program.rules) if rule.weight.kind == "hard"]
        started = ground_lazily(
            self.database, self.program, self.request, rules=hard, progress=self.progress
        )
        return started.grounding, started.source

    def by_world(self, templates: Templates) -> list[Grounding]:
        return by_world(self.database, self.program, self.request, templates)

    def validated(
        self,
        learner: Learner,
        candidates: Mapping[str, Sequence[object]],
        templates: Templates,
        conduct: Conduct,
    ) -> tuple[Learner, dict[str, object]]:
        """The learner with the candidates that predict the last world best, and all scores."""
        worlds = self.examples_by_world(templates)
        found = validate(learner, candidates, worlds, templates, conduct=conduct)
        scored = zip(found.choice.candidates, found.choice.scores)
        tried = [{**candidate, "score": float(score)} for candidate, score in scored]
        return found.learner, {"validation": tried}

    def examples(
        self, learner: Learner, whole: Grounding, labelled: Example, source: LazyRows | None
    ) -> tuple[list[Grounding], list[Example]]:
        """What a learner reads, all worlds as one or each by itself, and the groundings of it."""
        by_world = learner.declares.by_world and np.unique(whole.network.world).size > 1
        if learner.declares.counts:
            return [whole], [replace(labelled, counts=self._counts(whole.templates))]
        if source is not None or not by_world:
            rows = None if source is None else RowStore(source)
            return [whole], [replace(labelled, source=rows)]
        parts = self.by_world(whole.templates)
        return parts, [example_of(part, self.held_out) for part in parts]

    def _counts(self, templates: Templates) -> DatabaseFlipCounts:
        worlds, tie = self.request.worlds, self.request.tie
        return DatabaseFlipCounts(
            self.database, self.program, templates, worlds, self.progress, tie
        )

    def examples_by_world(self, templates: Templates) -> list[Example]:
        return [example_of(part, self.held_out) for part in self.by_world(templates)]


def by_world(
    database: Database, program: Program, request: GroundRequest, templates: Templates
) -> list[Grounding]:
    """Each training world grounded apart; those without an open atom left out."""
    worlds = tuple(database.worlds().values()) if request.worlds is None else request.worlds
    parts = [
        ground(database, program, replace(request, worlds=(world,), templates=templates))
        for world in worlds
    ]
    return [part for part in parts if part.network.n_atoms]
