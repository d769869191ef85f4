"""Rules from data without modes: over the predicates of a workspace."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import Any

from workbench.database import Database
from workbench.errors import UsageError, nearest
from workbench.grounding.coverage import read_relations
from workbench.parameters import read_parameters
from workbench.progress import SILENT, Progress
from workbench.structure.background import Background
from workbench.structure.beam import BeamSearch
from workbench.structure.mining import RuleMiner
from workbench.structure.paths import PathLearner
from workbench.structure.pseudo_likelihood import PseudoLikelihoodScore, all_atoms
from workbench.structure.rules import LearnedRule, format_theory
from workbench.verbs.common import deadline_after
from workbench.verbs.structure_result import StructureResult

__all__ = ["METHODS", "learn_rules"]

METHODS = ("beam", "paths", "mine")


def learn_rules(
    database: Database,
    predicates: Sequence[str],
    targets: Sequence[str],
    *,
    method: str = "beam",
    worlds: Sequence[str] | None = None,
    settings: Mapping[str, object] | None = None,
    candidates: int = 100,
    seed: int = 0,
    time_limit: float | None = None,
    progress: Progress = SILENT,
) -> StructureResult:
    """Rules over a workspace's own predicates, without modes.

    Parameters
    ----------
    predicates : sequence of str
        What rules may mention.
    worlds : sequence of str, optional
        The databases to learn from, all when absent; no rule joins two.
    targets : sequence of str
        Scored predicates (`beam`, `paths`) or heads (`mine`).
    method : {'beam', 'paths', 'mine'}
        Beam search by weighted pseudo-log-likelihood, bottom-up relational paths, frequent Horn rules.
    settings : mapping
        Parameters of `BeamSearch`, `PathLearner` or `RuleMiner`.
    candidates : int
        Most clauses reported besides the learned ones.

    Raises
    ------
    UsageError
        `E0611` for an unknown method, `E0612` for a target that is not among the predicates, `E0610` for an unknown
        setting.
    """
    learners = {"beam": BeamSearch, "paths": PathLearner, "mine": RuleMiner}
    if method not in learners:
        raise UsageError.of("E0611", f"there is no method `{method}`", help=f"choose from {', '.join(METHODS)}")
    for target in targets:
        if target not in predicates:
            close = nearest(target, predicates)
            raise UsageError.of(
                "E0612", f"`{target}` is no predicate here", help=f"did you mean `{close}`?" if close else None
            )
    read = read_parameters(learners[method], settings or {}, f"`{method}`", "E0610")
    began = perf_counter()
    known_worlds = tuple(database.worlds())
    unknown = [name for name in worlds or () if name not in known_worlds]
    if unknown:
        help_ = f"the worlds are {', '.join(known_worlds)}"
        raise UsageError.of("E0807", f"there is no world {', '.join(unknown)}", help=help_)
    backgrounds = [_world(database, predicates, name) for name in worlds or known_worlds]
    background = backgrounds[0]
    deadline = deadline_after(time_limit)
    learner: Any = learners[method](**read)
    left: tuple[LearnedRule, ...] = ()
    if method == "mine":
        rules = tuple(learner.learn(backgrounds, targets, deadline=deadline, progress=progress))
        status, figures = "complete", {"rules_found": float(len(rules))}
    else:
        atoms = [{name: all_atoms(world, name, seed=seed) for name in targets} for world in backgrounds]
        others = tuple(zip(backgrounds[1:], atoms[1:]))
        score = PseudoLikelihoodScore(background, atoms[0], others=others)
        learned = learner.learn(score, deadline=deadline, progress=progress)
        rules, status, left = learned.rules, learned.status, learned.candidates
        figures = {"pseudo_log_likelihood": float(learned.trace[-1])}
    example, _ = all_atoms(background, targets[0], limit=1, seed=seed)
    text = format_theory(rules, background, example)
    return StructureResult(tuple(rules), text, method, status, perf_counter() - began, figures, left[:candidates])


def _world(database: Database, predicates: Sequence[str], world: str) -> Background:
    found = read_relations(database, predicates, world=world, partitions=("evidence", "truth"))
    return Background(found.predicates, found.argument_types, found.facts, found.constants, found.domains)
