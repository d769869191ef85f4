"""Learners against objectives of the oracle's own, and against optima that SciPy and Clarabel find of those.

The learned program's text is read by the oracle again, so that the value of an answer is the value of what a user gets.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, replace

import clarabel
import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csc_matrix

from tests.differential.mln_clauses import names_in, types_of
from tests.differential.mln_meaning import GroundClause, Meaning, meaning_of
from tests.differential.mln_programs import MlnCase, random_mln_case
from tests.differential.mln_syntax import Atom, Declarations, Rule, Test, read_program
from tests.differential.mln_worlds import read_world, roles_of, subformulas
from tests.differential.outcome import Difference, Tally
from tests.differential.product_answers import workspace_of
from workbench.arrays import Float
from workbench.errors import UsageError
from workbench.language.ground_atoms import atom_text

__all__ = ["check_learning", "random_learning_case"]

PRIOR = 2.0
LEARNERS = ("pseudo_likelihood", "pseudo_likelihood", "max_margin", "exact", "diagonal_newton", "mc_mle")


def random_learning_case(seed: int) -> MlnCase:
    """A case without hard formulas, marks, soft evidence and quantified formulas of many clauses."""
    drawn = random_mln_case(seed)
    rules = tuple(re.sub(r"\.$", "", rule) for rule in drawn.rules if not rule.startswith(("@", "w:")))
    rules = tuple(rule if re.match(r"-?\d", rule) else f"1 {rule}" for rule in rules) or ("1 P(x)",)
    declarations = tuple(re.sub(r"[!?]", "", line) for line in drawn.declarations if not line.startswith("W("))
    declarations = declarations if any("P(" in line for line in declarations) else (*declarations, "P(t)")
    declared = {line.lstrip("*").split("(")[0] for line in declarations if "=" not in line}
    asked = set(drawn.query or ()) | {"P", "H", "O", "Q", "R", "B"} & declared
    query = tuple(sorted(asked & {name for name in declared if any(re.search(rf"\b{name}\b", rule) for rule in rules)}))
    worlds = tuple(
        (
            name,
            tuple(
                line
                for line in facts
                if line.lstrip("!?.0123456789 ").split("(")[0] not in (*query, "W") and line[0] not in "0.?"
            ),
        )
        for name, facts in drawn.worlds
    )
    closed = tuple(sorted(declared - set(query) - {"t MotherOf", "n AgeOf"}))
    return replace(drawn, declarations=declarations, rules=rules, worlds=worlds, query=query, closed=closed)


@dataclass(frozen=True)
class _Training:
    """Each world's meaning, the number of its labelled state, and the features of every state."""

    worlds: list[Meaning]
    labels: list[int]
    features: list[Float]
    """By world, shape (n_states, n_features): scaled counts of true ground clauses, a column a template."""


def check_learning(case: MlnCase, tally: Tally) -> None:
    """Raise `Difference` where a learner's answer is worse than what the oracle finds, or its text says otherwise."""
    draw = random.Random(f"labels {case.seed}")
    program = read_program(case.text)
    if not case.query:
        return
    blank = _worlds(case, program)
    labels = [draw.randrange(len(world.states)) for world in blank]
    if not sum(len(world.atoms) for world in blank):
        return
    tie = case.seed // len(LEARNERS) % 3 == 0
    training = _Training(blank, labels, _features(blank, tie))
    learner = LEARNERS[case.seed % len(LEARNERS)]
    with workspace_of(_labelled(case, training)) as workspace:
        try:
            learned = workspace.learn(
                case.text,
                query=case.query,
                closed=case.closed,
                learner=learner,
                options=_options(learner),
                tie=tie,
                record=False,
            )
        except UsageError as error:
            tally.add(f"learner {learner} declined, {error.diagnostics[0].code}")
            return
    again = replace(case, declarations=(), rules=tuple(learned.text().splitlines()))
    text = read_program(again.text)
    if any(_has_untyped(text, rule) for rule in text.rules):
        tally.add("left out: a clause has a variable that only tests name, and its text no type for it")
        return
    for name, marks in program.marks.items():
        text.marks.setdefault(name, marks)
    read = _worlds(again, text, program)
    weights = learned.weights[~learned.templates.fixed]
    tally.add(f"learner {learner}{', a weight a formula' if tie else ''}")
    _COMPARE[learner](training, read, weights, tally)


def _has_untyped(text: Declarations, rule: Rule) -> bool:
    leaves = [part for part in subformulas(rule.formula) if isinstance(part, Atom | Test)]
    return bool({name for leaf in leaves for name in names_in(leaf)} - types_of(text, rule.formula, None).keys())


def _options(learner: str) -> dict[str, object]:
    return {"max_margin": {"engine": "ilp", "cuts": "rounded", "epsilon": 1e-4}}.get(learner, {})


def _worlds(case: MlnCase, program: Declarations, like: Declarations | None = None) -> list[Meaning]:
    """What a program means in the case's worlds, with the domains that another program over them gives.

    A learned text may name other constants than the program (those that `+x` stood for, not those of a rule that had
    no grounding), and a constant that a rule names joins every world: that is no part of what was learned (E0515).
    """
    domains = [read_world(like or program, case.data(number)).domains for number in range(len(case.worlds))]
    worlds = [replace(read_world(program, case.data(n)), domains=one) for n, one in enumerate(domains)]
    roles = roles_of(program, worlds, case.query, case.closed)
    return [meaning_of(program, world, roles) for world in worlds]


def _labelled(case: MlnCase, training: _Training) -> MlnCase:
    worlds = []
    for (name, facts), world, number in zip(case.worlds, training.worlds, training.labels):
        state = zip(world.atoms, world.states[number])
        worlds.append((name, (*facts, *(("" if value else "!") + atom_text(*atom) for atom, value in state))))
    return replace(case, worlds=tuple(worlds))


def _features(worlds: list[Meaning], tie: bool = False) -> list[Float]:
    """Columns are a formula's clauses, or (`tie`) whole formulas, their clauses by share."""
    keys = sorted({_key(one, tie) for world in worlds for one in world.clauses}, key=str)
    place = {key: number for number, key in enumerate(keys)}
    found = []
    for world in worlds:
        counts = np.zeros((len(world.states), len(keys)))
        for one in world.clauses:
            if not one.decided:
                share = one.share if _is_tied(one, tie) else 1.0
                counts[:, place[_key(one, tie)]] += one.holds * share
        found.append(counts)
    return found


def _key(one: GroundClause, tie: bool) -> tuple[object, ...]:
    return one.rule, None if _is_tied(one, tie) else one.group, one.binding


def _is_tied(one: GroundClause, tie: bool) -> bool:
    return one.group is None or (tie and not one.apart)


def _flips(world: Meaning, number: int) -> list[int]:
    """The states that differ from one in a single atom, atom by atom."""
    n = len(world.atoms)
    return [number ^ (1 << (n - 1 - place)) for place in range(n)]


def _pseudo(training: _Training, weights: Float) -> float:
    """Minus the log pseudo-likelihood with its prior."""
    total = float(weights @ weights) / (2 * PRIOR**2)
    for world, number, counts in zip(training.worlds, training.labels, training.features):
        for other in _flips(world, number):
            total += float(np.logaddexp(0.0, (counts[other] - counts[number]) @ weights))
    return total


def _likelihood(training: _Training, weights: Float, l2: float) -> float:
    """Minus the log likelihood with a Gaussian prior."""
    total = l2 * float(weights @ weights) / 2
    for number, counts in zip(training.labels, training.features):
        score = counts @ weights
        total += float(np.logaddexp.reduce(score) - score[number])
    return total


def _least(objective, training: _Training, *more: float) -> float:  # type: ignore[no-untyped-def]
    size = training.features[0].shape[1]
    if not size:
        return float(objective(training, np.zeros(0), *more))
    found = minimize(lambda w: objective(training, w, *more), np.zeros(size), method="BFGS", options={"gtol": 1e-7})
    return float(found.fun)


def _likelihood_of_text(training: _Training, read: list[Meaning]) -> float:
    return sum(
        float(np.logaddexp.reduce(-world.energy) + world.energy[number]) for world, number in zip(read, training.labels)
    )


def _compare_pseudo(training: _Training, read: list[Meaning], weights: Float, tally: Tally) -> None:
    value = float(weights @ weights) / (2 * PRIOR**2)
    for world, number in zip(read, training.labels):
        for other in _flips(world, number):
            value += float(np.logaddexp(0.0, world.energy[number] - world.energy[other]))
    _near("pseudo_likelihood", value, _least(_pseudo, training), 1e-4)


def _compare_exact(training: _Training, read: list[Meaning], weights: Float, tally: Tally) -> None:
    value = float(weights @ weights) / 2 + _likelihood_of_text(training, read)
    _near("exact", value, _least(_likelihood, training, 1.0), 1e-4)


def _compare_sampled(training: _Training, read: list[Meaning], weights: Float, tally: Tally) -> None:
    """What samples teach must not be worse than nothing learned."""
    nothing = sum(np.log(len(world.states)) for world in training.worlds)
    value = _likelihood_of_text(training, read)
    if value > nothing + 0.1:
        raise Difference("learner by samples", f"log likelihood {-value:.4f}, with all weights 0 {-nothing:.4f}")
    best = _least(_likelihood, training, 1.0 / PRIOR**2)
    regularised = value + float(weights @ weights) / (2 * PRIOR**2)
    tally.add("learners by samples within 0.5 of the optimum" if regularised < best + 0.5 else "learners further off")


def _compare_margin(training: _Training, read: list[Meaning], weights: Float, tally: Tally) -> None:
    value = float(weights @ weights) / 2
    for world, number, labels in zip(read, training.labels, training.worlds):
        loss = np.abs(labels.states - labels.states[number]).sum(axis=1)
        value += float(np.max(loss - (world.energy - world.energy[number])))
    _near("max_margin", value, _margin_program(training), 2e-3)


def _margin_program(training: _Training) -> float:
    """The least of `w.w / 2` and a slack for each world, over all states' constraints."""
    size, n_worlds = training.features[0].shape[1], len(training.worlds)
    rows, right = [], []
    for index, (world, number, counts) in enumerate(zip(training.worlds, training.labels, training.features)):
        slack = np.zeros((len(world.states), n_worlds))
        slack[:, index] = -1.0
        rows.append(np.hstack([counts - counts[number], slack]))
        right.append(-np.abs(world.states - world.states[number]).sum(axis=1))
    hessian = csc_matrix(np.diag(np.concatenate([np.ones(size), np.zeros(n_worlds)])))
    linear = np.concatenate([np.zeros(size), np.ones(n_worlds)])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    limits = np.concatenate(right)
    cones = [clarabel.NonnegativeConeT(limits.size)]
    solver = clarabel.DefaultSolver(hessian, linear, csc_matrix(np.vstack(rows)), limits, cones, settings)
    return float(solver.solve().obj_val)


def _near(learner: str, value: float, least: float, tolerance: float) -> None:
    slack = tolerance * max(1.0, abs(least))
    if value > least + slack:
        raise Difference(f"learner {learner}", f"objective {value:.6f}, an independent optimiser finds {least:.6f}")
    if value < least - slack:
        raise Difference(f"learner {learner}", f"objective {value:.6f} below the least {least:.6f}: another program")


_COMPARE = {
    "pseudo_likelihood": _compare_pseudo,
    "exact": _compare_exact,
    "max_margin": _compare_margin,
    "diagonal_newton": _compare_sampled,
    "mc_mle": _compare_sampled,
}
