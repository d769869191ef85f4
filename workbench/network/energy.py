"""The energy of a ground network's state, its parts by template, and hard rows broken.

Everything that scores a state calls these functions, so that engines, learners and reports agree on
one number. Sums over rows change by those of few rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.arrays import Float, Int32
from workbench.network.ground_network import BlockKind, Domain, GroundNetwork, Relation
from workbench.network.runs import row_runs

TOLERANCE = 1e-9
"""How far `ell` may exceed 0 in a hard row of a satisfied 0/1 state: rounding, nothing more."""


def row_values(network: GroundNetwork, values: Float) -> Float:
    """`ell = b + A y` of every row, shape (n_rows,)."""
    values = np.asarray(values, np.float64)
    found = np.empty(network.n_rows)
    for rows, run in row_runs(network):
        found[rows] = run.b + run.A @ values
    return found


def row_potentials(network: GroundNetwork, values: Float) -> Float:
    """`max(0, ell) ** power` of every soft row, 0 on hard rows, without weight; shape (n_rows,)."""
    potential = np.maximum(row_values(network, values), 0.0)
    potential[network.template < 0] = 0.0
    if np.any(network.power == 2):
        squared = network.power[np.maximum(network.template, 0)] == 2
        potential[squared] **= 2
    return potential


def potentials(network: GroundNetwork, values: Float) -> Float:
    """Summed scaled potentials of open groundings by template: `energy = weights @ potentials`.

    Of values of shape (n_atoms,), shape (n_templates,).
    """
    return units_by_template(network, values) + rows_by_template(network, values)


def distances(network: GroundNetwork, values: Float) -> Float:
    """Summed distance to satisfaction of each template's groundings: `potentials` at power 1."""
    return units_by_template(network, values) + rows_by_template(network, values, linear=True)


def units_by_template(network: GroundNetwork, values: Float) -> Float:
    """The unit groundings' part of `potentials`, shape (n_templates,)."""
    units: Float = network.unit.T @ np.asarray(values, np.float64)
    return np.asarray(network.constant - units)


def rows_by_template(network: GroundNetwork, values: Float, *, linear: bool = False) -> Float:
    """The rows' part of `potentials`, or of `distances`; shape (n_templates,)."""
    found = np.zeros(network.n_templates)
    for _, run in row_runs(network):
        ell = row_values if linear else row_potentials
        by_row = np.maximum(ell(run, values), 0.0)
        found += _sum_by_template(run, by_row if run.scale is None else by_row * run.scale)
    return found


def energy(network: GroundNetwork, weights: Float, values: Float) -> float:
    """Sum over soft rows of `w * scale * max(0, ell) ** power`, plus the unit groundings' share.

    A row of negative effective weight contributes that negative number while violated, as in the
    exponent of the distribution. Hard rows and evidence are not in it. Cost: one sparse product.
    """
    return float(np.asarray(weights, np.float64) @ potentials(network, values))


def energy_offset(network: GroundNetwork, weights: Float) -> float:
    """What `reported_energy` adds to `energy`: |w| for each open grounding of negative weight."""
    weights = np.asarray(weights, np.float64)
    rows = -np.minimum(network.effective_weights(weights), 0.0).sum()
    return float(rows) + unit_offset(network, weights)


def unit_offset(network: GroundNetwork, weights: Float) -> float:
    """The unit groundings' part of `energy_offset`."""
    units = np.where(weights >= 0, network.unit_scale[:, 1], network.unit_scale[:, 0])
    return float(np.abs(weights) @ units)


def reported_energy(network: GroundNetwork, weights: Float, values: Float) -> float:
    """Weight of violated positive and satisfied negative groundings: `energy + energy_offset`."""
    return energy(network, weights, values) + energy_offset(network, weights)


def evidence_energy(network: GroundNetwork, weights: Float) -> float:
    """The same sum over the groundings that evidence alone decides; it depends on no state."""
    weights = np.asarray(weights, np.float64)
    satisfied, violated = network.evidence_satisfied, network.evidence_violated
    costly = np.where(
        weights >= 0, violated[:, 0] + satisfied[:, 1], satisfied[:, 0] + violated[:, 1]
    )
    return float(np.abs(weights) @ costly)


def hard_violations(network: GroundNetwork, values: Float) -> Float:
    """By how much each row breaks its constraint, 0 on soft and satisfied rows; shape (n_rows,)."""
    if not network.hard.any():
        return np.zeros(network.n_rows)
    ell = row_values(network, values)
    return np.where(
        network.relation == Relation.EQUAL,
        np.abs(ell),
        np.where(network.relation == Relation.AT_MOST, np.maximum(ell, 0.0), 0.0),
    )


def block_violations(network: GroundNetwork, values: Float) -> Float:
    """By how much each block's sum misses what it may be, shape (n_blocks,)."""
    blocks = network.blocks
    excess = blocks.members @ np.asarray(values, np.float64) - blocks.right
    return np.asarray(
        np.where(blocks.kind == BlockKind.EXACTLY_ONE, np.abs(excess), np.maximum(excess, 0.0))
    )


def hard_violation(network: GroundNetwork, values: Float) -> float:
    """How many hard rows and blocks a state of 0 and 1 breaks; on [0, 1], the largest violation."""
    broken = np.concatenate((hard_violations(network, values), block_violations(network, values)))
    if network.domain is Domain.BOOLEAN:
        return float(np.count_nonzero(broken > TOLERANCE))
    return float(broken.max(initial=0.0))


def _sum_by_template(network: GroundNetwork, by_row: Float) -> Float:
    soft = network.template >= 0
    if soft.all():
        return np.bincount(network.template, by_row, minlength=network.n_templates).astype(
            np.float64
        )
    return np.bincount(network.template[soft], by_row[soft], minlength=network.n_templates).astype(
        np.float64
    )


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
