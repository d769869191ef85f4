"""MAP of clauses by component: what other packages' solvers search, what their answers prove."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from time import monotonic
from typing import Any, ClassVar

import numpy as np

from workbench.arrays import Float, Int32, Int64
from workbench.inference.accepts import Task
from workbench.inference.conflict import smallest_conflict
from workbench.inference.elsewhere import Stopped, elsewhere
from workbench.inference.lp import local_search
from workbench.inference.relaxation import better, is_proven
from workbench.inference.solution import Engine, Solution, Status, infeasible
from workbench.network.components import components
from workbench.network.energy import hard_violation, reported_energy, unit_offset
from workbench.network.ground_network import BlockKind, GroundNetwork
from workbench.progress import Conduct

MOST_UNITS = 2.0**60
"""Of all weights together: costs are added in 64-bit integers."""

Clauses = list[list[int]]
Soft = list[tuple[list[int], float]]


Found = tuple[Float | None, int, bool]
"""A component's best values, a bound on its cost in units, whether it was interrupted."""


def searched_elsewhere(conduct: Conduct, search: Callable[..., Found], *given: Any) -> Found:
    """A search in another process, which can be ended; nothing found where it was."""
    try:
        return elsewhere(conduct, search, *given)
    except Stopped:
        return None, 0, True


class ClauseSearch(Engine):
    """MAP by another package's solver, component by component; weights are counted in units of
    `resolution`, a share of the largest, and the bound allows for the rounding.
    """

    task: ClassVar[Task] = "map"
    resolution: float

    @abstractmethod
    def search(self, problem: ClauseProblem, whole: list[int], conduct: Conduct) -> Found:
        """Solve one component at soft weights in whole units; no values without an interruption:
        no state at all.
        """

    def infer(
        self, network: GroundNetwork, weights: Float, conduct: Conduct, start: Float | None = None
    ) -> Solution:
        """A state of least energy with proof; when time runs out, the best known and its bound."""
        began = monotonic()
        if (network.blocks.right < 0).any() or _starved(network):
            return infeasible(self.name, network, smallest_conflict(network, conduct=conduct))
        problems, offset, largest = _problems(network, weights)
        total = sum(weight for problem in problems for _, weight in problem.soft)
        unit = max(self.resolution * largest, total / MOST_UNITS) or 1.0
        values = np.zeros(network.n_atoms) if start is None else np.rint(start)
        bound, rounding, complete = offset, 0.0, True
        for number, problem in enumerate(problems):
            if conduct.progress.cancelled or conduct.expired:
                complete = False
                break
            conduct.progress.report(self.name, number, len(problems), f"bound {bound:.6g}")
            whole = [max(1, round(weight / unit)) for _, weight in problem.soft]
            rounding += sum(
                abs(weight - unit * count) for (_, weight), count in zip(problem.soft, whole)
            )
            model, cost, interrupted = self.search(problem, whole, conduct)
            if model is None and not interrupted:
                return infeasible(self.name, network, smallest_conflict(network, conduct=conduct))
            bound += unit * cost
            complete &= not interrupted
            if model is not None:
                values[problem.atoms] = model
        bound -= rounding
        if not complete:
            searched = local_search(network, weights, values, conduct)
            values = better(network, weights, searched, values)
        energy = reported_energy(network, weights, values)
        violation = hard_violation(network, values)
        scale = network.total_weight(weights)
        if violation == 0.0 and is_proven(energy, bound, scale):
            status, reason = Status.OPTIMAL, f"{self.name} proved it, {len(problems)} components"
        else:
            status, reason = _unproven(conduct, complete)
        found = {"components": len(problems), "rounding": rounding, "seconds": monotonic() - began}
        bound = min(bound, energy) if violation == 0.0 else bound
        return Solution(
            status, values, energy, bound, violation, self.name, reason, diagnostics=found
        )


def _unproven(conduct: Conduct, complete: bool) -> tuple[Status, str]:
    if conduct.progress.cancelled:
        return Status.CANCELLED, "cancelled; the bound holds"
    if not complete:
        return Status.LIMIT, "time ran out before every component was proven"
    return Status.FEASIBLE, "optimal but for the rounding of the weights"


@dataclass(frozen=True)
class ClauseProblem:
    """One component: variable k + 1 is atom `atoms[k]`; further variables are auxiliary."""

    atoms: Int64
    hard: Clauses
    soft: Soft


def _starved(network: GroundNetwork) -> bool:
    """Whether some block must have a true member and has none open."""
    blocks = network.blocks
    sizes = np.diff(blocks.members.indptr)
    return bool(np.any((blocks.kind == BlockKind.EXACTLY_ONE) & (blocks.right > sizes)))


def _problems(network: GroundNetwork, weights: Float) -> tuple[list[ClauseProblem], float, float]:
    """The components as clauses, what every state costs, and the largest weight."""
    effective = network.effective_weights(weights)
    parts = components(network, network.hard | (effective != 0.0))
    atom_order, atom_start = parts.atoms()
    place = np.empty(network.n_atoms, np.int64)
    place[atom_order] = np.arange(network.n_atoms) - atom_start[parts.of_atom[atom_order]]
    problems = [
        ClauseProblem(atom_order[first:last], [], []) for first, last in pairwise(atom_start)
    ]
    auxiliary = np.diff(atom_start)
    gain = np.asarray(network.unit @ weights, np.float64)
    offset = (
        float(weights @ network.constant)
        + unit_offset(network, weights)
        - float(np.maximum(gain, 0.0).sum())
    )
    for atom in np.flatnonzero(gain):
        literal = int(place[atom]) + 1
        problems[parts.of_atom[atom]].soft.append(
            ([literal if gain[atom] > 0 else -literal], abs(float(gain[atom])))
        )
    A = network.A
    literals = (np.where(A.data < 0, 1, -1) * (place[A.indices] + 1)).tolist()
    starts, hard = A.indptr.tolist(), network.hard
    for row in np.flatnonzero((hard | (effective != 0.0)) & (parts.of_row >= 0)).tolist():
        part = problems[parts.of_row[row]]
        clause, weight = literals[starts[row] : starts[row + 1]], float(effective[row])
        if hard[row]:
            part.hard.append(clause)
        elif weight > 0.0:
            part.soft.append((clause, weight))
        elif len(clause) == 1:
            part.soft.append(([-clause[0]], -weight))
        else:
            auxiliary[parts.of_row[row]] += 1
            all_false = int(auxiliary[parts.of_row[row]])
            part.hard.extend([-all_false, -literal] for literal in clause)
            part.soft.append(([all_false], -weight))
    _add_blocks(network, parts.of_block, place, problems)
    largest = max((weight for part in problems for _, weight in part.soft), default=0.0)
    return [part for part in problems if part.hard or part.soft], offset, largest


def _add_blocks(
    network: GroundNetwork, of_block: Int32, place: Int64, problems: list[ClauseProblem]
) -> None:
    blocks = network.blocks
    for block in range(blocks.n_blocks):
        members = (
            place[
                blocks.members.indices[
                    blocks.members.indptr[block] : blocks.members.indptr[block + 1]
                ]
            ]
            + 1
        )
        if not members.size:
            continue
        hard, literals = problems[of_block[block]].hard, members.tolist()
        if blocks.right[block] == 0:
            hard.extend([-literal] for literal in literals)
            continue
        if blocks.kind[block] == BlockKind.EXACTLY_ONE:
            hard.append(literals)
        hard.extend(
            [-one, -other] for index, one in enumerate(literals) for other in literals[:index]
        )
