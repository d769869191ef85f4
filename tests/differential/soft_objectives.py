"""What learners of soft logic promise, from the rows that the oracle reads: margins, least
energies, likelihoods.

Least values are CVXPY's, of statements of the whole problem: nothing is cut, sampled or taken apart
by labels.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import cvxpy
import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

from tests.differential.psl_meaning import Key, Row
from workbench.arrays import Bool, Float, Int64

NODES = {1: (24, 8), 2: (24, 4), 3: (8, 4), 4: (4, 4)}
"""By atoms integrated together: panels of each axis, Gauss nodes of each panel."""


class TooWide(Exception):
    """More atoms hang together than the oracle integrates over."""


@dataclass(frozen=True)
class SoftWorld:
    """One world's open rows `max(0, b + A y) ** power` of weight 1, and the labels of its atoms.

    Attributes
    ----------
    A, b : float64 array, shapes (n_rows, n_atoms), (n_rows,)
    rule : int64 array, shape (n_rows,)
    squared : bool array, shape (n_rows,)
    labels : float64 array, shape (n_atoms,)
    """

    A: Float
    b: Float
    rule: Int64
    squared: Bool
    labels: Float
    n_rules: int

    @classmethod
    def of(
        cls, rows: Sequence[tuple[int, Row]], labels: dict[Key, float], n_rules: int
    ) -> SoftWorld:
        """The open ones of `rows`, each with the number of its rule."""
        place = {atom: number for number, atom in enumerate(labels)}
        kept = [(rule, row) for rule, row in rows if row.open]
        A = np.zeros((len(kept), len(place)))
        for number, (_, row) in enumerate(kept):
            for atom, coefficient in row.coefficients.items():
                A[number, place[atom]] += coefficient
        b = np.array([row.b for _, row in kept])
        rule = np.array([rule for rule, _ in kept], np.int64)
        squared = np.array([row.power == 2 for _, row in kept], bool)
        return cls(A, b, rule, squared, np.array(list(labels.values())), n_rules)

    def potentials(self, states: Float) -> Float:
        """Summed by rule; `states` has shape (..., n_atoms), the answer (..., n_rules)."""
        costs = np.maximum(states @ self.A.T + self.b, 0.0)
        costs = np.where(self.squared, costs**2, costs)
        by_rule = (self.rule[:, None] == np.arange(self.n_rules)).astype(float)
        return np.asarray(costs @ by_rule)

    @cached_property
    def labelled(self) -> Float:
        return self.potentials(self.labels)

    def sides(self) -> Iterator[Float]:
        """Slopes of linear losses whose maximum is the absolute error at each label."""
        yield from map(
            np.array,
            product(*[{0.0: (1.0,), 1.0: (-1.0,)}.get(one, (-1.0, 1.0)) for one in self.labels]),
        )

    def components(self) -> Iterator[SoftWorld]:
        """Rows that share no atoms apart; atoms of no row are left out."""
        touches = csr_matrix(self.A != 0)
        _, found = connected_components(touches.T @ touches, directed=False)
        for number in np.unique(found):
            atoms = np.flatnonzero(found == number)
            rows = np.flatnonzero((self.A[:, atoms] != 0).any(axis=1))
            if rows.size:
                part = (
                    self.A[np.ix_(rows, atoms)],
                    self.b[rows],
                    self.rule[rows],
                    self.squared[rows],
                )
                yield SoftWorld(*part, self.labels[atoms], self.n_rules)

    @cached_property
    def nodes(self) -> tuple[Float, Float]:
        """Potentials at the nodes of a quadrature over the cube, and the nodes' weights."""
        panels, points = NODES[self.labels.size]
        place, weight = np.polynomial.legendre.leggauss(points)
        at = ((np.arange(panels)[:, None] + (place + 1) / 2) / panels).ravel()
        share = np.tile(weight / (2 * panels), panels)
        states = np.array(list(product(at, repeat=self.labels.size)))
        mass = np.array([np.prod(one) for one in product(share, repeat=self.labels.size)])
        return self.potentials(states), mass


def likelihood_parts(worlds: Sequence[SoftWorld]) -> list[SoftWorld]:
    """What a likelihood is a product of.

    Raises
    ------
    TooWide
    """
    parts = [part for world in worlds for part in world.components()]
    if any(part.labels.size not in NODES for part in parts):
        raise TooWide
    return parts


def minus_log_likelihood(
    parts: Sequence[SoftWorld], weights: Float, prior_sd: float
) -> tuple[float, Float]:
    """With a Gaussian prior; and the gradient, expected less labelled potentials."""
    value, slope = float(weights @ weights) / (2 * prior_sd**2), weights / prior_sd**2
    for part in parts:
        counts, mass = part.nodes
        score = -(counts @ weights)
        density = mass * np.exp(score - score.max())
        value += float(np.log(density.sum()) + score.max() + part.labelled @ weights)
        slope = slope + part.labelled - density @ counts / density.sum()
    return value, slope


def _costs(world: SoftWorld, state: cvxpy.Variable) -> list[cvxpy.Expression]:
    hinges = cvxpy.pos(world.A @ state + world.b)
    return [cvxpy.square(hinges[i]) if world.squared[i] else hinges[i] for i in range(world.b.size)]


def _energy(world: SoftWorld, weights: Float, state: cvxpy.Variable) -> cvxpy.Expression:
    return sum(weights[rule] * cost for rule, cost in zip(world.rule, _costs(world, state)))


def _state(world: SoftWorld) -> tuple[cvxpy.Variable, list[cvxpy.Constraint]]:
    state = cvxpy.Variable(world.labels.size)
    return state, [state >= 0, state <= 1]


def _solved(objective: cvxpy.Minimize | cvxpy.Maximize, limits: list[cvxpy.Constraint]) -> float:
    return float(cvxpy.Problem(objective, limits).solve(solver="CLARABEL"))


def least_energy_at(world: SoftWorld, weights: Float, slope: Float | None = None) -> float:
    """The least of the energy, less `slope @ state` where that is given."""
    state, limits = _state(world)
    return _solved(
        cvxpy.Minimize(_energy(world, weights, state) - (0 if slope is None else slope @ state)),
        limits,
    )


def attainable(worlds: Sequence[SoftWorld], weights: Float, potentials: Float) -> float:
    """By how much some state's potentials exceed `potentials` at most; the least."""
    above = cvxpy.Variable()
    totals: list[cvxpy.Expression] = [0.0] * weights.size
    limits = []
    for world in worlds:
        state, box = _state(world)
        limits += box
        for rule, cost in zip(world.rule, _costs(world, state)):
            totals[rule] = totals[rule] + cost
    limits += [
        total <= most + above
        for total, most, weight in zip(totals, potentials, weights)
        if weight > 0
    ]
    return _solved(cvxpy.Minimize(above), [*limits, above >= 0])


def margin_at(world: SoftWorld, weights: Float) -> float:
    """The greatest of absolute error less what a state's energy exceeds the labels' by."""
    return max(
        float(weights @ world.labelled - side @ world.labels)
        - least_energy_at(world, weights, side)
        for side in world.sides()
    )


def least_margin(worlds: Sequence[SoftWorld], penalty: float) -> float:
    """The least of `w.w / 2 + penalty * (sum of worlds' margins)` over `w >= 0`, as one convex
    program.

    The inner maximum over states is written by its dual: `-w max(0, l)` is the least of `-a l` over
    `0 <= a <= w`, and `-w max(0, l)^2` that of `-a l + a^2 / (4 w)` over `a >= 0`; what is left is
    linear in each atom.
    """
    weights = cvxpy.Variable(worlds[0].n_rules, nonneg=True)
    slack = cvxpy.Variable(len(worlds))
    limits: list[cvxpy.Constraint] = []
    for number, world in enumerate(worlds):
        for side in world.sides():
            price = cvxpy.Variable(world.b.size, nonneg=True)
            bent = [
                cvxpy.quad_over_lin(price[i], 4 * weights[rule])
                for i, rule in enumerate(world.rule)
                if world.squared[i]
            ]
            limits += [
                price[i] <= weights[rule]
                for i, rule in enumerate(world.rule)
                if not world.squared[i]
            ]
            most = cvxpy.sum(cvxpy.pos(side - world.A.T @ price)) - price @ world.b + sum(bent)
            limits.append(
                slack[number] >= most + world.labelled @ weights - float(side @ world.labels)
            )
    return _solved(
        cvxpy.Minimize(cvxpy.sum_squares(weights) / 2 + penalty * cvxpy.sum(slack)), limits
    )


def error_bounds(world: SoftWorld, weights: Float, slack: float) -> tuple[float, float]:
    """The least and the greatest absolute error of states within `slack` of the least."""
    state, limits = _state(world)
    energy = _energy(world, weights, state)
    limits.append(energy <= least_energy_at(world, weights) + slack)
    low = _solved(cvxpy.Minimize(cvxpy.norm1(state - world.labels)), limits)
    high = 0.0
    for atom, label in enumerate(world.labels):
        ends = [_solved(end(state[atom]), limits) for end in (cvxpy.Minimize, cvxpy.Maximize)]
        high += max(abs(end - label) for end in ends)
    return low, high
