"""Rules from data without modes: over the predicates of a workspace."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from time import perf_counter
from typing import Any, TypeVar, Unpack

import numpy as np

from workbench.database import Database
from workbench.database.stored import StoredPredicate
from workbench.errors import Cancelled, UsageError, did_you_mean
from workbench.language.values import ValueKind
from workbench.leaving import in_time
from workbench.parameters import read_parameters
from workbench.progress import BestSoFar, Conduct
from workbench.structure.beam import BeamSearch
from workbench.structure.disjunctions import Disjunction
from workbench.structure.ground_atoms import all_atoms
from workbench.structure.growth import GrownTheory, ModeCheck
from workbench.structure.mining import MinedRule, RuleMiner
from workbench.structure.paths import PathLearner
from workbench.structure.pseudo_likelihood import PseudoLikelihoodScore
from workbench.structure.ranking import Worth, held_out_worth
from workbench.structure.rules import LearnedRule, format_theory
from workbench.verbs.labelled_worlds import LabelledWorld, labelled_worlds
from workbench.verbs.options import How, conduct_of
from workbench.verbs.own_mode import mode_check
from workbench.verbs.structure_result import StructureResult

Result = TypeVar("Result")

SEARCHES = {"beam": BeamSearch, "paths": PathLearner, "mine": RuleMiner}
METHODS = tuple(SEARCHES)
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

    Raises E0611 for an unknown method, E0612 for a target that is not among the predicates, E0610
    for an unknown setting; E0501 where no target has a fact.

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
    """
    if method not in SEARCHES:
        raise UsageError.of(
            "E0611", f"there is no method `{method}`", help=f"choose from {', '.join(METHODS)}"
        )
    declared = {name: database.predicate(name) for name in predicates}
    declarations = {name: _types_of(stored) for name, stored in declared.items()}
    relations = [name for name, stored in declared.items() if not any(stored.kinds)]
    _check_targets(targets, relations)
    read = read_parameters(SEARCHES[method], settings or {}, f"`{method}`", "E0610")
    began, conduct = perf_counter(), conduct_of(how)
    learner: Any = SEARCHES[method](**read)
    searched = labelled_worlds(
        database,
        relations,
        targets,
        worlds,
        # A comparison can stand in a body only.
        numbers=_of_things_and_a_number(declared) if learner.implications else (),
        constants=learner.max_constants,
    )
    score = _score(searched, targets, conduct.seed)
    search = replace(conduct, deadline=conduct.share(SEARCHED), best=BestSoFar(score))
    if method == "mine":
        found = _mined(learner, searched, targets, search)
    else:
        check = mode_check(database, declarations, searched, targets, conduct=search)
        found = _grown(learner, score, check, search, most_left=3 * candidates)
    rules, others = _ranked(found, score, conduct)
    background = searched[0].background
    example, _ = all_atoms(background, targets[0], limit=1, seed=conduct.seed)
    return StructureResult(
        tuple(rules),
        format_theory(rules, background, example, declarations=declarations),
        method,
        found.status,
        perf_counter() - began,
        found.figures,
        tuple(others[:candidates]),
    )


Ruled = tuple[LearnedRule, Disjunction]


@dataclass(frozen=True)
class _Found:
    """What a search came to: rules that it chose, and others that it had in hand."""

    chosen: Sequence[Ruled]
    left: Sequence[Ruled]
    status: str
    figures: Mapping[str, float]
    by_gain: bool
    """Whether the chosen rules are ordered, and thinned, by their gain."""


def _types_of(stored: StoredPredicate) -> tuple[str, ...]:
    """The types of a predicate's arguments, as a program declares them."""
    return tuple(kind or name for kind, name in zip(stored.kinds, stored.argument_types))


def _of_things_and_a_number(declared: Mapping[str, StoredPredicate]) -> list[str]:
    return [
        name
        for name, stored in declared.items()
        if stored.arity > 1 and stored.kinds[-1] is ValueKind.NUMBER and not any(stored.kinds[:-1])
    ]


def _check_targets(targets: Sequence[str], predicates: Sequence[str]) -> None:
    for target in targets:
        if target not in predicates:
            known = f"the predicates are {', '.join(predicates)}; `study` predicts numbers"
            help = did_you_mean(target, predicates, known)
            raise UsageError.of("E0612", f"`{target}` is no predicate of things here", help=help)


def _score(
    worlds: Sequence[LabelledWorld], targets: Sequence[str], seed: int
) -> PseudoLikelihoodScore:
    """The score of theories over all the worlds."""
    first, *others = ((world.background, world.atoms(targets, seed)) for world in worlds)
    return PseudoLikelihoodScore(*first, others=tuple(others))


def _mined(
    miner: RuleMiner, worlds: Sequence[LabelledWorld], targets: Sequence[str], conduct: Conduct
) -> _Found:
    backgrounds = [world.background for world in worlds]
    none: tuple[MinedRule, ...] = ()
    learn = partial(miner.learn, backgrounds, targets, false=[world.false for world in worlds])
    mined = _searched(learn, conduct, lambda: none)
    # The search has to say how it ended only where it did not get through.
    status = conduct.stopped if conduct.over else "complete"
    pairs = [(rule, rule.clause) for rule in mined]
    return _Found(pairs, [], status, {"rules_found": float(len(mined))}, by_gain=True)


def _grown(
    learner: BeamSearch | PathLearner,
    score: PseudoLikelihoodScore,
    check: ModeCheck,
    conduct: Conduct,
    *,
    most_left: int,
) -> _Found:
    theory = _searched(
        partial(learner.learn, score, mode_errors=check),
        conduct,
        lambda: GrownTheory.none_yet(conduct.stopped),
    )
    return _Found(
        list(zip(theory.rules, theory.clauses)),
        list(zip(theory.candidates, theory.left))[:most_left],
        theory.status,
        {"pseudo_log_likelihood": float(theory.trace[-1])},
        by_gain=False,
    )


def _ranked(
    found: _Found, score: PseudoLikelihoodScore, conduct: Conduct
) -> tuple[list[LearnedRule], list[LearnedRule]]:
    """The rules with what each is worth on held-out atoms, and the others worth something."""
    worth = _held_out(score, [clause for _, clause in (*found.chosen, *found.left)], conduct)
    chosen, left = (
        [(_with_worth(rule, worth.get(clause)), clause) for rule, clause in pairs]
        for pairs in (found.chosen, found.left)
    )
    if found.by_gain:
        chosen = _telling(chosen)
    return [rule for rule, _ in chosen], [rule for rule, _ in _telling(left, chosen)]


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


def _telling(pairs: Sequence[Ruled], known: Sequence[Ruled] = ()) -> list[Ruled]:
    """By gain, those that gain something and say what none before them does.

    Rules of equal gain, and as many atoms for and against, say the same; and one with all literals
    of another, and further ones, has to gain more.
    """
    seen = {_figures(rule) for rule, _ in known}
    kept: list[Ruled] = []
    for rule, clause in sorted(pairs, key=lambda pair: _by_gain(pair[0])):
        literals = frozenset(clause)
        told = _figures(rule) in seen or any(literals > frozenset(other) for _, other in kept)
        if np.isnan(rule.gain) or (rule.gain > 0 and rule.positives and not told):
            kept.append((rule, clause))
        seen.add(_figures(rule))
    return kept


def _figures(rule: LearnedRule) -> tuple[float, int, int]:
    return (float(f"{rule.gain:.3g}"), rule.positives, rule.negatives)


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
