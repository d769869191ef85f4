"""Where chains begin, and which moves they make."""

from __future__ import annotations

import numpy as np

from workbench.inference.chains import begin_chains, is_light
from workbench.network import (
    BlockKind,
    GroundNetwork,
    blocks_from_members,
    network_from_clauses,
    reported_energy,
)
from workbench.network.layout import lay_out
from workbench.progress import Conduct

TOPICS = 7


def topics(users: int = 60, seed: int = 1) -> GroundNetwork:
    """Each user has one topic; users of one of seven circles
    mostly follow each other, both ways.
    """
    rng = np.random.default_rng(seed)
    circle = np.arange(users) % TOPICS
    atom = 1 + np.arange(users * TOPICS).reshape(users, TOPICS)
    likely = np.where(circle[:, None] == circle[None, :], 0.6, 0.03)
    pairs = np.argwhere((rng.random((users, users)) < likely) & ~np.eye(users, dtype=bool))
    clauses = [[-int(atom[a, t]), int(atom[b, t])] for a, b in pairs for t in range(TOPICS)]
    clauses += [
        [int(atom[u, circle[u] if rng.random() < 0.5 else rng.integers(TOPICS)])]
        for u in range(users)
    ]
    template = [0] * (len(clauses) - users) + [1] * users
    members = (atom - 1).tolist()
    blocks = blocks_from_members(atom.size, members, BlockKind.EXACTLY_ONE)
    return network_from_clauses(atom.size, clauses, template, n_templates=2, blocks=blocks)


def test_chains_begin_where_the_distribution_is() -> None:
    """Near the state where each circle has a topic of its own,
    not at a local minimum of many times its energy.
    """
    network, weights = topics(), np.array([1.4, 0.5])
    layout = lay_out(network, weights, clauses=True)
    chains = begin_chains(network, layout, weights, [None] * 4, Conduct(1), low=False)
    assert chains is not None
    energies = [reported_energy(network, weights, layout.lift(chain.y)) for chain in chains]
    circles = np.eye(TOPICS)[np.arange(60) % TOPICS].ravel()
    assert np.median(energies) < 1.5 * reported_energy(network, weights, circles)


def test_light_networks_are_those_without_hard_rows_blocks_or_heavy_rows() -> None:
    clauses = [[1, 2], [-2, 3], [3]]
    for weights, template, light in (
        ([2.9, -2.0], [0, 1, 1], True),
        ([3.1, 1.0], [0, 1, 1], False),
    ):
        network = network_from_clauses(3, clauses, template, n_templates=2)
        assert is_light(lay_out(network, np.array(weights))) is light
    hard = network_from_clauses(3, clauses, [-1, 0, 0], n_templates=1)
    assert not is_light(lay_out(hard, np.ones(1)))
    assert not is_light(lay_out(topics(7), np.ones(2)))
