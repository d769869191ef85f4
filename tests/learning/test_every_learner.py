"""Every learner of the registry, briefly configured, passes the kit; and choosing parameters works on any of them."""

from __future__ import annotations

import numpy as np
import pytest

from tests.kits.learner_kit import check_learner
from tests.learning.small_networks import Enumeration, random_network, states, templates
from workbench.errors import UsageError
from workbench.learning import Example, make_learner
from workbench.learning.choice import validate

SHORT = {
    "voted_perceptron": {"iterations": 3, "engine": Enumeration(), "counts": "gibbs"},
    "pseudo_likelihood": {},
    "mc_mle": {"rounds": 3, "sweeps": 50},
    "diagonal_newton": {"iterations": 3},
    "pscg": {"iterations": 3},
    "contrastive_divergence": {"iterations": 5},
    "fixed": {"value": 1.0},
    "max_margin": {"max_iterations": 20},
    "online_max_margin": {"passes": 5},
}


@pytest.mark.parametrize("name", SHORT)
def test_learner_kit(name: str) -> None:
    check_learner(make_learner(name, **SHORT[name]))


def test_the_best_parameters_on_the_held_out_world_are_chosen() -> None:
    nets = [random_network(seed) for seed in (1, 2, 3)]
    examples = [Example(net, states(net)[40]) for net in nets]
    learner = make_learner("pseudo_likelihood")
    chosen = validate(learner, {"prior_sd": (1e-6, 0.5, 5.0)}, examples, templates(4), held_out=1, seed=1)
    assert len(chosen.choice.candidates) == 3
    assert chosen.learner.prior_sd == chosen.choice.best["prior_sd"]
    assert chosen.choice.scores[0] == pytest.approx(np.log(0.5), abs=1e-3)
    with pytest.raises(UsageError, match="E0507"):
        validate(learner, {"prior_sd": (1.0,)}, examples[:1], templates(4))
