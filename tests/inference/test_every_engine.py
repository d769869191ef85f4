"""The conformance kit over the registry: every engine, every task it does, every check."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.kits.engine_kit import CHECKS
from workbench.errors import InputError, UsageError
from workbench.inference import ENGINES, make_engine
from workbench.inference.registry import tasks_of


def engines() -> Iterator[tuple[str, str]]:
    """Every engine with each task that it does."""
    yield from ((name, task) for name in ENGINES for task in tasks_of(name))


PAIRS = [(name, task, check) for name, task in engines() for check in CHECKS]
SEEN: dict[tuple[str, str, str], int] = {}


@pytest.mark.parametrize(
    ("name", "task", "check"),
    PAIRS,
    ids=[f"{name}-{task}-{check.__name__}" for name, task, check in PAIRS],
)
def test_engine(name: str, task: Any, check: Callable[[Any], int]) -> None:
    try:
        engine = make_engine(name, task)
    except InputError as error:  # an optional package is missing
        pytest.skip(str(error))
    SEEN[name, task, check.__name__] = check(engine)


def test_the_kit_covered_every_pair(capsys: pytest.CaptureFixture[str]) -> None:
    """Count the pairs: an engine that declines everything must not pass for one that was tested."""
    if len(SEEN) < len(PAIRS):
        pytest.skip("only some of the pairs were run, or an optional package is missing")
    with capsys.disabled():
        print(f"\n{len(SEEN)} (engine, check) pairs over {sum(SEEN.values())} networks")
    for name, task in engines():
        assert SEEN[name, task, "answers_are_well_formed"] > 0, name
        assert SEEN[name, task, "the_declaration_is_kept"] > 0, name
        assert SEEN[name, task, "a_deadline_and_a_cancel_are_heard_at_work"] > 0, name


def test_unknown_names_and_parameters_are_refused() -> None:
    with pytest.raises(UsageError, match="did you mean maxwalksat"):
        make_engine("maxwalksta")
    with pytest.raises(UsageError, match="has no parameter"):
        make_engine("gibbs", "marginal", flips=3)
    with pytest.raises(UsageError):
        make_engine("gibbs", "map")
