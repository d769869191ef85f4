"""Exact MAP: relax, keep what the relaxation settles, search open components with HiGHS."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from time import monotonic
from typing import ClassVar, Literal

import numpy as np

from workbench.arrays import Bool, Float
from workbench.errors import Cancelled
from workbench.inference.accepts import RELAXABLE, Accepts
from workbench.inference.aggregation import aggregate
from workbench.inference.cliques import count_cliques
from workbench.inference.conflict import smallest_conflict
from workbench.inference.linear_program import LinearAnswer, nothing, solve_highs
from workbench.inference.lp import local_search
from workbench.inference.parts import restrict, split
from workbench.inference.relaxation import better, is_proven, solve_relaxation
from workbench.inference.roof_duality import has_roof_dual
from workbench.inference.rounding import round_state
from workbench.inference.solution import Engine, Solution, Status, infeasible
from workbench.network.energy import hard_violation, reported_energy
from workbench.network.ground_network import Domain, GroundNetwork
from workbench.network.hinge_problem import HingeProblem
from workbench.network.part import Part
from workbench.network.relax import priced, relax
from workbench.parameters import Count
from workbench.progress import Conduct

MANY = 20_000
"""Hinges from which on `auto` merges rows: below, the weaker relaxation costs more."""

RELAXING = 3 / 4
"""Of the time, what the relaxation may take: a state rounded from one cut short is poor."""

LONG = 2_000_000
"""Steps of local search from a state that stays unproven: a small part of a search's time."""


@dataclass(frozen=True)
class IntegerProgram(Engine):
    """The integer program of Huynh & Mooney (2009), component by component.

    The relaxation goes first. With at most two literals a clause, its integral atoms keep their
    values in some optimum (persistency) and leave the program. Pairs that form cliques are then
    counted (`count_cliques`); components whose rounded state meets the bound are done; HiGHS's
    branch and cut searches the others, warm-started, several at a time.

    Parameters
    ----------
    relative_gap : float
        Where the search may stop, relative to a component's energy; 0 asks for proof.
    max_nodes : int, optional
        Nodes of branch and cut that each component may take.
    workers : int
        Components solved at a time.
    aggregate : {'auto', 'always', 'never'}
        Merge rows alike up to one literal into rows that count, before the search: fewer rows, a
        weaker relaxation inside the search. `auto`: where that leaves at most a twentieth of very
        many rows.
    polish : bool
        Improve the warm start by MaxWalkSAT where the relaxation leaves a gap, and at last a state
        that is not proven: rounding alone is weak on frustrated networks.
    """

    name: ClassVar[str] = "ilp"
    task: ClassVar[Literal["map", "marginal"]] = "map"
    accepts: ClassVar[Accepts] = Accepts(
        {Domain.BOOLEAN: RELAXABLE},
        bound=True,
        suits="a proven optimum; `auto`'s choice for smaller networks",
    )

    relative_gap: float = 0.0
    max_nodes: int | None = None
    workers: Count = 2
    aggregate: Literal["auto", "always", "never"] = "auto"
    polish: bool = True

    def infer(
        self, network: GroundNetwork, weights: Float, conduct: Conduct, start: Float | None = None
    ) -> Solution:
        """A state of least energy with proof, or the best found with a bound when time runs out."""
        began, given = monotonic(), network
        network, weights = priced(network, weights)
        problem = relax(network, weights)
        scale = float(problem.weight.sum() + np.abs(problem.cost).sum())
        if not has_roof_dual(problem):
            problem = count_cliques(problem, conduct)
        settled = self._settle(problem, conduct.within(RELAXING))
        if settled is None:
            return infeasible(self.name, network, smallest_conflict(network, conduct=conduct))
        fixed, x, bound, relaxation = settled
        bound = max(bound, _trivial_bound(problem))
        best = round_state(network, weights, problem.lift(x), conduct=conduct)
        best = best if start is None else better(network, weights, best, start)
        conduct.offer(given, lambda: (best, bound))

        def proven(state: Float) -> bool:
            energy = reported_energy(network, weights, state)
            return hard_violation(network, state) == 0.0 and is_proven(energy, bound, scale)

        if self.polish and not proven(best):
            best = local_search(network, weights, best, conduct)
        left = restrict(problem, fixed, x)
        parts = split(left.problem)
        warm = problem.reduce(best)
        solved, bounds, programs = self._search(parts, left, warm, conduct)
        if solved is None:
            return infeasible(self.name, network, smallest_conflict(network, conduct=conduct))
        state = better(network, weights, np.round(problem.lift(left.lift(solved, x))), best)
        bound = max(bound, left.problem.constant + bounds)
        if self.polish and not proven(state):
            state = local_search(network, weights, state, conduct, LONG)
        energy, violation = reported_energy(network, weights, state), hard_violation(network, state)
        diagnostics: dict[str, object] = {
            "relaxation": relaxation,
            "settled_atoms": int(np.count_nonzero(fixed)),
            "programs": programs,
            "seconds": monotonic() - began,
        }
        status, reason = _ending(proven(state), programs, conduct)
        bound = min(bound, energy) if violation == 0.0 else bound
        return Solution(
            status, state, energy, bound, violation, self.name, reason, diagnostics=diagnostics
        )

    def _settle(
        self, problem: HingeProblem, conduct: Conduct
    ) -> tuple[Bool, Float, float, str] | None:
        """Solve the relaxation: variables it fixes, where, and its bound; None if infeasible."""
        answer = solve_relaxation(problem, conduct=conduct)
        if answer.status == "infeasible":
            return None
        fixed = np.zeros(problem.n, np.bool_)
        if has_roof_dual(problem):
            fixed = answer.x != 0.5
        return fixed, answer.x, answer.bound, answer.status

    def _search(
        self,
        parts: list[Part[HingeProblem]],
        left: Part[HingeProblem],
        warm: Float,
        conduct: Conduct,
    ) -> tuple[Float | None, float, int]:
        """Solve every part: the left variables' best point, summed bound, how many searched."""
        solved = left.reduce(warm)
        total, searched = 0.0, 0
        jobs: list[tuple[Part[HingeProblem], Callable[[], LinearAnswer]]] = []
        for part in parts:
            start = part.problem.lift(part.reduce(solved))
            jobs.append((part, partial(self._search_part, part.problem, start, conduct)))
        with ThreadPoolExecutor(max_workers=max(1, self.workers)) as pool:
            futures = [(part, pool.submit(job)) for part, job in jobs]
            for done, (part, future) in enumerate(futures):
                try:
                    conduct.progress.step("integer programs", done, len(futures))
                except Cancelled:
                    for _, waiting in futures:
                        waiting.cancel()
                    return solved, -float("inf"), searched
                answer = future.result()
                if answer.status == "infeasible":
                    return None, 0.0, searched
                searched += answer.iterations >= 0
                total += answer.bound
                here = part.problem.energy(part.reduce(solved))
                feasible = part.problem.violation(part.reduce(solved)) <= 1e-9
                if np.isfinite(answer.objective) and (not feasible or answer.objective < here):
                    solved[part.variables] = answer.x[: part.variables.size]
        return solved, total, searched

    def _search_part(self, problem: HingeProblem, start: Float, conduct: Conduct) -> LinearAnswer:
        """One part: its relaxation first, the integer search only where that leaves a gap."""
        if conduct.expired or conduct.progress.cancelled:
            return replace(nothing(problem), bound=_trivial_bound(problem))
        problem = count_cliques(problem, conduct)
        x = problem.reduce(start)
        here, feasible = problem.energy(x), problem.violation(x) <= 1e-9
        relaxed = solve_relaxation(problem, conduct=conduct)
        if relaxed.status == "infeasible":
            return relaxed
        scale = float(problem.weight.sum() + np.abs(problem.cost).sum())
        if feasible and is_proven(here, relaxed.bound, scale):
            return LinearAnswer("optimal", x, here, relaxed.bound, -1)
        integral = np.all(problem.lift(np.minimum(relaxed.x, 1.0 - relaxed.x)) <= 1e-9)
        if integral and relaxed.status == "optimal":
            whole = problem.reduce(np.round(problem.lift(relaxed.x)))
            if problem.violation(whole) <= 1e-9 and is_proven(
                problem.energy(whole), relaxed.bound, scale
            ):
                return LinearAnswer("optimal", whole, problem.energy(whole), relaxed.bound, -1)
        answer = solve_highs(
            self._aggregated(problem),
            integer=True,
            start=start if feasible else None,
            conduct=conduct,
            relative_gap=self.relative_gap,
            max_nodes=self.max_nodes,
        )
        return replace(answer, bound=max(answer.bound, relaxed.bound))

    def _aggregated(self, problem: HingeProblem) -> HingeProblem:
        """The problem that the search is given: with counting rows where they are wanted."""
        if self.aggregate == "never" or (self.aggregate == "auto" and problem.n_hinges < MANY):
            return problem
        counting = aggregate(problem)
        few = 20 * counting.n_hinges <= problem.n_hinges
        return counting if few or self.aggregate == "always" else problem


def _trivial_bound(problem: HingeProblem) -> float:
    """What no state goes below: every variable at its cheaper end, no hinge paid."""
    return problem.constant + float(np.minimum(problem.cost, 0.0).sum())


def _ending(proven: bool, programs: int, conduct: Conduct) -> tuple[Status, str]:
    """How a search ended, and why, in words."""
    if proven and programs:
        return Status.OPTIMAL, f"branch and cut proved it, {programs} programs searched"
    if proven:
        return Status.OPTIMAL, "the relaxation proves it"
    if conduct.progress.cancelled:
        return Status.CANCELLED, "cancelled; the bound holds"
    if conduct.expired:
        return Status.LIMIT, "time ran out before every component was proven"
    return Status.FEASIBLE, "stopped within the relative gap or the nodes asked for"
