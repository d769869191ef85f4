"""Every learner of the registry, briefly configured, passes the kit;
and choosing parameters works on any of them.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.differential.soft_learner_checks import OPTIONS
from tests.kits.learner_kit import check_learner
from tests.learning.small_networks import Enumeration, random_network, states, templates
from workbench.errors import UsageError
from workbench.learning import LEARNERS, Example, default_learner, learners_table, make_learner
from workbench.learning.choice import validate
from workbench.learning.hinge_pseudolikelihood import HingePseudolikelihood
from workbench.network.ground_network import Domain
from workbench.progress import Conduct

SHORT = {
    "pseudo_likelihood": {},
    "generative_pseudo_likelihood": {},
    "hinge_pseudolikelihood": {"iterations": 5},
    "voted_perceptron": {"iterations": 3, "engine": Enumeration(), "counts": "gibbs"},
    "hinge_perceptron": {"iterations": 3},
    "contrastive_divergence": {"iterations": 5},
    "mc_mle": {"rounds": 3, "sweeps": 50},
    "diagonal_newton": {"iterations": 3},
    "pscg": {"iterations": 3},
    "exact": {},
    "max_margin": {"max_iterations": 20},
    "hinge_large_margin": {"max_planes": 10},
    "online_max_margin": {"passes": 5},
    "search": {"trials": 3},
    "em": {"rounds": 2},
    "fixed": {"value": 1.0},
}


def test_the_kit_leaves_no_learner_out() -> None:
    assert SHORT.keys() == LEARNERS.keys()


@pytest.mark.parametrize("domain", Domain)
@pytest.mark.parametrize("name", SHORT)
def test_learner_kit(name: str, domain: Domain) -> None:
    check_learner(make_learner(name, **SHORT[name]), domain)


def test_every_learner_of_soft_logic_has_an_oracle_in_the_differential_programme() -> None:
    """But for `fixed`, which learns nothing."""
    soft = {name for name, learner in LEARNERS.items() if Domain.UNIT in learner.declares.domains}
    assert soft - {"fixed"} == {*OPTIONS, HingePseudolikelihood.name}


def test_the_documents_table_is_what_the_learners_declare() -> None:
    written = (Path(__file__).parents[2] / "docs" / "learning.md").read_text(encoding="utf-8")
    assert learners_table() in written


def test_auto_takes_one_learner_for_each_domain_with_and_without_hidden_labels() -> None:
    assert {
        (domain, hidden): default_learner(domain, hidden=hidden)
        for domain in Domain
        for hidden in (False, True)
    } == {
        (Domain.BOOLEAN, False): "pseudo_likelihood",
        (Domain.BOOLEAN, True): "diagonal_newton",
        (Domain.UNIT, False): "hinge_pseudolikelihood",
        (Domain.UNIT, True): "hinge_pseudolikelihood",
    }


def test_the_best_parameters_on_the_held_out_world_are_chosen() -> None:
    nets = [random_network(seed) for seed in (1, 2, 3)]
    examples = [Example(net, states(net)[40]) for net in nets]
    learner = make_learner("pseudo_likelihood")
    chosen = validate(
        learner,
        {"prior_sd": (1e-6, 0.5, 5.0)},
        examples,
        templates(4),
        held_out=1,
        conduct=Conduct(1),
    )
    assert len(chosen.choice.candidates) == 3
    assert chosen.learner.prior_sd == chosen.choice.best["prior_sd"]
    assert chosen.choice.scores[0] == pytest.approx(np.log(0.5), abs=1e-3)
    with pytest.raises(UsageError, match="E0507"):
        validate(learner, {"prior_sd": (1.0,)}, examples[:1], templates(4))
