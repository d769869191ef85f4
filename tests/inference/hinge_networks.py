"""Random hinge-loss networks on [0, 1],
and the exact optimum of each from an interior-point method.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.sparse import csr_array

from workbench.network.ground_network import BlockKind, Blocks, Domain, GroundNetwork, Relation

WEIGHTS = np.array([0.3, 1.0, 2.5, 0.7])


def hinge_network(
    seed: int,
    *,
    n_atoms: int = 30,
    n_rows: int = 80,
    squared: str = "mixed",
    hard: int = 0,
    equal: int = 0,
    blocks: int = 0,
    size: int = 3,
    islands: int = 1,
) -> GroundNetwork:
    """A network of `islands` unconnected parts;
    hard rows and blocks all hold at one hidden state.
    """
    rng = np.random.default_rng(seed)
    hidden = rng.random(n_atoms)
    members = np.zeros((blocks, n_atoms), np.int8)
    kinds = rng.integers(0, 2, blocks).astype(np.int8)
    for k in range(blocks):
        chosen = np.arange(3 * k, 3 * k + 3)
        members[k, chosen] = 1
        hidden[chosen] /= hidden[chosen].sum() * (1.0 if kinds[k] == BlockKind.EXACTLY_ONE else 1.3)
    total = n_rows + hard + equal
    A = np.zeros((total, n_atoms))
    b = np.zeros(total)
    island = np.arange(n_atoms) * islands // n_atoms
    for j in range(total):
        pool = np.flatnonzero(island == rng.integers(islands))
        chosen = rng.choice(pool, min(size, pool.size), replace=False)
        chosen = chosen[: rng.integers(1, size + 1)] if j < n_rows else chosen
        A[j, chosen] = rng.choice([-1.0, 1.0, 0.5, -2.0], chosen.size)
        b[j] = rng.choice([0.0, 0.5, 1.0]) - 0.5 * A[j][A[j] > 0].sum()
    for j in range(n_rows, total):
        b[j] = -A[j] @ hidden - (0.02 if j < n_rows + hard else 0.0)
    template = np.concatenate(
        [np.sort(rng.integers(0, 4, n_rows)), np.full(hard + equal, -1)]
    ).astype(np.int32)
    power = {"linear": [1, 1, 1, 1], "squared": [2, 2, 2, 2], "mixed": [1, 2, 1, 2]}[squared]
    relation = np.repeat(
        [Relation.HINGE, Relation.AT_MOST, Relation.EQUAL], [n_rows, hard, equal]
    ).astype(np.int8)
    unit = csr_array(
        np.where(rng.random((n_atoms, 4)) < 0.1, rng.choice([-0.3, 0.3], (n_atoms, 4)), 0.0)
    )
    unit = csr_array(unit.toarray() * (np.array(power) == 1))
    zeros = np.zeros((4, 2))
    return GroundNetwork(
        A=csr_array(A),
        b=b,
        template=template,
        scale=np.where(relation == Relation.HINGE, rng.choice([1.0, 2.0, 0.5], total), 1.0),
        relation=relation,
        power=np.array(power, np.int8),
        unit=unit,
        constant=np.asarray(np.maximum(unit.toarray(), 0.0).sum(axis=0)),
        groundings=np.zeros((4, 3), np.int64),
        blocks=Blocks(csr_array(members), kinds, np.ones(blocks, np.int8))
        if blocks
        else Blocks.none(n_atoms),
        world=np.zeros(n_atoms, np.int32),
        unit_scale=zeros,
        evidence_satisfied=zeros,
        evidence_violated=zeros,
        domain=Domain.UNIT,
    )


def with_rows(
    network: GroundNetwork, A: np.ndarray, b: list[float], relation: Relation
) -> GroundNetwork:
    """`network` with further hard rows."""
    m = len(b)
    return replace(
        network,
        A=csr_array(np.vstack([network.A.toarray(), A])),
        b=np.concatenate([network.b, b]),
        template=np.concatenate([network.template, np.full(m, -1, np.int32)]),
        scale=np.concatenate([network.scale, np.ones(m)]) if network.scale is not None else None,
        relation=np.concatenate([network.relation, np.full(m, relation, np.int8)]),
    )
