"""Marginals of networks that are narrow in part: exact there, sampled elsewhere,
clashes by their own numbers.
"""

from __future__ import annotations

import numpy as np
import pytest

from tests.oracles.enumeration import enumerate_states
from workbench.inference import choose
from workbench.inference.exact import Exact
from workbench.inference.mixed import Mixed
from workbench.inference.registry import make_engine, with_parameters
from workbench.inference.solution import Status
from workbench.network import BlockKind, GroundNetwork, blocks_from_members, network_from_clauses

WEIGHTS = np.array([1.2, 0.9, -0.7])


def mixed(hard: list[list[int]] | None = None) -> GroundNetwork:
    """A chain of four atoms, 30 atoms in pairs with all others, an atom alone,
    and a block with a clause; shuffled.
    """
    place = np.random.default_rng(3).permutation(38) + 1
    wide = [[-(a + 1), b + 1] for a in range(4, 34) for b in range(4, a)]
    clauses = [[1, -2], [2, -3], [-3, 4], *wide, [35], [36, -1], *(hard or [])]
    numbered = [[int(np.sign(x) * place[abs(x) - 1]) for x in clause] for clause in clauses]
    template = [0, 1, 2] + [2] * len(wide) + [1, 0] + [-1] * len(hard or [])
    blocks = blocks_from_members(
        38, [[int(place[k]) - 1 for k in (35, 36, 37)]], BlockKind.EXACTLY_ONE
    )
    return network_from_clauses(38, numbered, template, n_templates=3, blocks=blocks)


def test_narrow_components_are_exact_and_the_reason_says_so() -> None:
    network = mixed()
    engine, why = choose(network, WEIGHTS, "marginal")
    assert isinstance(engine, Mixed), why
    answer = engine.solve(network, WEIGHTS, seed=1)
    assert answer.engine == "mcsat"
    assert "exact on 8 atoms" in answer.reason
    assert "30 sampled" in answer.reason
    narrow = Exact().narrow(network, WEIGHTS)
    place = np.random.default_rng(3).permutation(38)
    own = np.concatenate([place[:4], place[34:]])
    assert sorted(np.flatnonzero(narrow)) == sorted(own)
    small = network_from_clauses(
        7,
        [[1, -2], [2, -3], [-3, 4], [5, -1]],
        [0, 1, 2, 0],
        n_templates=3,
        blocks=blocks_from_members(7, [[4, 5, 6]], BlockKind.EXACTLY_ONE),
    )
    expected = enumerate_states(small, WEIGHTS).marginals
    np.testing.assert_allclose(
        answer.values[np.concatenate([place[:4], place[35:]])], expected, atol=1e-9
    )
    assert answer.values[place[34]] == pytest.approx(1 / (1 + np.exp(-0.9)))
    sampled = make_engine("mcsat", samples=4000).solve(network, WEIGHTS, seed=2)
    np.testing.assert_allclose(answer.values, sampled.values, atol=0.06)
    assert np.shape(answer.diagnostics["raw_probability"]) == (38,)


def test_parameters_go_to_the_sampler() -> None:
    engine, _ = choose(mixed(), WEIGHTS, "marginal")
    answer = with_parameters(engine, {"samples": 40}).solve(mixed(), WEIGHTS)
    assert answer.diagnostics["samples"] == 40


@pytest.mark.parametrize("clash", [[[1], [-1]], [[20], [-20]]])
def test_a_clash_in_either_part_is_named_in_the_networks_numbers(clash: list[list[int]]) -> None:
    network = mixed(clash)
    answer = Mixed(make_engine("mcsat"), Exact()).solve(network, WEIGHTS)
    assert answer.status is Status.INFEASIBLE
    assert answer.conflict is not None
    assert set(answer.conflict) == {network.n_rows - 2, network.n_rows - 1}
