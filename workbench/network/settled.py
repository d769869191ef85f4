"""Whether a state of least energy is still one after rows came and went, without solving again."""

from __future__ import annotations

import numpy as np

from workbench.arrays import Bool, Float
from workbench.network.energy import TOLERANCE, hard_violations, row_potentials
from workbench.network.ground_network import GroundNetwork, unit_changes

CLOSE = 1e-12


def unsettled(came: GroundNetwork, went: GroundNetwork, weights: Float, values: Float) -> Bool:
    """The atoms of changes that may have made another state better than `values`, shape (n_atoms,).

    A row that came adds at least its least cost to the energy of any state, and one that went takes
    away its largest at most. Where `values` pay no more than that, they are best still: all other
    states got worse by as much or more.

    Parameters
    ----------
    came, went : GroundNetwork
        The rows and unit groundings of each alone, over the same atoms and templates.
    weights : float64 array, shape (n_templates,)
    values : float64 array, shape (n_atoms,)
        In [0, 1].
    """
    moved = np.zeros(values.size, np.bool_)
    broken = hard_violations(came, values) > TOLERANCE
    # Hard rows cost nothing here; one that went may have let in better states.
    moved[came.A[np.flatnonzero(_excess(came, weights, values, 1.0) | broken)].indices] = True
    moved[went.A[np.flatnonzero(_excess(went, weights, values, -1.0) | went.hard)].indices] = True
    units = unit_changes(came, went)
    atoms, at = np.unique(units.coords[0], return_inverse=True)
    gain = np.bincount(at.reshape(-1), units.data * weights[units.coords[1]], atoms.size)
    now = values[atoms]
    moved[atoms[np.where(gain > 0, gain * (1.0 - now), -gain * now) > CLOSE]] = True
    return moved


def _excess(network: GroundNetwork, weights: Float, values: Float, sign: float) -> Bool:
    """Whether `sign` times the cost of each row is above the least that it can be."""
    cost = sign * network.effective_weights(weights)
    low, high = _range(network)
    least = np.minimum(cost * low, cost * high)
    return np.asarray(
        cost * row_potentials(network, values) - least > CLOSE * np.maximum(1.0, np.abs(least))
    )


def _range(network: GroundNetwork) -> tuple[Float, Float]:
    """The least and the largest potential of each row on [0, 1]."""
    A, n = network.A, network.n_rows
    owner = np.repeat(np.arange(n), np.diff(A.indptr))
    power = np.append(network.power, 1).astype(np.float64)[network.template]
    ends = (network.b + np.bincount(owner, f(A.data, 0.0), n) for f in (np.minimum, np.maximum))
    low, high = (np.maximum(end, 0.0) ** power for end in ends)
    return low, high
