"""Small worlds for the tests of structure learning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np

from tests.kits.datasets import dataset
from workbench.arrays import Int32
from workbench.language.ilp.problem import IlpProblem
from workbench.language.ilp.reader import read_ilp
from workbench.structure.background import Background, Examples


def background_of(
    facts: Mapping[str, Sequence[Sequence[str]]],
    argument_types: Mapping[str, Sequence[str]],
    target: str,
    examples: Sequence[Sequence[str]],
    label: Sequence[float],
) -> tuple[Background, Examples]:
    """Background and examples from names, for callers that hold no database.

    Constants are numbered per type in order of first appearance, examples first.
    """
    numbers: dict[str, dict[str, int]] = {
        name: {} for types in argument_types.values() for name in types
    }

    def encode(rows: Sequence[Sequence[str]], types: Sequence[str]) -> Int32:
        coded = [
            [numbers[t].setdefault(value, len(numbers[t])) for value, t in zip(row, types)]
            for row in rows
        ]
        return np.array(coded, np.int32).reshape(len(coded), len(types))

    arguments = encode(examples, argument_types[target])
    predicates = tuple(name for name in argument_types if name != target)
    coded = tuple(encode(facts.get(name, ()), argument_types[name]) for name in predicates)
    constants = {name: tuple(table) for name, table in numbers.items()}
    types = tuple(tuple(argument_types[name]) for name in predicates)
    return (
        Background(predicates, types, coded, constants),
        Examples(target, tuple(argument_types[target]), arguments, np.asarray(label, np.float64)),
    )


def problem_arrays(problem: IlpProblem) -> tuple[Background, Examples]:
    """The problem's facts and examples as arrays, positives first."""
    label = [1.0] * len(problem.positives) + [0.0] * len(problem.negatives)
    return background_of(
        problem.relations(),
        problem.argument_types(),
        problem.target,
        [*problem.positives, *problem.negatives],
        label,
    )


@cache
def trains() -> tuple[IlpProblem, Background, Examples]:
    """Michalski's ten trains; skips where the data sets are absent."""
    root = dataset("ilp-trains")
    problem = read_ilp(root / "train.b", root / "train.f", root / "train.n")
    return problem, *problem_arrays(problem)
