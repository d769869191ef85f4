"""What is asked again and again of changing data, and what is known of its last answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from workbench.arrays import Float
from workbench.grounding import Grounding, GroundRequest
from workbench.inference import Solution, Status
from workbench.inference.accepts import Task
from workbench.language.program import Program
from workbench.progress import SILENT, Progress
from workbench.verbs.infer import solve
from workbench.verbs.number_inference import asks_for_numbers, solve_numbers


@dataclass(frozen=True)
class Asked:
    """What is asked of the data again and again.

    Attributes
    ----------
    task : {'map', 'marginal'}
    options : mapping
    time_limit : float or None
        Seconds for each solution.
    """

    program: Program
    request: GroundRequest
    task: Task
    engine: str = "auto"
    options: Mapping[str, object] | None = None
    seed: int = 0
    time_limit: float | None = None

    def numbers(self, grounding: Grounding) -> bool:
        """Whether the open atoms are numbers."""
        return asks_for_numbers(self.program, grounding.atoms.predicates)

    def solve(
        self, grounding: Grounding, progress: Progress = SILENT, start: Float | None = None
    ) -> Solution:
        """The answer of one network, or of a part of it."""
        if self.numbers(grounding):
            weights = grounding.templates.weight
            return solve_numbers(self.program, grounding, weights, self.task, self.engine)
        return solve(
            grounding,
            grounding.templates.weight,
            self.task,
            self.engine,
            self.options or {},
            seed=self.seed,
            time_limit=self.time_limit,
            progress=progress,
            start=start,
        )


@dataclass(frozen=True)
class Known:
    """What a recorded run says of its answer.

    Attributes
    ----------
    values : callable
        From a grounding to the value of each of its atoms, NaN where the run has none.
    """

    values: Callable[[Grounding], Float]
    slack: float
    status: Status
    engine: str
