"""Exact MAP as a cost function network, by branch and bound of the package pytoulbar2."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, isfinite
from time import monotonic
from typing import Any, ClassVar

import numpy as np

from workbench.inference.accepts import RELAXABLE, Accepts, Trait
from workbench.inference.clause_search import ClauseProblem, ClauseSearch, Found, searched_elsewhere
from workbench.network.ground_network import Domain
from workbench.progress import Conduct, remaining

MARGIN = 0.05
"""Seconds before its time is up from which on a search is not taken to have come to its end."""


@dataclass(frozen=True)
class Toulbar2(ClauseSearch):
    """Branch and bound with soft arc consistency, by component; a clause costs one tuple.

    Parameters
    ----------
    resolution : float
        Costs are counted in integers: weights are rounded to this share of the largest. The bound
        allows for it.

    References
    ----------
    Hurley et al. 2016, "Multi-language evaluation of exact solvers in graphical model discrete
    optimization"; Cooper et al. 2010, "Soft arc consistency revisited".
    """

    name: ClassVar[str] = "toulbar2"
    accepts: ClassVar[Accepts] = Accepts(
        {Domain.BOOLEAN: RELAXABLE - {Trait.HARD_SUMS}},
        bound=True,
        requires=("pytoulbar2",),
        extra="toulbar2",
        suits="clauses over few atoms each, many real weights; a second opinion",
    )

    resolution: float = 1e-12

    def search(self, problem: ClauseProblem, whole: list[int], conduct: Conduct) -> Found:
        """Best values of the atoms, their cost, whether time ran out; in another process."""
        return searched_elsewhere(conduct, _search, problem, whole, remaining(conduct.deadline))


def _search(problem: ClauseProblem, whole: list[int], seconds: float) -> Found:
    import pytoulbar2

    top = sum(whole) + 1
    network = pytoulbar2.CFN(top)
    clauses = [
        *((clause, top) for clause in problem.hard),
        *((one[0], cost) for one, cost in zip(problem.soft, whole)),
    ]
    last = max((abs(literal) for clause, _ in clauses for literal in clause), default=0)
    for variable in range(max(last, problem.atoms.size)):
        network.AddVariable(f"v{variable}", [0, 1])
    for clause, cost in clauses:
        _add(network, clause, cost)
    limit, began = max(1, ceil(seconds)) if isfinite(seconds) else 0, monotonic()
    found = network.Solve(timeLimit=limit)
    # It does not say why it stopped; a search that ended before its time was up is complete.
    cut_short = limit > 0 and monotonic() - began >= limit - MARGIN
    bound = max(0, round(network.GetDDualBound())) if cut_short else 0
    if found is None:
        return None, bound, cut_short
    cost = round(found[1])
    return (
        np.array(found[0][: problem.atoms.size], np.float64),
        min(bound, cost) if cut_short else cost,
        cut_short,
    )


def _add(network: Any, clause: list[int], cost: int) -> None:
    """A clause costs where all its literals are false; a tautology costs nowhere."""
    false = {abs(literal) - 1: int(literal < 0) for literal in clause}
    if all(false[abs(literal) - 1] == int(literal < 0) for literal in clause):
        network.AddCompactFunction(list(false), 0, [list(false.values())], [cost])
