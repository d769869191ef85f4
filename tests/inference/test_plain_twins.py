"""The compiled kernels against themselves as plain Python: same seeds, same answers,
bit for bit or nearly.
"""

from __future__ import annotations

import numpy as np
import pytest

from tests.oracles.random_networks import random_hinge_network, random_mln
from workbench.inference import make_engine
from workbench.network import compiled

ENGINES = ("maxwalksat", "mcsat", "gibbs", "bp")
NAMES = [*np.repeat(ENGINES, 2), "maxwalksat", "gibbs"]
SMALL = {
    "maxwalksat": {"flips": 300, "tries": 2},
    "mcsat": {"samples": 12, "burn_in": 2, "chains": 2},
    "gibbs": {"samples": 12, "burn_in": 2, "chains": 2},
    "bp": {"iterations": 20},
}


def answers() -> list[list[float]]:
    """Values of each engine on networks with blocks, hard rows and both signs."""
    results = []
    for name in ENGINES:
        for seed in (3, 6):
            network, weights = random_mln(seed, n_atoms=10, n_rows=18)
            results.append(
                make_engine(name, None, **SMALL[name])
                .solve(network, weights, seed=seed)
                .values.tolist()
            )
    network, weights = random_hinge_network(2, hard=0.0)
    for name in ("maxwalksat", "gibbs"):
        results.append(
            make_engine(name, None, **SMALL[name]).solve(network, weights, seed=1).values.tolist()
        )
    return results


def test_compiled_and_plain_kernels_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "FEW", -1)
    by_machine_code = answers()
    monkeypatch.setattr(compiled, "FEW", np.inf)
    for name, one, other in zip(NAMES, by_machine_code, answers(), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-12 if name == "bp" else 0.0, rtol=0.0)
