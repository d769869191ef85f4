"""Compiled integrals of maximum pseudolikelihood: one atom, or one simplex of atoms, at a time."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from workbench.arrays import Bool, Float, Int8, Int64
from workbench.network.compiled import allocating, compiled
from workbench.network.hinge_problem import Columns


class WorldIntegrals(NamedTuple):
    """One world's soft rows at its labels, by atom, and what the integrals find.

    Attributes
    ----------
    ell, weight : float64 arrays, shape (n_rows,)
        Row values at the labels, and effective weights.
    power : int8 array, shape (n_rows,)
    cost, truth : float64 arrays, shape (n_atoms,)
        What an atom costs by itself, and its label.
    difference : float64 array, shape (n_rows,)
        Added to, by row: the sum over atoms of E[max(0, ell)^p] - max(0, ell at the labels)^p.
    expected : float64 array, shape (n_atoms,)
        Set to each atom's conditional mean.
    """

    columns: Columns
    ell: Float
    weight: Float
    power: Int8
    cost: Float
    truth: Float
    difference: Float
    expected: Float


class Simplexes(NamedTuple):
    """Blocks of atoms as `HingeProblem` has them, and samples of each.

    Attributes
    ----------
    uniform : float64 array, shape (n_blocks, n_samples, largest block + 1)
        Standard exponential variates: the first `size` (or `size + 1` where the sum may stay below)
        of each sample, divided by their sum, are uniform on the simplex.
    """

    start: Int64
    member: Int64
    right: Float
    exact: Bool
    uniform: Float


@compiled
def potential_of(ell: float, power: int) -> float:
    """A soft row's potential, without its weight."""
    hinge = max(ell, 0.0)
    return hinge * hinge if power == 2 else hinge


@compiled
def _normalise(log_density: Float) -> tuple[float, float]:
    """Make logarithms a density, in place; their peak, and the logarithm of what was left."""
    peak = log_density[0]
    for g in range(1, log_density.size):
        peak = max(peak, log_density[g])
    total = 0.0
    for g in range(log_density.size):
        log_density[g] = np.exp(log_density[g] - peak)
        total += log_density[g]
    for g in range(log_density.size):
        log_density[g] /= total
    return peak, np.log(total)


@allocating
def expect_over_atoms(
    atoms: Int64,
    field: WorldIntegrals,
    lower: Float,
    upper: Float,
    nodes: Float,
    log_quadrature: Float,
) -> float:
    """Expected potentials under each atom's conditional density, minus those at the labels.

    Parameters
    ----------
    nodes, log_quadrature : float64 arrays, shape (n_nodes,)
        Nodes in [0, 1] and logarithms of their quadrature weights, stretched to each atom's own
        interval.

    Returns
    -------
    float
        The log pseudolikelihood.
    """
    (column, row_of, value_of), ell, weight, power, cost, truth, difference, expected_atom = field
    n_nodes = nodes.size
    log_density = np.empty(n_nodes)  # A density once it is normalised.
    value = 0.0
    for i in atoms:
        low, width = lower[i], upper[i] - lower[i]
        at_truth = -cost[i] * truth[i]
        for g in range(n_nodes):
            log_density[g] = log_quadrature[g] - cost[i] * (low + width * nodes[g])
        for p in range(column[i], column[i + 1]):
            j = row_of[p]
            base = ell[j] + value_of[p] * (low - truth[i])
            slope = value_of[p] * width
            if weight[j] == 0.0:
                continue
            at_truth -= weight[j] * potential_of(ell[j], power[j])
            for g in range(n_nodes):
                log_density[g] -= weight[j] * potential_of(base + slope * nodes[g], power[j])
        peak, log_total = _normalise(log_density)
        value += at_truth - peak - log_total - np.log(width)
        mean = 0.0
        for g in range(n_nodes):
            mean += log_density[g] * nodes[g]
        expected_atom[i] = low + width * mean
        for p in range(column[i], column[i + 1]):
            j = row_of[p]
            base = ell[j] + value_of[p] * (low - truth[i])
            slope = value_of[p] * width
            expected = 0.0
            for g in range(n_nodes):
                expected += log_density[g] * potential_of(base + slope * nodes[g], power[j])
            difference[j] += expected - potential_of(ell[j], power[j])
    return value


@allocating
def expect_over_simplexes(blocks: Int64, field: WorldIntegrals, simplexes: Simplexes) -> float:
    """The same over whole simplexes, by importance sampling from the uniform distribution.

    The simplex's volume is left out of the returned log pseudolikelihood: it does not depend on the
    weights.
    """
    rows, position = np.empty(field.columns.row.size, np.int64), np.full(field.ell.size, -1)
    n_samples = simplexes.uniform.shape[1]
    density = np.empty(n_samples)
    value = 0.0
    for k in blocks:
        members = simplexes.member[simplexes.start[k] : simplexes.start[k + 1]]
        n_local = _rows_of(members, field.columns, rows, position)
        potential = np.empty((n_samples, n_local))
        samples = np.empty((n_samples, members.size))
        _sample(k, members, simplexes, field, (rows, position), (samples, potential, density))
        peak = density.max()
        total = 0.0
        for s in range(n_samples):
            density[s] = np.exp(density[s] - peak)
            total += density[s]
        value -= peak + np.log(total / n_samples)
        for s in range(n_samples):
            share = density[s] / total
            for r in range(n_local):
                field.difference[rows[r]] += share * potential[s, r]
            for q in range(members.size):
                before = field.expected[members[q]] if s else 0.0
                field.expected[members[q]] = before + share * samples[s, q]
        for i in members:
            value -= field.cost[i] * field.truth[i]
        for j in rows[:n_local]:
            at_label = potential_of(field.ell[j], field.power[j])
            field.difference[j] -= at_label
            value -= field.weight[j] * at_label
            position[j] = -1
    return value


@compiled
def _rows_of(members: Int64, columns: Columns, rows: Int64, position: Int64) -> int:
    """List the rows of some atoms, and where in the list each stands; how many."""
    n_local = 0
    for i in members:
        for p in range(columns.indptr[i], columns.indptr[i + 1]):
            j = columns.row[p]
            if position[j] < 0:
                position[j] = n_local
                rows[n_local] = j
                n_local += 1
    return n_local


@compiled
def _sample(
    k: int,
    members: Int64,
    simplexes: Simplexes,
    field: WorldIntegrals,
    local: tuple[Int64, Int64],
    found: tuple[Float, Float, Float],
) -> None:
    """Draw a block's atoms; each sample's values, potentials of its rows, and log density."""
    (column, row_of, value_of), ell, weight, power, cost, truth, _, _ = field
    (rows, position), (samples, potential, log_density) = local, found
    n_samples, size = samples.shape
    parts = size if simplexes.exact[k] else size + 1
    uniform, right = simplexes.uniform[k], simplexes.right[k]
    for s in range(n_samples):
        total = 0.0
        for q in range(parts):
            total += uniform[s, q]
        for r in range(potential.shape[1]):
            potential[s, r] = ell[rows[r]]
        energy = 0.0
        for q in range(size):
            i = members[q]
            sampled = right * uniform[s, q] / total
            samples[s, q] = sampled
            energy += cost[i] * sampled
            for p in range(column[i], column[i + 1]):
                potential[s, position[row_of[p]]] += value_of[p] * (sampled - truth[i])
        for r in range(potential.shape[1]):
            potential[s, r] = potential_of(potential[s, r], power[rows[r]])
            energy += weight[rows[r]] * potential[s, r]
        log_density[s] = -energy
