"""The covering loops, on Michalski's trains and on small worlds."""

from __future__ import annotations

import numpy as np
import pytest

from tests.structure.worlds import trains
from workbench.structure.induction import ClauseLearner
from workbench.structure.search import SearchSettings


@pytest.mark.parametrize("loop", ["induce", "induce_cover", "induce_max"])
@pytest.mark.parametrize("search", ["bf", "heuristic", "df"])
def test_trains_are_told_apart_by_one_rule(loop: str, search: str) -> None:
    problem, background, examples = trains()
    learner = ClauseLearner(
        background, examples, problem.head_mode, problem.body_modes, SearchSettings(search=search)  # type: ignore[arg-type]
    )  # fmt: skip
    theory = learner.learn(loop=loop)  # type: ignore[arg-type]
    assert theory.status == "complete"
    assert [(int(p), int(n)) for p, n in zip(theory.positives, theory.negatives)] == [(5, 0)]
    (literals,) = learner.cache.body_literals(theory.parts)
    assert sorted(background.predicates[row[0]] for row in literals) == ["closed", "has_car", "short"]
    assert np.array_equal(learner.predict(theory), examples.label == 1)
