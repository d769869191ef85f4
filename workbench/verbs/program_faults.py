"""What programs are refused or warned of where they are applied."""

from __future__ import annotations

import numpy as np

from workbench.arrays import Float
from workbench.errors import Diagnostic, UsageError
from workbench.language.program import Program


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
        Diagnostic(
            "E0709",
            f"all weights are 0, so the rules predict nothing: {undecided}",
            help="learning was stopped before it found any: give it more time"
            if unfinished
            else "the labels show no effect of any rule; try other rules, another learner or other "
            "parameters",
            severity="warning",
        )
    ]
