"""Trees of fields: of most shared information, or of parents that are given."""

from __future__ import annotations

import numpy as np
import pytest

from workbench.linkage.field_tree import field_tree
from workbench.linkage.sorting import are_among
from workbench.linkage.tree import GivenPairs, fit_classes


def drawn(seed: int, n: int = 4000) -> np.ndarray:
    """Levels 1 and 2 of four fields: matches agree, others agree in two fields at once."""
    random = np.random.default_rng(seed)
    kind = random.choice(3, n, p=[0.1, 0.3, 0.6])
    agree = np.array([[0.95, 0.9, 0.9, 0.85], [0.9, 0.9, 0.1, 0.1], [0.1, 0.1, 0.1, 0.1]])[kind]
    return (1 + (random.random((n, 4)) < agree)).astype(np.int8)


def test_a_tree_of_given_parents_has_the_tables_of_the_tree_that_is_chosen() -> None:
    levels, sizes = drawn(1), [3] * 4
    weight = np.ones(len(levels))
    chosen = field_tree(levels, weight, sizes, -1.0, None)
    given = field_tree(levels, weight, sizes, -1.0, None, chosen.parent)
    assert given.parent == chosen.parent
    for one, other in zip(given.tables, chosen.tables):
        assert one == pytest.approx(other)


def test_em_grows_likelier_with_each_choice_of_trees() -> None:
    levels = drawn(2)
    match = (levels == 2).sum(axis=1) >= 3
    start = np.column_stack((match, ~match & (levels[:, 0] == 2), ~match & (levels[:, 0] != 2)))
    given = GivenPairs(levels, np.ones(len(levels)), [3] * 4, np.ones(4))
    model = fit_classes(given, start + 0.01, iterations=40)
    assert (np.diff(model.trace) > -1e-6 * abs(model.trace[-1])).all()


def test_values_that_are_among_others() -> None:
    random = np.random.default_rng(3)
    for n, m in ((0, 5), (5, 0), (200, 90)):
        values, others = random.integers(0, 300, n), random.integers(0, 300, m)
        assert (are_among(values, others) == np.isin(values, others)).all()
