"""What samplers share: chains from legal states, sweeps over them, and their answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from workbench.arrays import Float
from workbench.errors import UsageError
from workbench.inference.chain_record import Record
from workbench.inference.chains import SWEEPS, Chain, begin_chains, hard_price, run_chains
from workbench.inference.conflict import smallest_conflict
from workbench.inference.propagation import propagate
from workbench.inference.solution import Solution, Status, infeasible
from workbench.network.compiled import interpreted
from workbench.network.ground_network import GroundNetwork
from workbench.network.layout import Layout
from workbench.progress import Conduct, remaining

AGREED = 1.05
"""Largest R-hat of an atom on which chains count as agreeing: at 1.07 errors of 0.15 were seen."""
PRECISE = 0.02
"""Standard error up to which a larger R-hat does not matter: 625 independent draws of 1/2."""


class Sampler(Protocol):
    """The parameters of a sampler's chains."""

    @property
    def name(self) -> str: ...
    @property
    def samples(self) -> int: ...
    @property
    def burn_in(self) -> int: ...
    @property
    def chains(self) -> int: ...
    @property
    def from_map(self) -> bool: ...


def sample(
    sampler: Sampler,
    network: GroundNetwork,
    weights: Float,
    layout: Layout,
    conduct: Conduct,
    start: Float | None,
    before: Callable[[Layout, Chain], Callable[[], None]] | None = None,
) -> Solution:
    """Marginal probabilities by sweeps of Gibbs sampling.

    Parameters
    ----------
    start : float64 array, shape (n_atoms,), or None
        Where all chains begin; None for a legal state of each one's own.
    before : callable, optional
        From the layout, its forced atoms fixed, and a chain to what is done before each of the
        chain's sweeps.
    """
    steps = sampler.samples + sampler.chains * (sampler.burn_in + max(SWEEPS))
    visits = steps * (layout.row_atom.size + layout.n_atoms)
    with interpreted(visits, remaining(conduct.deadline)):
        return _sample(sampler, network, weights, layout, conduct, start, before)


def _sample(
    sampler: Sampler,
    network: GroundNetwork,
    weights: Float,
    layout: Layout,
    conduct: Conduct,
    start: Float | None,
    before: Callable[[Layout, Chain], Callable[[], None]] | None,
) -> Solution:
    """As `sample` does, by kernels of the one kind or the other."""
    forced = propagate(layout, network)
    if forced.conflict is not None:
        return infeasible(sampler.name, network, forced.conflict, forced.conflict_blocks)
    layout = layout._replace(fixed=forced.fixed)
    starts = [start] * sampler.chains
    chains = begin_chains(network, layout, weights, starts, conduct, low=sampler.from_map)
    if chains is None:
        return no_legal_state(network, sampler.name, conduct)
    price = hard_price(layout)

    def stepper(chain: Chain) -> Callable[[int, bool], None]:
        probability = np.zeros(layout.n_atoms)
        first = before(layout, chain) if before else lambda: None

        def advance(batch: int, record: bool) -> None:
            first()
            probability[:] = 0.0
            chain.redraw(layout, price, probability)
            if record:
                chain.record(batch, probability)

        return advance

    record = run_chains(
        layout,
        chains,
        [stepper(chain) for chain in chains],
        samples=sampler.samples,
        burn_in=sampler.burn_in,
        conduct=conduct,
        stage=sampler.name,
    )
    return answer(record, sampler.name, sampler.chains, sampler.samples)


def answer(record: Record, engine: str, chains: int, wanted: int) -> Solution:
    """Marginals of chains: `CONVERGED` when they agree, else `FEASIBLE`; `LIMIT` if cut short.

    Chains agree where every atom's R-hat is at most 1.05 or its standard error, in which chains
    that stay apart count too, at most 0.02: R-hat is a ratio, and large also where all chains say
    nearly the same of a nearly certain atom.
    """
    apart = (record.r_hat > AGREED) & ~(record.error <= PRECISE)
    figures = record.diagnostics() | {"chains": chains, "atoms_apart": int(np.count_nonzero(apart))}
    worst, error = record.r_hat.max(initial=1.0), record.error.max(initial=0.0)
    if record.stopped == "cancelled":
        status, reason = Status.CANCELLED, f"cancelled after {record.samples} samples"
    elif record.stopped == "limit":
        status = Status.LIMIT
        reason = f"the time limit was reached after {record.samples} of {wanted} samples"
    elif np.isnan(record.r_hat).any():
        status = Status.FEASIBLE
        reason = f"{record.samples} samples, too few to tell whether chains agree"
    elif apart.any():
        where = f"{np.count_nonzero(apart):,} of {apart.size:,} atoms"
        status = Status.FEASIBLE
        reason = (
            f"{record.samples} samples, but chains disagree on {where}: R-hat up to {worst:.3f}"
        )
    else:
        status = Status.CONVERGED
        reason = f"{record.samples} samples, standard errors at most {error:.3f}"
        reason += f", R-hat at most {worst:.3f}" * bool(worst <= AGREED)
    return Solution(status, record.soft, np.nan, np.nan, 0.0, engine, reason, diagnostics=figures)


def no_legal_state(network: GroundNetwork, engine: str, conduct: Conduct) -> Solution:
    """The answer without a legal state: hard rows in conflict, or that none is known."""
    conflict = None if conduct.expired else smallest_conflict(network, conduct=conduct)
    if conflict is not None:
        return infeasible(engine, network, conflict)
    return Solution(
        Status.LIMIT,
        np.full(network.n_atoms, np.nan),
        np.nan,
        np.nan,
        np.inf,
        engine,
        "no state that keeps all hard rows was found to start from",
    )


def refuse(why: str | None, engine: str) -> None:
    """Raise E0421 where an engine declines a network, with its reason."""
    if why is not None:
        raise UsageError.of(
            "E0421",
            f"engine {engine} cannot take this network: {why}",
            help="engine auto takes one that can",
        )
