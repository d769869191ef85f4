"""Samples of the templates' summed potentials over [0, 1], by Gibbs sampling along lines.

And the chain that a network's domain asks for, of these and of `GibbsChain`.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from scipy.sparse import csc_array, csr_array, vstack

from workbench.arrays import Bool, Float, Int8, Int32, Int64, UInt64
from workbench.inference.random_numbers import stream, uniform
from workbench.learning.chain import CountSamples, GibbsChain
from workbench.learning.hinge_integrals import potential_of
from workbench.network import potentials
from workbench.network.compiled import compiled
from workbench.network.ground_network import (
    EQUAL,
    HINGE,
    BlockKind,
    Domain,
    GroundNetwork,
    Relation,
)
from workbench.progress import PLAIN, Conduct


class UnitChain:
    """Gibbs sampling of a hinge-loss MRF: along atoms, then along pairs that keep a hard sum.

    A value on a line is drawn by slice sampling with shrinkage (Neal 2003), which leaves the exact
    conditional as it is and needs no normaliser. Two neighbours in a hard equality move against
    each other, so that it stays fulfilled. The chain must start where the hard rows hold. A sweep
    costs a few times O(nnz of A).
    """

    def __init__(self, network: GroundNetwork, conduct: Conduct = PLAIN) -> None:
        self.network, self._conduct = network, conduct
        members = network.blocks.members.astype(np.float64)
        exact = network.blocks.kind == BlockKind.EXACTLY_ONE
        A = csr_array(vstack([network.A.astype(np.float64), members], format="csr"))
        relation = np.concatenate(
            [network.relation, np.where(exact, Relation.EQUAL, Relation.AT_MOST)]
        )
        self._b = np.concatenate(
            [network.b.astype(np.float64), -network.blocks.right.astype(np.float64)]
        )
        self._A, self._relation = A, relation.astype(np.int64)
        lines = _lines(A, relation == Relation.EQUAL)
        self._lines = lines
        self._slopes = csc_array(A @ lines)
        self._power = np.ones(A.shape[0], np.int8)
        if network.n_templates:
            self._power[: network.n_rows] = network.power[np.maximum(network.template, 0)]

    def run(
        self, weights: Float, state: Float, *, sweeps: int, burn_in: int = 0, seed: int = 0
    ) -> CountSamples:
        """Sample `sweeps` states after `burn_in`, from `state`; `probability` has mean values."""
        network = self.network
        current = np.array(state, np.float64)
        weight = np.zeros(self._b.size)
        weight[: network.n_rows] = network.effective_weights(weights)
        cost = -np.asarray(self._lines.T @ (network.unit @ weights), np.float64)
        lines = _Columns(self._lines.indptr, self._lines.indices, self._lines.data)
        slopes = _Columns(self._slopes.indptr, self._slopes.indices, self._slopes.data)
        rows = _Rows(weight, self._power, self._relation)
        samples, mean = np.empty((sweeps, network.n_templates)), np.zeros(network.n_atoms)
        random = stream(seed)
        for step in range(burn_in + sweeps):
            self._conduct.look()
            ell = np.asarray(self._b + self._A @ current, np.float64)
            _sweep(lines, slopes, rows, cost, current, ell, random)
            if step >= burn_in:
                samples[step - burn_in] = potentials(network, current)
                mean += current
        return CountSamples(samples, mean / max(1, sweeps), current)


def _lines(A: csr_array, equal: Bool) -> csc_array:
    """Atoms that no equality holds, neighbours in one; shape (n_atoms, n_lines)."""
    held = csr_array(A[np.flatnonzero(equal)])
    held.sort_indices()
    free = np.setdiff1d(np.arange(A.shape[1]), held.indices)
    # Each entry but its row's last, and the next.
    first = np.setdiff1d(np.arange(held.nnz), held.indptr[1:] - 1)
    pairs = np.stack([held.indices[first], held.indices[first + 1]], axis=1).ravel()
    steps = np.stack(
        [np.ones(first.size), -held.data[first] / held.data[first + 1]], axis=1
    ).ravel()
    indptr = np.concatenate([np.arange(free.size), free.size + np.arange(0, 2 * first.size + 1, 2)])
    data, atoms = np.concatenate([np.ones(free.size), steps]), np.concatenate([free, pairs])
    return csc_array((data, atoms, indptr), shape=(A.shape[1], free.size + first.size))


class _Columns(NamedTuple):
    """A sparse matrix by columns: which entries each has, in which rows, and their values."""

    start: Int32
    row: Int32
    value: Float


class _Rows(NamedTuple):
    """Weight, power and relation of each ground row: 0 a potential, 1 and 2 hard."""

    weight: Float
    power: Int8
    relation: Int64


@compiled
def _sweep(
    lines: _Columns,
    slopes: _Columns,
    rows: _Rows,
    cost: Float,
    state: Float,
    ell: Float,
    random: UInt64,
) -> None:
    """Redraw the state along every line; `ell` follows."""
    # An array taken from a tuple is counted as one more reference, so that is done once.
    line_start, atom, atom_step = lines
    start, row, slope = slopes
    weight, power, relation = rows
    for line in range(cost.size):
        low, high = -np.inf, np.inf
        for k in range(line_start[line], line_start[line + 1]):
            ends = -state[atom[k]] / atom_step[k], (1.0 - state[atom[k]]) / atom_step[k]
            low, high = max(low, min(ends)), min(high, max(ends))
        for k in range(start[line], start[line + 1]):
            if relation[row[k]] == HINGE or slope[k] == 0.0:
                continue
            if relation[row[k]] == EQUAL:
                if abs(slope[k]) > 1e-9:
                    low, high = 0.0, 0.0
            elif slope[k] > 0.0:
                high = min(high, max(0.0, -ell[row[k]] / slope[k]))
            else:
                low = max(low, min(0.0, -ell[row[k]] / slope[k]))
        if high - low < 1e-9:
            continue
        allowed = -np.log(1.0 - uniform(random))
        while True:
            step = low + (high - low) * uniform(random)
            change = cost[line] * step
            for k in range(start[line], start[line + 1]):
                j = row[k]
                if relation[j] == HINGE and weight[j] != 0.0:
                    after = potential_of(ell[j] + step * slope[k], power[j])
                    change += weight[j] * (after - potential_of(ell[j], power[j]))
            if change <= allowed or high - low < 1e-12:
                break
            if step < 0.0:
                low = step
            else:
                high = step
        for k in range(line_start[line], line_start[line + 1]):
            state[atom[k]] = min(1.0, max(0.0, state[atom[k]] + step * atom_step[k]))
        for k in range(start[line], start[line + 1]):
            ell[row[k]] += step * slope[k]


class CountChain(Protocol):
    """Gibbs sampling on one network, laid out once and run at many weights."""

    def run(
        self, weights: Float, state: Float, *, sweeps: int, burn_in: int = 0, seed: int = 0
    ) -> CountSamples:
        """Sample `sweeps` states after `burn_in` sweeps, starting at `state`."""
        ...


def chain_of(network: GroundNetwork, conduct: Conduct) -> CountChain:
    """Over the states of 0 and 1, or over all of [0, 1]; its sweeps hear cancels and deadlines."""
    return (
        UnitChain(network, conduct)
        if network.domain is Domain.UNIT
        else GibbsChain(network, conduct)
    )
