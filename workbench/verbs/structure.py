"""Rules from data without modes: over the predicates of a workspace."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from time import perf_counter
from typing import Any, TypeVar, Unpack

from workbench.database import Database
from workbench.database.stored import StoredPredicate
from workbench.errors import Cancelled, UsageError, did_you_mean
from workbench.language.values import ValueKind
from workbench.leaving import in_time
from workbench.parameters import read_parameters
from workbench.progress import BestSoFar, Conduct
from workbench.structure.beam import BeamSearch
from workbench.structure.ground_atoms import all_atoms
from workbench.structure.growth import GrownTheory, ModeCheck
from workbench.structure.mining import MinedRule, RuleMiner
from workbench.structure.paths import PathLearner
from workbench.structure.pseudo_likelihood import PseudoLikelihoodScore
from workbench.structure.rules import format_theory
from workbench.verbs.labelled_worlds import LabelledWorld, labelled_worlds
from workbench.verbs.options import How, conduct_of
from workbench.verbs.own_mode import mode_check
from workbench.verbs.ranked_rules import Ruled, ranked
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
    rules, others = ranked(found.chosen, found.left, score, conduct, by_gain=found.by_gain)
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
            known = (
                f"the predicates are {', '.join(predicates)}; `study` predicts numbers"
                if predicates
                else "no predicate is declared here: name rules that declare them, or load tables"
            )
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
    mined = _searched(learn, replace(conduct, best=BestSoFar(backgrounds)), lambda: none)
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


def _searched(
    learn: Callable[..., Result], conduct: Conduct, none_yet: Callable[[], Result]
) -> Result:
    """What a search finds; where it is left, what it has."""
    try:
        return in_time(conduct, lambda within: learn(conduct=within))
    except Cancelled:
        found: Result = (conduct.best.answer or none_yet)()
        return found
