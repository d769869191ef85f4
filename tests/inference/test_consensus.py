"""Blocks brought to agree: the whole's answer within both gaps, and a bound that holds."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from workbench.arrays import Float
from workbench.inference import Engine, make_engine
from workbench.inference.consensus import BlockAnswer, BlockQuestion, Consensus, solve_block
from workbench.network import Domain, GroundNetwork, network_from_rows
from workbench.network.part import Pieces


def chains(power: int, seed: int) -> tuple[GroundNetwork, Float]:
    """Atoms in a ring that follow their neighbours, pulled here up and there down; some at most
    what their neighbour is.
    """
    rng, n = np.random.default_rng(seed), 24
    follow = [({i: 1.0, (i + 1) % n: -1.0}, 0.0, 0) for i in range(n)]
    pulled = [({i: -1.0}, 1.0, 1) if rng.random() < 0.5 else ({i: 1.0}, -0.1, 1) for i in range(n)]
    hard = [({i: 1.0, (i + 5) % n: -1.0}, -0.6, -1) for i in range(0, n, 6)]
    rows = [*follow, *pulled, *hard]
    A = np.zeros((len(rows), n))
    for row, (entries, _, _) in enumerate(rows):
        for atom, value in entries.items():
            A[row, atom] = value
    network = network_from_rows(
        csr_array(A),
        np.array([b for _, b, _ in rows]),
        np.array([template for _, _, template in rows], np.int32),
        power=np.full(2, power, np.int8),
        domain=Domain.UNIT,
    )
    return network, np.array([1.0, 0.7])


@pytest.mark.parametrize("power", [1, 2])
@pytest.mark.parametrize("seed", range(3))
def test_blocks_agree_on_the_wholes_answer_and_bound_it(power: int, seed: int) -> None:
    network, weights = chains(power, seed)
    whole = make_engine("admm", tolerance=1e-6).solve(network, weights)
    values, block = np.zeros(network.n_atoms), network.A.indices[network.A.indptr[:-1]] // 8
    pieces, members, parts = Pieces(network, weights), [], []
    for number in range(3):
        rows = np.flatnonzero(block == number)
        members.append(np.unique(network.A[rows].indices).astype(np.int64))
        parts.append(pieces.piece(members[-1], rows, values).problem)
        pieces.gain[members[-1]] = 0.0

    def fine(part: GroundNetwork, at: Float) -> Engine:
        return make_engine("admm", tolerance=1e-6)

    def ask(asked: list[BlockQuestion], penalty: float) -> list[BlockAnswer]:
        return [
            solve_block(part, pieces.weights, fine, one, penalty) for part, one in zip(parts, asked)
        ]

    consensus = Consensus(members, network.n_atoms, 0.7, 1e-3)
    for now in consensus.rounds(ask):
        assert now.bound + pieces.constant <= whole.energy + 1e-4 * abs(whole.energy)
        if (now.gap <= 1e-3 and now.violation <= 1e-3) or now.rounds == 40:
            break
    assert now.rounds < 40
    assert now.energy + pieces.constant == pytest.approx(whole.energy, rel=3e-3)
