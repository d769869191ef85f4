"""The one training loop: measure at the weights, step, again; with prior, limits and trace."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from workbench.arrays import Float
from workbench.errors import Cancelled
from workbench.learning.expectation import Expectation, Measured
from workbench.learning.learner import LearnedWeights
from workbench.learning.training import TrainingSet
from workbench.progress import Conduct


class Step(Protocol):
    """From what was measured to the next weights."""

    def advance(self, weights: Float, measured: Measured) -> Float | None:
        """The weights to measure next; None where nothing is left to gain."""
        ...

    def answer(self) -> Float:
        """The weights learned so far."""
        ...

    def figures(self) -> Mapping[str, float]:
        """Columns of the trace that tell of the last step."""
        return {}


def train(
    training: TrainingSet,
    expectation: Expectation,
    step: Step,
    start: Float,
    *,
    name: str,
    iterations: int,
    prior_sd: float = np.inf,
    conduct: Conduct,
) -> LearnedWeights:
    """`stages` with one number of iterations."""
    how: Any = {"name": name, "prior_sd": prior_sd, "conduct": conduct}
    return next(stages(training, expectation, step, start, iterations=[iterations], **how))


def stages(
    training: TrainingSet,
    expectation: Expectation,
    step: Step,
    start: Float,
    *,
    name: str,
    iterations: Sequence[int],
    prior_sd: float = np.inf,
    conduct: Conduct,
) -> Iterator[LearnedWeights]:
    """Run from `start`; the answer after each number of iterations, ascending, as it is asked for.

    Cost: one measurement an iteration. In soft logic no weight falls below 0.

    `prior_sd`: of a zero-mean Gaussian prior on the learned weights; infinite for none.
    """
    trace: list[dict[str, float]] = []
    weights, status, number = start, "iterations", 0
    if conduct.judge is not None:
        step = _Judged(step, conduct.judge, training, start)

    def answer() -> Float:
        return np.where(training.learned, step.answer(), start)

    conduct.offer(training.templates, answer)
    for stop in iterations:
        try:
            while status == "iterations" and number < stop:
                conduct.progress.step("learning weights", number, iterations[-1])
                conduct.look()
                found = expectation.measure(weights, number)
                slope = training.free_slope(weights, found.slope - weights / prior_sd**2)
                following = step.advance(weights, Measured(slope, found.figures, found.moments))
                norm = float(np.linalg.norm(slope))
                conduct.progress.observe({"gradient norm": norm})
                trace.append({"gradient_norm": norm, **found.figures, **step.figures()})
                number += 1
                if following is None:
                    status = "converged"
                else:
                    weights = training.projected(following)
        except Cancelled:
            status = conduct.stopped
        columns = {
            column: np.array([row[column] for row in trace])
            for column in (trace[0] if trace else ())
        }
        columns = {"iteration": np.arange(1.0, len(trace) + 1.0), **columns}
        yield LearnedWeights(
            answer(),
            columns,
            status,
            name,
            training.notes(),
        )


class _Judged(Step):
    """Steps as another makes them, of which that is the answer that a judge likes best."""

    def __init__(
        self, step: Step, judge: Callable[[Float], float], training: TrainingSet, start: Float
    ) -> None:
        self._step, self._judge, self._learned, self._start = step, judge, training.learned, start
        self._best, self._most = start, judge(start)
        self._last, self._steps, self._kept = self._most, 0, 0

    def advance(self, weights: Float, measured: Measured) -> Float | None:
        """The other's; what it would answer then is judged."""
        following = self._step.advance(weights, measured)
        answer = np.where(self._learned, self._step.answer(), self._start)
        self._last, self._steps = self._judge(answer), self._steps + 1
        if self._last >= self._most:  # of equals the last, as it has learned longest
            self._best, self._most, self._kept = answer, self._last, self._steps
        return following

    def answer(self) -> Float:
        return self._best

    def figures(self) -> Mapping[str, float]:
        """The other's, the judgement, and the step that is kept."""
        return {**self._step.figures(), "judged": self._last, "kept": float(self._kept)}


class Averaged(Step):
    """Steps of a given size along the gradient; the answer is the mean of the weights on the way.

    Parameters
    ----------
    start : float64 array, shape (n_templates,)
    rates : float64 array, shape (n_templates,)
        The learning rate of each template.
    from_share : float
        The share of the iterations that the mean leaves out at the beginning: 0 for none, 1 for the
        last weights alone.
    """

    def __init__(
        self, training: TrainingSet, start: Float, rates: Float, from_share: float = 0.0
    ) -> None:
        self._training, self._rates, self._from_share = training, rates, from_share
        self._history = [start]

    def advance(self, weights: Float, measured: Measured) -> Float:
        """`weights + rates * slope`, projected."""
        self._history.append(self._training.projected(weights + self._rates * measured.slope))
        return self._history[-1]

    def answer(self) -> Float:
        """The mean; the start where no step was taken."""
        steps = len(self._history) - 1
        first = min(1 + int(self._from_share * steps), steps)
        return np.asarray(np.mean(self._history[first:], axis=0))
