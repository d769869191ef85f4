"""Solutions from samplers."""

from __future__ import annotations

import numpy as np

from workbench.errors import UsageError
from workbench.inference.chains import Record
from workbench.inference.conflict import smallest_conflict
from workbench.inference.solution import Solution, Status, infeasible
from workbench.network.ground_network import GroundNetwork
from workbench.progress import expired

__all__ = ["answer", "no_legal_state", "refuse"]

AGREED = 1.05
"""Largest R-hat of an atom on which chains count as agreeing: at 1.07 errors of 0.15 were seen."""
PRECISE = 0.02
"""Standard error of a probability up to which a larger R-hat does not matter: 625 independent samples of 1/2."""


def answer(record: Record, engine: str, chains: int, wanted: int) -> Solution:
    """Marginals from what the chains saw: `CONVERGED` when they agree, `FEASIBLE` when not, `LIMIT` when cut short.

    Chains agree where every atom's R-hat is at most 1.05 or its standard error, in which chains that stay apart count
    too, at most 0.02: R-hat is a ratio, and large also where all chains say nearly the same of a nearly certain atom.
    """
    apart = (record.r_hat > AGREED) & ~(record.error <= PRECISE)
    figures = record.diagnostics() | {"chains": chains, "atoms_apart": int(np.count_nonzero(apart))}
    worst, error = record.r_hat.max(initial=1.0), record.error.max(initial=0.0)
    if record.stopped == "cancelled":
        status, reason = Status.CANCELLED, f"cancelled after {record.samples} samples"
    elif record.stopped == "limit":
        status, reason = Status.LIMIT, f"the time limit was reached after {record.samples} of {wanted} samples"
    elif np.isnan(record.r_hat).any():
        status, reason = Status.FEASIBLE, f"{record.samples} samples, too few to tell whether chains agree"
    elif apart.any():
        where = f"{np.count_nonzero(apart):,} of {apart.size:,} atoms"
        status, reason = (
            Status.FEASIBLE,
            f"{record.samples} samples, but chains disagree on {where}: R-hat up to {worst:.3f}",
        )
    elif worst <= AGREED:
        status, reason = Status.CONVERGED, f"{record.samples} samples, R-hat at most {worst:.3f}"
    else:
        status, reason = Status.CONVERGED, f"{record.samples} samples, standard errors at most {error:.3f}"
    return Solution(status, record.soft, np.nan, np.nan, 0.0, engine, reason, diagnostics=figures)


def no_legal_state(network: GroundNetwork, engine: str, deadline: float | None) -> Solution:
    """The answer where no state that keeps the hard rows was found: a conflict among them, or that none is known."""
    conflict = None if expired(deadline) else smallest_conflict(network, deadline=deadline)
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
            "E0421", f"engine {engine} cannot take this network: {why}", help="engine auto takes one that can"
        )
