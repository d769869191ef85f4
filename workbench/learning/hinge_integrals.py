"""Compiled integrals of maximum pseudolikelihood: one atom, or one simplex of atoms, at a time."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from workbench.arrays import Bool, Float, Int8, Int64
from workbench.network.compiled import allocating
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
    log_density = np.empty(n_nodes)
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
            hinge = max(ell[j], 0.0)
            at_truth -= weight[j] * (hinge * hinge if power[j] == 2 else hinge)
            for g in range(n_nodes):
                hinge = max(base + slope * nodes[g], 0.0)
                log_density[g] -= weight[j] * (hinge * hinge if power[j] == 2 else hinge)
        peak = log_density.max()
        total = 0.0
        for g in range(n_nodes):
            log_density[g] = np.exp(log_density[g] - peak)
            total += log_density[g]
        value += at_truth - peak - np.log(total) - np.log(width)
        mean = 0.0
        for g in range(n_nodes):
            log_density[g] /= total
            mean += log_density[g] * nodes[g]
        expected_atom[i] = low + width * mean
        for p in range(column[i], column[i + 1]):
            j = row_of[p]
            base = ell[j] + value_of[p] * (low - truth[i])
            slope = value_of[p] * width
            expected = 0.0
            for g in range(n_nodes):
                hinge = max(base + slope * nodes[g], 0.0)
                expected += log_density[g] * (hinge * hinge if power[j] == 2 else hinge)
            hinge = max(ell[j], 0.0)
            difference[j] += expected - (hinge * hinge if power[j] == 2 else hinge)
    return value


@allocating
def expect_over_simplexes(blocks: Int64, field: WorldIntegrals, simplexes: Simplexes) -> float:
    """The same over whole simplexes, by importance sampling from the uniform distribution.

    The simplex's volume is left out of the returned log pseudolikelihood: it does not depend on the
    weights.
    """
    (column, row_of, value_of), ell, weight, power, cost, truth, difference, expected_atom = field
    block_start, member, right, exact, uniform = simplexes
    n_samples = uniform.shape[1]
    density = np.empty(n_samples)
    rows = np.empty(row_of.size, np.int64)
    position = np.full(ell.size, -1)
    value = 0.0
    for k in blocks:
        start = block_start[k]
        size = block_start[k + 1] - start
        parts = size if exact[k] else size + 1
        n_local = 0
        for q in range(size):
            i = member[start + q]
            for p in range(column[i], column[i + 1]):
                j = row_of[p]
                if position[j] < 0:
                    position[j] = n_local
                    rows[n_local] = j
                    n_local += 1
        local = np.empty((n_samples, n_local))
        samples = np.empty((n_samples, size))
        peak = -np.inf
        for s in range(n_samples):
            total = 0.0
            for q in range(parts):
                total += uniform[k, s, q]
            energy = 0.0
            for r in range(n_local):
                local[s, r] = ell[rows[r]]
            for q in range(size):
                i = member[start + q]
                sampled = right[k] * uniform[k, s, q] / total
                samples[s, q] = sampled
                energy += cost[i] * sampled
                for p in range(column[i], column[i + 1]):
                    local[s, position[row_of[p]]] += value_of[p] * (sampled - truth[i])
            for r in range(n_local):
                hinge = max(local[s, r], 0.0)
                if power[rows[r]] == 2:
                    hinge *= hinge
                local[s, r] = hinge
                energy += weight[rows[r]] * hinge
            density[s] = -energy
            peak = max(peak, -energy)
        total = 0.0
        for s in range(n_samples):
            density[s] = np.exp(density[s] - peak)
            total += density[s]
        value -= peak + np.log(total / n_samples)
        for s in range(n_samples):
            share = density[s] / total
            for r in range(n_local):
                difference[rows[r]] += share * local[s, r]
            for q in range(size):
                i = member[start + q]
                expected_atom[i] = (expected_atom[i] if s else 0.0) + share * samples[s, q]
        for q in range(size):
            value -= cost[member[start + q]] * truth[member[start + q]]
        for r in range(n_local):
            j = rows[r]
            hinge = max(ell[j], 0.0)
            if power[j] == 2:
                hinge *= hinge
            difference[j] -= hinge
            value -= weight[j] * hinge
            position[j] = -1
    return value
