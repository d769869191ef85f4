"""Learning soft logic: pseudolikelihood and optimum by integrals over the oracle's rows."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import minimize

from tests.differential.outcome import Difference, Tally
from tests.differential.psl_checks import psl_workspace
from tests.differential.psl_meaning import Key, Listed, Row, Unlisted, rows_of
from tests.differential.psl_programs import PslCase, random_psl_case
from tests.differential.psl_syntax import read_rule
from tests.differential.psl_validity import OPEN
from workbench.arrays import Float
from workbench.learning import Example
from workbench.learning.hinge_pseudolikelihood import Pseudolikelihood
from workbench.learning.training import prepare

NODES = np.polynomial.legendre.leggauss(24)
PANELS = 12
"""Of the oracle's quadrature: hinges bend inside an interval, so it is cut finely."""


def random_soft_case(seed: int) -> PslCase:
    """A case of weighted rules, each open atom a target with a label in [0, 1]."""
    draw, at = random.Random(f"soft {seed}"), seed * 100 + 7
    while True:
        drawn = random_psl_case(at)
        rules = tuple(dict.fromkeys(rule for rule in drawn.rules if read_rule(rule).weight))
        at += 1
        if rules:
            break
    worlds = []
    for name, facts in drawn.worlds:
        kept = [fact for fact in facts if fact[0] not in OPEN]
        targets = [
            (predicate, arguments) for predicate, _, arguments, _ in facts if predicate in OPEN
        ]
        kept += [(predicate, "targets", arguments, None) for predicate, arguments in targets]
        labels = (draw.choice([0.0, 1.0, round(draw.random(), 3)]) for _ in targets)
        kept += [
            (predicate, "truth", arguments, label)
            for (predicate, arguments), label in zip(targets, labels)
        ]
        worlds.append((name, tuple(kept)))
    return replace(drawn, seed=seed, rules=rules, worlds=tuple(worlds))


@dataclass(frozen=True)
class LabelledRows:
    """One world's rows by rule, of weight 1, and the labels of its atoms."""

    rows: list[tuple[int, Row]]
    labels: dict[Key, float]

    def density(self, weights: Float) -> float:
        """The log density of each atom's label given the other labels, summed."""
        total = 0.0
        for atom, label in self.labels.items():
            touching = [(rule, row) for rule, row in self.rows if row.coefficients.get(atom)]
            if touching:
                total -= _energy(touching, weights, self.labels, atom, np.array([label]))[0]
                total -= _log_integral(touching, weights, self.labels, atom)
        return total


def _energy(
    rows: Sequence[tuple[int, Row]], weights: Float, labels: dict[Key, float], atom: Key, at: Float
) -> Float:
    """What the rows cost where `atom` has the values `at` and the others their labels."""
    total = np.zeros(at.size)
    for rule, row in rows:
        rest = row.b + sum(c * labels[key] for key, c in row.coefficients.items() if key != atom)
        total += weights[rule] * np.maximum(0.0, rest + row.coefficients[atom] * at) ** row.power
    return total


def _log_integral(
    rows: Sequence[tuple[int, Row]], weights: Float, labels: dict[Key, float], atom: Key
) -> float:
    """Of `exp(-energy)` over [0, 1], cut where a hinge bends."""
    bends = {0.0, 1.0, *np.linspace(0, 1, PANELS + 1).tolist()}
    for _, row in rows:
        rest = row.b + sum(c * labels[key] for key, c in row.coefficients.items() if key != atom)
        bends.add(min(1.0, max(0.0, -rest / row.coefficients[atom])))
    edges = np.array(sorted(bends))
    half = np.diff(edges)[:, None] / 2
    at = (edges[:-1, None] + half + half * NODES[0]).ravel()
    values = np.exp(-_energy(rows, weights, labels, atom, at))
    return float(np.log(np.sum(values * (half * NODES[1]).ravel())))


def check_soft_learning(case: PslCase, tally: Tally) -> None:
    """Raise `Difference` where value, gradient or optimum of the pseudolikelihood is another."""
    try:
        worlds = [labelled_rows(case, number) for number in range(len(case.worlds))]
    except Unlisted:
        tally.add("left out: an atom is not listed")
        return
    if not any(row.open for world in worlds for _, row in world.rows):
        tally.add("left out: no ground rule has an open atom")
        return
    with psl_workspace(case) as (workspace, program):
        grounding = workspace.ground(program, learning=True)
        assert grounding.truth is not None
        training = prepare([Example(grounding.network, grounding.truth)], grounding.templates)
        learned = workspace.learn(
            program,
            learner="hinge_pseudolikelihood",
            options={"optimiser": "lbfgs", "iterations": 300, "panels": 64},
            record=False,
        )
    rules = grounding.templates.rule
    density = Pseudolikelihood(training.worlds[0], 64, 200, 0)
    weights = np.array([random.Random(case.seed).uniform(0.1, 3.0) for _ in case.rules])
    value, gradient = density.value_and_gradient(weights[rules], grounding.truth)
    wanted = _density(worlds, weights)
    _near("value of the pseudolikelihood", value, wanted, 2e-4)
    for place, rule in enumerate(rules.tolist()):
        step = np.zeros(weights.size)
        step[rule] = 1e-4
        slope = (_density(worlds, weights + step) - _density(worlds, weights - step)) / 2e-4
        _near(f"gradient of rule {rule + 1}", float(gradient[place]), slope, 2e-3)
    tally.add("values and gradients")
    _check_optimum(worlds, case, rules, learned.weights, tally)


def _check_optimum(
    worlds: list[LabelledRows], case: PslCase, rules: Float, learned: Float, tally: Tally
) -> None:
    """Learned weights are as likely as SciPy's; unbounded ones are left out."""
    most = 60.0
    found = minimize(
        lambda w: -_density(worlds, w),
        np.ones(len(case.rules)),
        method="L-BFGS-B",
        bounds=[(0, most)] * len(case.rules),
    )
    if np.max(found.x) > most / 2 or np.max(learned) > most / 2:
        tally.add("left out: likelier without bound")
        return
    weights = found.x.copy()
    weights[rules.astype(int)] = learned
    value = _density(worlds, weights)
    if value < -found.fun - 1e-3 * max(1.0, abs(found.fun)):
        raise Difference(
            "optimum",
            f"log pseudolikelihood {value:.6f}, an independent optimiser finds {-found.fun:.6f}",
        )
    tally.add("optima")


def _density(worlds: list[LabelledRows], weights: Float) -> float:
    return sum(world.density(weights) for world in worlds)


def _near(what: str, got: float, wanted: float, tolerance: float) -> None:
    if abs(got - wanted) > tolerance * max(1.0, abs(wanted)):
        raise Difference(what, f"{got:.6f}, by integrals {wanted:.6f}")


def labelled_rows(case: PslCase, number: int) -> LabelledRows:
    """What the rules say of one world.

    Raises
    ------
    Unlisted
    """
    facts = case.worlds[number][1]
    labels = {
        (name, *arguments): value for name, part, arguments, value in facts if part == "truth"
    }
    values = {
        (name, *arguments): value for name, part, arguments, value in facts if part != "truth"
    }
    listed = Listed(values, frozenset(OPEN))
    rows = []
    for place, line in enumerate(case.rules):
        rows += [(place, replace(row, weight=1.0)) for row in rows_of(read_rule(line), listed)]
    return LabelledRows(rows, {key: value for key, value in labels.items() if value is not None})
