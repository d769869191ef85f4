"""Every verb of the facade refuses a keyword that it does not have, and names the nearest."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

import workbench as wb
from workbench.errors import UsageError
from workbench.verbs.keywords import keywords_of
from workbench.workspace import Workspace

VERBS = {
    name: method
    for name, method in inspect.getmembers(Workspace, callable)
    if not name.startswith("_") and name != "answers"
}


@pytest.mark.parametrize("verb", VERBS)
def test_an_unknown_keyword_is_refused_and_the_nearest_named(verb: str) -> None:
    known = keywords_of(VERBS[verb])
    wrong = f"{known[0]}x" if known else "banana"
    with wb.open() as ws, pytest.raises(UsageError) as caught:
        getattr(ws, verb)(**{wrong: 1})
    (problem,) = caught.value.diagnostics
    assert (problem.code, problem.message) == ("E0843", f"{verb} has no option {wrong}")
    assert not known or f"did you mean {known[0]}?" in (problem.help or "")


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (
            lambda ws: ws.infer("1 P(x)", max_rounds=1),
            "parameter of cpi: give options={'max_rounds'",
        ),
        (lambda ws: ws.learn("1 P(x)", prior_sd=2), "give options={'prior_sd': ...}"),
        (lambda ws: ws.crossval("1 P(x)", samples=2), "give engine_options={'samples': ...}"),
        (lambda ws: ws.crossval("1 P(x)", prior_sd=2), "give learner_options={'prior_sd': ...}"),
        (lambda ws: ws.infer("1 P(x)", tim_limit=2), "did you mean time_limit?"),
        (lambda ws: ws.structure(loop="induce"), "it has: "),
    ],
)
def test_parameters_are_sent_to_the_option_that_holds_them(
    ask: Callable[[Workspace], Any], said: str
) -> None:
    with wb.open() as ws:
        ws.load(pd.DataFrame({"x": ["A", "B"]}), rules="P(x)", predicate="P")
        with pytest.raises(UsageError) as caught:
            ask(ws)
    (problem,) = caught.value.diagnostics
    assert problem.code == "E0843"
    assert said in (problem.help or "")


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (lambda ws: ws.infer("P(t)\nQ(t)\n1 P(x) => Q(x)\n", query=["Q"], task="guess"), "E0810"),
        (lambda ws: ws.data.add("P(A)", partition="test"), "E0845"),
        (lambda ws: ws.load(pd.DataFrame({"t": ["A"]}), predicate="P", partition="test"), "E0845"),
    ],
)
def test_a_word_that_is_no_choice_is_refused(call: Callable[[Workspace], Any], code: str) -> None:
    with wb.open() as ws:
        ws.declare("P(t)\n")
        with pytest.raises(UsageError, match=code):
            call(ws)
