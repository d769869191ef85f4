"""What max-margin training is told: a value, below all that reads it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from workbench.arrays import Float
from workbench.inference.convex_choice import convex_engine
from workbench.inference.lp import LinearRelaxation
from workbench.inference.solution import Engine
from workbench.learning.margin_losses import LossKind
from workbench.learning.training import named_engine
from workbench.network.ground_network import Domain, GroundNetwork
from workbench.parameters import Count, Positive


@dataclass(frozen=True)
class MarginSettings:
    """How cutting planes minimise `w.w / 2 + C slack`.

    Parameters
    ----------
    penalty : float
        C.
    loss : {'hamming', '0/1', 'f1'}
        The number of wrong scored atoms, 1 for any wrong state, or 1 - F1 of each database's scored
        atoms.
    slacks : {'one', 'worlds'}
        One slack, or one for each training database (the same optimum with other cuts).
    examples : {'together', 'worlds'}
        One example, or sums over n: C is then divided by the number of databases.
    engine : Engine, str or None
        The separation oracle, also by name; `LinearRelaxation()` by default, for soft logic a
        convex engine that suits.
    cuts : {'auto', 'rounded', 'fractional'}
        Constraints of rounded states, of the relaxation's optima, or rounded ones while they are
        violated and then, in turn, a local search, the relaxation's optimum and `exact`.
    exact : Engine, str or None
        The last resort of `auto`, such as `ilp`.
    epsilon : float
        Violation beyond the slack that counts as none, in loss units.
    relative_epsilon : float
        The same, relative to the slack; the larger of the two holds.
    relative_gap : float
        Also stop where the best weights' objective is within this share of the program's bound.
    stabilisation : float
        In (0, 1]. The oracle is asked at the best weights so far, moved that far towards the
        program's optimum; 1 is the paper's Algorithm 1, smaller values need far fewer cuts (Franc &
        Sonnenburg 2009).
    workers : int
        Databases separated at a time.
    cached : int
        Cuts kept of each database to be tried, in new combinations, before the oracle; 0 for none.
    nonnegative : bool
        Demand `w >= 0`; soft logic does in any case.
    scale_by_groundings : bool
        Measure weights per grounding in the norm, so that frequent rules are not favoured.
    tolerance : float
        Relative gap of the states of soft logic's default oracle.
    """

    penalty: Positive = 1.0
    loss: LossKind = "hamming"
    slacks: Literal["one", "worlds"] = "one"
    examples: Literal["together", "worlds"] = "together"
    engine: Engine | str | None = None
    cuts: Literal["auto", "rounded", "fractional"] = "auto"
    exact: Engine | str | None = None
    epsilon: float = 1e-3
    relative_epsilon: float = 0.0
    relative_gap: float = 0.0
    stabilisation: float = 0.3
    max_iterations: int = 2000
    workers: Count = 2
    cached: int = 10
    nonnegative: bool = False
    scale_by_groundings: bool = False
    tolerance: float = 1e-3

    def oracle(self, network: GroundNetwork, weights: Float) -> Engine:
        """The separation oracle for a network at some weights."""
        given = named_engine(self.engine)
        if given is not None:
            return given
        if network.domain is Domain.UNIT:
            return convex_engine(network, weights, tolerance=self.tolerance)
        return LinearRelaxation()
