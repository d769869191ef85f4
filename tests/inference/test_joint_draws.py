"""Joint draws of small groups against enumeration."""

from __future__ import annotations

import numpy as np
import pytest

from tests.oracles.enumeration import enumerate_states
from tests.oracles.random_networks import random_block_grid, random_hinge_network, random_mln
from workbench.inference.chains import hard_price, legal_state, new_chain
from workbench.inference.gibbs import Gibbs
from workbench.inference.joint_kernels import joint_sweep
from workbench.inference.propagation import propagate
from workbench.inference.solution import Status
from workbench.network import BlockKind, blocks_from_members, hard_violation, network_from_clauses
from workbench.network.layout import lay_out
from workbench.progress import Conduct


@pytest.mark.parametrize("seed", range(9))
def test_joint_draws_alone_leave_the_distribution_as_it_is(seed: int) -> None:
    if seed % 3 == 0:
        network, weights = random_block_grid(seed)
    elif seed % 3 == 1:
        network, weights = random_mln(seed, n_atoms=7, n_rows=12, weight_size=1.0)
    else:
        network, weights = random_hinge_network(seed, n_atoms=7, hard=0.0)
    layout = lay_out(network, weights)
    layout = layout._replace(fixed=propagate(layout, network).fixed)
    state = legal_state(network, weights, Conduct(seed))
    assert state is not None
    chain, price = new_chain(layout, state, seed, 0), hard_price(layout)
    seen = np.zeros(network.n_atoms)
    for _ in range(6000):
        joint_sweep(layout, chain.group, price, chain.y, chain.ell, chain.block_true, chain.random)
        seen += layout.lift(chain.y)
    np.testing.assert_allclose(seen / 6000, enumerate_states(network, weights).marginals, atol=0.04)
    np.testing.assert_allclose(chain.ell, layout.b + _products(layout, chain.y), atol=1e-9)
    assert hard_violation(network, layout.lift(chain.y)) == 0


def test_gibbs_reaches_every_permutation() -> None:
    members = [[4 * i + j for j in range(4)] for i in range(4)]
    blocks = blocks_from_members(16, members, BlockKind.EXACTLY_ONE)
    apart = [
        [-(4 * i + j) - 1, -(4 * k + j) - 1] for j in range(4) for i in range(4) for k in range(i)
    ]
    network = network_from_clauses(16, apart, [-1] * len(apart), n_templates=0, blocks=blocks)
    np.testing.assert_allclose(Gibbs().solve(network, np.zeros(0)).values, 0.25, atol=0.03)


def _products(layout, y):  # type: ignore[no-untyped-def]
    entries = layout.row_coefficient * y[layout.row_atom]
    return np.add.reduceat(np.append(entries, 0.0), layout.row_ptr[:-1]) * (
        np.diff(layout.row_ptr) > 0
    )


@pytest.mark.parametrize("samples", [1, 5])
def test_too_few_samples_are_no_agreement(samples: int) -> None:
    network, weights = random_mln(1, n_atoms=7, hard=0.0, blocks=False)
    solution = Gibbs(samples=samples).solve(network, weights)
    assert solution.status == Status.FEASIBLE
    assert "too few" in solution.reason
