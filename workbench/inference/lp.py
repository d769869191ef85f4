"""MAP by linear relaxation and rounding, with the relaxation's bound as the certificate."""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import monotonic
from typing import ClassVar, Literal

import numpy as np

from workbench.arrays import Float
from workbench.inference.accepts import RELAXABLE, Accepts, Trait
from workbench.inference.conflict import smallest_conflict
from workbench.inference.linear_program import LinearAnswer
from workbench.inference.maxwalksat import MaxWalkSAT
from workbench.inference.relaxation import RelaxationSolver, better, is_proven, solve_relaxation
from workbench.inference.roof_duality import has_roof_dual
from workbench.inference.rounding import round_state
from workbench.inference.solution import Engine, Solution, Status, infeasible
from workbench.network.energy import hard_violation, reported_energy
from workbench.network.ground_network import Domain, GroundNetwork
from workbench.network.relax import priced, relax
from workbench.progress import Conduct, remaining


@dataclass(frozen=True)
class LinearRelaxation(Engine):
    """The relaxation of Huynh & Mooney (2009), rounded by their modified ROUNDUP.

    Parameters
    ----------
    solver : {'auto', 'flow', 'highs', 'simplex', 'ipm', 'pdhg'}
        See `solve_relaxation`.
    rounding : {'roundup', 'conditional', 'best', 'none'}
        Of atoms that are 0 or 1; roundup by default, and `best` takes the better of the two.
        `none`, soft logic's reading and its only one, returns the relaxed state itself, which
        `auto` then solves exactly whatever its size.
    tolerance : float
        Relative gap of the first-order solver.
    polish : bool
        Improve the rounded state by MaxWalkSAT where it leaves a gap.
    """

    name: ClassVar[str] = "lp"
    task: ClassVar[Literal["map", "marginal"]] = "map"
    accepts: ClassVar[Accepts] = Accepts(
        {Domain.BOOLEAN: RELAXABLE, Domain.UNIT: RELAXABLE | {Trait.SUMS}},
        bound=True,
        suits="networks too large for `ilp`; soft logic without `^2`, exactly",
    )

    solver: RelaxationSolver = "auto"
    rounding: Literal["roundup", "conditional", "best", "none"] | None = None
    tolerance: float = 1e-6
    polish: bool = False

    def declines(self, network: GroundNetwork, weights: Float) -> str | None:
        """Also rounding in soft logic; what is not rounded is taken as soft logic is."""
        unit = replace(network, domain=Domain.UNIT) if self.rounding == "none" else network
        if unit.domain is Domain.UNIT and self.rounding not in (None, "none"):
            return (
                "rounding gives states of true and false, and soft logic has truth values "
                "between them"
            )
        return super().declines(unit, weights)

    def infer(
        self, network: GroundNetwork, weights: Float, conduct: Conduct, start: Float | None = None
    ) -> Solution:
        """A 0/1 state and the relaxation's bound; MaxWalkSAT repairs a rounding's dead end."""
        began, given = monotonic(), network
        network, weights = priced(network, weights)
        problem = relax(network, weights)
        size = f"{problem.n} variables, {problem.n_hinges} hinges"
        conduct.progress.report("relaxation", 0, None, size)
        warm = None if start is None else problem.reduce(start)
        solver = self.solver
        rounding = self.rounding or ("none" if network.domain is Domain.UNIT else "roundup")
        if solver == "auto" and rounding == "none" and not has_roof_dual(problem):
            solver = "highs"
        answer = solve_relaxation(problem, solver, conduct, start=warm, tolerance=self.tolerance)
        if answer.status == "infeasible":
            return infeasible(self.name, network, smallest_conflict(network, conduct=conduct))
        relaxed = problem.lift(answer.x)
        diagnostics: dict[str, object] = {
            "relaxed_energy": answer.objective,
            "relaxation": answer.status,
            "iterations": answer.iterations,
            "relaxed": relaxed,
            "fractional": int(np.count_nonzero((relaxed > 1e-6) & (relaxed < 1 - 1e-6))),
        }
        if rounding == "none":
            network = replace(network, domain=Domain.UNIT)
            values, repaired = relaxed, False
        else:
            conduct.offer(given, lambda: (np.rint(relaxed), answer.bound))
            values, repaired = self._round(network, weights, relaxed, rounding, conduct)
            conduct.offer(given, lambda: (values, answer.bound))
            if self.polish and reported_energy(
                network, weights, values
            ) > answer.bound + 1e-9 * abs(answer.bound):
                values = local_search(network, weights, values, conduct)
        diagnostics["repaired"] = repaired
        diagnostics["seconds"] = monotonic() - began
        return _judge(self.name, network, weights, values, answer, diagnostics, conduct)

    def _round(
        self,
        network: GroundNetwork,
        weights: Float,
        relaxed: Float,
        rounding: Literal["roundup", "conditional", "best"],
        conduct: Conduct,
    ) -> tuple[Float, bool]:
        methods: tuple[Literal["roundup", "conditional"], ...] = (
            ("roundup", "conditional") if rounding == "best" else (rounding,)
        )
        states = [
            round_state(network, weights, relaxed, method=method, conduct=conduct)
            for method in methods
        ]
        values = states[0]
        for other in states[1:]:
            values = better(network, weights, values, other)
        if hard_violation(network, values) == 0.0:
            return values, False
        repaired = local_search(network, weights, values, conduct)
        return better(network, weights, repaired, values), True


def local_search(
    network: GroundNetwork,
    weights: Float,
    start: Float,
    conduct: Conduct,
    flips: int | None = None,
) -> Float:
    """The best state that MaxWalkSAT meets, `start` among them; none where time is up already."""
    if conduct.over:
        return start
    found = MaxWalkSAT(flips=flips).infer(network, weights, conduct, start).values
    return better(network, weights, start, found)


def _judge(
    engine: str,
    network: GroundNetwork,
    weights: Float,
    values: Float,
    answer: LinearAnswer,
    diagnostics: dict[str, object],
    conduct: Conduct,
) -> Solution:
    """The solution with its honest status."""
    energy = reported_energy(network, weights, values)
    boolean = network.domain is Domain.BOOLEAN
    violation = hard_violation(network, values)
    scale = network.total_weight(weights)
    feasible = violation == 0.0 if boolean else violation <= 1e-6
    bound = min(answer.bound, energy) if feasible else answer.bound
    proven = feasible and is_proven(energy, answer.bound, scale)
    if proven:
        status, reason = Status.OPTIMAL, "the state's energy equals the relaxation's bound"
    elif conduct.progress.cancelled:
        status, reason = Status.CANCELLED, "cancelled; the bound holds"
    elif answer.status == "limit" and (conduct.expired or remaining(conduct.deadline) <= 0.0):
        status, reason = Status.LIMIT, "time ran out before the relaxation was solved"
    elif not feasible:
        met = (
            "rounding met a dead end and repair left"
            if boolean
            else "the linear program's tolerance leaves"
        )
        status = Status.LIMIT if boolean else Status.FEASIBLE
        reason = f"{met} hard rows violated"
    elif not boolean:
        status, reason = Status.FEASIBLE, "the relaxation was solved to its tolerance only"
    else:
        status, reason = Status.FEASIBLE, "rounded from the relaxation, whose bound leaves a gap"
    return Solution(
        status, values, energy, bound, violation, engine, reason, diagnostics=diagnostics
    )
