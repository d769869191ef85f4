"""Small worlds for the tests of structure learning."""

from __future__ import annotations

from functools import cache

from tests.kits.datasets import dataset
from workbench.language.ilp import IlpProblem
from workbench.language.ilp_reader import read_ilp
from workbench.structure.background import Background, Examples, background_of


def problem_arrays(problem: IlpProblem) -> tuple[Background, Examples]:
    """The problem's facts and examples as arrays, positives first."""
    label = [1.0] * len(problem.positives) + [0.0] * len(problem.negatives)
    return background_of(
        problem.relations(), problem.argument_types(), problem.target, [*problem.positives, *problem.negatives], label
    )


@cache
def trains() -> tuple[IlpProblem, Background, Examples]:
    """Michalski's ten trains; skips where the data sets are absent."""
    root = dataset("ilp-trains")
    problem = read_ilp(root / "train.b", root / "train.f", root / "train.n")
    return problem, *problem_arrays(problem)
