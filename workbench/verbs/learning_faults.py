"""What is wrong with labels or with what was learned: none, contradicted, bodies mostly false."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from workbench.arrays import Float
from workbench.errors import Diagnostic, InputError, UsageError
from workbench.grounding import Grounding, uneven_types
from workbench.language.formulas import formula_atoms
from workbench.language.program import FormulaRule
from workbench.language.terms import Implies
from workbench.learning import LearnedWeights
from workbench.network import hard_violations
from workbench.network.ground_network import Domain
from workbench.verbs.explaining.naming import row_texts
from workbench.verbs.learning_result import LearningResult
from workbench.verbs.written_rules import written_rules

MOST_NAMED = 10
"""Violated hard clauses that are named one by one."""
RARE_BODY = 0.1
"""Implications whose body is true in a smaller share of groundings are remarked on."""


def check_labels(grounding: Grounding, truth: Float) -> None:
    """Raise E0502 for labels of Markov logic that are neither true nor false, naming the first."""
    if grounding.network.domain is not Domain.BOOLEAN:
        return
    soft = np.flatnonzero((truth > 0.0) & (truth < 1.0))
    if soft.size:
        (name,) = grounding.atoms.names(soft[:1])
        more = f", as are {soft.size - 1:,} more" if soft.size > 1 else ""
        raise UsageError.of(
            "E0502",
            f"the label of {name} is {truth[soft[0]]:g}, neither true nor false{more}",
            help="give it as a fact, as !fact or as ?fact; labels between 0 and 1 are for soft "
            "logic (.psl)",
        )


def refuse_copies(grounding: Grounding, truth: Float) -> None:
    """Raise E0340 where rows lie on disk and labels are such that learning would copy them."""
    network = grounding.network
    why = None
    if np.isnan(truth).any():
        why = "atoms without a label are completed"
    elif hard_violations(network.take_rows(np.flatnonzero(network.hard)), truth).any():
        why = "hard ground rules that the labels violate are left out"
    if why is not None:
        raise InputError.of(
            "E0340",
            f"{why} in memory, and --memory would not hold {network.n_rows:,} ground rows",
            help="allow more, give every atom of the query a label that no hard rule forbids, or "
            "ask for fewer worlds",
        )


def contradicted(groundings: Sequence[Grounding], learned: LearnedWeights) -> list[Diagnostic]:
    """A warning for each hard ground clause that the labels violate, which the learner left out."""
    found = learned.diagnostics.get("violated_hard_rows")
    rows = list(found) if isinstance(found, tuple) else []
    broken = [
        (part, int(row))
        for part, numbers in zip(groundings, rows)
        for row in np.asarray(numbers, np.int64)
    ]
    warnings = []
    for part, row in broken[:MOST_NAMED]:
        message = (
            f"the labels violate the hard ground rule {row_texts(part, [row])[0]}; it is "
            "left out of learning"
        )
        warnings.append(Diagnostic.warning("E0508", message))
    if len(broken) > MOST_NAMED:
        warnings.append(
            Diagnostic.warning("E0508", f"{len(broken) - MOST_NAMED} more hard ground rules")
        )
    return warnings


def mostly_false(result: LearningResult) -> list[Diagnostic]:
    """A note for each implication with open atoms in its body, which is hardly ever true, and in
    its head: what says that two do not go together is to be rarely true.
    """
    notes = []
    for one in written_rules(result.templates, result.weights):
        rule = result.program.rules[one.rule] if one.rule >= 0 else None
        if (
            rule is None
            or not isinstance(rule, FormulaRule)
            or not isinstance(rule.formula, Implies)
        ):
            continue
        sides = (rule.formula.left, rule.formula.right)
        asked = (
            {atom.predicate for atom in formula_atoms(side)} & {*result.grounding.atoms.predicates}
            for side in sides
        )
        rates = result.rates(one) if all(asked) else None
        if rates is not None and rates.body_rate < RARE_BODY:
            notes.append(
                Diagnostic.note(
                    "E0514",
                    f"the body of `{one.text}` is true in {rates.body_rate:.1%} of its groundings: "
                    "its weight is mostly "
                    "learned from the others, where the rule holds whatever its head is",
                    span=rule.span,
                    help="to say that body and head go together, write them joined by ^ instead "
                    "of =>",
                )
            )
    return notes


def named_for_all(grounding: Grounding) -> list[Diagnostic]:
    """A note for each type whose constants the program names and some training worlds lack."""
    return [
        Diagnostic.note(
            "E0515",
            f"the weights of `+` are learned for each {name} in the worlds that have it; the "
            "learned program names "
            "them all, and a constant that a rule names is one of every world",
            help="to learn what the program will say, declare them for every world, as in "
            f"`{name} = {{A, B}}`",
        )
        for name in uneven_types(grounding)
    ]
