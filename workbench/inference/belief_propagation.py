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
from workbench.network.ground_network import AT_MOST_ONE, Domain, GroundNetwork, Relation
from workbench.network.layout import Layout, lay_out
from workbench.progress import Conduct

CERTAIN = 500.0
"""Log-odds that stand for a forced atom, beyond those that weights come to."""


@dataclass(frozen=True)
class BeliefPropagation(Engine):
    """Sum-product messages (Kschischang, Frey and Loeliger 2001), until they settle.

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
        course = _Course.of(layout, self.damping)
        status, reason = self._settle(course, conduct)
        unsure = status in (Status.CONVERGED, Status.LIMIT) and not conduct.expired
        if unsure and legal_state(network, weights, conduct.quiet, low=False) is None:
            verdict = no_legal_state(network, self.name, conduct)
            if verdict.status == Status.INFEASIBLE:
                return verdict
            status, reason = Status.LIMIT, f"{reason}; no state that keeps all hard rows was found"
        residuals, damping = course.residuals, course.damping
        return Solution(
            status,
            layout.lift(course.probability()),
            np.nan,
            np.nan,
            0.0,
            self.name,
            reason,
            trace={"residual": np.array(residuals)},
            diagnostics={"rounds": len(residuals), "forest": course.forest, "damping": damping},
        )

    def _settle(self, course: _Course, conduct: Conduct) -> tuple[Status, str]:
        """Send messages until they settle, more of the old ones kept where they do not."""
        reason = f"messages had not settled after {self.iterations} rounds"
        best, since = np.inf, 0
        try:
            for iteration in range(self.iterations):
                conduct.progress.step("bp", iteration, self.iterations)
                if conduct.expired:
                    reason = "the time limit was reached"
                    break
                residual = course.round()
                if residual < self.tolerance:
                    status, graph = Status.CONVERGED, "messages settled on a graph with loops"
                    if course.forest:
                        status, graph = Status.EXACT, "the factor graph is a forest"
                    return status, f"{graph}, {iteration + 1} rounds"
                damping = course.damping
                if residual < best / 2:
                    best, since = residual, iteration
                elif not course.forest and (iteration - since) * (1.0 - damping) >= self.patience:
                    course.damping = min(0.99, (1.0 + damping) / 2)
                    best, since = residual, iteration
        except Cancelled:
            return Status.CANCELLED, "cancelled"
        if course.residuals:
            last = course.residuals[-1]
            reason += f"; the last round would have changed one by {last:.2g} in log-odds"
        return Status.LIMIT, reason


@dataclass
class _Course:
    """Beliefs and messages of a layout's factors, round after round."""

    layout: Layout
    forest: bool
    damping: float
    certain: float
    weight: Float
    belief: Float
    messages: Float
    block_messages: Float
    residuals: list[float]

    @classmethod
    def of(cls, layout: Layout, damping: float) -> _Course:
        edges = layout.row_atom.size + layout.block_atom.size
        factors = layout.n_rows + layout.block_kind.size
        forest = edges == layout.n_atoms + factors - layout.n_components
        soft = np.abs(np.append(layout.field, layout.weight[layout.kind != Relation.AT_MOST]))
        # Around a loop, messages that hard rows drive climb up to it, so it is no farther than one
        # weight needs.
        certain = CERTAIN + float(soft.sum() if forest else soft.max(initial=0.0))
        return cls(
            layout,
            forest,
            0.0 if forest else damping,
            certain,
            weight=np.where(layout.kind == Relation.AT_MOST, np.inf, layout.weight),
            belief=np.where(
                layout.fixed < 0, layout.field, np.where(layout.fixed == 1, certain, -certain)
            ),
            messages=np.zeros(layout.row_atom.size),
            block_messages=np.zeros(layout.block_atom.size),
            residuals=[],
        )

    def round(self) -> float:
        """Send all messages once; the residual."""
        steps = self.messages.size + self.block_messages.size + self.layout.n_atoms
        with interpreted(steps):
            how = (self.damping, self.certain)
            change = max(
                _send_of_rows(self.layout, self.weight, self.belief, self.messages, *how),
                _send_of_blocks(self.layout, self.belief, self.block_messages, *how),
            )
        self.residuals.append(change / (1.0 - self.damping))
        return self.residuals[-1]

    def probability(self) -> Float:
        fixed = self.layout.fixed
        free = 1.0 / (1.0 + np.exp(-np.clip(self.belief, -CERTAIN, CERTAIN)))
        return np.where(fixed >= 0, fixed, free)


@compiled
def _send_of_rows(
    layout: Layout,
    weight: Float,
    belief: Float,
    messages: Float,
    damping: float,
    certain: float,
) -> float:
    """Send each row's messages from the newest beliefs; the largest change."""
    row_ptr, row_atom, coefficient = layout.row_ptr, layout.row_atom, layout.row_coefficient
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
                if top > -certain
                else -certain
            )
            new = damping * messages[k] - (1.0 - damping) * sign * max(
                -certain, min(certain, against)
            )
            largest = max(largest, abs(new - messages[k]))
            belief[atom] += new - messages[k]
            messages[k] = new
    return largest


@compiled
def _send_of_blocks(
    layout: Layout, belief: Float, block_messages: Float, damping: float, certain: float
) -> float:
    """Send each block's messages from the newest beliefs; the largest change."""
    block_ptr, block_atom = layout.block_ptr, layout.block_atom
    largest = 0.0
    for block in range(layout.block_kind.size):
        none = 0.0 if layout.block_kind[block] == AT_MOST_ONE else -np.inf
        for k in range(block_ptr[block], block_ptr[block + 1]):
            atom = block_atom[k]
            top = none
            for other in range(block_ptr[block], block_ptr[block + 1]):
                if other != k:
                    top = max(top, belief[block_atom[other]] - block_messages[other])
            others = np.exp(none - top) if top > -np.inf else 0.0
            for other in range(block_ptr[block], block_ptr[block + 1]):
                if other != k:
                    others += np.exp(belief[block_atom[other]] - block_messages[other] - top)
            odds = -(top + np.log(others)) if others > 0.0 else certain
            odds = max(-certain, min(certain, odds))
            new = damping * block_messages[k] + (1.0 - damping) * odds
            largest = max(largest, abs(new - block_messages[k]))
            belief[atom] += new - block_messages[k]
            block_messages[k] = new
    return largest


@compiled
def _log_false(odds: float) -> float:
    """log(1 - p) of log-odds."""
    return float(-odds - np.log1p(np.exp(-odds)) if odds > 0.0 else -np.log1p(np.exp(odds)))
