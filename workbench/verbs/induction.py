"""Rules for the target of an ILP problem, searched as Aleph does, weighted, and cross-validated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from time import perf_counter
from typing import Any, Literal, Unpack, cast, get_args

import numpy as np

from workbench.arrays import Bool, Int32
from workbench.database import Database
from workbench.database.ilp import load_ilp
from workbench.database.ilp_definitions import written_background
from workbench.database.relation_arrays import read_examples, read_relations
from workbench.errors import UsageError
from workbench.grounding.ilp_background import derive_facts
from workbench.language.ilp.problem import IlpProblem, Tuples
from workbench.leaving import heard
from workbench.network.compiled import interpreted
from workbench.progress import PLAIN, Conduct, remaining
from workbench.structure.background import Background, Examples
from workbench.structure.induction import ClauseLearner
from workbench.structure.rules import format_theory
from workbench.structure.settings import SearchSettings
from workbench.structure.weighting import FEATURES, WEIGHTINGS, weigh
from workbench.verbs.induced_rules import Induced, of_most_gain, rules_of_bodies, weighted_rules
from workbench.verbs.options import How, conduct_of
from workbench.verbs.structure_result import StructureResult

Loop = Literal["induce", "induce_cover", "induce_max"]
LOOPS: tuple[Loop, ...] = get_args(Loop)


@dataclass(frozen=True)
class Induction:
    """How clauses are searched and weighted; the parameters that `induce` and cross-validation
    share.

    Raises E0611 for an unknown loop, weighting or kind of feature, E0613 for kinds of features
    without weights.

    Parameters
    ----------
    weights : {'none', 'l1', 'l2', 'elastic', 'group'}
        Exact conditional likelihood under a Laplace or Gaussian prior, half of each, or a group
        lasso over the clauses of the same predicates; its strength is chosen by cross-validation,
        and the figures have the answer's objective and proven bound. The target's unit clause is
        added as a bias.
    features : {'auto', 'count', 'exists', 'log'}
        What a weighted body speaks by: its substitutions, whether there is one, log(1 + their
        number); 'auto' takes what tells most of held-out examples.
    collect : float or None
        Keep and weight every clause on the way that scores more (`++`), not only the theory:
        clauses for the positives, and, searched from negatives, those against them.
    settings : mapping
        Further settings by Aleph's names; they win over the problem's own.
    """

    loop: Loop = "induce"
    weights: str = "none"
    features: str = "auto"
    collect: float | None = None
    settings: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        choices = (LOOPS, ("none", *WEIGHTINGS), ("auto", *FEATURES))
        for given, known in zip((self.loop, self.weights, self.features), choices):
            if given not in known:
                raise UsageError.of(
                    "E0611", f"there is no `{given}` here", help=f"choose from {', '.join(known)}"
                )
        if self.features != "auto" and self.weights == "none":
            raise UsageError.of(
                "E0613",
                f"features by `{self.features}` are for weighted rules, and no weights are asked "
                "for",
                help="add --weights l1, or leave --features away",
            )

    def search(self, problem: IlpProblem) -> SearchSettings:
        """The settings of the search, `E0610` for an unknown one or a wrong kind of value.

        Where clauses are kept on the way, the best so far prunes none of them (`explore`), unless
        the problem or the caller says otherwise.
        """
        own = problem.settings if self.collect is None else {"explore": "true", **problem.settings}
        return SearchSettings.read(own, self.settings, self.collect)

    def learn(
        self, learner: ClauseLearner, train: Bool | None, conduct: Conduct = PLAIN
    ) -> Induced:
        """Clauses, and their weights where asked for, from the training examples alone.

        Parameters
        ----------
        train : bool array, shape (n_examples,), or None for all labelled examples
        """
        label = (
            learner.examples.label
            if train is None
            else np.where(train, learner.examples.label, np.nan)
        )
        search = (
            conduct
            if self.weights == "none"
            else replace(conduct, deadline=conduct.share(_SEARCHED))
        )
        with interpreted(inf, remaining(search.deadline)):
            theory = learner.learn(train, loop=self.loop, conduct=search)
            kept = theory.collected
            if self.collect is not None:
                searched = max(int((label == 1).sum()), _LEAST_SEEDS)
                against = learner.learn(
                    train, loop="induce_cover", label=0, most_seeds=searched, conduct=search
                )
                kept = np.union1d(kept, against.collected)
                theory = replace(theory, nodes=theory.nodes + against.nodes)
        collected = learner.cache.body_parts(kept)
        parts = theory.parts if self.collect is None else collected
        weighted = None
        if self.weights != "none" and len(parts):
            weighting, feature = cast(Any, self.weights), cast(Any, self.features)
            weighted = weigh(learner.cache, parts, label, weighting, feature, conduct=conduct)
            if conduct.over and theory.status == "complete":
                theory = replace(theory, status=conduct.stopped)
        return Induced(theory, parts, collected, weighted)


_LEAST_SEEDS = 50
"""Negatives that clauses against the target are searched from at least."""
_SEARCHED = 0.8
"""The share of a time limit that is for the search where weights follow."""


def induce(
    database: Database,
    problem: IlpProblem,
    *,
    loop: str = "induce",
    weights: str = "none",
    features: str = "auto",
    collect: float | None = None,
    settings: Mapping[str, object] | None = None,
    candidates: int = 100,
    **how: Unpack[How],
) -> StructureResult:
    """Load an ILP problem, search clauses for its target from bottom clauses, and weight them.

    Raises E0610 for a setting that does not exist or a value of the wrong kind, E0611 for an
    unknown loop, weighting or kind of feature, E0609 when the settings let no clause pass.

    Parameters
    ----------
    problem : IlpProblem
        From `workbench.language.ilp.reader.read_ilp`; its own `set` directives are the settings.
    loop, weights, features, collect, settings
        See `Induction`.
    candidates : int
        Most acceptable clauses reported besides the theory, those of greatest information gain.
    """
    induction = Induction(cast(Any, loop), weights, features, collect, settings or {})
    began = perf_counter()
    written = written_background(problem)
    problem = derive_facts(problem)
    load_ilp(database, problem)
    background, examples = arrays(database, problem)
    background = replace(background, inline=written.inline)
    search = induction.search(problem)
    keeping = replace(search, collect=-np.inf) if collect is None and candidates else search
    learner = ClauseLearner(background, examples, problem.head_mode, problem.body_modes, keeping)
    conduct = conduct_of(how)
    found = heard(conduct.progress, lambda: induction.learn(learner, None, conduct))
    if not len(found.parts) and not len(found.collected) and found.theory.status == "complete":
        _refuse_empty(search)
    rules, made = weighted_rules(learner, found)
    texts = {rule.text for rule in rules}
    most = of_most_gain(learner, found.collected, candidates + len(rules))
    others = rules_of_bodies(learner, most, [None] * len(most))
    declarations, definitions = written.declarations, (*written.definitions, *made)
    return StructureResult(
        rules,
        format_theory(
            rules, background, examples, declarations=declarations, definitions=definitions
        ),
        "aleph" if collect is None else "aleph++",
        found.theory.status,
        perf_counter() - began,
        {
            "clauses_evaluated": found.theory.nodes,
            "clauses": len(found.parts),
            "uncovered_positives": len(found.theory.ground),
            **(found.weighted.figures if found.weighted else {}),
        },
        tuple(rule for rule in others if rule.text not in texts)[:candidates],
        (*_warnings(problem, search, found), *written.warnings),
    )


def _warnings(problem: IlpProblem, search: SearchSettings, found: Induced) -> list[str]:
    unused = SearchSettings.unused(problem.settings)
    warnings = [f"`set({name}, ...)` has no effect: {why}" for name, why in unused.items()]
    if not len(found.parts) and len(found.collected):
        warnings.append(
            f"no clause scores more than a single example by evalfn={search.evalfn}; "
            f"{len(found.collected):,} clauses within the limits are among the candidates: take "
            "another evalfn, or keep them with --collect"
        )
    return warnings


def _refuse_empty(settings: SearchSettings) -> None:
    limits = ", ".join(
        f"{name}={getattr(settings, name)}" for name in ("minpos", "noise", "minacc", "minscore")
    )
    raise UsageError.of(
        "E0609",
        f"no clause is acceptable with {limits}, evalfn={settings.evalfn}, "
        f"clauselength={settings.clauselength}",
        help="allow more noise, fewer positives or longer clauses, such as --set noise=10",
    )


def arrays(database: Database, problem: IlpProblem) -> tuple[Background, Examples]:
    """A loaded problem's background and examples, without any target atom among the background.

    Facts come in the problem's order: the first answers are those that a mode's recall keeps.
    """
    relations = problem.relations()
    found = read_relations(database, [name for name, rows in relations.items() if rows])
    facts = tuple(
        _in_order(rows, [found.constants[name] for name in types], relations[predicate])
        for predicate, types, rows in zip(found.predicates, found.argument_types, found.facts)
    )
    arguments, label, _ = read_examples(database, problem.target)
    background = Background(found.predicates, found.argument_types, facts, found.constants)
    return background, Examples(
        problem.target, problem.argument_types()[problem.target], arguments, label
    )


def _in_order(rows: Int32, constants: Sequence[Sequence[str]], listed: Tuples) -> Int32:
    """The rows in the order in which their texts are listed, others after them."""
    place = {row: number for number, row in enumerate(listed)}
    texts = zip(*([names[i] for i in column] for names, column in zip(constants, rows.T.tolist())))
    places = [place.get(row, len(place)) for row in texts]
    return rows[np.argsort(np.array(places, np.int64), kind="stable")] if places else rows
