"""What learners maximise, by the oracle's counts of every state, and SciPy's optima."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import clarabel
import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csc_matrix

from tests.differential.mln_meaning import GroundClause, Meaning
from tests.differential.mln_programs import MlnCase
from tests.differential.outcome import Difference
from workbench.arrays import Float
from workbench.language.ground_atoms import atom_text

PRIOR = 2.0


@dataclass(frozen=True)
class Training:
    """Each world's meaning, the number of its labelled state, and the features of every state.

    Attributes
    ----------
    features : list of float64 array, shape (n_states, n_features)
        By world: scaled counts of true ground clauses, a column a template.
    hidden : tuple of tuple of int
        By world: the atoms whose labels are kept back.
    """

    worlds: list[Meaning]
    labels: list[int]
    features: list[Float]
    hidden: tuple[tuple[int, ...], ...]

    def completions(self) -> list[list[int]]:
        """By world: the states that have its labels, whatever the hidden atoms are."""
        found = []
        for world, number, places in zip(self.worlds, self.labels, self.hidden):
            seen = np.delete(np.arange(len(world.atoms)), places)
            equal = (world.states[:, seen] == world.states[number, seen]).all(axis=1)
            found.append(np.flatnonzero(equal).tolist())
        return found

    def flips(self, index: int, number: int, everywhere: bool) -> list[int]:
        """States that differ from one in a single labelled atom (`everywhere`: any)."""
        n = len(self.worlds[index].atoms)
        places = (place for place in range(n) if everywhere or place not in self.hidden[index])
        return [number ^ (1 << (n - 1 - place)) for place in places]


def labelled(case: MlnCase, training: Training) -> MlnCase:
    """The case with its labels as facts; hidden ones are asked about."""
    worlds = []
    for (name, facts), world, number, hidden in zip(
        case.worlds, training.worlds, training.labels, training.hidden
    ):
        signs = [
            "?" if place in hidden else "" if value else "!"
            for place, value in enumerate(world.states[number])
        ]
        worlds.append(
            (name, (*facts, *(sign + atom_text(*atom) for sign, atom in zip(signs, world.atoms))))
        )
    return replace(case, worlds=tuple(worlds))


def features_of(worlds: list[Meaning], tie: bool = False) -> list[Float]:
    """Columns are a formula's clauses, or (`tie`) whole formulas, their clauses by share."""
    keys = sorted({_key(one, tie) for world in worlds for one in world.clauses}, key=str)
    place = {key: number for number, key in enumerate(keys)}
    found = []
    for world in worlds:
        counts = np.zeros((len(world.states), len(keys)))
        for one in world.clauses:
            if not one.decided:
                share = one.share if _is_tied(one, tie) else 1.0
                counts[:, place[_key(one, tie)]] += one.holds * share
        found.append(counts)
    return found


def _key(one: GroundClause, tie: bool) -> tuple[object, ...]:
    return one.rule, None if _is_tied(one, tie) else one.group, one.binding


def _is_tied(one: GroundClause, tie: bool) -> bool:
    return one.group is None or (tie and not one.apart)


def pseudo(
    training: Training, weights: Float, states: Sequence[int], everywhere: bool = False
) -> float:
    """Minus the log pseudo-likelihood of states and prior; of hidden atoms too, `everywhere`."""
    total = float(weights @ weights) / (2 * PRIOR**2)
    for index, (number, counts) in enumerate(zip(states, training.features)):
        others = training.flips(index, number, everywhere)
        total += float(np.logaddexp(0.0, (counts[others] - counts[number]) @ weights).sum())
    return total


def pseudo_of_text(
    training: Training,
    read: list[Meaning],
    weights: Float,
    states: Sequence[int],
    everywhere: bool = False,
) -> float:
    """The same of the program as it was read again."""
    total = float(weights @ weights) / (2 * PRIOR**2)
    for index, (world, number) in enumerate(zip(read, states)):
        others = training.flips(index, number, everywhere)
        total += float(np.logaddexp(0.0, world.energy[number] - world.energy[others]).sum())
    return total


def likelihood(training: Training, weights: Float, l2: float) -> float:
    """Minus the log likelihood of the labels, hidden atoms summed out, with a Gaussian prior."""
    total = l2 * float(weights @ weights) / 2
    for states, counts in zip(training.completions(), training.features):
        score = counts @ weights
        total += float(np.logaddexp.reduce(score) - np.logaddexp.reduce(score[states]))
    return total


def likelihood_of_text(training: Training, read: list[Meaning]) -> float:
    """The same of the program as it was read again, without a prior."""
    return sum(
        float(np.logaddexp.reduce(-world.energy) - np.logaddexp.reduce(-world.energy[states]))
        for world, states in zip(read, training.completions())
    )


def least(objective: Callable[..., float], training: Training, *more: object) -> float:
    """The least of an objective over all weights, from 0 on."""
    size = training.features[0].shape[1]
    if not size:
        return float(objective(training, np.zeros(0), *more))
    found = minimize(
        lambda w: objective(training, w, *more),
        np.zeros(size),
        method="BFGS",
        options={"gtol": 1e-7},
    )
    return float(found.fun)


def margin_program(training: Training) -> float:
    """The least of `w.w / 2` and a slack for each world, over all states' constraints."""
    size, n_worlds = training.features[0].shape[1], len(training.worlds)
    rows, right = [], []
    for index, (world, number, counts) in enumerate(
        zip(training.worlds, training.labels, training.features)
    ):
        slack = np.zeros((len(world.states), n_worlds))
        slack[:, index] = -1.0
        rows.append(np.hstack([counts - counts[number], slack]))
        right.append(-np.abs(world.states - world.states[number]).sum(axis=1))
    hessian = csc_matrix(np.diag(np.concatenate([np.ones(size), np.zeros(n_worlds)])))
    linear = np.concatenate([np.zeros(size), np.ones(n_worlds)])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    limits = np.concatenate(right)
    cones = [clarabel.NonnegativeConeT(limits.size)]
    solver = clarabel.DefaultSolver(
        hessian, linear, csc_matrix(np.vstack(rows)), limits, cones, settings
    )
    return float(solver.solve().obj_val)


def near(learner: str, value: float, least: float, tolerance: float) -> None:
    slack = tolerance * max(1.0, abs(least))
    if value > least + slack:
        raise Difference(
            f"learner {learner}",
            f"objective {value:.6f}, an independent optimiser finds {least:.6f}",
        )
    if value < least - slack:
        raise Difference(
            f"learner {learner}",
            f"objective {value:.6f} below the least {least:.6f}: another program",
        )
