"""What ground rows come to at a state, in sums that a few changed rows change by their own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.arrays import Float, Int32
from workbench.network.energy import (
    TOLERANCE,
    block_violations,
    hard_violation,
    hard_violations,
    rows_by_template,
    unit_offset,
    units_by_template,
)
from workbench.network.ground_network import Domain, GroundNetwork


@dataclass(frozen=True)
class RowSums:
    """Sums over rows; those of unit groundings are not in them.

    Attributes
    ----------
    potentials, distances : float64 arrays, shape (n_templates,)
        Scaled potentials, and the same at power 1 of the state rounded where atoms are 0 or 1.
    broken : float64 array, shape (n_rules,)
        How far each rule's hard rows are violated.
    offset : float
        What negative weights add to the reported energy.
    n_hard, n_broken : int
        Hard rows, and those of them that are violated.
    """

    potentials: Float
    distances: Float
    broken: Float
    offset: float
    n_hard: int
    n_broken: int

    def __add__(self, other: RowSums) -> RowSums:
        return self._with(other, 1)

    def __sub__(self, other: RowSums) -> RowSums:
        return self._with(other, -1)

    def _with(self, other: RowSums, sign: int) -> RowSums:
        both = zip(vars(self).values(), vars(other).values())
        return RowSums(*(mine + sign * others for mine, others in both))

    def reported_energy(self, network: GroundNetwork, weights: Float, values: Float) -> float:
        """`workbench.network.reported_energy` of the network that has these rows."""
        by_template = self.potentials + units_by_template(network, values)
        return float(weights @ by_template) + self.offset + unit_offset(network, weights)

    def hard_violation(self, network: GroundNetwork, values: Float) -> float:
        """`workbench.network.hard_violation` of the network that has these rows."""
        if network.domain is Domain.UNIT and self.n_hard:
            return hard_violation(network, values)
        blocks = block_violations(network, values)
        if network.domain is Domain.UNIT:
            return float(blocks.max(initial=0.0))
        return float(self.n_broken + np.count_nonzero(blocks > TOLERANCE))


def row_sums(
    network: GroundNetwork, rule: Int32, n_rules: int, weights: Float, values: Float
) -> RowSums:
    """The sums over a network's rows at a state. One pass over the stored entries.

    Parameters
    ----------
    rule : int32 array, shape (n_rows,)
    weights : float64 array, shape (n_templates,)
    values : float64 array, shape (n_atoms,)
    """
    violations = hard_violations(network, values)
    shown = np.rint(values) if network.domain is Domain.BOOLEAN else values
    return RowSums(
        rows_by_template(network, values),
        rows_by_template(network, shown, linear=True),
        np.bincount(rule, violations, n_rules).astype(np.float64),
        -float(np.minimum(network.effective_weights(weights), 0.0).sum()),
        int(np.count_nonzero(network.hard)),
        int(np.count_nonzero(violations > TOLERANCE)),
    )
