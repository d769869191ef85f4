"""Learners of soft logic held against what they say they do: margins, searches, EM."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import minimize

from tests.differential.outcome import Difference, Tally
from tests.differential.psl_checks import psl_workspace
from tests.differential.psl_meaning import Unlisted
from tests.differential.psl_programs import PslCase
from tests.differential.psl_syntax import read_rule
from tests.differential.soft_learning_checks import labelled_rows
from tests.differential.soft_objectives import (
    SoftWorld,
    TooWide,
    attainable,
    error_bounds,
    least_energy_at,
    least_margin,
    likelihood_parts,
    margin_at,
    minus_log_likelihood,
)
from workbench.arrays import Float
from workbench.verbs.learning_result import LearningResult

PRIOR = 2.0
STEP = 0.01
EXACT = 1e-6
"""Relative gap of the states inside learning; the room for what they cost is wider."""
SAMPLED: Mapping[str, object] = {"sweeps": 400, "prior_sd": PRIOR}

OPTIONS: Mapping[str, Mapping[str, object]] = {
    "max_margin": {"epsilon": 1e-4, "tolerance": EXACT},
    "hinge_perceptron": {
        "step": STEP,
        "iterations": 30,
        "start": None,
        "scale_by_groundings": False,
    },
    "hinge_large_margin": {"precision": 1e-4, "tolerance": EXACT},
    "search": {"trials": 8, "tolerance": EXACT},
    "diagonal_newton": {**SAMPLED, "iterations": 30},
    "mc_mle": {**SAMPLED, "rounds": 12},
    "pscg": {**SAMPLED, "iterations": 30},
    "contrastive_divergence": {
        "persistent": True,
        "sweeps": 20,
        "iterations": 60,
        "prior_sd": PRIOR,
    },
    "em": {"rounds": 3},
}


@dataclass(frozen=True)
class _Learned:
    """What was learned of a case; `weights` by rule, else the case's own."""

    case: PslCase
    worlds: list[SoftWorld]
    options: Mapping[str, object]
    result: LearningResult
    own: Float
    weights: Float

    def column(self, name: str) -> Float:
        return self.result.learned.trace[name]

    @property
    def converged(self) -> bool:
        return self.result.learned.status == "converged"


def check_soft_learners(case: PslCase, tally: Tally) -> None:
    """Raise `Difference` where a learner's answer is not what it promises."""
    learner = list(OPTIONS)[case.seed % len(OPTIONS)]
    options = dict(OPTIONS[learner])
    if "margin" in learner:
        options["C" if learner == "hinge_large_margin" else "penalty"] = (0.1, 1.0, 5.0)[
            case.seed // len(OPTIONS) % 3
        ]
        case = _few_between(case)
    try:
        worlds = _worlds(case)
    except Unlisted:
        tally.add("left out: an atom is not listed")
        return
    if not any(world.b.size for world in worlds):
        tally.add("left out: no ground rule has an open atom")
        return
    found = _learned(case, worlds, learner, options)
    try:
        _COMPARE[learner](found, tally)
    except TooWide:
        tally.add("left out: more atoms hang together than are integrated over")
    else:
        tally.add(f"learner {learner}")


def _few_between(case: PslCase) -> PslCase:
    """At most two labels of each world inside (0, 1): the oracle walks the sides of each."""
    worlds = []
    for name, facts in case.worlds:
        kept, between = [], 0
        for predicate, part, arguments, value in facts:
            if part == "truth" and value not in (0.0, 1.0) and value is not None:
                between += 1
                value = value if between <= 2 else float(round(value))
            kept.append((predicate, part, arguments, value))
        worlds.append((name, tuple(kept)))
    return replace(case, worlds=tuple(worlds))


def _worlds(case: PslCase) -> list[SoftWorld]:
    """By the oracle's reading: labelled atoms, and the rows that they can change."""
    read = [labelled_rows(case, number) for number in range(len(case.worlds))]
    return [SoftWorld.of(world.rows, world.labels, len(case.rules)) for world in read]


def _learned(
    case: PslCase, worlds: list[SoftWorld], learner: str, options: Mapping[str, object]
) -> _Learned:
    with psl_workspace(case) as (workspace, program):
        result = workspace.learn(
            program, learner=learner, options=options, seed=case.seed % 97, record=False
        )
    own = np.array([float(read_rule(line).weight or 0.0) for line in case.rules])
    weights = own.copy()
    weights[result.templates.rule] = result.weights
    return _Learned(case, worlds, options, result, own, weights)


def _check_margin(found: _Learned, tally: Tally) -> None:
    """The objective at the weights, its bounds, and whether all gains were taken."""
    penalty = float(found.options.get("penalty", found.options.get("C", 1.0)))  # type: ignore[arg-type]
    value = float(found.weights @ found.weights) / 2
    value += penalty * sum(margin_at(world, found.weights) for world in found.worlds)
    least = least_margin(found.worlds, penalty)
    slack = 2e-3 * max(1.0, penalty, abs(least))
    claimed = max(
        found.column("primal_upper")[-1],
        found.column("primal_upper")[np.argmin(found.column("primal"))],
    )
    if value < least - slack:
        raise Difference(
            "margin", f"objective {value:.6f} below the least {least:.6f}: another problem"
        )
    if found.column("dual").max() > least + slack:
        raise Difference(
            "margin", f"bound {found.column('dual').max():.6f} above the least {least:.6f}"
        )
    if value > claimed + slack:
        raise Difference(
            "margin", f"objective {value:.6f} above the {claimed:.6f} that it says at most"
        )
    if not found.converged:
        tally.add(f"margins that end at {found.result.learned.status}")
    elif value > least + slack:
        raise Difference(
            "margin", f"objective {value:.6f}, an independent optimiser finds {least:.6f}"
        )
    else:
        tally.add("margins at the optimum")


def _fit(worlds: list[SoftWorld], weights: Float) -> float:
    """What the perceptron climbs: the least energy less the labels'; concave, at most 0."""
    return sum(
        least_energy_at(world, weights) - float(weights @ world.labelled) for world in worlds
    )


def _check_perceptron(found: _Learned, tally: Tally) -> None:
    """One step tells the gradient: potentials of a most likely state; many lose nothing but what
    their size explains.

    From w_1 on the mean of steps of size s along supergradients no longer than G is worse than w_1
    by at most s G^2 / 2 (Zinkevich 2003), and w_1 than w_0 by s G^2.
    """
    once = _learned(
        found.case,
        found.worlds,
        "hinge_perceptron",
        {**found.options, "iterations": 1, "tolerance": EXACT},
    )
    moved = (once.weights - found.own) / STEP
    labelled = sum(world.labelled for world in found.worlds)
    least = sum(least_energy_at(world, found.own) for world in found.worlds)
    expected = labelled + moved
    if (once.weights > 0).all():
        room = 2e-3 * max(1.0, least)
        if abs(float(found.own @ expected) - least) > room:
            raise Difference(
                "gradient",
                f"a state of energy {float(found.own @ expected):.6f}, the least is {least:.6f}",
            )
        away = attainable(found.worlds, found.own, expected)
        if away > room:
            raise Difference(
                "gradient", f"potentials {expected.tolist()} of no state, {away:.6f} too small"
            )
        tally.add("gradients of a most likely state")
    longest = 2 * float(found.column("gradient_norm").max())
    before, after = _fit(found.worlds, found.own), _fit(found.worlds, found.weights)
    if after < before - 1.5 * STEP * longest**2 - 2e-3 * max(1.0, abs(before)):
        raise Difference(
            "perceptron", f"energies above the labels' by {-after:.6f}, before by {-before:.6f}"
        )
    tally.add("perceptrons no further from the labels")


def _check_search(found: _Learned, tally: Tally) -> None:
    """Its error is that of a likeliest state, and no more than the program's own."""
    errors = found.column("objective")
    loss = float(found.result.learned.diagnostics["loss"])  # type: ignore[arg-type]
    if loss != errors.min() or loss > errors[0]:
        raise Difference("search", f"error {loss}, and it tried {errors.min()}, {errors[0]} first")
    bounds = [error_bounds(world, found.weights, 1e-3) for world in found.worlds]
    atoms = sum(world.labels.size for world in found.worlds)
    low, high = (sum(ends) / atoms for ends in zip(*bounds))
    if not low - 5e-3 <= loss <= high + 5e-3:
        raise Difference(
            "search", f"mean error {loss:.6f}, of most likely states {low:.6f} to {high:.6f}"
        )
    tally.add("errors of a most likely state")


def _check_likelihood(found: _Learned, tally: Tally) -> None:
    """As likely as the program's weights; where it converged, as the optimum."""
    parts = likelihood_parts(found.worlds)
    value = minus_log_likelihood(parts, found.weights, PRIOR)[0]
    before = minus_log_likelihood(parts, found.own, PRIOR)[0]
    best = minimize(
        lambda w: minus_log_likelihood(parts, w, PRIOR),
        found.own,
        jac=True,
        method="L-BFGS-B",
        bounds=[(0, None)] * found.own.size,
    ).fun
    if value < best - 1e-3:
        raise Difference(
            "likelihood", f"objective {value:.6f} below the least {best:.6f}: another problem"
        )
    if value > before + 0.1:
        raise Difference(
            "likelihood", f"objective {value:.4f}, at the program's own weights {before:.4f}"
        )
    if found.converged and value > best + 0.1:
        raise Difference(
            "likelihood", f"converged at {value:.4f}, an independent optimiser finds {best:.4f}"
        )
    tally.add(
        "likelihoods within 0.1 of the optimum"
        if value <= best + 0.1
        else "likelihoods further off"
    )


def _check_em(found: _Learned, tally: Tally) -> None:
    """Where nothing is hidden it is its inner learner."""
    inner = _learned(found.case, found.worlds, "hinge_perceptron", {})
    if not np.array_equal(inner.weights, found.weights):
        raise Difference(
            "em", f"weights {found.weights.tolist()}, of its inner learner {inner.weights.tolist()}"
        )


_COMPARE: Mapping[str, Callable[[_Learned, Tally], None]] = {
    "max_margin": _check_margin,
    "hinge_large_margin": _check_margin,
    "hinge_perceptron": _check_perceptron,
    "search": _check_search,
    "diagonal_newton": _check_likelihood,
    "mc_mle": _check_likelihood,
    "pscg": _check_likelihood,
    "contrastive_divergence": _check_likelihood,
    "em": _check_em,
}
