"""Max margin over rules that are grounded only where a state violates them:
the same weights as in full.
"""

from __future__ import annotations

import numpy as np
import pytest

import workbench as wb
from workbench.database import load_alchemy_text
from workbench.errors import UsageError
from workbench.inference.row_source import RowStore, StoredRows
from workbench.network import Rows, network_from_clauses

RULES = """
Near(p, p)
Far(p, p)
Same(p, p)
!Near(x, y) v Same(x, y)
!Far(x, y) v !Same(x, y)
!Same(x, y)
!Same(x, y) v !Same(y, z) v Same(x, z).
!Same(x, y) v Same(y, x).
"""


def facts(seed: int, n: int = 7) -> str:
    """Two groups of things, near and far facts mostly of the right kind."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 2, n)
    lines = []
    for x in range(n):
        for y in range(n):
            same = group[x] == group[y]
            if same:
                lines.append(f"Same(P{x}, P{y})")
            if rng.random() < (0.6 if same else 0.1):
                lines.append(f"Near(P{x}, P{y})")
            if rng.random() < (0.1 if same else 0.5):
                lines.append(f"Far(P{x}, P{y})")
    return "\n".join(lines)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("cuts", ["rounded", "auto", "fractional"])
def test_lazy_and_full_training_agree(seed: int, cuts: str) -> None:
    options = {"penalty": 0.3, "engine": "ilp", "cuts": cuts}
    if cuts == "fractional":
        options["engine"] = "lp"
    with wb.open() as workspace:
        workspace.declare(RULES)
        load_alchemy_text(workspace.database, facts(seed))
        learn = {"learner": "max_margin", "options": options, "query": ("Same",), "record": False}
        full = workspace.learn(RULES, **learn)
        lazy = workspace.learn(RULES, lazy=True, **learn)
    assert lazy.grounding.network.n_rows < full.grounding.network.n_rows / 2
    assert lazy.learned.status in ("converged", "oracle_limited")
    if cuts != "fractional":
        assert lazy.learned.status == full.learned.status == "converged"
        np.testing.assert_allclose(lazy.weights, full.weights, atol=0.05)


def test_rules_with_weights_to_start_from_are_learned_in_full() -> None:
    rules = RULES + "0.1 Near(x, y) ^ Same(x, z) ^ Same(y, w) => Same(z, w)\n"
    with wb.open() as workspace:
        workspace.declare(rules)
        load_alchemy_text(workspace.database, facts(0, n=4))
        learn = {"learner": "max_margin", "options": {"engine": "ilp"}, "query": ("Same",)}
        full = workspace.learn(rules, **learn)
        lazy = workspace.learn(rules, lazy=True, **learn)
    assert [one["open"] for one in lazy.rules()] == [one["open"] for one in full.rules()]
    np.testing.assert_allclose(lazy.weights, full.weights, atol=0.05)


def test_labels_that_break_a_lazy_rule_leave_its_rows_out() -> None:
    rules = RULES.replace("!Same(x, y) v Same(y, x).\n", "")
    broken = "Same(A, B)\nSame(B, C)\nNear(A, B)\nNear(B, C)\nFar(A, C)\n"
    with wb.open() as workspace:
        workspace.declare(rules)
        load_alchemy_text(workspace.database, broken)
        learn = {
            "learner": "max_margin",
            "options": {"engine": "ilp"},
            "query": ("Same",),
            "record": False,
        }
        full = workspace.learn(rules, **learn)
        lazy = workspace.learn(rules, lazy=True, **learn)
    np.testing.assert_allclose(lazy.weights, full.weights, atol=0.05)


def test_other_learners_and_losses_refuse() -> None:
    with wb.open() as workspace:
        workspace.declare(RULES)
        load_alchemy_text(workspace.database, facts(0))
        with pytest.raises(UsageError, match="only max_margin"):
            workspace.learn(RULES, lazy=True, learner="pscg", query=("Same",))
        with pytest.raises(UsageError, match="with the loss 0/1"):
            workspace.learn(
                RULES, lazy=True, learner="max_margin", options={"loss": "0/1"}, query=("Same",)
            )


def test_each_reader_of_a_store_is_given_every_row_once() -> None:
    network = network_from_clauses(3, [[1, 2], [-1, 3], [2, 3]], [0, 0, 0])
    store = RowStore(StoredRows(Rows(network.A, network.b, network.template, network.relation)))
    first, second = store.reader(), store.reader()
    assert first.violated(np.zeros(3)).n == 2
    assert first.violated(np.zeros(3)).n == 0
    assert first.violated(np.array([1.0, 0.0, 0.0])).n == 1
    assert second.violated(np.zeros(3)).n == 2
    assert second.violated(np.array([1.0, 0.0, 0.0])).n == 1
    assert second.violated(np.ones(3)).n == 0
