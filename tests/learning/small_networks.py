"""Small random ground networks, and what enumeration says of them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import ClassVar

import numpy as np
from scipy.sparse import csr_array

from workbench.inference.solution import Engine, Solution, Status
from workbench.network import potentials
from workbench.network.ground_network import Blocks, Domain, GroundNetwork, Relation, Templates


def templates(n: int, *, fixed: tuple[int, ...] = ()) -> Templates:
    flags = np.zeros(n, bool)
    flags[list(fixed)] = True
    weight = np.where(flags, 0.7, np.nan)
    index = np.arange(n, dtype=np.int32)
    return Templates(
        weight, flags, index, index * 0, np.ones(n), tuple(f"rule {i}" for i in range(n))
    )


def network(
    clauses: list[tuple[int, tuple[int, ...]]],
    n_atoms: int,
    n_templates: int,
    *,
    unit: np.ndarray | None = None,
    scale: list[float] | None = None,
    blocks: Blocks | None = None,
) -> GroundNetwork:
    """A network of clauses `(template or -1, literals)`; a literal is atom + 1,
    negative when negated.
    """
    clauses = sorted(clauses, key=lambda clause: clause[0] if clause[0] >= 0 else n_templates)
    A = np.zeros((len(clauses), n_atoms), np.int8)
    b = np.zeros(len(clauses), np.int8)
    for row, (_, literals) in enumerate(clauses):
        b[row] = 1 - sum(literal < 0 for literal in literals)
        for literal in literals:
            A[row, abs(literal) - 1] = -1 if literal > 0 else 1
    template = np.array([clause[0] for clause in clauses], np.int32)
    dense = np.zeros((n_atoms, n_templates)) if unit is None else unit
    rows = np.bincount(template[template >= 0], minlength=n_templates)
    return GroundNetwork(
        A=csr_array(A),
        b=b,
        template=template,
        scale=None if scale is None else np.array(scale),
        relation=np.where(template >= 0, Relation.HINGE, Relation.AT_MOST).astype(np.int8),
        power=np.ones(n_templates, np.int8),
        unit=csr_array(dense),
        constant=np.maximum(dense, 0).sum(axis=0),
        groundings=np.stack([rows + (dense != 0).sum(axis=0), rows * 0, rows * 0], axis=1).astype(
            np.int64
        ),
        blocks=blocks or Blocks.none(n_atoms),
        world=np.zeros(n_atoms, np.int32),
        unit_scale=np.stack([np.abs(dense).sum(axis=0), np.zeros(n_templates)], axis=1),
        evidence_satisfied=np.zeros((n_templates, 2)),
        evidence_violated=np.zeros((n_templates, 2)),
        domain=Domain.BOOLEAN,
    )


def random_network(
    seed: int, *, n_atoms: int = 7, n_templates: int = 4, rows: int = 14, hard: int = 0
) -> GroundNetwork:
    rng = np.random.default_rng(seed)
    clauses = []
    for index in range(rows):
        atoms = rng.choice(n_atoms, size=rng.integers(2, 4), replace=False) + 1
        literals = tuple(int(atom) * (1 if rng.random() < 0.5 else -1) for atom in atoms)
        clauses.append((-1 if index < hard else int(rng.integers(n_templates)), literals))
    unit = rng.integers(-1, 2, size=(n_atoms, n_templates)).astype(float)
    return network(clauses, n_atoms, n_templates, unit=unit)


def states(net: GroundNetwork) -> np.ndarray:
    """All states that break no hard row and no block, shape (n_states, n_atoms)."""
    every = np.array(list(product((0.0, 1.0), repeat=net.n_atoms)))
    ell = every @ net.A.toarray().T + net.b
    legal = ~((ell > 0) & net.hard).any(axis=1)
    if net.blocks.n_blocks:
        count = every @ net.blocks.members.toarray().T
        legal &= (
            (count == net.blocks.right) | ((net.blocks.kind == 1) & (count <= net.blocks.right))
        ).all(axis=1)
    return every[legal]


def distribution(
    net: GroundNetwork, weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Legal states, their probabilities, and their potentials, shape (n_states, n_templates)."""
    legal = states(net)
    phi = np.array([potentials(net, state) for state in legal])
    score = -phi @ weights
    probability = np.exp(score - score.max())
    return legal, probability / probability.sum(), phi


@dataclass(frozen=True)
class Enumeration(Engine):
    """MAP by enumeration."""

    name: ClassVar[str] = "enumeration"
    task: ClassVar[str] = "map"

    def declines(self, network, weights):
        return None

    def infer(self, network, weights, conduct, start=None):
        legal, probability, _ = distribution(network, weights)
        return Solution(Status.OPTIMAL, legal[np.argmax(probability)], 0.0, 0.0, 0.0, self.name)
