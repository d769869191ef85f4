"""Constraints of max-margin training: the cut of one state, and a separation oracle's answer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.arrays import Float
from workbench.learning.margin_losses import MarginWorld
from workbench.network.ground_network import GroundNetwork
from workbench.network.relax import relaxed_potentials


@dataclass(frozen=True)
class Cut:
    """A constraint `w . direction >= loss - slack`, the truth's counts less those of a state."""

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
        Of the relaxation's optimum: a constraint of the relaxed learning problem, which implies the
        other.
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


def summed(cuts: list[Cut]) -> Cut:
    """The sum of the worlds' cuts: one constraint of the 1-slack problem."""
    return Cut(
        np.sum([cut.direction for cut in cuts], axis=0), float(sum(cut.loss for cut in cuts))
    )


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
