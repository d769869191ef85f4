"""Weight learning: ground with the labels as truth, fit, and give the learned program back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from workbench.database import Database
from workbench.errors import Diagnostic, InputError
from workbench.grounding import Grounding, GroundRequest, ground
from workbench.language import format_program
from workbench.language.program import LogicalRule, Program, Weight
from workbench.learning import Example, LearnedWeights, make_learner, validate
from workbench.learning.pseudo_likelihood import PseudoLikelihood
from workbench.network import Templates
from workbench.progress import SILENT, Progress
from workbench.verbs.common import as_json, deadline_after
from workbench.verbs.generative import DatabaseFlipCounts
from workbench.verbs.infer import is_query, query_predicates
from workbench.verbs.naming import template_texts

__all__ = ["GENERATIVE", "LearningResult", "example_of", "learn", "learned_text"]

Float = npt.NDArray[np.float64]

GENERATIVE = "generative_pseudo_likelihood"
"""The learner that needs counts of all predicates from the database, beside those of the registry."""


@dataclass(frozen=True)
class LearningResult:
    """What learning found.

    Attributes
    ----------
    learned : LearnedWeights
    templates : Templates
    program : Program
    grounding : Grounding
    seconds : float
    run_id : int or None
    """

    learned: LearnedWeights
    templates: Templates
    program: Program
    grounding: Grounding
    seconds: float
    run_id: int | None = None
    warnings: tuple[Any, ...] = field(default=())

    @property
    def weights(self) -> Float:
        """float64 array, shape (n_templates,)."""
        return self.learned.weights

    def text(self) -> str:
        """The program with its learned weights, in its own language."""
        return learned_text(self.program, self.templates, self.learned.weights)

    def save(self, path: str | Path) -> None:
        """Write the learned program."""
        Path(path).write_text(self.text(), encoding="utf-8")

    def table(self) -> list[dict[str, Any]]:
        """One record a template: the clause, its weight before and after, its groundings."""
        groundings = self.grounding.network.groundings
        texts = template_texts(self.program, self.templates)
        return [
            {
                "template": index,
                "rule": int(self.templates.rule[index]),
                "clause": texts[index],
                "initial": as_json(float(self.templates.weight[index])),
                "weight": float(self.learned.weights[index]),
                "fixed": bool(self.templates.fixed[index]),
                "open": int(groundings[index, 0]),
                "satisfied": int(groundings[index, 1]),
                "violated": int(groundings[index, 2]),
            }
            for index in range(self.templates.n_templates)
        ]

    def summary(self) -> dict[str, Any]:
        """The learning run's figures as a JSON-ready mapping."""
        return {
            "status": self.learned.status,
            "learner": self.learned.learner,
            "templates": self.templates.n_templates,
            "atoms": self.grounding.network.n_atoms,
            "ground_rows": self.grounding.network.n_rows,
            "seconds": round(self.seconds, 6),
            "run": self.run_id,
            "weights": self.table(),
            "diagnostics": as_json(self.learned.diagnostics),
            "warnings": [warning.as_record() for warning in self.warnings],
        }


def example_of(grounding: Grounding) -> Example:
    """A grounding in the learn role as a training example; hidden predicates are not scored."""
    scored = is_query(grounding)
    return Example(grounding.network, grounding.atoms.truth(), None if scored.all() else scored)


def learn(
    database: Database,
    program: Program,
    request: GroundRequest,
    *,
    learner: str = "auto",
    options: Mapping[str, object] | None = None,
    candidates: Mapping[str, Sequence[object]] | None = None,
    seed: int = 0,
    time_limit: float | None = None,
    progress: Progress = SILENT,
) -> LearningResult:
    """Ground the training worlds and fit the weights of every template that is not fixed.

    Parameters
    ----------
    options : mapping of parameter to value, optional
        Of the learner.
    candidates : mapping of parameter to values, optional
        Of these, every combination is tried without the last training world, and the one that predicts it best taken.

    Raises
    ------
    InputError
        When no open atom has a label.
    """
    begun = perf_counter()
    progress.step("ground", 0.0)
    grounding = ground(database, program, replace(request, role="learn"))
    example = example_of(grounding)
    if not np.isfinite(example.truth).any():
        raise InputError.of(
            "E0501",
            "no query atom has a label to learn from",
            help=f"give data with facts of {', '.join(query_predicates(grounding)) or 'the query predicates'}",
        )
    deadline, settings = deadline_after(time_limit), options or {}
    if learner == GENERATIVE:
        source = DatabaseFlipCounts(database, program, grounding.templates, request.worlds, progress)
        pseudo = PseudoLikelihood(**cast(Any, settings))
        learned = pseudo.fit_counts(source, grounding.templates, deadline=deadline, progress=progress)
    else:
        chosen = make_learner(default_learner(program) if learner == "auto" else learner, **settings)
        tried: dict[str, object] = {}
        if candidates:
            examples = _examples_by_world(database, program, request, grounding.templates)
            found = validate(
                chosen, candidates, examples, grounding.templates, seed=seed, deadline=deadline, progress=progress
            )
            chosen = found.learner
            tried = {"validation": [{**p, "score": float(v)} for p, v in zip(found.parameters, found.score)]}
        learned = chosen.fit([example], grounding.templates, seed=seed, deadline=deadline, progress=progress)
        learned = replace(learned, diagnostics={**learned.diagnostics, **tried})
    return LearningResult(
        learned,
        grounding.templates,
        program,
        grounding,
        perf_counter() - begun,
        warnings=(*grounding.warnings, *_contradicted(grounding, learned)),
    )


def _examples_by_world(
    database: Database, program: Program, request: GroundRequest, templates: Templates
) -> list[Example]:
    """Each training world grounded apart."""
    worlds = tuple(database.worlds().values()) if request.worlds is None else request.worlds
    return [
        example_of(ground(database, program, replace(request, role="learn", worlds=(world,), templates=templates)))
        for world in worlds
    ]


def _contradicted(grounding: Grounding, learned: LearnedWeights, most: int = 10) -> list[Diagnostic]:
    """A warning for each hard ground clause that the labels violate, which the learner left out."""
    found = learned.diagnostics.get("violated_hard_rows")
    rows = np.asarray(found[0], np.int64) if isinstance(found, tuple) and len(found) == 1 else np.zeros(0, np.int64)
    warnings = []
    for row in rows[:most]:
        entries = grounding.network.A[[row]].tocoo()
        names = grounding.atoms.names(entries.coords[1])
        clause = " v ".join(f"{'!' if value > 0 else ''}{name}" for name, value in zip(names, entries.data))
        message = f"the labels violate the hard ground clause {clause}; it is left out of learning"
        warnings.append(Diagnostic("E0508", message, severity="warning"))
    if rows.size > most:
        warnings.append(Diagnostic("E0508", f"{rows.size - most} more hard ground clauses", severity="warning"))
    return warnings


def default_learner(program: Program) -> str:
    """The learner that `auto` means for a language."""
    return "diagonal_newton" if program.language == "mln" else "hinge_perceptron"


def learned_text(program: Program, templates: Templates, weights: Float) -> str:
    """The program printed with learned weights.

    In PSL each rule keeps its form. In Markov logic each clause stands on its own line with its weight, `+` variables
    replaced by their constants; hard formulas stay as they were written.
    """
    if program.language == "psl":
        by_rule = {int(rule): float(weight) for rule, weight in zip(templates.rule, weights)}
        rules = tuple(
            replace(rule, weight=Weight("given", by_rule[index]))
            if index in by_rule and rule.weight.kind != "hard"
            else rule
            for index, rule in enumerate(program.rules)
        )
        return format_program(replace(program, rules=rules))
    hard = tuple(rule for rule in program.rules if rule.weight.kind == "hard" and not isinstance(rule, LogicalRule))
    lines = [format_program(replace(program, rules=hard)).rstrip(), ""]
    lines += [f"{weight:.10g}  {label}" for weight, label in zip(weights, templates.label)]
    return "\n".join(lines) + "\n"
