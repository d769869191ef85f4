"""The covering loops, on Michalski's trains and on small worlds."""

from __future__ import annotations

from threading import Event

import numpy as np
import pytest

from tests.structure.worlds import trains
from workbench.errors import InputError, UsageError
from workbench.language.ilp.problem import Mode, ModeArgument
from workbench.progress import Conduct, Progress
from workbench.structure.background import Examples
from workbench.structure.coverage import pack
from workbench.structure.induction import ClauseLearner
from workbench.structure.scores import EVALUATION_FUNCTIONS
from workbench.structure.settings import SearchSettings


@pytest.mark.parametrize("loop", ["induce", "induce_cover", "induce_max"])
@pytest.mark.parametrize("search", ["bf", "heuristic", "df"])
def test_trains_are_told_apart_by_one_rule(loop: str, search: str) -> None:
    problem, background, examples = trains()
    learner = ClauseLearner(
        background, examples, problem.head_mode, problem.body_modes,
        SearchSettings(search=search)  # type: ignore[arg-type]
    )  # fmt: skip
    theory = learner.learn(loop=loop)  # type: ignore[arg-type]
    assert theory.status == "complete"
    assert [(int(p), int(n)) for p, n in zip(theory.positives, theory.negatives)] == [(5, 0)]
    (literals,) = learner.cache.body_literals(theory.parts)
    assert sorted(background.predicates[row[0]] for row in literals) == [
        "closed",
        "has_car",
        "short",
    ]
    assert np.array_equal(learner.predict(theory), examples.label == 1)


@pytest.mark.parametrize("function", sorted(EVALUATION_FUNCTIONS))
def test_every_evaluation_function_can_accept_a_clause(function: str) -> None:
    problem, background, examples = trains()
    settings = SearchSettings(evalfn=function)
    theory = ClauseLearner(
        background, examples, problem.head_mode, problem.body_modes, settings
    ).learn()
    assert len(theory.parts)
    assert theory.negatives.sum() == 0


def test_a_stopped_search_keeps_what_it_found() -> None:
    problem, background, examples = trains()
    learner = ClauseLearner(
        background, examples, problem.head_mode, problem.body_modes, SearchSettings(noise=5)
    )
    stopped = learner.learn(conduct=Conduct(deadline=0.0))
    assert stopped.status == "limit"
    assert len(stopped.parts) == 0
    event = Event()
    event.set()
    assert (
        learner.learn(conduct=Conduct(progress=Progress(cancel_event=event))).status == "cancelled"
    )


def test_node_limit_and_collector() -> None:
    problem, background, examples = trains()
    settings = SearchSettings(noise=5, collect=0.0, nodes=30)
    learner = ClauseLearner(background, examples, problem.head_mode, problem.body_modes, settings)
    theory = learner.learn(loop="induce_max")
    assert theory.nodes <= 30 * 5
    parts = learner.cache.body_parts(theory.collected)
    assert len({row.tobytes() for row in parts}) == len(parts)
    positive = pack(examples.label == 1)[None]
    negative = pack(examples.label == 0)[None]
    assert np.all(learner.cache.tally(parts, positive) > learner.cache.tally(parts, negative))


def test_targets_without_positives_or_background_are_named_errors() -> None:
    problem, background, examples = trains()
    none = Examples(examples.predicate, examples.types, examples.arguments, np.zeros(len(examples)))
    with pytest.raises(InputError) as caught:
        ClauseLearner(
            background, none, problem.head_mode, problem.body_modes, SearchSettings()
        ).learn()
    assert caught.value.diagnostics[0].code == "E0604"
    short = Mode("short", (ModeArgument("+", "car"),))
    with pytest.raises(InputError) as caught:
        ClauseLearner(background, examples, problem.head_mode, [short], SearchSettings()).learn()
    assert caught.value.diagnostics[0].code == "E0608"
    with pytest.raises(UsageError) as unknown:
        SearchSettings(evalfn="accurracy")
    assert "accuracy" in str(unknown.value)
