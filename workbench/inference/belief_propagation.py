"""Loopy belief propagation on ground clauses, in log-odds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from workbench.arrays import Float
from workbench.errors import Cancelled
from workbench.inference.accepts import CLAUSES, Accepts
from workbench.inference.chains import legal_state
from workbench.inference.propagation import propagate
from workbench.inference.sampling import no_legal_state, refuse
from workbench.inference.solution import Engine, Solution, Status, infeasible
from workbench.network.compiled import compiled, interpreted
from workbench.network.ground_network import Domain, GroundNetwork, Relation
from workbench.network.layout import Layout, lay_out
from workbench.progress import Conduct

__all__ = ["BeliefPropagation"]

CERTAIN = 500.0
"""Log-odds that stand for a forced atom."""


@dataclass(frozen=True)
class BeliefPropagation(Engine):
    """The sum-product algorithm (Kschischang, Frey and Loeliger 2001), factor after factor, until
    messages settle.

    A clause's messages cost time linear in its literals, a block's in its members. Exact where the
    factor graph is a forest; an approximation otherwise, and then it may not settle.

    Parameters
    ----------
    damping : float
        Share of the old message that is kept at first, in [0, 1); 0 is used on forests.
    patience : int
        Where the residual was not halved in so many rounds, divided by the share of the old message
        that is not kept, that share is halved, down to 0.01.
    tolerance : float
        Residual that counts as settled: the largest change of a message before damping, in
        log-odds.
    """

    name: ClassVar[str] = "bp"
    task: ClassVar[Literal["map", "marginal"]] = "marginal"
    accepts: ClassVar[Accepts] = Accepts(
        {Domain.BOOLEAN: CLAUSES},
        suits="a quick approximation; exact on forests; says whether messages settled, and "
        "refuses hard rules that are found to contradict each other",
    )

    damping: float = 0.2
    patience: int = 10
    tolerance: float = 1e-5
    iterations: int = 1000

    def infer(
        self, network: GroundNetwork, weights: Float, conduct: Conduct, start: Float | None = None
    ) -> Solution:
        """Marginal probabilities: `EXACT` on forests, `CONVERGED` or `LIMIT` otherwise.

        Messages settle also where hard rows contradict each other around a loop, so on a graph with
        loops a state that keeps them all is searched for (from `seed`; `start` is not used), and
        what is not found is not `CONVERGED`.
        """
        refuse(self.declines(network, weights), self.name)
        layout = lay_out(network, weights, clauses=True)
        forced = propagate(layout, network)
        if forced.conflict is not None:
            return infeasible(self.name, network, forced.conflict, forced.conflict_blocks)
        layout = layout._replace(fixed=forced.fixed)
        edges = layout.row_atom.size + layout.block_atom.size
        forest = (
            edges == layout.n_atoms + layout.n_rows + layout.block_kind.size - layout.n_components
        )
        weight = np.where(layout.kind == Relation.AT_MOST, np.inf, layout.weight)
        belief = np.where(
            layout.fixed < 0, layout.field, np.where(layout.fixed == 1, CERTAIN, -CERTAIN)
        )
        messages, block_messages = np.zeros(layout.row_atom.size), np.zeros(layout.block_atom.size)
        trace: list[float] = []
        damping, best, since = 0.0 if forest else self.damping, np.inf, 0
        status, reason = Status.LIMIT, f"messages had not settled after {self.iterations} rounds"
        try:
            for iteration in range(self.iterations):
                conduct.progress.step("bp", iteration, self.iterations)
                if conduct.expired:
                    reason = "the time limit was reached"
                    break
                with interpreted(edges + layout.n_atoms):
                    change = _round(layout, weight, belief, messages, block_messages, damping)
                trace.append(change / (1.0 - damping))
                if trace[-1] < self.tolerance:
                    status = Status.EXACT if forest else Status.CONVERGED
                    kind = (
                        "the factor graph is a forest"
                        if forest
                        else "messages settled on a graph with loops"
                    )
                    reason = f"{kind}, {iteration + 1} rounds"
                    break
                if trace[-1] < best / 2:
                    best, since = trace[-1], iteration
                elif not forest and (iteration - since) * (1.0 - damping) >= self.patience:
                    damping, best, since = min(0.99, (1.0 + damping) / 2), trace[-1], iteration
        except Cancelled:
            status, reason = Status.CANCELLED, "cancelled"
        if status == Status.LIMIT and trace:
            reason += f"; the last round would have changed one by {trace[-1]:.2g} in log-odds"
        unsure = status in (Status.CONVERGED, Status.LIMIT) and not conduct.expired
        if unsure and legal_state(network, weights, conduct.quiet, low=False) is None:
            verdict = no_legal_state(network, self.name, conduct)
            if verdict.status == Status.INFEASIBLE:
                return verdict
            status, reason = Status.LIMIT, f"{reason}; no state that keeps all hard rows was found"
        probability = 1.0 / (1.0 + np.exp(-np.clip(belief, -CERTAIN, CERTAIN)))
        probability = np.where(layout.fixed >= 0, layout.fixed, probability)
        return Solution(
            status,
            layout.to_network(probability),
            np.nan,
            np.nan,
            0.0,
            self.name,
            reason,
            trace={"residual": np.array(trace)},
            diagnostics={"rounds": len(trace), "forest": forest, "damping": damping},
        )


@compiled
def _round(
    layout: Layout,
    weight: Float,
    belief: Float,
    messages: Float,
    block_messages: Float,
    damping: float,
) -> float:
    """Send all messages of every row and block once, from the newest beliefs;
    return the largest change.
    """
    row_ptr, row_atom, coefficient = layout.row_ptr, layout.row_atom, layout.row_coefficient
    block_ptr, block_atom = layout.block_ptr, layout.block_atom
    largest = 0.0
    for row in range(weight.size):
        if weight[row] == 0:
            continue
        # Log-probability that all literals are false, by what the other factors say of each.
        total = 0.0
        for k in range(row_ptr[row], row_ptr[row + 1]):
            sign = 1.0 if coefficient[k] < 0 else -1.0
            total += _log_false(sign * (belief[row_atom[k]] - messages[k]))
        for k in range(row_ptr[row], row_ptr[row + 1]):
            atom = row_atom[k]
            sign = 1.0 if coefficient[k] < 0 else -1.0
            rest = min(0.0, total - _log_false(sign * (belief[atom] - messages[k])))
            # Odds of the literal: 1 against 1 - Q + Q exp(-w), Q = exp(rest).
            hold = np.log(-np.expm1(rest)) if rest < 0.0 else -np.inf
            broken = rest - weight[row]
            top = max(hold, broken)
            against = (
                top + np.log(np.exp(hold - top) + np.exp(broken - top))
                if top > -CERTAIN
                else -CERTAIN
            )
            new = damping * messages[k] - (1.0 - damping) * sign * max(
                -CERTAIN, min(CERTAIN, against)
            )
            largest = max(largest, abs(new - messages[k]))
            belief[atom] += new - messages[k]
            messages[k] = new
    for block in range(layout.block_kind.size):
        top = -np.inf
        for k in range(block_ptr[block], block_ptr[block + 1]):
            top = max(top, belief[block_atom[k]] - block_messages[k])
        top = max(top, 0.0) if layout.block_kind[block] == 1 else top
        for k in range(block_ptr[block], block_ptr[block + 1]):
            atom = block_atom[k]
            others = np.exp(-top) if layout.block_kind[block] == 1 else 0.0
            for other in range(block_ptr[block], block_ptr[block + 1]):
                if other != k:
                    others += np.exp(belief[block_atom[other]] - block_messages[other] - top)
            odds = -(top + np.log(others)) if others > 0.0 else CERTAIN
            odds = max(-CERTAIN, min(CERTAIN, odds))
            new = damping * block_messages[k] + (1.0 - damping) * odds
            largest = max(largest, abs(new - block_messages[k]))
            belief[atom] += new - block_messages[k]
            block_messages[k] = new
    return largest


@compiled
def _log_false(odds: float) -> float:
    """log(1 - p) of log-odds."""
    return float(-odds - np.log1p(np.exp(-odds)) if odds > 0.0 else -np.log1p(np.exp(odds)))
