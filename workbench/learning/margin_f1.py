"""Separation for the loss 1 - F1: exact where all rows are unit, else bounded by multipliers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from workbench.arrays import Float
from workbench.inference.solution import Engine, Status
from workbench.learning.margin_cuts import Cut, Separation, cut_of
from workbench.learning.margin_losses import MarginWorld
from workbench.progress import PLAIN, Conduct

ROUNDS, TOLERANCE = 8, 1e-3


def separate_f1(
    world: MarginWorld,
    weights: Float,
    engine: Engine,
    conduct: Conduct = PLAIN,
    *,
    start: Float | None,
) -> Separation:
    """The state of most `1 - F1 - energy`, by its numbers of true and false positives.

    Where no row of weight joins atoms, the best state with given numbers takes the atoms of largest
    gain: exact, by sorting. Otherwise the energy of given numbers is bounded below by MAP states at
    multipliers on the two counts; each round moves the multipliers to the loss's gradient at the
    numbers where loss and bounds promise most. `upper` is the last promise: its distance from the
    state's violation is the gap. The first multipliers are those at the counts of `start`, and a
    gap of `TOLERANCE`, in loss units, ends the rounds.

    Cost: sorting, or at most `ROUNDS` MAP inferences.

    References
    ----------
    Joachims 2005, A support vector method for multivariate performance measures, Algorithm 2.
    """
    if not np.any(world.network.effective_weights(_augmented(weights, 0.0, 0.0))) and _only_units(
        world
    ):
        return _by_sorting(world, weights)
    n_true, n_false = _class_sizes(world)
    at_truth = world.truth_energy(_augmented(weights, 0.0, 0.0))
    planes: list[tuple[float, float, float]] = []
    best: tuple[float, Cut, Float] | None = None
    found, upper = False, float("inf")
    counts, tried = _counts(world, start), set()
    for _ in range(ROUNDS):
        if conduct.expired or counts in tried:
            break
        tried.add(counts)
        reward = _loss_gradient(*counts, n_true)
        augmented = _augmented(weights, *reward)
        solution = engine.infer(world.network, augmented, conduct, start)
        if solution.status == Status.INFEASIBLE:
            nothing = Cut(np.zeros(weights.size), 0.0)
            return Separation(nothing, nothing, 0.0, world.truth, True)
        planes.append((-solution.bound, *reward))
        cut = cut_of(world, weights, solution.values)
        if solution.hard_violation == 0.0 and (best is None or cut.violation(weights) > best[0]):
            best, found = (cut.violation(weights), cut, solution.values), True
        counts, promise = _most_promising(planes, n_true, n_false)
        upper = min(upper, promise + at_truth)
        if best is not None and upper - best[0] <= TOLERANCE:
            break
    if best is None:
        return Separation(Cut(np.zeros(weights.size), 0.0), None, upper, world.truth, False)
    return Separation(best[1], None, upper, best[2], found)


def _augmented(weights: Float, true_reward: float, false_reward: float) -> Float:
    return np.concatenate([weights, [true_reward, false_reward]])


def _counts(world: MarginWorld, state: Float | None) -> tuple[float, float]:
    """True and false positives of a state; of the truth, where there is none."""
    positive = world.scored & (world.truth == 1.0)
    if state is None:
        return float(positive.sum()), 0.0
    return float(state[positive].sum()), float(state[world.scored & ~positive].sum())


def _class_sizes(world: MarginWorld) -> tuple[int, int]:
    positive = world.truth[world.scored] == 1.0
    return int(positive.sum()), int((~positive).sum())


def _only_units(world: MarginWorld) -> bool:
    return not world.network.hard.any() and not world.network.blocks.n_blocks


def _loss(true: Float, false: Float, n_true: int) -> Float:
    """1 - F1; 0 where there is nothing to find and nothing was found."""
    marked = n_true + true + false
    return np.asarray(np.where(marked > 0, 1.0 - 2.0 * true / np.maximum(marked, 1e-300), 0.0))


def _loss_gradient(true: float, false: float, n_true: int) -> tuple[float, float]:
    marked = max(n_true + true + false, 1.0)
    return -2.0 * (n_true + false) / marked**2, 2.0 * true / marked**2


def _most_promising(
    planes: list[tuple[float, float, float]], n_true: int, n_false: int
) -> tuple[tuple[float, float], float]:
    """The counts of most loss plus the least plane; concave in the false positives."""
    true = np.arange(n_true + 1, dtype=np.float64)

    def value(false: Float) -> Float:
        height = np.min([h - reward * true - other * false for h, reward, other in planes], axis=0)
        return np.asarray(_loss(true, false, n_true) + height)

    false = _concave_peak(value, n_true + 1, n_false)
    values = value(false)
    best = int(np.argmax(values))
    return (float(true[best]), float(false[best])), float(values[best])


def _concave_peak(value: Callable[[Float], Float], n: int, top: int) -> Float:
    """The peaks of `n` functions concave on the integers 0 .. top; bisection on increments."""
    low, high = np.zeros(n), np.full(n, float(top))
    while np.any(low < high):
        middle = np.floor((low + high) / 2)
        rising = value(middle + 1.0) > value(middle)
        open_ = low < high
        low = np.where(open_ & rising, middle + 1.0, low)
        high = np.where(open_ & ~rising, middle, high)
    return low


def _by_sorting(world: MarginWorld, weights: Float) -> Separation:
    """Exact: all states with a true and b false positives differ in their gains only."""
    gain = np.asarray(world.network.unit @ _augmented(weights, 0.0, 0.0))
    state = np.where(world.scored, 0.0, (gain > 0.0).astype(np.float64))
    positive = np.flatnonzero(world.scored & (world.truth == 1.0))
    negative = np.flatnonzero(world.scored & (world.truth == 0.0))
    positive = positive[np.argsort(-gain[positive], kind="stable")]
    negative = negative[np.argsort(-gain[negative], kind="stable")]
    of_true = np.concatenate([[0.0], np.cumsum(gain[positive])])
    of_false = np.concatenate([[0.0], np.cumsum(gain[negative]), [-np.inf]])
    true = np.arange(positive.size + 1, dtype=np.float64)

    def value(false: Float) -> Float:
        return np.asarray(_loss(true, false, positive.size) + of_false[false.astype(np.int64)])

    false = _concave_peak(value, true.size, negative.size)
    best = int(np.argmax(value(false) + of_true))
    state[positive[:best]] = 1.0
    state[negative[: int(false[best])]] = 1.0
    cut = cut_of(world, weights, state)
    return Separation(cut, None, cut.violation(weights), state, True)
