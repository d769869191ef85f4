"""`Workspace.structure`: learned rules and candidates with their figures, ready for a table."""

from __future__ import annotations

import json
import re
import tempfile
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pytest

from tests.structure.worlds import trains
from workbench.database.relation_arrays import read_relations
from workbench.errors import UsageError
from workbench.language import parse_mln
from workbench.language.ilp.reader import read_ilp
from workbench.progress import Progress
from workbench.resources import shipped
from workbench.structure.background import Background
from workbench.structure.disjunctions import Disjunction
from workbench.structure.mining import RuleMiner
from workbench.structure.pseudo_likelihood import PseudoLikelihoodScore
from workbench.verbs.labelled_worlds import LabelledWorld
from workbench.verbs.own_mode import mode_check
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
    assert [record["gain"] for record in table] == sorted(
        (record["gain"] for record in table), reverse=True
    )
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
    run = university.runs.get(result.run_id)
    assert (run.kind, run.engine, run.status, run.language) == (
        "structure",
        "mine",
        result.status,
        "mln",
    )
    assert run.program_text == result.text
    assert run.parameters["targets"] == ["AdvisedBy"]
    before = len(university.runs())
    assert university.structure(targets=["AdvisedBy"], method="mine", record=False).run_id is None
    assert len(university.runs()) == before


def test_the_language_of_a_run_is_recorded_not_guessed() -> None:
    """`->` stands in a string of this Markov logic program."""
    with open_workspace() as space:
        result = space.infer(
            '1 Says(x, "a -> b") => Heard(x)\nSays(person, words)\nHeard(person)\nperson={Ann}\n'
        )
        assert result.run_id is not None
        assert space.runs.get(result.run_id).language == "mln"


def test_a_clause_that_covers_all_positives_ends_no_search_that_collects(tmp_path: Path) -> None:
    """`axle` scores best and covers every positive; colours are as good as they are rare."""
    path = tmp_path / "cars.pl"
    covered = [("amber", 4), ("axle", 15), ("red", 5)]
    facts = " ".join(f"{name}(c{k})." for name, n in covered for k in range(n))
    labels = " ".join(f"example(good(c{k}), {1 if k < 10 else -1}, 1)." for k in range(20))
    modes = ":- modeh(1, good(+car)). :- set(noise, 20). :- set(evalfn, wracc)." + "".join(
        f" :- modeb(*, {name}(+car))." for name, _ in covered
    )
    path.write_text(f"{modes}\n{facts}\n{labels}\n")
    with open_workspace() as space:
        found = space.structure(read_ilp(path), collect=0.0)
    assert {rule.text for rule in found.rules} >= {f"{name}(a) => good(a)" for name, _ in covered}


def test_clauses_of_a_rare_target_are_candidates_where_none_beats_an_example(
    tmp_path: Path,
) -> None:
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


@pytest.fixture(scope="module")
def rings() -> Workspace:
    """Companies with directors and addresses; rings of frauds share directors."""
    rng = np.random.default_rng(5)
    lines = []
    for company in range(150):
        ring = company // 6 if company < 42 else None
        fraud = ring is not None or rng.random() < 0.03
        first = rng.integers(0, 3) + 3 * ring if ring is not None else rng.integers(30, 120)
        lines += [f"Directs(P{first}, C{company})", f"Directs(Q{company}, C{company})"]
        lines += [
            f"LocatedAt(C{company}, A{rng.integers(0, 60)})",
            f"Sector(C{company}, S{rng.integers(0, 4)})",
        ]
        if company % 5:
            lines.append(("" if fraud else "!") + f"Fraud(C{company})")
    space = open_workspace()
    declared = (
        "Directs(person, company)\nLocatedAt(company, address)\nSector(company, "
        "sector)\nFraud(company)\n"
    )
    path = Path(tempfile.mkdtemp()) / "rings.db"
    path.write_text("\n".join(lines) + "\n")
    space.load(path, rules=declared)
    return space


@pytest.mark.parametrize("method", ["mine", "beam", "paths"])
def test_the_planted_rule_has_the_most_to_say_of_held_out_labels(
    rings: Workspace, method: str
) -> None:
    result = rings.structure(targets=["Fraud"], method=method)
    best = result.candidate_table()[0]
    body, _, head = best["rule"].partition(" => ")
    assert head.startswith("Fraud(")
    assert (body.count("Directs("), body.count("Fraud("), body.count(" ^ ")) == (2, 1, 2)
    assert best["gain"] > 0.05
    assert best["precision"] > 0.7
    assert best["support"] + best["negatives"] < 60, "a company is no neighbour of its own"


def flat_facts() -> list[str]:
    """Flats of a street and an age; oil and noisy streets leave them vacant, a third is unknown."""
    rng = np.random.default_rng(2)
    lines = [f"Noise(S{street}, {40 + 2 * street})" for street in range(20)]
    for flat in range(300):
        oil, street, age = rng.random() < 0.4, rng.integers(20), rng.integers(5, 120)
        vacant = rng.random() < 0.1 + 0.4 * oil + 0.4 * (street >= 12)
        lines += [f"Heating(F{flat}, {'Oil' if oil else 'Gas'})", f"Street(F{flat}, S{street})"]
        lines.append(f"Age(F{flat}, {age})")
        if flat % 3:
            lines.append(("" if vacant else "!") + f"Vacant(F{flat})")
    return lines


@pytest.fixture(scope="module")
def flats() -> Workspace:
    space = open_workspace()
    path = Path(tempfile.mkdtemp()) / "flats.db"
    path.write_text("\n".join(flat_facts()) + "\n")
    space.load(path, rules=FLATS)
    return space


FLATS = """
Heating(flat, heating)
Street(flat, street)
Noise(street, number)
Age(flat, number)
Vacant(flat)
"""


@pytest.mark.parametrize("method", ["mine", "beam", "paths"])
def test_rules_name_categories_and_compare_numbers(flats: Workspace, method: str) -> None:
    result = flats.structure(FLATS, targets=["Vacant"], method=method)
    texts = " ".join(record["rule"] for record in result.table())
    assert "Heating(" in texts
    assert ", Oil)" in texts
    assert re.search(r"noise_\w+ >= 6[345]|noise_\w+ < 6[345]", texts), texts
    assert "age_" not in result.table()[0]["rule"]
    read = parse_mln(result.text)
    assert read.predicates.keys() == {"Heating", "Street", "Noise", "Age", "Vacant"}
    if method != "mine":
        predicted = flats.infer(result.text, query="Vacant", record=False)
        values = predicted.predictions()["value"]
        assert (len(values), values.std() > 0.1) == (100, True)


def test_a_number_is_no_target(flats: Workspace) -> None:
    with pytest.raises(UsageError, match="E0612") as told:
        flats.structure(FLATS, targets=["Age"])
    assert "study" in str(told.value)


def test_mined_rules_are_held_against_labelled_atoms_only(flats: Workspace) -> None:
    rules = flats.structure(FLATS, targets=["Vacant"], method="mine").table()
    oil = next(rule for rule in rules if rule["rule"] == "Heating(a, Oil) => Vacant(a)")
    lines = flat_facts()
    vacant = {line for line in lines if line.startswith("Vacant(")}
    others = {line[1:] for line in lines if line.startswith("!")}
    heated = {f"Vacant({line[8:].partition(',')[0]})" for line in lines if ", Oil)" in line}
    assert (oil["positives"], oil["negatives"]) == (len(heated & vacant), len(heated & others))


@pytest.mark.parametrize("method", ["mine", "beam", "paths"])
def test_a_stopped_search_gives_what_it_has(rings: Workspace, method: str) -> None:
    late = rings.structure(targets=["Fraud"], method=method, time_limit=1e-9)
    assert late.status == "limit"
    event = Event()
    event.set()
    cancelled = rings.structure(
        targets=["Fraud"], method=method, progress=Progress(cancel_event=event)
    )
    assert cancelled.status == "cancelled"
    assert parse_mln(cancelled.text).predicates.keys() == {
        "Directs",
        "LocatedAt",
        "Sector",
        "Fraud",
    }


def test_a_theory_whose_own_mode_makes_everything_true_is_told_by_its_errors(
    rings: Workspace,
) -> None:
    """All pairs of companies agree, at a weight that outdoes the labels' rarity."""
    names = ["Directs", "LocatedAt", "Sector", "Fraud"]
    found = read_relations(rings.database, names, partitions=("evidence", "truth"))
    background = Background(
        found.predicates, found.argument_types, found.facts, found.constants, found.domains
    )
    worlds = [LabelledWorld(one, background, {}) for one in rings.data.worlds().values()]
    declared = dict(zip(found.predicates, found.argument_types))
    check = mode_check(rings.database, declared, worlds, ["Fraud"])
    unit: Disjunction = ((3, (0,), True),)
    alike: Disjunction = (
        (1, (0, 1), False),
        (1, (2, 1), False),
        (3, (0,), False),
        (3, (2,), False),
    )
    sober = check([unit], {0: np.array([-1.5])})
    mad = check([unit, alike], {0: np.array([-1.5, -4.0])})
    assert sober < 0.4
    assert mad > 0.5


def test_a_search_that_hears_nothing_is_left_with_the_theory_so_far(
    university: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Interrupted before it knows what a clause gains, beam search has the unit clause."""
    cancel, ended = Event(), Event()

    def deaf(self: PseudoLikelihoodScore, *candidates: Any, **how: Any) -> Any:
        cancel.set()
        ended.wait()
        raise AssertionError

    monkeypatch.setattr(PseudoLikelihoodScore, "gains", deaf)
    monkeypatch.setattr("workbench.leaving.GRACE", 0.01)
    found = university.structure(targets=["AdvisedBy"], progress=Progress(cancel_event=cancel))
    ended.set()
    assert found.status == "cancelled"
    assert [rule.text for rule in found.rules] == ["AdvisedBy(x, y)"]


def test_mining_that_hears_nothing_is_left_with_the_shorter_rules(
    rings: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Interrupted while it counts the longest rules, it has the others."""
    cancel, ended, lengths = Event(), Event(), list[int]()
    whole, literals = RuleMiner._rules, lambda text: text.count("(")

    def deaf(self: RuleMiner, *arguments: Any, **how: Any) -> Any:
        lengths.append(len(lengths))
        if len(lengths) <= 2:
            return whole(self, *arguments, **how)
        cancel.set()
        ended.wait()
        raise AssertionError

    monkeypatch.setattr(RuleMiner, "_rules", deaf)
    monkeypatch.setattr("workbench.leaving.GRACE", 0.01)
    how: Any = {"targets": ["Fraud"], "method": "mine"}
    found = rings.structure(**how, progress=Progress(cancel_event=cancel))
    ended.set()
    monkeypatch.undo()
    short = {rule.text for rule in found.rules}
    assert found.status == "cancelled"
    assert short
    longer = [rule.text for rule in rings.structure(**how).rules]
    assert max(map(literals, short)) < max(map(literals, longer))


def test_of_rules_that_differ_in_bounds_the_most_telling_one_is_told(flats: Workspace) -> None:
    rules = [
        record["rule"] for record in flats.structure(targets=["Vacant"], method="mine").table()
    ]
    shapes = [re.sub(r"(>=|<) [\d.]+", r"\1", rule) for rule in rules]
    assert any("<" in shape or ">=" in shape for shape in shapes)
    assert len(set(shapes)) == len(shapes)
    assert not any(re.search(r"(Age\(.*?\)).*\1", rule) for rule in rules), "an atom twice"
