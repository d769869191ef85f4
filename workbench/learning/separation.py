"""The separation oracle of max-margin training: a world's most violated margin, bounded."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from workbench.arrays import Float
from workbench.inference.cutting_plane import CuttingPlane
from workbench.inference.solution import Engine, Solution, Status
from workbench.learning.margin_cuts import Cut, Separation, cut_of
from workbench.learning.margin_f1 import separate_f1
from workbench.learning.margin_losses import MarginWorld, exclude_truth, with_sides
from workbench.network.ground_network import Domain, GroundNetwork
from workbench.progress import PLAIN, Conduct

_TURNS = 10
"""Times that atoms may change sides."""

EXCLUSION_LIMIT = 60_000
"""Entries beyond which the 0/1 oracle looks only at the neighbours of a truth that is MAP."""


def separate(
    world: MarginWorld,
    weights: Float,
    engine: Engine,
    conduct: Conduct = PLAIN,
    *,
    start: Float | None = None,
    fractional: bool = True,
) -> Separation:
    """Minimise `energy - loss` with a MAP engine.

    Parameters
    ----------
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
        return separate_f1(world, weights, engine, conduct, start=start)
    augmented = np.append(weights, 1.0)
    if world.source is not None:
        engine = CuttingPlane(engine, world.source)
    solution = engine.infer(world.network, augmented, conduct, start)
    if world.kind == "0/1" and np.array_equal(
        solution.values[world.scored], world.truth[world.scored]
    ):
        if world.network.A.nnz > EXCLUSION_LIMIT:
            return _nearest_to_truth(world, weights, solution.bound)
        world = exclude_truth(world)
        solution = engine.infer(world.network, augmented, conduct)
    if solution.status == Status.INFEASIBLE:
        nothing = Cut(np.zeros(weights.size), 0.0)
        return Separation(nothing, nothing, 0.0, world.truth, True)
    if world.network.domain is Domain.UNIT:
        return _from_its_side(world, weights, engine, solution, conduct)
    grown = solution.diagnostics.get("network")
    if isinstance(grown, GroundNetwork):
        world = replace(world, network=grown)
    # A constant loss has its constant in the network's energy at the truth, where the loss itself
    # is 0.
    truth_energy = world.truth_energy(augmented) + (1.0 if world.kind == "0/1" else 0.0)
    relaxed = solution.diagnostics.get("relaxed") if fractional else None
    return Separation(
        rounded=cut_of(world, weights, solution.values),
        relaxed=cut_of(world, weights, np.asarray(relaxed), relaxed=True)
        if relaxed is not None
        else None,
        upper=truth_energy - solution.bound,
        state=solution.values,
        found=solution.hard_violation == 0.0,
        network=world.network,
    )


def _from_its_side(
    world: MarginWorld, weights: Float, engine: Engine, solution: Solution, conduct: Conduct
) -> Separation:
    """Soft logic's cut, from the worst state by the loss's concave hull, whose bound holds.

    The absolute error at a truth inside (0, 1) is convex, so it is replaced by the line on the side
    of the truth that the state took, until no atom changes sides (difference-of-convex steps; Bach
    et al. 2017, section 6.3).
    """
    augmented, state = np.append(weights, 1.0), solution.values
    # The hull's, where the loss itself is 0.
    at_truth = 2.0 * (world.truth * (1.0 - world.truth))[world.scored]
    upper = world.truth_energy(augmented) + float(at_truth.sum()) - solution.bound
    if at_truth.any():
        side = np.where(state > world.truth, 1.0, -1.0) * world.scored
        for _ in range(_TURNS):
            turned = with_sides(world, side)
            state = engine.infer(turned, augmented, conduct, state).values
            wrong = side * (state - world.truth) < -1e-6
            if not wrong.any():
                break
            side[wrong] *= -1.0
    return Separation(cut_of(world, weights, state), None, upper, state, True)


def _nearest_to_truth(world: MarginWorld, weights: Float, bound: float) -> Separation:
    """Where the truth is MAP, the best state one atom away; the bound is the whole network's."""
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
