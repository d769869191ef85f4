"""Choosing among candidates by what they predict where they did not learn, whatever is chosen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, Generic, TypeVar, cast

import numpy as np

from workbench.arrays import Float
from workbench.errors import UsageError
from workbench.evaluation import conditional_log_likelihood, continuous_scores
from workbench.learning.completion import MapStates
from workbench.learning.learner import Learner
from workbench.learning.training import Example
from workbench.learning.unit_chain import chain_of
from workbench.network.ground_network import Domain, Templates
from workbench.progress import PLAIN, Conduct

Candidate = TypeVar("Candidate")
Part = TypeVar("Part")


@dataclass(frozen=True)
class Choice(Generic[Candidate]):
    """What was tried and what was best.

    Attributes
    ----------
    candidates : tuple
        Each one tried, in order.
    table : float64 array, shape (n_splits, n_tried)
        Scores on the parts held out; larger is better.
    """

    candidates: tuple[Candidate, ...]
    table: Float

    @property
    def scores(self) -> Float:
        """Mean over the splits, shape (n_tried,)."""
        return np.asarray(self.table.mean(axis=0))

    @property
    def index(self) -> int:
        """Of the best candidate, the first among equals."""
        return int(np.argmax(self.table.sum(axis=0)))

    @property
    def best(self) -> Candidate:
        return self.candidates[self.index]


def choose(
    candidates: Sequence[Candidate],
    splits: Iterable[tuple[Part, Part]],
    fits: Callable[[Part], Iterable[Float]],
    score: Callable[[Float, Part], float],
) -> Choice[Candidate]:
    """Score every candidate on every split.

    Raises E0507, where no candidate was scored on every split.

    Parameters
    ----------
    candidates : sequence
    splits : iterable of (part to learn from, part to score on)
    fits : callable
        From a part to the weights of each candidate in order. An iterator may start each fit from
        the one before, and may end early where the time is up: candidates that some split did not
        reach are left out.
    score : callable
        Of weights on a part; larger is better.
    """
    rows = [[score(weights, held) for weights in fits(rest)] for rest, held in splits]
    tried = min(map(len, rows), default=0)
    if not tried:
        raise UsageError.of("E0507", "the time was over before any parameters were tried")
    return Choice(tuple(candidates[:tried]), np.array([row[:tried] for row in rows], np.float64))


def held_out_worlds(
    examples: Sequence[Part], judges: int | None = None
) -> list[tuple[list[Part], list[Part]]]:
    """Each example (of the first `judges`; all by default) left out of the others in turn."""
    turns = range(len(examples))[:judges]
    return [
        ([one for at, one in enumerate(examples) if at != held], [examples[held]]) for held in turns
    ]


@dataclass(frozen=True)
class Validation:
    """A learner with the best of the parameters tried, and the choice among them."""

    learner: Learner
    choice: Choice[Mapping[str, object]]


def validate(
    learner: Learner,
    grid: Mapping[str, Sequence[object]],
    examples: Sequence[Example],
    templates: Templates,
    *,
    held_out: int = -1,
    sweeps: int = 200,
    burn_in: int = 50,
    conduct: Conduct = PLAIN,
) -> Validation:
    """Fit every combination of parameters without one example, and score it there: the conditional
    log-likelihood of its marginals, in soft logic the mean absolute error of its MAP state.

    Raises E0507 with fewer than two examples, or where no combination was scored in time.

    Parameters
    ----------
    learner : Learner
        A frozen dataclass; the grid's names are its fields.
    grid : mapping of parameter to values
    held_out : int
        Which example is held out of training.
    sweeps, burn_in : int
        Of the Gibbs chain that gives the marginals, started at all false.
    """
    if len(examples) < 2:
        raise UsageError.of(
            "E0507",
            "choosing parameters needs a training database to hold out, and there is only one",
            help="give two or more training databases, or the parameters themselves",
        )
    combinations = [dict(zip(grid, values)) for values in product(*grid.values())]

    def fits(part: Sequence[Example]) -> Iterable[Float]:
        for number, parameters in enumerate(combinations):
            conduct.progress.step("choosing parameters", number, len(combinations))
            if conduct.expired:
                return
            candidate = _with(learner, parameters)
            training = candidate.prepared(part, templates)
            yield candidate.learn(training, conduct).weights

    chain = chain_of(examples[held_out].network, replace(conduct, deadline=None))

    def score(weights: Float, part: Sequence[Example]) -> float:
        (held,) = part
        if held.network.domain is Domain.UNIT:
            state = MapStates(None, conduct).most_likely(held.network, weights, conduct.seed)
            return -continuous_scores(state[held.counted], held.truth[held.counted])["MAE"]
        start = np.zeros(held.network.n_atoms)
        seen = chain.run(
            weights, start, sweeps=sweeps, burn_in=burn_in, seed=conduct.seed
        ).probability
        return conditional_log_likelihood(seen[held.counted], held.truth[held.counted])

    split = held_out_worlds(examples)[held_out]
    choice: Choice[Mapping[str, object]] = choose(combinations, [split], fits, score)
    return Validation(_with(learner, choice.best), choice)


def _with(learner: Learner, parameters: Mapping[str, object]) -> Learner:
    return cast(Learner, replace(cast(Any, learner), **parameters))
