"""Exact MAP as weighted partial MaxSAT, by the core-guided RC2 of the package python-sat."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Event
from typing import ClassVar

import numpy as np

from workbench.inference.accepts import RELAXABLE, Accepts, Trait
from workbench.inference.clause_search import ClauseProblem, ClauseSearch, Found, searched_elsewhere
from workbench.network.ground_network import Domain
from workbench.progress import Conduct, after, remaining

AT_ONCE = 200
"""Clauses of the largest component searched in this process: RC2 may not hear us beyond."""


@dataclass(frozen=True)
class MaxSat(ClauseSearch):
    """Weighted partial MaxSAT, component by component: a clause of negative weight is a reward for
    all its literals being false; blocks are cardinality clauses.

    RC2 relaxes one unsatisfiable core after another, so that its cost is a lower bound all along.
    It suits networks with many hard clauses and few distinct weights; many real weights give it
    many small cores.

    Parameters
    ----------
    resolution : float
        RC2 counts in integers: weights are rounded to this share of the largest. The bound allows
        for the rounding.
    solver : str
        python-sat's name of the SAT solver.

    References
    ----------
    Ignatiev, Morgado & Marques-Silva 2019, RC2: an efficient MaxSAT solver.
    """

    name: ClassVar[str] = "rc2"
    accepts: ClassVar[Accepts] = Accepts(
        {Domain.BOOLEAN: RELAXABLE - {Trait.HARD_SUMS}},
        bound=True,
        requires=("pysat",),
        extra="maxsat",
        suits="many hard clauses, few distinct weights",
    )

    resolution: float = 1e-10
    solver: str = "g3"

    def search(self, problem: ClauseProblem, whole: list[int], conduct: Conduct) -> Found:
        """The atoms' best values, RC2's cost so far, and whether it was interrupted."""
        seconds = remaining(conduct.deadline)
        if len(problem.hard) + len(problem.soft) <= AT_ONCE:
            return _search(problem, whole, seconds, self.solver)
        return searched_elsewhere(conduct, _search, problem, whole, seconds, self.solver)


def _search(problem: ClauseProblem, whole: list[int], seconds: float, solver: str) -> Found:
    from pysat.examples.rc2 import RC2, RC2Stratified
    from pysat.formula import WCNF

    formula = WCNF()
    for clause in problem.hard:
        formula.append(clause)
    for (clause, _), weight in zip(problem.soft, whole):
        formula.append(clause, weight=weight)
    search = RC2Stratified if problem.soft else RC2
    stopped = Event()
    with search(formula, solver=solver, adapt=True, exhaust=True, minz=True) as rc2:

        def stop() -> None:
            stopped.set()
            rc2.interrupt()

        with after(seconds, stop):
            model = rc2.compute(expect_interrupt=True)
        cost, interrupted = int(rc2.cost), stopped.is_set()
    if model is None:
        return None, cost, interrupted
    true = np.zeros(problem.atoms.size)
    for literal in model:
        if 0 < literal <= problem.atoms.size:
            true[literal - 1] = 1.0
    return true, cost, False
