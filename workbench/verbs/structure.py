"""Rules from data without modes: over the predicates of a workspace."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import Any, TypeVar, Unpack

import numpy as np

from workbench.arrays import Int32
from workbench.database import Database
from workbench.database.relation_arrays import read_relations
from workbench.errors import Cancelled, InputError, UsageError, nearest
from workbench.leaving import in_time
from workbench.parameters import read_parameters
from workbench.progress import BestSoFar, Conduct
from workbench.structure.background import Background
from workbench.structure.beam import BeamSearch
from workbench.structure.disjunctions import Disjunction
from workbench.structure.ground_atoms import all_atoms
from workbench.structure.growth import GrownTheory
from workbench.structure.mining import MinedRule, RuleMiner
from workbench.structure.paths import PathLearner
from workbench.structure.pseudo_likelihood import PseudoLikelihoodScore
from workbench.structure.ranking import Worth, held_out_worth
from workbench.structure.rules import LearnedRule, format_theory
from workbench.verbs.options import How, conduct_of
from workbench.verbs.own_mode import mode_check
from workbench.verbs.structure_result import StructureResult

__all__ = ["METHODS", "learn_rules"]

Result = TypeVar("Result")

METHODS = ("beam", "paths", "mine")
SEARCHED = 0.8
"""The share of a time limit that is for the search, so that what it found can still be ranked."""


def learn_rules(
    database: Database,
    predicates: Sequence[str],
    targets: Sequence[str],
    *,
    method: str = "beam",
    worlds: Sequence[str] | None = None,
    settings: Mapping[str, object] | None = None,
    candidates: int = 100,
    **how: Unpack[How],
) -> StructureResult:
    """Rules over a workspace's own predicates, without modes.

    Every rule's `gain` is what it adds, alone beside the target's unit clause, to the log
    likelihood of an atom that its weight was not learned from: held-out worlds, or held-out parts
    of one world's atoms. Mined rules and candidates are in the order of it. Where the data name
    false atoms of a target, no other atom of it is labelled.

    Parameters
    ----------
    predicates : sequence of str
        What rules may mention.
    worlds : sequence of str, optional
        The databases to learn from, all when absent; no rule joins two.
    targets : sequence of str
        Scored predicates (`beam`, `paths`) or heads (`mine`).
    method : {'beam', 'paths', 'mine'}
        Beam search by weighted pseudo-log-likelihood, bottom-up relational paths, frequent Horn
        rules.
    settings : mapping
        Parameters of `BeamSearch`, `PathLearner` or `RuleMiner`.
    candidates : int
        Most clauses reported besides the learned ones.
    **how
        The seconds of `time_limit` are for all of it: the search has four fifths, the ranking of
        what it found the rest. What was found until then is the answer.

    Raises
    ------
    UsageError
        `E0611` for an unknown method, `E0612` for a target that is not among the predicates,
        `E0610` for an unknown setting.
    InputError
        `E0501` where no target has a fact.
    """
    learners = {"beam": BeamSearch, "paths": PathLearner, "mine": RuleMiner}
    if method not in learners:
        raise UsageError.of(
            "E0611", f"there is no method `{method}`", help=f"choose from {', '.join(METHODS)}"
        )
    for target in targets:
        if target not in predicates:
            close = nearest(target, predicates)
            raise UsageError.of(
                "E0612",
                f"`{target}` is no predicate here",
                help=f"did you mean `{close}`?" if close else None,
            )
    read = read_parameters(learners[method], settings or {}, f"`{method}`", "E0610")
    began = perf_counter()
    known_worlds = database.worlds()
    unknown = [name for name in worlds or () if name not in known_worlds]
    if unknown:
        help_ = f"the worlds are {', '.join(known_worlds)}"
        raise UsageError.of("E0807", f"there is no world {', '.join(unknown)}", help=help_)
    names = list(worlds or known_worlds)
    backgrounds = [_world(database, predicates, name) for name in names]
    false = [_false_facts(database, targets, name) for name in names]
    _check_labels(targets, backgrounds, false)
    background = backgrounds[0]
    learner: Any = learners[method](**read)
    conduct = conduct_of(how)
    atoms = [
        {name: all_atoms(world, name, seed=conduct.seed, false=known.get(name)) for name in targets}
        for world, known in zip(backgrounds, false)
    ]
    score = PseudoLikelihoodScore(
        background, atoms[0], others=tuple(zip(backgrounds[1:], atoms[1:]))
    )
    search = replace(conduct, deadline=conduct.share(SEARCHED), best=BestSoFar(score))
    if method == "mine":
        mined = _searched(partial(learner.learn, backgrounds, targets), search, tuple)
        found = [(rule, rule.clause) for rule in mined]
        # The search has to say how it ended only where it did not get through.
        chosen, status = found, search.stopped if search.over else "complete"
        figures = {"rules_found": float(len(found))}
        left: list[tuple[LearnedRule, Disjunction]] = []
    else:
        check = mode_check(
            database, backgrounds, [known_worlds[name] for name in names], targets, conduct=search
        )
        learned = _searched(
            partial(learner.learn, score, mode_errors=check),
            search,
            lambda: GrownTheory.none_yet(search.stopped),
        )
        chosen, status = list(zip(learned.rules, learned.clauses)), learned.status
        left = list(zip(learned.candidates, learned.left))[: 3 * candidates]
        figures = {"pseudo_log_likelihood": float(learned.trace[-1])}
    worth = _held_out(score, [clause for _, clause in (*chosen, *left)], conduct)
    rules, others = (
        [_with_worth(rule, worth.get(clause)) for rule, clause in pairs] for pairs in (chosen, left)
    )
    if method == "mine":
        rules = _distinct(sorted((rule for rule in rules if rule.positives), key=_by_gain))
    others = _distinct(sorted((rule for rule in others if not rule.gain <= 0), key=_by_gain), rules)
    example, _ = all_atoms(background, targets[0], limit=1, seed=conduct.seed)
    text = format_theory(rules, background, example)
    return StructureResult(
        tuple(rules),
        text,
        method,
        status,
        perf_counter() - began,
        figures,
        tuple(others[:candidates]),
    )


def _searched(
    learn: Callable[..., Result], conduct: Conduct, none_yet: Callable[[], Result]
) -> Result:
    """What a search finds; where it is left, what it has."""
    try:
        return in_time(conduct, lambda within: learn(conduct=within))
    except Cancelled:
        found: Result = (conduct.best.answer or none_yet)()
        return found


def _by_gain(rule: LearnedRule) -> tuple[float, int, str]:
    """The greatest gain first, unknown ones last; of equal ones the shortest."""
    return (np.inf if np.isnan(rule.gain) else -round(rule.gain, 12), len(rule.text), rule.text)


def _distinct(rules: Sequence[LearnedRule], known: Sequence[LearnedRule] = ()) -> list[LearnedRule]:
    """The first of the rules that say the same: equal gain, and as many atoms for and against."""
    seen = {_figures(rule) for rule in known}
    kept: list[LearnedRule] = []
    for rule in rules:
        if _figures(rule) not in seen or np.isnan(rule.gain):
            kept.append(rule)
        seen.add(_figures(rule))
    return kept


def _figures(rule: LearnedRule) -> tuple[float, int, int]:
    return (round(rule.gain, 12), rule.positives, rule.negatives)


def _with_worth(rule: LearnedRule, worth: Worth | None) -> LearnedRule:
    """The rule with its held-out gain and what it covers, an atom being no reason for itself."""
    if worth is None:
        return replace(rule, gain=np.nan)
    if isinstance(rule, MinedRule):
        if [predicate for predicate, _, _ in rule.clause].count(rule.clause[0][0]) == 1:
            return replace(rule, gain=worth.gain)  # its own counts are of the whole domain
        rule = replace(rule, head_coverage=worth.coverage, pca_confidence=worth.precision)
    return replace(
        rule,
        gain=worth.gain,
        positives=worth.agreeing,
        negatives=worth.disagreeing,
        precision=worth.precision,
    )


def _held_out(
    score: PseudoLikelihoodScore, clauses: Sequence[Disjunction], conduct: Conduct
) -> dict[Disjunction, Worth]:
    """What each clause alone is worth for the predicate that it concludes, on held-out atoms."""
    worth: dict[Disjunction, Worth] = {}
    for target in score.atoms:
        number = score.background.number[target]
        own = [
            clause
            for clause in clauses
            if clause not in worth and number in _concluded(score, clause)
        ]
        if own:
            worth |= held_out_worth(score.restricted(target), own, conduct=conduct)
    return worth


def _concluded(score: PseudoLikelihoodScore, clause: Disjunction) -> set[int]:
    """The scored predicates that the clause can be read as a rule for."""
    scored = {score.background.number[name] for name in score.atoms}
    positive = {predicate for predicate, _, sign in clause if sign}
    return (positive or {predicate for predicate, _, _ in clause}) & scored


def _check_labels(
    targets: Sequence[str], backgrounds: Sequence[Background], false: Sequence[Mapping[str, Int32]]
) -> None:
    """E0501 where the data say nothing of any target."""
    for world, known in zip(backgrounds, false):
        for name in targets:
            if len(world.facts[world.number[name]]) or len(known.get(name, ())):
                return
    raise InputError.of(
        "E0501",
        "no target has a label to learn from",
        help=f"give data with facts of {', '.join(targets) or 'the targets'}",
    )


def _false_facts(database: Database, targets: Sequence[str], world: str) -> dict[str, Int32]:
    """The atoms that the data call false, by predicate."""
    found = read_relations(
        database, targets, world=world, partitions=("evidence", "truth"), value=0.0
    )
    return dict(zip(found.predicates, found.facts))


def _world(database: Database, predicates: Sequence[str], world: str) -> Background:
    found = read_relations(database, predicates, world=world, partitions=("evidence", "truth"))
    return Background(
        found.predicates, found.argument_types, found.facts, found.constants, found.domains
    )
