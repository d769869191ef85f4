"""Engines and learners answer with the same bytes for any number of cores."""

from __future__ import annotations

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from tests.inference.hinge_networks import WEIGHTS, hinge_network
from workbench.inference import make_engine
from workbench.inference.pdhg import PDHG
from workbench.learning import Example, make_learner
from workbench.learning.hinge_pseudolikelihood import HingePseudolikelihood
from workbench.network import Templates


def blas_threads() -> set[int]:
    return {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"}


def noted(monkeypatch: pytest.MonkeyPatch, of: type, method: str) -> list[set[int]]:
    """How many threads linear algebra has whenever the method is called."""
    found: list[set[int]] = []
    plain = getattr(of, method)

    def noting(self: object, *arguments: object, **named: object) -> object:
        found.append(blas_threads())
        return plain(self, *arguments, **named)

    monkeypatch.setattr(of, method, noting)
    return found


def test_engines_use_linear_algebra_on_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    found = noted(monkeypatch, PDHG, "infer")
    with threadpool_limits(2, user_api="blas"):
        before = blas_threads()  # some library may have one thread at all times
        make_engine("pdhg", "map").solve(hinge_network(0), WEIGHTS)
        assert found == [{1}]
        assert blas_threads() == before


def test_learners_use_linear_algebra_on_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    found = noted(monkeypatch, HingePseudolikelihood, "learn")
    network = hinge_network(0)
    none = np.zeros(4, np.int64)
    templates = Templates(WEIGHTS.copy(), none > 0, none, none, np.ones(4), ("a", "b", "c", "d"))
    labels = np.zeros(network.n_atoms)
    with threadpool_limits(2, user_api="blas"):
        make_learner("hinge_pseudolikelihood").fit([Example(network, labels)], templates)
    assert found == [{1}]
