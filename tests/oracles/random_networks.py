"""Random small networks: negative weights, hard rows, blocks, units, scales, worlds."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from workbench.arrays import Bool, Float
from workbench.network.build import blocks_from_members, network_from_clauses, network_from_rows
from workbench.network.ground_network import BlockKind, Blocks, Domain, GroundNetwork, Relation


def random_mln(
    seed: int,
    *,
    n_atoms: int = 8,
    n_rows: int = 14,
    n_templates: int = 5,
    max_width: int = 4,
    hard: float = 0.15,
    negative: bool = True,
    scales: bool = True,
    blocks: bool = True,
    satisfiable: bool = True,
    weight_size: float = 2.0,
    tree: bool = False,
) -> tuple[GroundNetwork, Float]:
    """A random Markov logic network and weights for it.

    Parameters
    ----------
    hard : float
        Share of the clauses that are hard.
    negative, scales, blocks : bool
        Whether weights (and scales) may be negative, rows carry scales, and blocks may occur.
    satisfiable : bool
        Hard clauses and blocks all hold in one planted state; otherwise they may contradict each
        other.
    tree : bool
        Clauses of two atoms that form a forest, and no blocks: what belief propagation solves
        exactly.

    Returns
    -------
    network, weights
    """
    rng = np.random.default_rng(seed)
    planted = rng.random(n_atoms) < 0.5
    chosen_blocks = Blocks.none(n_atoms)
    if blocks and not tree and n_atoms >= 4:
        chosen_blocks = _random_blocks(rng, n_atoms, planted)
    clauses: list[list[int]] = []
    template: list[int] = []
    for row in range(n_rows):
        if tree:
            width = 2 if 0 < row < n_atoms else 1
            first = row if row < n_atoms else int(rng.integers(n_atoms))
            atoms = np.array([first, rng.integers(first)] if width == 2 else [first])
        else:
            atoms = rng.choice(
                n_atoms, size=int(rng.integers(1, min(max_width, n_atoms) + 1)), replace=False
            )
        signs = rng.random(atoms.size) < 0.5
        is_hard = rng.random() < hard
        if is_hard and satisfiable and not np.any(planted[atoms] == signs):
            signs[0] = planted[atoms[0]]
        clauses.append(
            [int(atom) + 1 if sign else -int(atom) - 1 for atom, sign in zip(atoms, signs)]
        )
        template.append(-1 if is_hard else int(rng.integers(n_templates)))
        if rng.random() < 0.1 and not tree:
            clauses.append(clauses[-1][::-1])
            template.append(template[-1])
    scale = rng.choice([0.5, 1.0, 1.0, 2.0, 3.0], size=len(clauses)) if scales else None
    if scale is not None and negative:
        scale *= rng.choice([1.0, 1.0, 1.0, -1.0], size=len(clauses))
    network = network_from_clauses(
        n_atoms, clauses, template, n_templates=n_templates, scale=scale, blocks=chosen_blocks
    )
    weights = rng.normal(0.0, weight_size, n_templates)
    return network, weights if negative else np.abs(weights)


def random_block_grid(seed: int) -> tuple[GroundNetwork, Float]:
    """Blocks of equal size and two atoms beside them, heavy rows between any two atoms, and hard
    clauses across blocks.

    The rows of `V(a, b!)` or `V(a, b?)` under `EXIST a V(a, b).`: each value is taken by some
    block, or by exactly one. States of high probability are far apart: to pass between them two
    blocks must change together.
    """
    rng = np.random.default_rng(seed)
    n_blocks, size = [(2, 2), (3, 2), (4, 2), (2, 3), (3, 3)][int(rng.integers(5))]
    n_atoms = n_blocks * size + 2
    grid = np.arange(n_blocks * size).reshape(n_blocks, size)
    blocks = blocks_from_members(n_atoms, grid.tolist(), BlockKind(int(rng.integers(2))))
    clauses: list[list[int]] = []
    if n_blocks >= size:
        clauses += (grid.T + 1).tolist()
    if n_blocks == size and rng.random() < 0.5:
        clauses += [
            [-int(a) - 1, -int(b) - 1]
            for value in grid.T
            for i, a in enumerate(value)
            for b in value[:i]
        ]
    template = [-1] * len(clauses)
    for kind, share in enumerate((1.0, 0.3, 0.3)):
        signs = rng.choice([-1, 1], 2)
        for first in range(n_atoms):
            for second in range(n_atoms):
                if first != second and rng.random() < share:
                    clauses.append([int(signs[0]) * (first + 1), int(signs[1]) * (second + 1)])
                    template.append(kind)
    clauses += [[atom + 1] for atom in range(n_atoms)]
    template += [3] * n_atoms
    network = network_from_clauses(n_atoms, clauses, template, n_templates=4, blocks=blocks)
    return network, rng.normal(0.0, 1.5, 4)


def random_hinge_network(
    seed: int,
    *,
    n_atoms: int = 8,
    n_rows: int = 16,
    n_templates: int = 5,
    hard: float = 0.15,
    squared: bool = True,
    equalities: bool = True,
    blocks: bool = True,
    domain: Domain = Domain.UNIT,
) -> tuple[GroundNetwork, Float]:
    """A random PSL network with real coefficients; a planted state satisfies hard rows."""
    rng = np.random.default_rng(seed)
    planted = rng.random(n_atoms)
    chosen_blocks = Blocks.none(n_atoms)
    if blocks and n_atoms >= 4:
        members = [sorted(rng.choice(n_atoms, size=3, replace=False).tolist())]
        chosen_blocks = blocks_from_members(n_atoms, members, BlockKind(int(rng.integers(2))))
        planted[members[0]] = rng.dirichlet(np.ones(3))
    dense = np.zeros((n_rows, n_atoms))
    offset = np.zeros(n_rows)
    template = np.zeros(n_rows, np.int32)
    relation = np.zeros(n_rows, np.int8)
    for row in range(n_rows):
        atoms = rng.choice(n_atoms, size=int(rng.integers(1, min(4, n_atoms) + 1)), replace=False)
        whole = rng.random() < 0.5
        coefficients = (
            rng.choice([-1.0, 1.0], atoms.size) if whole else rng.normal(0.0, 1.0, atoms.size)
        )
        dense[row, atoms] = coefficients
        offset[row] = rng.uniform(-0.7, 0.7) if not whole else 1 - np.sum(coefficients > 0)
        template[row] = rng.integers(n_templates)
        if rng.random() < hard:
            template[row] = -1
            at_planted = coefficients @ planted[atoms]
            if equalities and atoms.size > 1 and rng.random() < 0.3:
                relation[row], offset[row] = Relation.EQUAL, -at_planted
            else:
                relation[row], offset[row] = Relation.AT_MOST, min(offset[row], -at_planted)
    network = network_from_rows(
        csr_array(dense),
        offset,
        template,
        n_templates=n_templates,
        scale=rng.choice([0.5, 1.0, 2.0], size=n_rows),
        relation=relation,
        power=rng.integers(1, 3, n_templates) if squared else None,
        blocks=chosen_blocks,
        domain=domain,
    )
    return network, rng.uniform(0.1, 3.0, n_templates)


def random_state(network: GroundNetwork, seed: int) -> Float:
    """A random state, shape (n_atoms,), uniform in the domain, blocks and hard rows aside."""
    rng = np.random.default_rng(seed)
    uniform = rng.random(network.n_atoms)
    return (uniform < 0.5).astype(np.float64) if network.domain is Domain.BOOLEAN else uniform


def _random_blocks(rng: np.random.Generator, n_atoms: int, planted: Bool) -> Blocks:
    """Up to two disjoint blocks; `planted` is changed to satisfy them."""
    order = rng.permutation(n_atoms)
    members, kinds, right = [], [], []
    position = 0
    for _ in range(int(rng.integers(0, 3))):
        size = int(rng.integers(2, 4))
        if position + size > n_atoms:
            break
        atoms = np.sort(order[position : position + size])
        position += size
        kind = BlockKind(int(rng.integers(2)))
        places = 0 if rng.random() < 0.1 else 1
        planted[atoms] = False
        if places and (kind == BlockKind.EXACTLY_ONE or rng.random() < 0.7):
            planted[rng.choice(atoms)] = True
        members.append(atoms.tolist())
        kinds.append(kind)
        right.append(places)
    if not members:
        return Blocks.none(n_atoms)
    matrix = blocks_from_members(n_atoms, members, BlockKind.EXACTLY_ONE).members
    return Blocks(matrix, np.array(kinds, np.int8), np.array(right, np.int8))
