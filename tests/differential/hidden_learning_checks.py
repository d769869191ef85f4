"""Learning with labels kept back: objectives over every completion of the hidden atoms."""

from __future__ import annotations

from itertools import product

import numpy as np

from tests.differential.learning_checks import Trained, train
from tests.differential.learning_objectives import (
    PRIOR,
    least,
    likelihood,
    likelihood_of_text,
    near,
    pseudo,
    pseudo_of_text,
)
from tests.differential.mln_programs import MlnCase
from tests.differential.outcome import Difference, Tally
from workbench.arrays import Float

MOST_HIDDEN = 3
SAMPLED = {"sweeps": 2000, "burn_in": 100, "prior_sd": PRIOR}
LEARNERS: tuple[tuple[str, dict[str, object]], ...] = (
    ("pseudo_likelihood", {}),
    ("diagonal_newton", SAMPLED),
    ("em", {}),
    ("exact", {}),
    ("mc_mle", SAMPLED),
    ("pscg", SAMPLED),
)
SLOPE_ERROR = 0.12
"""Of the gradient, in deviations of a count (at least 1), where samples say it converged."""


def check_hidden_learning(case: MlnCase, tally: Tally) -> None:
    """Raise `Difference` where what was learned is not what is said of hidden labels."""
    learner, options = LEARNERS[case.seed % len(LEARNERS)]
    found = train(case, learner, options, False, tally, MOST_HIDDEN)
    if found is None:
        return
    if learner in ("pseudo_likelihood", "em"):
        _check_completed(learner, found, tally)
    elif learner == "exact":
        value = float(found.weights @ found.weights) / 2 + likelihood_of_text(
            found.training, found.read
        )
        near("exact", value, least(likelihood, found.training, 1.0), 1e-4)
    else:
        _check_summed(learner, found, tally)


def _check_completed(learner: str, found: Trained, tally: Tally) -> None:
    """The best weights of some completion and, if it converged, of the likeliest one."""
    everywhere = learner == "em"
    fitting = []
    for states in product(*found.training.completions()):
        value = pseudo_of_text(found.training, found.read, found.weights, states, everywhere)
        best = least(pseudo, found.training, states, everywhere)
        if value < best + 1e-4 * max(1.0, abs(best)):
            fitting.append(states)
    if not fitting:
        raise Difference(
            f"learner {learner}", "the weights are the best of no completion of the hidden atoms"
        )
    if found.status != "converged":
        tally.add("completions that did not settle")
        return
    if not any(_is_likeliest(found, states) for states in fitting):
        raise Difference(
            f"learner {learner}", f"converged at {fitting}, which other completions cost less than"
        )
    tally.add("completions that settled")


def _is_likeliest(found: Trained, states: tuple[int, ...]) -> bool:
    return all(
        world.energy[number] <= world.energy[others].min() + 1e-3
        for world, number, others in zip(found.read, states, found.training.completions())
    )


def _check_summed(learner: str, found: Trained, tally: Tally) -> None:
    """No worse than nothing learned; converged, counts differ by what the prior takes."""
    nothing = likelihood(found.training, np.zeros(found.training.features[0].shape[1]), 0.0)
    value = likelihood_of_text(found.training, found.read)
    if value > nothing + 0.1:
        raise Difference(
            f"learner {learner}", f"log likelihood {-value:.4f}, with all weights 0 {-nothing:.4f}"
        )
    away = _away(found) / max(1.0, _spread(found))
    if found.status == "converged" and away > SLOPE_ERROR:
        raise Difference(
            f"learner {learner}",
            f"converged where the gradient is {away:.3f} deviations of a count",
        )
    tally.add(
        f"gradient within {SLOPE_ERROR:g} of 0"
        if away <= SLOPE_ERROR
        else "gradient further from 0"
    )


def _away(found: Trained) -> float:
    """The largest part of the gradient of log likelihood and prior, of the program as it is read
    again.

    Counts expected given the labels less counts expected are `weights / PRIOR ** 2` at the optimum.
    They are compared in order of size, for templates that no state can move are some in the one
    reading and some in the other.
    """
    slope = np.zeros(found.training.features[0].shape[1])
    for world, states, counts in zip(
        found.read, found.training.completions(), found.training.features
    ):
        slope += _expected(counts[states], world.energy[states]) - _expected(counts, world.energy)
    size = slope.size + found.weights.size
    parts = [
        np.sort(np.pad(one, (0, size - one.size))) for one in (slope, found.weights / PRIOR**2)
    ]
    return float(np.abs(parts[0] - parts[1]).max(initial=0.0))


def _spread(found: Trained) -> float:
    """The largest standard deviation of a count over all worlds: means of samples err by it."""
    variance = np.zeros(found.training.features[0].shape[1])
    for world, counts in zip(found.read, found.training.features):
        variance += _expected(counts**2, world.energy) - _expected(counts, world.energy) ** 2
    return float(np.sqrt(variance.max(initial=0.0)))


def _expected(counts: Float, energy: Float) -> Float:
    mass = np.exp(energy.min() - energy)
    return mass @ counts / mass.sum()
