"""Learned weights of small problems, held against those recorded in `recorded_weights.json`.

`python -m tests.learning.test_weights_stay` records them anew, for an algorithm that changes on
purpose.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest

from tests.learning.problems import PROBLEMS, grounded
from workbench.learning import make_learner

RECORDED = Path(__file__).with_name("recorded_weights.json")
MLN: Mapping[str, Mapping[str, Any]] = {
    "voted_perceptron": {"iterations": 10, "step": 0.05},
    "voted_perceptron, gibbs": {
        "iterations": 10,
        "counts": "gibbs",
        "per_weight": True,
        "step": 1.0,
        "start": "given",
        "prior_sd": 5.0,
        "modes": 2,
        "search_every": 3,
    },
    "voted_perceptron, last": {"iterations": 5, "start": "pseudo_likelihood", "average": False},
    "pseudo_likelihood": {},
    "mc_mle": {"rounds": 4, "sweeps": 100},
    "diagonal_newton": {"iterations": 8},
    "pscg": {"iterations": 8, "start": "log_odds"},
    "contrastive_divergence": {"iterations": 20},
    "contrastive_divergence, persistent": {
        "iterations": 20,
        "persistent": True,
        "per_weight": False,
        "step": 0.02,
    },
    "max_margin": {"epsilon": 1e-5, "engine": "ilp"},
    "max_margin, worlds": {
        "loss": "0/1",
        "slacks": "worlds",
        "examples": "worlds",
        "penalty": 50.0,
        "engine": "ilp",
    },
    "max_margin, nonnegative": {"nonnegative": True, "epsilon": 1e-5, "engine": "ilp"},
    "online_max_margin": {"passes": 20},
}
PSL: Mapping[str, Mapping[str, Any]] = {
    "hinge_perceptron": {"iterations": 10},
    "hinge_perceptron, plain": {
        "iterations": 10,
        "start": None,
        "scale_by_groundings": False,
        "step": 0.1,
    },
    "hinge_pseudolikelihood": {"iterations": 20},
    "hinge_pseudolikelihood, lbfgs": {"optimiser": "lbfgs"},
    "hinge_large_margin": {"max_planes": 40},
    "hinge_large_margin, scaled": {"max_planes": 40, "scale_by_groundings": True, "C": 1.0},
    "hinge_search": {"trials": 20},
    "hinge_search, grid": {"method": "grid", "values": [0.1, 1.0], "trials": 64, "loss": "squared"},
    "hinge_em": {"rounds": 2},
}
CASES = [
    (name, how)
    for name, problem in PROBLEMS.items()
    for how in (MLN if problem.language == "mln" else PSL)
]


@cache
def _grounded(name: str) -> Any:
    with TemporaryDirectory() as directory:
        return grounded(PROBLEMS[name], Path(directory))


def _learned(name: str, how: str) -> Iterator[float]:
    together, apart, templates = _grounded(name)
    learner = make_learner(how.split(",")[0], **(MLN | PSL)[how])
    examples = apart if learner.declares.by_world else together
    return map(float, learner.fit(examples, templates, seed=1).weights)


@pytest.mark.parametrize(("name", "how"), CASES)
def test_weights_are_those_recorded(name: str, how: str) -> None:
    recorded = json.loads(RECORDED.read_text(encoding="utf-8"))[name][how]
    assert list(_learned(name, how)) == pytest.approx(recorded, rel=1e-6, abs=1e-8)


if __name__ == "__main__":
    found: dict[str, dict[str, list[float]]] = {}
    for name, how in CASES:
        found.setdefault(name, {})[how] = [
            float(np.format_float_scientific(w, 10)) for w in _learned(name, how)
        ]
    lines = ",\n".join(
        f"{json.dumps(name)}: {{\n"
        + ",\n".join(
            f"  {json.dumps(how)}: {json.dumps(weights)}" for how, weights in recorded.items()
        )
        + "\n}"
        for name, recorded in found.items()
    )
    RECORDED.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")
