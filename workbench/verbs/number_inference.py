"""Inference where open predicates are numbers: their means, in closed form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from workbench.arrays import Float
from workbench.errors import UsageError
from workbench.grounding import Grounding
from workbench.inference import Solution
from workbench.inference.accepts import Task
from workbench.inference.linear_gaussian import LinearGaussian
from workbench.language.program import Program


def asks_for_numbers(program: Program, asked: Sequence[str]) -> bool:
    """Whether the open predicates are numbers.

    Raises E0638 where some are and some are not.
    """
    numeric = program.numeric
    numbers = [name for name in asked if name in numeric]
    truths = [name for name in asked if name not in numeric]
    if numbers and truths:
        raise UsageError.of(
            "E0638",
            f"{numbers[0]} is a number and {truths[0]} is true or false, and both are open",
            help=f"ask for one of them, and give facts of the other: --query {numbers[0]} "
            f"--closed {truths[0]}",
        )
    return bool(numbers)


def solve_numbers(
    program: Program, grounding: Grounding, weights: Float, task: Task, engine: str
) -> Solution:
    """The means of open atoms that are numbers, or their middle values where rules add up to
    logarithms.

    Raises E0639 for a rule that joins one with another open atom, or is hard; E0804 for an engine
    of truths.
    """
    if engine not in ("auto", "exact"):
        raise UsageError.of(
            "E0804",
            f"engine {engine} is for truths, and these are numbers",
            help="try --engine auto",
        )
    solver, network = LinearGaussian(task), grounding.network
    reason = solver.declines(network, weights)
    if reason is not None:
        names = [grounding.templates.label[at] for at in np.unique(network.template) if at >= 0]
        named = f": `{names[0]}`" if names else ""
        raise UsageError.of(
            "E0639",
            f"{reason}{named}",
            help="let the body of a rule for a number be decided by facts, and give the rule a "
            "weight",
        )
    solution = solver.solve(network, weights)
    for name, scale in program.logarithms.items():
        if name in grounding.atoms.predicates:
            held = grounding.atoms.predicate == grounding.atoms.predicates.index(name)
            values = solution.values.copy()
            values[held] = scale.numbers(values[held])
            solution = replace(solution, values=values)
    told = f"auto took {solver.name}: " if engine == "auto" else ""
    return replace(solution, reason=told + solution.reason)
