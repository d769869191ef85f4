"""Networks that keep an engine busy for far longer than a test waits."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

from workbench.arrays import Float
from workbench.network import GroundNetwork, network_from_clauses

Case = tuple[GroundNetwork, Float]


@cache
def hard_networks() -> tuple[Case, ...]:
    """Frustrated clauses of either weight, positive ones, squares, and a wide strip."""
    mixed, positive = _frustrated(-9.0), _frustrated(0.0)
    squared = replace(positive[0], power=np.full(positive[0].n_templates, 2, np.int8)), positive[1]
    return mixed, positive, squared, _strip(17, 400)


def _frustrated(least: float) -> Case:
    """60,000 random clauses of 2 and 3 literals over 20,000 atoms, and a pull on each."""
    rng = np.random.default_rng(5)
    n, rows = 20_000, 60_000
    atoms = rng.integers(1, n - 2, (rows, 1)) + np.array([0, 1, 2]) * rng.integers(
        1, 300, (rows, 1)
    )
    atoms = (atoms - 1) % n + 1
    signed = (atoms * rng.choice([-1, 1], atoms.shape)).tolist()
    clauses = [clause[: 2 + row % 2] for row, clause in enumerate(signed)]
    clauses += [[int(atom)] for atom in rng.permutation(n) + 1] + [
        [-int(atom)] for atom in rng.permutation(n) + 1
    ]
    template = rng.integers(0, 200, len(clauses))
    return network_from_clauses(n, clauses, template, n_templates=200), rng.uniform(least, 9.0, 200)


def _strip(width: int, length: int) -> Case:
    """Each atom paired with the next `width`: elimination needs 2^(width + 1) entries."""
    pairs = np.array(
        [
            [first, first + step]
            for first in range(1, length - width + 1)
            for step in range(1, width + 1)
        ]
    )
    signs = np.random.default_rng(6).choice([-1, 1], pairs.shape)
    network = network_from_clauses(
        length, (pairs * signs).tolist(), np.arange(len(pairs)), n_templates=len(pairs)
    )
    return network, np.random.default_rng(7).uniform(0.2, 1.0, len(pairs))
