"""Learners against objectives of the oracle's own, and against optima that SciPy and Clarabel find
of those.

The learned program's text is read by the oracle again, so that the value of an answer is the value
of what a user gets.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from tests.differential.learning_objectives import (
    PRIOR,
    Training,
    features_of,
    labelled,
    least,
    likelihood,
    likelihood_of_text,
    margin_program,
    near,
    pseudo,
    pseudo_of_text,
)
from tests.differential.mln_clauses import names_in, types_of
from tests.differential.mln_meaning import Meaning, meaning_of
from tests.differential.mln_programs import MlnCase, random_mln_case
from tests.differential.mln_syntax import Atom, Declarations, Name, Rule, Test, read_program
from tests.differential.mln_worlds import read_world, roles_of, subformulas
from tests.differential.outcome import Difference, Tally
from tests.differential.product_answers import workspace_of
from workbench.arrays import Float
from workbench.errors import UsageError

LEARNERS = (
    "pseudo_likelihood",
    "pseudo_likelihood",
    "max_margin",
    "exact",
    "diagonal_newton",
    "mc_mle",
)


def random_learning_case(seed: int) -> MlnCase:
    """A case without hard formulas, marks, soft evidence or quantifiers of many clauses."""
    drawn = random_mln_case(seed)
    rules = tuple(
        re.sub(r"\.$", "", rule) for rule in drawn.rules if not rule.startswith(("@", "w:"))
    )
    rules = tuple(rule if re.match(r"-?\d", rule) else f"1 {rule}" for rule in rules) or ("1 P(x)",)
    declarations = tuple(
        re.sub(r"[!?]", "", line) for line in drawn.declarations if not line.startswith("W(")
    )
    declarations = (
        declarations if any("P(" in line for line in declarations) else (*declarations, "P(t)")
    )
    declared = {line.lstrip("*").split("(")[0] for line in declarations if "=" not in line}
    asked = set(drawn.query or ()) | {"P", "H", "O", "Q", "R", "B"} & declared
    query = tuple(
        sorted(
            asked
            & {name for name in declared if any(re.search(rf"\b{name}\b", rule) for rule in rules)}
        )
    )
    worlds = tuple(
        (
            name,
            tuple(
                line
                for line in facts
                if line.lstrip("!?.0123456789 ").split("(")[0] not in (*query, "W")
                and line[0] not in "0.?"
            ),
        )
        for name, facts in drawn.worlds
    )
    closed = tuple(sorted(declared - set(query) - {"t MotherOf", "n AgeOf"}))
    return replace(
        drawn, declarations=declarations, rules=rules, worlds=worlds, query=query, closed=closed
    )


def check_learning(case: MlnCase, tally: Tally) -> None:
    """Raise `Difference` where an answer is worse than the oracle's, or its text differs."""
    learner = LEARNERS[case.seed % len(LEARNERS)]
    found = train(case, learner, _options(learner), case.seed // len(LEARNERS) % 3 == 0, tally)
    if found is not None:
        _COMPARE[learner](found, tally)


@dataclass(frozen=True)
class Trained:
    """The learned weights in order, and the program as the oracle reads it again."""

    training: Training
    read: list[Meaning]
    weights: Float
    status: str


def train(
    case: MlnCase,
    learner: str,
    options: dict[str, object],
    tie: bool,
    tally: Tally,
    most_hidden: int = 0,
) -> Trained | None:
    """Label the case's atoms at random, hide some, and learn; None with nothing to compare."""
    draw = random.Random(f"labels {case.seed}")
    program = read_program(case.text)
    if not case.query:
        return None
    blank = _worlds(case, program)
    labels = [draw.randrange(len(world.states)) for world in blank]
    atoms = [
        (index, place) for index, world in enumerate(blank) for place in range(len(world.atoms))
    ]
    if len(atoms) < 1 + (most_hidden > 0):
        return None
    kept_back = draw.sample(atoms, min(most_hidden, len(atoms) // 2))
    hidden = tuple(
        tuple(place for index, place in kept_back if index == number)
        for number in range(len(blank))
    )
    training = Training(blank, labels, features_of(blank, tie), hidden)
    with workspace_of(labelled(case, training)) as workspace:
        try:
            learned = workspace.learn(
                case.text,
                query=case.query,
                closed=case.closed,
                learner=learner,
                options=options,
                tie=tie,
                record=False,
            )
        except UsageError as error:
            tally.add(f"learner {learner} declined, {error.diagnostics[0].code}")
            return None
    again = replace(case, declarations=(), rules=tuple(learned.text().splitlines()))
    text = read_program(again.text)
    if any(_has_untyped(text, rule) for rule in text.rules):
        tally.add(
            "left out: a clause has a variable that only tests name, and its text no type for it"
        )
        return None
    if any("+" in rule for rule in case.rules) and _tests_a_stranger(text, case, program):
        tally.add("left out: a test names a constant of another world, which joins this one")
        return None
    for name, marks in program.marks.items():
        text.marks.setdefault(name, marks)
    tally.add(f"learner {learner}{', a weight a formula' if tie else ''}")
    weights = learned.weights[~learned.templates.fixed]
    return Trained(training, _worlds(again, text, program), weights, learned.learned.status)


def _has_untyped(text: Declarations, rule: Rule) -> bool:
    leaves = [part for part in subformulas(rule.formula) if isinstance(part, Atom | Test)]
    return bool(
        {name for leaf in leaves for name in names_in(leaf)}
        - types_of(text, rule.formula, None).keys()
    )


def _tests_a_stranger(text: Declarations, case: MlnCase, program: Declarations) -> bool:
    """Whether a test names a constant that is in no domain of some world.

    `+x` stood for it in another; the template has no grounding here, and the text's rule does.
    """
    named = {
        term.text
        for rule in text.rules
        for part in subformulas(rule.formula)
        if isinstance(part, Test)
        for term in (part.left, part.right)
        if isinstance(term, Name)
    }
    domains = (read_world(program, case.data(number)).domains for number in range(len(case.worlds)))
    return any(named - set(chain.from_iterable(one.values())) for one in domains)


def _options(learner: str) -> dict[str, object]:
    return {"max_margin": {"engine": "ilp", "cuts": "rounded", "epsilon": 1e-4}}.get(learner, {})


def _worlds(
    case: MlnCase, program: Declarations, like: Declarations | None = None
) -> list[Meaning]:
    """What a program means in the case's worlds, with the domains that another program over them
    gives.

    A learned text may name other constants than the program (those that `+x` stood for, not those
    of a rule that had no grounding), and a constant that a rule names joins every world: that is no
    part of what was learned (E0515).
    """
    domains = [
        read_world(like or program, case.data(number)).domains for number in range(len(case.worlds))
    ]
    worlds = [
        replace(read_world(program, case.data(n)), domains=one) for n, one in enumerate(domains)
    ]
    roles = roles_of(program, worlds, case.query, case.closed)
    return [meaning_of(program, world, roles) for world in worlds]


def _compare_pseudo(found: Trained, tally: Tally) -> None:
    states = found.training.labels
    value = pseudo_of_text(found.training, found.read, found.weights, states)
    near("pseudo_likelihood", value, least(pseudo, found.training, states), 1e-4)


def _compare_exact(found: Trained, tally: Tally) -> None:
    value = float(found.weights @ found.weights) / 2 + likelihood_of_text(
        found.training, found.read
    )
    near("exact", value, least(likelihood, found.training, 1.0), 1e-4)


def _compare_sampled(found: Trained, tally: Tally) -> None:
    """What samples teach must not be worse than nothing learned."""
    nothing = sum(np.log(len(world.states)) for world in found.training.worlds)
    value = likelihood_of_text(found.training, found.read)
    if value > nothing + 0.1:
        raise Difference(
            "learner by samples", f"log likelihood {-value:.4f}, with all weights 0 {-nothing:.4f}"
        )
    best = least(likelihood, found.training, 1.0 / PRIOR**2)
    regularised = value + float(found.weights @ found.weights) / (2 * PRIOR**2)
    tally.add(
        "learners by samples within 0.5 of the optimum"
        if regularised < best + 0.5
        else "learners further off"
    )


def _compare_margin(found: Trained, tally: Tally) -> None:
    training = found.training
    value = float(found.weights @ found.weights) / 2
    for world, number, labels in zip(found.read, training.labels, training.worlds):
        loss = np.abs(labels.states - labels.states[number]).sum(axis=1)
        value += float(np.max(loss - (world.energy - world.energy[number])))
    near("max_margin", value, margin_program(training), 2e-3)


_COMPARE = {
    "pseudo_likelihood": _compare_pseudo,
    "exact": _compare_exact,
    "max_margin": _compare_margin,
    "diagonal_newton": _compare_sampled,
    "mc_mle": _compare_sampled,
}
