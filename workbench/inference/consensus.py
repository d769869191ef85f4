"""A convex component in blocks of rows that are solved apart and brought to agree,
with a bound that is the blocks' sum.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csr_array, vstack

from workbench.arrays import Float, Int64
from workbench.inference.solution import Engine
from workbench.network.energy import hard_violation, reported_energy
from workbench.network.ground_network import GroundNetwork
from workbench.network.growth import with_template

OVER = 1.6
"""Over-relaxation (Boyd et al. 2011, section 3.4.3)."""
Choose = Callable[[GroundNetwork, Float], Engine]
"""The engine for a block at its weights."""

APART = 4.0
"""Where one residual is so many times the other, the penalty is doubled or halved."""


@dataclass(frozen=True)
class BlockQuestion:
    """What a round asks of a block; arrays are over its atoms.

    Attributes
    ----------
    price : float64 array
        What being 1 costs beside the block's rows. Over all blocks an atom's prices sum to 0.
    centre : float64 array
        What its atoms are to be near; NaN for those that no other block has.
    start : float64 array
    """

    price: Float
    centre: Float
    start: Float


@dataclass(frozen=True)
class BlockAnswer:
    """What a block answers.

    Attributes
    ----------
    values : float64 array
        Least of rows, prices and the distance from the centre.
    bound : float
        Of rows and prices.
    energy, violation : float
        Of the rows alone, at the centre.
    """

    values: Float
    bound: float
    energy: float
    violation: float


def solve_block(
    network: GroundNetwork,
    weights: Float,
    choose: Choose,
    asked: BlockQuestion,
    penalty: float,
    deadline: float | None = None,
) -> BlockAnswer:
    """Solve a block twice: near the centre, and for its bound. NaN where it admits no state."""
    priced, prices = with_template(network, -asked.price, 0.0), np.append(weights, 1.0)
    near, costs = _near(priced, asked.centre), np.append(prices, penalty / 2.0)
    values = choose(near, costs).solve(near, costs, start=asked.start, deadline=deadline).values
    bound = choose(priced, prices).solve(priced, prices, start=values, deadline=deadline).bound
    here = np.where(np.isnan(asked.centre), asked.start, asked.centre)
    energy, violation = reported_energy(network, weights, here), hard_violation(network, here)
    return BlockAnswer(values, bound, energy, violation)


def _near(network: GroundNetwork, centre: Float) -> GroundNetwork:
    """The network with squared distances from the centre, under one more template."""
    network = with_template(network, np.zeros(network.n_atoms), 0.0)
    atoms = np.flatnonzero(~np.isnan(centre))
    n = atoms.size
    ends = np.arange(2 * n + 1)
    rows = csr_array(
        (np.repeat([1.0, -1.0], n), np.tile(atoms, 2), ends), shape=(2 * n, centre.size)
    )
    return replace(
        network,
        A=csr_array(vstack([network.A, rows], format="csr")),
        b=np.concatenate([network.b, -centre[atoms], centre[atoms]]),
        template=np.concatenate([network.template, np.full(2 * n, network.n_templates - 1)]).astype(
            np.int32
        ),
        scale=None if network.scale is None else np.concatenate([network.scale, np.ones(2 * n)]),
        relation=np.concatenate([network.relation, np.zeros(2 * n, np.int8)]),
        power=np.append(network.power[:-1], np.int8(2)),
    )


@dataclass(frozen=True)
class Agreed:
    """The best common state so far, its figures, and the best bound."""

    values: Float
    energy: float = np.inf
    violation: float = np.inf
    bound: float = -np.inf
    rounds: int = 0

    @property
    def gap(self) -> float:
        """As a solution's."""
        return (self.energy - self.bound) / max(abs(self.energy), 1e-9)

    def with_round(self, values: Float, told: list[BlockAnswer], allowed: float) -> Agreed:
        """After one more round, of which `values` were the centre."""
        energy = sum(one.energy for one in told)
        violation = max(one.violation for one in told)
        bound = max(self.bound, sum(one.bound for one in told))
        now = replace(self, bound=bound, rounds=self.rounds + 1)
        mine, other = (
            (max(v - allowed, 0.0), e)
            for v, e in ((violation, energy), (self.violation, self.energy))
        )
        return (
            replace(now, values=values, energy=energy, violation=violation) if mine < other else now
        )


class Consensus:
    """Rounds of the alternating direction method of multipliers between blocks.

    Prices sum to 0 over the blocks, so that the blocks' least energies at them sum to a lower bound
    on the whole's (Lagrangian duality). A round sends each block's prices and values, no rows.

    Parameters
    ----------
    members : sequence of int64 arrays
        The atoms of each block, ascending.
    n_atoms : int
        All of which are in some block.
    penalty : float
        Of a squared distance of 1, at first.
    allowed : float
        By how much hard rows may be broken at a state that counts as one.

    References
    ----------
    Boyd et al. 2011, "Distributed optimization and statistical learning via ADMM", section 7.2.
    """

    def __init__(
        self, members: Sequence[Int64], n_atoms: int, penalty: float, allowed: float
    ) -> None:
        self.members, self.penalty, self.allowed = members, penalty, allowed
        times = np.zeros(n_atoms)
        for atoms in members:
            times[atoms] += 1.0
        self.times = times
        self.shared = [times[atoms] > 1.0 for atoms in members]
        self.common = np.full(n_atoms, 0.5)
        self.own = [self.common[atoms] for atoms in members]
        self.prices = [np.zeros(atoms.size) for atoms in members]
        self.best = Agreed(self.common)

    def rounds(
        self, ask: Callable[[list[BlockQuestion], float], list[BlockAnswer]]
    ) -> Iterator[Agreed]:
        """Where the blocks stand after each round, without end; `ask` asks all of them at a
        penalty. Ends where a block admits no state.
        """
        while True:
            blocks = zip(self.members, self.prices, self.own, self.shared)
            asked = [
                BlockQuestion(price, np.where(shared, self.common[atoms], np.nan), start)
                for atoms, price, start, shared in blocks
            ]
            told = ask(asked, self.penalty)
            if any(np.isnan(one.values).any() for one in told):
                return
            self.best = self.best.with_round(self.common, told, self.allowed)
            yield self.best
            self._meet([one.values for one in told])

    def _meet(self, own: list[Float]) -> None:
        """Take what the blocks found: a new common state, and prices for what is apart."""
        before, self.own = self.common, own
        blocks = list(zip(self.members, own, self.shared))
        eased = [OVER * x + (1.0 - OVER) * before[atoms] for atoms, x, _ in blocks]
        sums = np.zeros(before.size)
        for atoms, x in zip(self.members, eased):
            sums[atoms] += x
        mean = sums / np.maximum(self.times, 1.0)
        for atoms, x, price, shared in zip(self.members, eased, self.prices, self.shared):
            price[shared] += self.penalty * (x - mean[atoms])[shared]
        for atoms, x, shared in blocks:
            mean[atoms[~shared]] = x[~shared]
        self.common = np.clip(mean, 0.0, 1.0)
        apart = sum(float(np.sum((x - mean[atoms])[shared] ** 2)) for atoms, x, shared in blocks)
        moved = float(np.sum((self.times * (mean - before) ** 2)[self.times > 1.0]))
        if apart > APART**2 * moved:
            self.penalty *= 2.0
        elif moved > APART**2 * apart:
            self.penalty /= 2.0
