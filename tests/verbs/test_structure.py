"""`Workspace.structure`: learned rules and candidates with their figures, ready for a table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.structure.worlds import trains
from workbench.language import parse_mln
from workbench.language.ilp_reader import read_ilp
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
    options: dict[str, Any] = {} if method == "mine" else {"settings": {"max_clauses": 1}}
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


def test_a_search_is_recorded_as_a_run(university: Workspace) -> None:
    result = university.structure(targets=["AdvisedBy"], method="mine", candidates=3)
    assert result.run_id is not None
    run = university.run(result.run_id)
    assert (run.kind, run.engine, run.status, run.language) == ("structure", "mine", result.status, "mln")
    assert run.program_text == result.text
    assert run.parameters["targets"] == ["AdvisedBy"]
    before = len(university.runs())
    assert university.structure(targets=["AdvisedBy"], method="mine", record=False).run_id is None
    assert len(university.runs()) == before


def test_the_language_of_a_run_is_recorded_not_guessed() -> None:
    """`->` stands in a string of this Markov logic program."""
    with open_workspace() as space:
        result = space.infer('1 Says(x, "a -> b") => Heard(x)\nSays(person, words)\nHeard(person)\nperson={Ann}\n')
        assert result.run_id is not None
        assert space.run(result.run_id).language == "mln"


def test_clauses_of_a_rare_target_are_candidates_where_none_beats_an_example(tmp_path: Path) -> None:
    path = tmp_path / "rare.pl"
    facts = " ".join(f"colour(c{k}, {'red' if k < 6 else 'blue'})." for k in range(12))
    rare = " ".join(f"example(good(c{k}), {1 if k < 2 else -1}, 1)." for k in range(12))
    modes = ":- modeh(*, good(+car)). :- modeb(*, colour(+car, #colour)). :- set(noise, 20)."
    path.write_text(f"{modes}\n{facts}\n{rare}\n")
    problem = read_ilp(path)
    with open_workspace() as space:
        result = space.structure(problem)
        assert not result.rules
        assert [rule.text for rule in result.candidates] == ['colour(a, "red") => good(a)']
        assert "--collect" in result.warnings[0]
    with open_workspace() as space:
        kept = space.structure(problem, collect=float("-inf"), weights="l2")
        assert {rule.text for rule in kept.rules} == {
            'colour(a, "red") => good(a)', 'colour(a, "blue") => good(a)', "good(a)",
        }  # fmt: skip
        against = next(rule for rule in kept.rules if "blue" in rule.text)
        assert against.weight is not None
        assert against.weight < 0
