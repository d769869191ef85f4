"""Parameters mean what their classes declare, whoever gives them."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import Any

import numpy as np
import pytest

from workbench.errors import UsageError
from workbench.inference.registry import ENGINES, engine_class, make_engine
from workbench.learning import LEARNERS, make_learner
from workbench.parameters import read_parameters
from workbench.structure.beam import BeamSearch
from workbench.structure.mining import RuleMiner
from workbench.structure.paths import PathLearner
from workbench.structure.settings import SearchSettings

SEARCHES = (BeamSearch, PathLearner, RuleMiner, SearchSettings)
CLASSES: list[Any] = [
    *SEARCHES,
    *LEARNERS.values(),
    *sorted(
        {engine_class(name) for name in ENGINES if name != "rc2"},
        key=lambda engine: engine.__name__,
    ),
]


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: str(cls.__name__))
def test_every_default_reads_as_itself_from_its_own_text(cls: Any) -> None:
    """A parameter whose text cannot say its default would be closed to the command line."""
    for entry in fields(cls):
        if not entry.init or entry.default is MISSING or isinstance(entry.default, tuple):
            continue
        (read,) = read_parameters(cls, {entry.name: str(entry.default)}, "it", "E0610").values()
        assert read == entry.default
        assert type(read) is type(entry.default) or isinstance(entry.default, float | None)


@pytest.mark.parametrize(
    ("name", "value", "read"),
    [
        ("recursive", "false", False),
        ("recursive", "True", True),
        ("max_clauses", "1e2", 100),
        ("max_clauses", 7.0, 7),
        ("min_gain", "2", 2.0),
    ],
)
def test_text_is_read_as_the_declared_type(name: str, value: object, read: object) -> None:
    found = read_parameters(PathLearner, {name: value}, "`paths`", "E0610")[name]
    assert found == read
    assert type(found) is type(read)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("recursive", "banana"),
        ("recursive", 1),
        ("max_clauses", "many"),
        ("max_clauses", 1.5),
        ("max_clauses", True),
        ("min_gain", "nan"),
        ("max_clausess", 3),
    ],
)
def test_what_is_of_another_type_is_refused(name: str, value: object) -> None:
    with pytest.raises(UsageError) as caught:
        read_parameters(PathLearner, {name: value}, "`paths`", "E0610")
    assert name in caught.value.diagnostics[0].message


def test_all_wrong_parameters_are_named_at_once() -> None:
    with pytest.raises(UsageError) as caught:
        read_parameters(
            PathLearner, {"recursive": "banana", "max_clauses": "many"}, "`paths`", "E0610"
        )
    assert len(caught.value.diagnostics) == 2


def test_engines_and_learners_refuse_the_same_way() -> None:
    with pytest.raises(UsageError, match="E0412"):
        make_engine("mcsat", samples="many")
    with pytest.raises(UsageError, match="E0412"):
        make_engine("lp", rounding="upwards")
    with pytest.raises(UsageError, match="E0505"):
        make_learner("voted_perceptron", epochs="many", counts="all")


@pytest.mark.parametrize(
    ("make", "name", "value", "wanted"),
    [
        (make_engine, "mcsat", {"chains": 0}, "a whole number of at least 1"),
        (make_engine, "mcsat", {"samples": -1}, "a whole number of at least 1"),
        (make_engine, "admm", {"penalty": 0}, "a number above 0 or none"),
        (make_engine, "bp", {"damping": "-1"}, "a number of at least 0"),
        (make_learner, "pseudo_likelihood", {"prior_sd": 0}, "a number above 0"),
        (make_learner, "mc_mle", {"sweeps": 0}, "a whole number of at least 1"),
    ],
)
def test_numbers_out_of_range_are_refused(
    make: Any, name: str, value: dict[str, object], wanted: str
) -> None:
    with pytest.raises(UsageError) as caught:
        make(name, **value)
    assert wanted in caught.value.diagnostics[0].message


@pytest.mark.parametrize("value", ["inf", 1e300, "1e-300"])
@pytest.mark.parametrize(
    ("make", "name", "parameter"),
    [
        (make_learner, "voted_perceptron", "step"),
        (make_learner, "max_margin", "penalty"),
        (make_learner, "fixed", "value"),
        (make_engine, "admm", "penalty"),
    ],
)
def test_numbers_that_arithmetic_cannot_bear_are_refused(
    make: Any, name: str, parameter: str, value: object
) -> None:
    """A step without end gave weights that are no numbers, without a word."""
    with pytest.raises(UsageError) as caught:
        make(name, **{parameter: value})
    assert caught.value.diagnostics[0].help == "give one of a size between 1e-100 and 1e+100"


def test_a_prior_may_be_infinitely_wide_and_not_a_penalty_of_nothing() -> None:
    assert make_learner("pseudo_likelihood", prior_sd="inf").prior_sd == np.inf
    assert read_parameters(SearchSettings, {"minscore": "-inf"}, "it", "E0610") == {
        "minscore": -np.inf
    }
    with pytest.raises(UsageError, match="above 0"):
        make_learner("max_margin", penalty=0)


def test_numbers_that_may_be_negative_are_read() -> None:
    assert read_parameters(SearchSettings, {"minscore": -2, "collect": "-1"}, "it", "E0610") == {
        "minscore": -2,
        "collect": -1,
    }
