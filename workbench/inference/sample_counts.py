"""Sampled satisfied counts: expectations, variances and Hessian products for learners, chains going on from call to
call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from workbench.arrays import Float
from workbench.errors import InfeasibleError
from workbench.inference.chains import Chain, hard_price, legal_state, new_chain
from workbench.inference.mcsat import new_slice
from workbench.inference.mcsat_kernels import slice_step
from workbench.inference.propagation import propagate
from workbench.inference.sampling import refuse
from workbench.network.energy import satisfied_counts
from workbench.network.ground_network import GroundNetwork
from workbench.network.layout import lay_out, why_not_clausal
from workbench.progress import SILENT, Progress, expired

__all__ = ["CountSamples", "sample_counts"]


@dataclass(frozen=True)
class CountSamples:
    """Satisfied counts of the sampled states.

    Attributes
    ----------
    counts : float64 array, shape (n_samples, n_templates)
        `satisfied_counts` of each sample, chains interleaved.
    probability : float64 array, shape (n_atoms,)
        Mean conditional probability of each atom.
    states : float64 array, shape (chains, n_atoms)
        Where each chain stands: hand it to the next call as `states`.
    """

    counts: Float
    probability: Float
    states: Float

    @property
    def mean(self) -> Float:
        """Expected counts, shape (n_templates,): minus the gradient of log Z by the energy's weights."""
        return np.asarray(self.counts.mean(axis=0), np.float64)

    @property
    def variance(self) -> Float:
        """Variances of the counts, shape (n_templates,): the diagonal of the Hessian of log Z."""
        return np.asarray(self.counts.var(axis=0), np.float64)

    def covariance_product(self, direction: Float) -> Float:
        """The counts' covariance times a vector, without forming the matrix: the Hessian of log Z times it."""
        centred = self.counts - self.mean
        return np.asarray(centred.T @ (centred @ direction) / len(centred), np.float64)


def sample_counts(
    network: GroundNetwork,
    weights: Float,
    *,
    method: Literal["mcsat", "gibbs"] = "mcsat",
    samples: int = 100,
    burn_in: int = 10,
    chains: int = 1,
    seed: int = 0,
    states: Float | None = None,
    deadline: float | None = None,
    progress: Progress = SILENT,
) -> CountSamples:
    """Sample states at these weights and count.

    Parameters
    ----------
    samples : int
        Recorded samples of each chain.
    burn_in : int
        Unrecorded samples of each chain; few are needed when `states` comes from nearly the same weights.
    states : float64 array, shape (chains, n_atoms), optional
        Where the chains go on; they must keep the hard rows. By default they start apart at legal states.

    Raises
    ------
    UsageError
        E0421 where MC-SAT meets rows that are no clauses.
    InfeasibleError
        E0401 where no state keeps the hard rows, or none was found.
    """
    if method == "mcsat":
        refuse(why_not_clausal(network), method)
    layout = lay_out(network, weights, clauses=method == "mcsat")
    forced = propagate(layout, network)
    if not forced.feasible:
        raise InfeasibleError.of("E0401", "the hard rules and the evidence admit no world")
    layout = layout._replace(fixed=forced.fixed)
    price, work = hard_price(layout), new_slice(layout)
    running: list[Chain] = []
    for number in range(chains):
        state = None if states is None else states[number]
        if state is None:
            state = legal_state(network, weights, seed=seed + 1000 * number, deadline=deadline, progress=progress)
        if state is None:
            raise InfeasibleError.of("E0401", "no state that keeps the hard rules was found to start sampling from")
        running.append(new_chain(layout, state, seed, number))
    counts: list[Float] = []
    probability = np.zeros(layout.n_atoms)
    for step in range(burn_in + samples):
        progress.step("sampling", step, burn_in + samples)
        if expired(deadline) and counts:
            break
        recorded = step >= burn_in
        for chain in running:
            gained = probability if recorded else np.zeros(layout.n_atoms)
            if method == "mcsat":
                slice_step(layout, work, chain.y, chain.ell, chain.block_true, chain.random, 2000, 2)
            chain.redraw(layout, price, gained)
            if recorded:
                counts.append(satisfied_counts(network, layout.to_network(chain.y)))
    return CountSamples(
        np.array(counts).reshape(len(counts), network.n_templates),
        layout.to_network(probability) / max(1, len(counts)),
        np.array([layout.to_network(chain.y) for chain in running]),
    )
