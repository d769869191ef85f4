"""Every state of a small discrete network, one by one: the oracle of energies, MAP states,
marginals and log Z.

Deliberately naive: dense rows, Python loops over them, no code of the package but the stored
arrays.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from workbench.arrays import Float, Int64
from workbench.network.energy import potentials
from workbench.network.ground_network import BlockKind, GroundNetwork, Relation


@dataclass(frozen=True)
class Enumeration:
    """All states with their energies.

    Attributes
    ----------
    states : float64 array, shape (2 ** n_atoms, n_atoms)
    energy : float64 array, shape (2 ** n_atoms,), infinite where a hard row or block is violated
    violations : int array, violated hard rows and blocks of each state
    """

    states: Float
    energy: Float
    violations: Int64

    @property
    def feasible(self) -> bool:
        return bool(np.isfinite(self.energy).any())

    @property
    def least_energy(self) -> float:
        return float(self.energy.min())

    @property
    def best_state(self) -> Float:
        return self.states[int(self.energy.argmin())]

    @property
    def log_z(self) -> float:
        least = self.energy.min()
        return float(np.log(np.exp(least - self.energy).sum()) - least)

    @property
    def probabilities(self) -> Float:
        mass = np.exp(self.energy.min() - self.energy)
        return mass / mass.sum()

    @property
    def marginals(self) -> Float:
        return self.probabilities @ self.states


def enumerate_states(network: GroundNetwork, weights: Float) -> Enumeration:
    """Energies of all 2^n states, by walking every row in every state."""
    n = network.n_atoms
    states = np.array(list(product((0.0, 1.0), repeat=n))).reshape(2**n, n)
    A = network.A.toarray().astype(float)
    unit = network.unit.toarray()
    members = network.blocks.members.toarray()
    total = np.zeros(2**n)
    violations = np.zeros(2**n, np.int64)
    for row in range(network.n_rows):
        ell = float(network.b[row]) + states @ A[row]
        template = int(network.template[row])
        if network.relation[row] == Relation.HINGE:
            scale = 1.0 if network.scale is None else network.scale[row]
            total += weights[template] * scale * np.maximum(ell, 0.0) ** network.power[template]
        elif network.relation[row] == Relation.AT_MOST:
            violations += ell > 1e-9
        else:
            violations += np.abs(ell) > 1e-9
    for template in range(network.n_templates):
        total += weights[template] * (network.constant[template] - states @ unit[:, template])
    for block in range(network.blocks.n_blocks):
        count = states @ members[block]
        right = int(network.blocks.right[block])
        exactly = network.blocks.kind[block] == BlockKind.EXACTLY_ONE
        violations += (count != right) if exactly else (count > right)
    return Enumeration(states, np.where(violations > 0, np.inf, total), violations)


def total_scales(network: GroundNetwork) -> Float:
    """Summed signed scale of each template's open groundings: the most satisfied."""
    soft = np.flatnonzero(network.template >= 0)
    scale = np.ones(soft.size) if network.scale is None else network.scale[soft]
    rows = np.bincount(network.template[soft], scale, network.n_templates)
    return np.asarray(rows + network.unit_scale[:, 0] - network.unit_scale[:, 1])


def satisfied_counts(network: GroundNetwork, values: Float) -> Float:
    """Scaled satisfied open groundings of each template: the sufficient statistics."""
    return total_scales(network) - potentials(network, values)


def expected_counts(network: GroundNetwork, weights: Float) -> tuple[Float, Float]:
    """Mean (n_templates,) and covariance of the satisfied counts, exactly."""
    listing = enumerate_states(network, weights)
    counts = np.array([satisfied_counts(network, state) for state in listing.states])
    mass = listing.probabilities
    mean = mass @ counts
    return mean, (counts - mean).T @ ((counts - mean) * mass[:, None])
