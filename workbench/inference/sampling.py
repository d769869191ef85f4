"""Solutions from samplers."""

from __future__ import annotations

import numpy as np

from workbench.errors import UsageError
from workbench.inference.chains import Record
from workbench.inference.solution import Solution, Status
from workbench.network.ground_network import GroundNetwork

__all__ = ["answer", "no_legal_state", "refuse"]

AGREED = 1.1
"""Largest R-hat at which chains count as agreeing."""


def answer(record: Record, engine: str, chains: int, wanted: int) -> Solution:
    """Marginals from what the chains saw: `CONVERGED` when they agree, `FEASIBLE` when not, `LIMIT` when cut short."""
    figures = record.diagnostics() | {"chains": chains}
    worst = figures["r_hat"]
    if record.stopped == "cancelled":
        status, reason = Status.CANCELLED, f"cancelled after {record.samples} samples"
    elif record.stopped == "limit":
        status, reason = Status.LIMIT, f"the time limit was reached after {record.samples} of {wanted} samples"
    elif isinstance(worst, float) and worst <= AGREED:
        status, reason = Status.CONVERGED, f"{record.samples} samples, R-hat at most {worst:.3f}"
    else:
        status, reason = Status.FEASIBLE, f"{record.samples} samples, but chains disagree: R-hat up to {worst:.3f}"
    return Solution(status, record.soft, np.nan, np.nan, 0.0, engine, reason, diagnostics=figures)


def no_legal_state(network: GroundNetwork, engine: str) -> Solution:
    """The answer where no state that keeps the hard rows was found, though none was proven impossible."""
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
