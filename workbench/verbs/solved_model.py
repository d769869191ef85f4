"""What was found of a graphical model or of weighted clauses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from workbench.arrays import Float, Int64
from workbench.inference import Status

ModelTask = Literal["map", "marginal", "pr"]


@dataclass(frozen=True)
class SolvedModel:
    """An answer about a model.

    Attributes
    ----------
    task : {'map', 'marginal', 'pr'}
    status : Status
        `infeasible` where no state has a probability above 0, or keeps all hard clauses.
    seconds : float
        On the wall, reading included.
    log10_z : float or None
        Of the product's sum over all states that agree with the evidence; None where it was not
        computed.
    map_log10 : float or None
        Of the product at the state found.
    cost : float or None
        In place of `map_log10` for weighted clauses: the weight of the clauses that the state
        violates.
    bound : float or None
        What no state exceeds (`map_log10`) or stays below (`cost`), proven.
    gap : float or None
        `|bound - value| / max(|value|, 1e-9)`.
    chosen : int64 array, shape (n_variables,), or None
        The state of each variable (`map`).
    probabilities : list of float64 arrays, or None
        Of each state of each variable (`marginal`).
    run_id : int or None
        The run that it is recorded as.
    """

    task: ModelTask
    status: Status
    engine: str
    reason: str
    seconds: float
    log10_z: float | None = None
    map_log10: float | None = None
    cost: float | None = None
    bound: float | None = None
    gap: float | None = None
    chosen: Int64 | None = None
    probabilities: list[Float] | None = None
    run_id: int | None = None

    def rows(self) -> list[tuple[int, int, float]]:
        """`(variable, state, value)`: a variable's state with 1, or all with probabilities."""
        if self.chosen is not None:
            return [(variable, state, 1.0) for variable, state in enumerate(self.chosen.tolist())]
        found = self.probabilities or []
        return [
            (variable, state, value)
            for variable, one in enumerate(found)
            for state, value in enumerate(one.tolist())
        ]
