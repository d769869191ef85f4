"""What programs are refused or warned of where they are applied: weights that are missing or
cannot be added, clashes.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from workbench.arrays import Float
from workbench.errors import Diagnostic, InfeasibleError, InputError, UsageError
from workbench.grounding import Grounding, ground_rules
from workbench.inference import Solution
from workbench.inference.addable import lost_weights
from workbench.inference.conflict import smallest_conflict
from workbench.language.program import Program
from workbench.network import Templates
from workbench.progress import Conduct
from workbench.verbs.common import deadline_after
from workbench.verbs.explaining.naming import row_texts

SHRINKING = 5.0
"""Seconds spent on leaving rows out of a clash before it is named."""


def _hard_rule_texts(grounding: Grounding, rows: Sequence[int]) -> list[str]:
    """Hard rows as the ground rules behind them; as clauses of open atoms where none is found."""
    matrix = grounding.network.A
    found: dict[tuple[tuple[int, ...], tuple[float, ...]], str] = {}
    texts = []
    for row, text in zip(rows, row_texts(grounding, rows)):
        entries = slice(matrix.indptr[row], matrix.indptr[row + 1])
        atoms, signs = (
            tuple(matrix.indices[entries].tolist()),
            tuple(matrix.data[entries].astype(float).tolist()),
        )
        if atoms and (atoms, signs) not in found:
            for rule in ground_rules(grounding, atoms[0], most=1):
                if rule.template < 0 and rule.named:
                    found[rule.atoms, rule.coefficients] = rule.named[0].text
        texts.append(found.get((atoms, signs), text))
    return texts


def require_weights(templates: Templates, weights: Float) -> None:
    """Refuse weights that are still to be learned."""
    missing = np.flatnonzero(np.isnan(weights))
    if missing.size:
        first, _ = _written(templates, int(missing[0]))
        raise InputError.of(
            "E0805",
            f"{missing.size} of {weights.size} clauses have no weight, the first is `{first}`",
            help="learn the weights first (workbench learn), or write them before the formulas",
        )


def require_addable(grounding: Grounding, weights: Float) -> None:
    """Refuse weights so far apart that sums lose the smaller ones (E0408)."""
    lost = lost_weights(grounding.network, weights)
    if lost is not None:
        written = [(weights[one], *_written(grounding.templates, one)) for one in lost]
        heavy, light = (f"{weight / share:g} of `{text}`" for weight, text, share in written)
        raise InputError.of(
            "E0408",
            f"the weight {heavy} is so large that {light} is lost in the sum",
            help="write a rule that must hold without a weight and end it with a full stop",
        )


def _written(templates: Templates, template: int) -> tuple[str, float]:
    """What its author wrote, and the template's share of that weight; else the clause itself."""
    formula = templates.formula[template] if templates.formula else ""
    return (
        (formula, float(templates.share[template])) if formula else (templates.label[template], 1.0)
    )


def infeasible_error(grounding: Grounding, solution: Solution) -> InfeasibleError:
    """The error that names a small set of ground hard rows that no state satisfies together."""
    brief = Conduct(deadline=deadline_after(SHRINKING))
    conflict = smallest_conflict(grounding.network, among=solution.conflict, conduct=brief)
    conflict = solution.conflict if conflict is None else conflict
    rows = [] if conflict is None else [int(row) for row in conflict]
    more = f" and {len(rows) - 10} more" if len(rows) > 10 else ""
    named = "; ".join(_hard_rule_texts(grounding, rows[:10])) + more
    message = "the hard rules and the evidence admit no world"
    return InfeasibleError((Diagnostic("E0401", f"{message}: {named}" if named else message),))


def refuse_numbers(program: Program, doing: str) -> None:
    """Refuse what is done with truths alone.

    Raises E0640 where the program predicts numbers.
    """
    for name in sorted(program.numeric):
        raise UsageError.of(
            "E0640",
            f"{name} is a number to be predicted, and {doing} is for what is true or false",
            help="`workbench study` learns rules for numbers from tables; `workbench infer` "
            "applies them",
        )


_NOTHING = 1e-6


def says_nothing(program: Program, weights: Float, *, unfinished: bool = False) -> list[Diagnostic]:
    """A warning where all weights are 0 and no rule is hard: all states are equally likely.

    Learners stop near 0, not at it; one that is `unfinished` may not have left it yet.
    """
    if (
        not weights.size
        or np.any(np.abs(weights) > _NOTHING)
        or any(rule.weight.kind == "hard" for rule in program.rules)
    ):
        return []
    undecided = (
        "every atom has probability 1/2" if program.language == "mln" else "every state costs 0"
    )
    return [
        Diagnostic.warning(
            "E0709",
            f"all weights are 0, so the rules predict nothing: {undecided}",
            help="learning was stopped before it found any: give it more time"
            if unfinished
            else "the labels show no effect of any rule; try other rules, another learner or other "
            "parameters",
        )
    ]
