"""`Workspace.structure`: learned rules and candidates with their figures, ready for a table."""

from __future__ import annotations

import json

import pytest

from tests.structure.worlds import trains
from workbench.language import parse_mln
from workbench.resources import shipped
from workbench.workspace import Workspace, open_workspace

FIELDS = {"rule", "weight", "support", "negatives", "precision", "gain", "chosen", "line"}


@pytest.fixture(scope="module")
def university() -> Workspace:
    space = open_workspace()
    space.load(shipped("data", "university"))
    return space


@pytest.mark.parametrize("method", ["mine", "beam", "paths"])
def test_candidates_have_support_precision_and_gain(university: Workspace, method: str) -> None:
    options = {} if method == "mine" else {"settings": {"max_clauses": 1}}
    result = university.structure(targets=["AdvisedBy"], method=method, candidates=20, **options)
    table = result.candidate_table()
    assert set(FIELDS) <= set(table[0])
    assert [record["gain"] for record in table] == sorted((record["gain"] for record in table), reverse=True)
    assert len([record for record in table if not record["chosen"]]) <= 20
    assert all(0 <= record["precision"] <= 1 for record in table)
    assert json.loads(json.dumps(result.summary()))["method"] == method
    assert list(result.frame()["rule"]) == [record["rule"] for record in table]
    declarations = result.text.split("\n\n")[0]
    assert len(parse_mln(f"{declarations}\n{table[0]['line']}\n").rules) == 1


def test_an_ilp_problem_reports_what_it_did_not_take() -> None:
    problem, _, _ = trains()
    with open_workspace() as space:
        result = space.structure(problem, candidates=7)
    chosen = [record for record in result.candidate_table() if record["chosen"]]
    assert [(record["support"], record["negatives"]) for record in chosen] == [(5, 0)]
    assert 0 < len(result.candidates) <= 7
    assert result.figures["clauses"] == 1
