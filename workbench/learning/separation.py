"""The separation oracle of max-margin training: a world's most violated margin, from below and from above."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from workbench.arrays import Float
from workbench.inference.cutting_plane import CuttingPlane
from workbench.inference.solution import Engine, Status
from workbench.learning.margin_losses import MarginWorld, exclude_truth
from workbench.network.ground_network import GroundNetwork
from workbench.network.relax import relaxed_potentials
from workbench.progress import SILENT, Progress

__all__ = ["Cut", "Separation", "cut_of", "joined", "separate"]

EXCLUSION_LIMIT = 60_000
"""Stored coefficients beyond which the 0/1 oracle, once the truth itself is the MAP state, looks at its neighbours."""


@dataclass(frozen=True)
class Cut:
    """One constraint `w . direction >= loss - slack`: `direction` is the counts of the truth less those of a state."""

    direction: Float
    loss: float

    def violation(self, weights: Float) -> float:
        """`loss - w . direction`, to be held against the slack."""
        return self.loss - float(weights @ self.direction)


@dataclass(frozen=True)
class Separation:
    """What the oracle found at some weights.

    Attributes
    ----------
    rounded : Cut
        Of a 0/1 state: a constraint of the learning problem.
    relaxed : Cut or None
        Of the relaxation's optimum: a constraint of the relaxed learning problem, which implies the other.
    upper : float
        No state's violation exceeds it; infinite where the oracle has no bound.
    state : float64 array
        The 0/1 state.
    found : bool
        False where the oracle gave no state that satisfies the hard rows.
    network : GroundNetwork or None
        The world's network, grown by the rows of its source that were needed.
    """

    rounded: Cut
    relaxed: Cut | None
    upper: float
    state: Float
    found: bool
    network: GroundNetwork | None = None


def separate(
    world: MarginWorld,
    weights: Float,
    engine: Engine,
    *,
    seed: int = 0,
    deadline: float | None = None,
    progress: Progress = SILENT,
    start: Float | None = None,
    fractional: bool = True,
) -> Separation:
    """Minimise `energy - loss` with a MAP engine.

    Parameters
    ----------
    world : MarginWorld
    weights : float64 array, shape (n_templates,)
        Of all templates, fixed ones included.
    engine : Engine
        `LinearRelaxation` gives both cuts; an engine without relaxed values only the rounded one.
    start : float64 array, shape (n_atoms,), optional
        The last state found.
    fractional : bool
        Whether the relaxed cut is wanted.

    References
    ----------
    Huynh & Mooney 2009, section 3.3.
    """
    if world.kind == "f1":
        from workbench.learning.margin_f1 import separate_f1

        return separate_f1(world, weights, engine, seed=seed, deadline=deadline, progress=progress, start=start)
    augmented = np.append(weights, 1.0)
    if world.source is not None:
        engine = CuttingPlane(engine, world.source)
    solution = engine.solve(world.network, augmented, seed=seed, deadline=deadline, progress=progress, start=start)
    if world.kind == "0/1" and np.array_equal(solution.values[world.scored], world.truth[world.scored]):
        if world.network.A.nnz > EXCLUSION_LIMIT:
            return _nearest_to_truth(world, weights, solution.bound)
        world = exclude_truth(world)
        solution = engine.solve(world.network, augmented, seed=seed, deadline=deadline, progress=progress)
    if solution.status == Status.INFEASIBLE:
        nothing = Cut(np.zeros(weights.size), 0.0)
        return Separation(nothing, nothing, 0.0, world.truth, True)
    grown = solution.diagnostics.get("network")
    if isinstance(grown, GroundNetwork):
        world = replace(world, network=grown)
    # A constant loss has its constant in the network's energy at the truth, where the loss itself is 0.
    truth_energy = world.truth_energy(augmented) + (1.0 if world.kind == "0/1" else 0.0)
    relaxed = solution.diagnostics.get("relaxed") if fractional else None
    return Separation(
        rounded=cut_of(world, weights, solution.values),
        relaxed=cut_of(world, weights, np.asarray(relaxed), relaxed=True) if relaxed is not None else None,
        upper=truth_energy - solution.bound,
        state=solution.values,
        found=solution.hard_violation == 0.0,
        network=world.network,
    )


def _nearest_to_truth(world: MarginWorld, weights: Float, bound: float) -> Separation:
    """The best state one atom away from the truth, the truth being MAP; the bound is the whole network's."""
    network, truth = world.network, world.truth
    augmented = np.append(weights, 1.0)
    ell = network.A @ truth + network.b
    rows = np.repeat(np.arange(network.n_rows), np.diff(network.A.indptr))
    atoms = network.A.indices
    flip = 1.0 - 2.0 * truth
    change = np.maximum(ell[rows] + network.A.data * flip[atoms], 0.0) - np.maximum(ell, 0.0)[rows]
    broken = np.bincount(atoms, network.hard[rows] * (change > 0.0), network.n_atoms) > 0.0
    cost = np.bincount(atoms, network.effective_weights(augmented)[rows] * change, network.n_atoms)
    cost -= flip * (network.unit @ augmented)
    in_block = np.asarray(network.blocks.members.sum(axis=0)).ravel() > 0
    allowed = world.scored & ~broken & ~in_block
    upper = world.truth_energy(augmented) + 1.0 - bound
    if not allowed.any():
        return Separation(Cut(np.zeros(weights.size), 0.0), None, upper, truth, False)
    state = truth.copy()
    best = int(np.argmin(np.where(allowed, cost, np.inf)))
    state[best] = 1.0 - state[best]
    return Separation(cut_of(world, weights, state), None, upper, state, True)


def joined(cuts: list[Cut]) -> Cut:
    """The sum of the worlds' cuts: one constraint of the 1-slack problem."""
    return Cut(np.sum([cut.direction for cut in cuts], axis=0), float(sum(cut.loss for cut in cuts)))


def cut_of(world: MarginWorld, weights: Float, values: Float, *, relaxed: bool = False) -> Cut:
    """The cut of a state; of a relaxed one, with the counts of the relaxation at `weights`."""
    network, n = world.network, world.n_weights
    change = world.truth - values
    changed = np.flatnonzero(change)
    # Cutting rows out of a sparse matrix costs more than multiplying by them.
    few = 4 * changed.size < change.size
    units = network.unit[changed].T @ change[changed] if few else network.unit.T @ change
    by_row = (
        relaxed_potentials(network, np.append(weights, np.ones(network.n_templates - n)), values)
        if relaxed
        else np.maximum(network.A @ values + network.b, 0.0)
    )
    return Cut(units[:n] + world.sum_rows(by_row) - world.row_potentials, world.loss(values))
