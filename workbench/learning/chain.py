"""Samples of the templates' summed potentials by Gibbs sampling; chains that go on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from workbench.arrays import Float, Int8, Int32, UInt64
from workbench.inference.chains import hard_price
from workbench.inference.gibbs_kernels import room_for_block, row_values, sweep, true_members
from workbench.inference.random_numbers import stream
from workbench.network import potentials
from workbench.network.compiled import compiled
from workbench.network.ground_network import GroundNetwork
from workbench.network.layout import SQUARED, Layout, lay_out
from workbench.progress import PLAIN, Conduct


@dataclass(frozen=True)
class CountSamples:
    """What a stretch of a chain saw.

    Attributes
    ----------
    potentials : float64 array, shape (n_samples, n_templates)
        Summed potential of each template after each sweep.
    probability : float64 array, shape (n_atoms,)
        Mean conditional probability of each atom over the sweeps.
    state : float64 array, shape (n_atoms,)
        The last state.
    """

    potentials: Float
    probability: Float
    state: Float

    @property
    def mean(self) -> Float:
        return np.asarray(self.potentials.mean(axis=0))

    @property
    def variance(self) -> Float:
        return np.asarray(self.potentials.var(axis=0))

    def covariance_product(self, direction: Float) -> Float:
        """Sample covariance of the potentials times a direction, without forming the matrix."""
        centred = self.potentials - self.mean
        return np.asarray(centred.T @ (centred @ direction)) / len(centred)


class GibbsChain:
    """The sweeps of the `gibbs` engine on one network, laid out once and run at many weights.

    Atoms of a block (`!`, `?` arguments) move together; a move that breaks more hard rows is never
    made. The chain must be started at a legal state to stay among legal ones. A sweep costs O(nnz
    of A), and the units of atoms that moved.
    """

    def __init__(self, network: GroundNetwork, conduct: Conduct = PLAIN) -> None:
        self.network, self._conduct = network, conduct
        self._layout = lay_out(network, np.zeros(network.n_templates))
        row, unit = self._layout.row_id, network.unit[self._layout.atom_id]
        self._of_network = row >= 0
        own = row[self._of_network]
        template, scale = np.full(row.size, -1, np.int32), np.zeros(row.size)
        template[self._of_network] = network.template[own]
        scale[self._of_network] = network.scales[own]
        self._tally = _Tally(
            template, scale, unit.indptr, unit.indices, unit.data.astype(np.float64)
        )

    def _at(self, weights: Float) -> Layout:
        """The layout at these weights."""
        weight = np.zeros(self._layout.n_rows)
        weight[self._of_network] = self.network.effective_weights(weights)[
            self._layout.row_id[self._of_network]
        ]
        return self._layout._replace(
            weight=weight, field=self._layout.reduce(self.network.unit @ weights)
        )

    def run(
        self, weights: Float, state: Float, *, sweeps: int, burn_in: int = 0, seed: int = 0
    ) -> CountSamples:
        """Sample `sweeps` states after `burn_in` sweeps, starting at `state`; `Cancelled` stops."""
        network, layout, random = self.network, self._at(weights), stream(seed)
        y = np.where(layout.fixed >= 0, layout.fixed, layout.reduce(state) >= 0.5).astype(np.int8)
        at = _State(
            y=y,
            ell=row_values(layout, y),
            block_true=true_members(layout, y),
            cost=room_for_block(layout),
            probability=np.zeros(network.n_atoms),
            counted=y.copy(),
            rows=np.empty(network.n_templates),
            rest=potentials(network, layout.lift(y)),
        )
        _tally(layout, self._tally, at)
        at.rest[:] -= at.rows
        samples, price = np.empty((sweeps, network.n_templates)), hard_price(layout)
        for step in range(burn_in + sweeps):
            self._conduct.look()
            if step == burn_in:
                at.probability[:] = 0.0
            _step(layout, self._tally, price, at, random)
            if step >= burn_in:
                samples[step - burn_in] = at.rows + at.rest
        return CountSamples(samples, layout.lift(at.probability) / max(1, sweeps), layout.lift(y))


class _Tally(NamedTuple):
    """What sums potentials by template: rows' templates (-1: none) and scales, atoms' units."""

    template: Int32
    scale: Float
    unit_ptr: Int32
    unit_template: Int32
    unit_entry: Float


class _State(NamedTuple):
    """Where a chain is, and templates' summed potentials: of `rows`, and of the `rest`, the units',
    which are those of the state `counted`.
    """

    y: Int8
    ell: Float
    block_true: Int32 | None
    cost: Float
    probability: Float
    counted: Int8
    rows: Float
    rest: Float


@compiled
def _step(layout: Layout, tally: _Tally, price: Float, at: _State, random: UInt64) -> None:
    """A sweep, and the sums after it."""
    sweep(layout, price, at.y, at.ell, at.block_true, at.cost, at.probability, random)
    _tally(layout, tally, at)


@compiled
def _tally(layout: Layout, tally: _Tally, at: _State) -> None:
    """Sum the rows' potentials anew; bring the units' from the state `counted` to `y`."""
    y, ell, counted, rows, rest = at.y, at.ell, at.counted, at.rows, at.rest
    rows[:] = 0.0
    for row in range(ell.size):
        if tally.template[row] >= 0 and ell[row] > 0.0:
            potential = ell[row] * ell[row] if layout.kind[row] == SQUARED else ell[row]
            rows[tally.template[row]] += tally.scale[row] * potential
    for atom in range(y.size):
        change = y[atom] - counted[atom]
        if change != 0:
            counted[atom] = y[atom]
            for k in range(tally.unit_ptr[atom], tally.unit_ptr[atom + 1]):
                rest[tally.unit_template[k]] -= change * tally.unit_entry[k]
