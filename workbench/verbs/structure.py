"""Rules from data: an ILP problem searched as Aleph does, or the predicates of a workspace without modes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from time import perf_counter
from typing import Any, cast

import numpy as np
from scipy.sparse import csc_array, csr_array, hstack

from workbench.arrays import Int32, Int64
from workbench.database import Database
from workbench.database.ilp import load_ilp
from workbench.database.ilp_clauses import derive_facts
from workbench.errors import UsageError, nearest
from workbench.grounding.coverage import read_examples, read_relations
from workbench.language.ilp import IlpProblem
from workbench.learning.exact_likelihood import choose_penalty
from workbench.learning.logistic import Penalty, fit_logistic
from workbench.parameters import read_parameters
from workbench.progress import SILENT, Progress
from workbench.structure.background import Background, Examples
from workbench.structure.beam import BeamSearch
from workbench.structure.coverage import pack
from workbench.structure.features import clause_features
from workbench.structure.induction import ClauseLearner
from workbench.structure.mining import RuleMiner
from workbench.structure.paths import PathLearner
from workbench.structure.pseudo_likelihood import PseudoLikelihoodScore, all_atoms
from workbench.structure.rules import LearnedRule, body_text, format_theory, information_gain
from workbench.structure.settings import SearchSettings
from workbench.verbs.common import deadline_after
from workbench.verbs.structure_result import StructureResult

__all__ = ["LOOPS", "METHODS", "WEIGHTINGS", "induce", "learn_rules"]

LOOPS = ("induce", "induce_cover", "induce_max")
WEIGHTINGS = ("none", "l1", "l2", "elastic", "group")
METHODS = ("beam", "paths", "mine")


def induce(
    database: Database,
    problem: IlpProblem,
    *,
    loop: str = "induce",
    weights: str = "none",
    collect: float | None = None,
    settings: Mapping[str, object] | None = None,
    candidates: int = 100,
    seed: int = 0,
    time_limit: float | None = None,
    progress: Progress = SILENT,
) -> StructureResult:
    """Load an ILP problem, search clauses for its target from bottom clauses, and weight them.

    Parameters
    ----------
    problem : IlpProblem
        From `workbench.language.ilp_reader.read_ilp`; its own `set` directives are the settings.
    loop : {'induce', 'induce_cover', 'induce_max'}
    weights : {'none', 'l1', 'l2', 'elastic', 'group'}
        Exact conditional likelihood under a Laplace or Gaussian prior, half of each, or a group lasso over the clauses
        of the same predicates; its strength is chosen by cross-validation, and `figures` has the answer's objective
        and proven bound. The target's unit clause is added as a bias.
    collect : float or None
        Keep and weight every clause on the way that scores more (`++`), not only the theory.
    settings : mapping
        Further settings by Aleph's names; they win over the file's.
    candidates : int
        Most acceptable clauses reported besides the theory, those of greatest information gain.

    Raises
    ------
    UsageError
        `E0610` for a setting that does not exist or a value of the wrong kind, `E0611` for an unknown loop or
        weighting, `E0609` when the settings let no clause pass.
    """
    for given, known in ((loop, LOOPS), (weights, WEIGHTINGS)):
        if given not in known:
            raise UsageError.of("E0611", f"there is no `{given}` here", help=f"choose from {', '.join(known)}")
    began = perf_counter()
    problem = derive_facts(problem)
    load_ilp(database, problem)
    background, examples = arrays(database, problem)
    chosen = SearchSettings.read(problem.settings, settings or {}, collect)
    keeping = replace(chosen, collect=-np.inf) if chosen.collect is None and candidates else chosen
    learner = ClauseLearner(background, examples, problem.head_mode, problem.body_modes, keeping)
    theory = learner.learn(loop=cast(Any, loop), deadline=deadline_after(time_limit), progress=progress)
    kept = learner.cache.body_parts(theory.collected)
    parts = theory.parts if chosen.collect is None else kept
    if not len(theory.parts) and theory.status == "complete":
        _refuse_empty(chosen)
    rules, certificate = _weighted(learner, parts, weights, seed)
    texts = {rule.text for rule in rules}
    others = _covering(learner, _of_most_gain(learner, kept, candidates + len(rules)), [None] * len(kept))
    return StructureResult(
        rules,
        format_theory(rules, background, examples),
        "aleph" if chosen.collect is None else "aleph++",
        theory.status,
        perf_counter() - began,
        {
            "clauses_evaluated": theory.nodes,
            "clauses": len(parts),
            "uncovered_positives": len(theory.ground),
            **certificate,
        },
        tuple(rule for rule in others if rule.text not in texts)[:candidates],
        tuple(
            f"`set({name}, ...)` has no effect: {why}" for name, why in SearchSettings.unused(problem.settings).items()
        ),
    )


def _refuse_empty(settings: SearchSettings) -> None:
    limits = ", ".join(f"{name}={getattr(settings, name)}" for name in ("minpos", "noise", "minacc", "minscore"))
    raise UsageError.of(
        "E0609",
        f"no clause is acceptable with {limits}, evalfn={settings.evalfn}, clauselength={settings.clauselength}",
        help="allow more noise, fewer positives or longer clauses, such as --set noise=10",
    )


def arrays(database: Database, problem: IlpProblem) -> tuple[Background, Examples]:
    """A loaded problem's background and examples, without any target atom among the background."""
    predicates = [name for name, rows in problem.relations().items() if rows]
    found = read_relations(database, predicates)
    arguments, label, _ = read_examples(database, problem.target)
    background = Background(found.predicates, found.argument_types, found.facts, found.constants)
    return background, Examples(problem.target, problem.argument_types()[problem.target], arguments, label)


def _of_most_gain(learner: ClauseLearner, parts: Int32, most: int) -> Int32:
    label = learner.examples.label
    masks = np.stack([pack(label == 1), pack(label == 0)])
    tally = learner.cache.tally(parts, masks)
    gain = information_gain(tally[:, 0], tally[:, 1], int((label == 1).sum()), int((label == 0).sum()))
    return np.asarray(parts[np.argsort(-gain, kind="stable")[:most]])


def _covering(learner: ClauseLearner, parts: Int32, weights: Sequence[float | None]) -> list[LearnedRule]:
    """The bodies as rules, with what they cover."""
    examples = learner.examples
    positive, negative = examples.label == 1, examples.label == 0
    tally = learner.cache.tally(parts, np.stack([pack(positive), pack(negative)]))
    gain = information_gain(tally[:, 0], tally[:, 1], int(positive.sum()), int(negative.sum()))
    return [
        LearnedRule(body_text(learner.background, examples, body), p, n, p / max(p + n, 1), value, weight)
        for body, (p, n), value, weight in zip(
            learner.cache.body_literals(parts), tally.tolist(), gain.tolist(), weights
        )
    ]


def _weighted(
    learner: ClauseLearner, parts: Int32, weights: str, seed: int
) -> tuple[tuple[LearnedRule, ...], dict[str, float]]:
    """The bodies as rules, and the weights' certificate.

    With exact weights the rules are sorted by them, the target's unit clause is among them, and none is zero.
    """
    if not len(parts):
        return (), {}
    if weights == "none":
        return tuple(_covering(learner, parts, [None] * len(parts))), {}
    examples = learner.examples
    labelled = ~np.isnan(examples.label)
    features = clause_features(learner.cache, parts, labelled)
    matrix = csr_array(hstack([features.matrix, csr_array(np.ones((len(examples), 1)))]))
    X, target = csc_array(matrix[np.flatnonzero(labelled)]), examples.label[labelled]
    groups = _groups(learner, parts, features.feature) if weights == "group" else None
    make: Mapping[str, Callable[[float], Penalty]] = {
        "l1": lambda level: Penalty(l1=level),
        "l2": lambda level: Penalty(l2=level),
        "elastic": lambda level: Penalty(l1=level / 2, l2=level / 2),
        "group": lambda level: Penalty(group=level, groups=groups),
    }
    grid = [(level, make[weights](level)) for level in (10.0, 4.0, 2.0, 1.0, 0.5, 0.1)]
    folds = max(2, min(5, int((target == 1).sum()), int((target == 0).sum())))
    choice = choose_penalty(X, target, grid, folds=folds, seed=seed)
    fit = fit_logistic(X, target, choice.penalty)
    fitted = fit.weights
    shared = fitted[features.feature]
    if weights != "l1":
        learned = shared / features.copies[features.feature]
    else:
        first = np.unique(features.feature, return_index=True)[1]
        learned = np.where(first[features.feature] == np.arange(len(parts)), shared, 0.0)
    nonzero = np.flatnonzero(learned)
    rules = _covering(learner, parts[nonzero], learned[nonzero].tolist())
    head = body_text(learner.background, examples, np.zeros((0, 1), np.int32))
    positives, negatives = int((target == 1).sum()), int((target == 0).sum())
    rules.append(LearnedRule(head, positives, negatives, positives / len(target), 0.0, float(fitted[-1])))
    certificate = {"penalty": choice.factor, "objective": fit.objective, "bound": fit.bound, "gap": fit.gap}
    return tuple(sorted(rules, key=lambda rule: (-(rule.weight or 0.0), rule.text))), certificate


def _groups(learner: ClauseLearner, parts: Int32, feature: Int64) -> Int64:
    """The group of each feature and of the unit clause: features whose first clause has the same predicates."""
    first = np.unique(feature, return_index=True)[1]
    bodies = learner.cache.body_literals(parts[first])
    names = [tuple(sorted(body[:, 0].tolist())) for body in bodies]
    number = {name: position for position, name in enumerate(dict.fromkeys([*names, ()]))}
    return np.array([number[name] for name in [*names, ()]])


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
