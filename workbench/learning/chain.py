"""Samples of the templates' summed potentials by Gibbs sampling: expectations, covariances and persistent chains."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.arrays import Float
from workbench.network import potentials
from workbench.network.ground_network import GroundNetwork
from workbench.progress import PLAIN, Conduct

__all__ = ["CountSamples", "GibbsChain"]


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
    """Gibbs sampling on one network, its columns laid out once and run at many weights.

    Atoms of a block (`!`, `?` arguments) move together; a move that breaks more hard rows is never made. The chain must
    be started at a legal state to stay among legal ones. A sweep costs O(nnz of A and unit).
    """

    def __init__(self, network: GroundNetwork, conduct: Conduct = PLAIN) -> None:
        self.network, self._conduct = network, conduct
        columns = network.A.tocsc()
        self._row_ptr, self._row = columns.indptr.astype(np.int64), columns.indices.astype(np.int32)
        self._entry = columns.data.astype(np.float64)
        self._scale = np.ones(network.n_rows) if network.scale is None else network.scale
        self._power = network.power[np.maximum(network.template, 0)] if network.n_templates else network.template
        unit = network.unit.tocsr()
        self._unit = unit.indptr.astype(np.int64), unit.indices.astype(np.int32), unit.data.astype(np.float64)
        blocks = network.blocks
        members = blocks.members.tocsr()
        self._fixed_false = members[blocks.right == 0].indices
        movable = blocks.right > 0
        self._block_kind = blocks.kind[movable].astype(np.int64)
        kept = members[movable]
        self._block_ptr, self._block_atom = kept.indptr.astype(np.int64), kept.indices.astype(np.int32)
        self._plain = np.setdiff1d(np.arange(network.n_atoms, dtype=np.int32), members.indices)

    def run(self, weights: Float, state: Float, *, sweeps: int, burn_in: int = 0, seed: int = 0) -> CountSamples:
        """Sample `sweeps` states after `burn_in` sweeps, starting at `state`; what stops them is `Cancelled`."""
        from workbench.learning.chain_kernel import Graph, sweep

        network, rng = self.network, np.random.default_rng(seed)
        current = np.array(state, np.float64)
        current[self._fixed_false] = 0.0
        ell = np.asarray(network.b + network.A @ current, np.float64)
        counts = potentials(network, current)
        graph = Graph(
            row_ptr=self._row_ptr,
            row=self._row,
            entry=self._entry,
            weight=network.effective_weights(weights),
            scale=self._scale,
            power=self._power.astype(np.int64),
            hard=network.relation.astype(np.int64),
            template=network.template,
            unit_ptr=self._unit[0],
            unit_template=self._unit[1],
            unit_entry=self._unit[2],
            unit_score=np.asarray(network.unit @ weights, np.float64),
            plain=self._plain,
            block_ptr=self._block_ptr,
            block_atom=self._block_atom,
            block_kind=self._block_kind,
        )
        samples = np.empty((sweeps, network.n_templates))
        probability = np.zeros(network.n_atoms)
        draws = self._plain.size + self._block_kind.size
        for step in range(burn_in + sweeps):
            self._conduct.look()
            if step == burn_in:
                probability[:] = 0.0
            sweep(graph, current, ell, counts, probability, rng.random(draws))
            if step >= burn_in:
                samples[step - burn_in] = counts
        return CountSamples(samples, probability / max(1, sweeps), current)
