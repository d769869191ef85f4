"""Explanations name the ground rules they sum, evidence and all."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import workbench as wb
from tests.cli.conftest import Run
from tests.cli.conftest import run as run
from workbench.errors import UsageError
from workbench.grounding import ground_rules
from workbench.verbs.explaining.explanation import Contribution, Explanation

RULES = """Friends(person, person)
Smokes(person)
1.1 Smokes(x) ^ Friends(x, y) => Smokes(y)
-0.3 Smokes(x)
"""
FACTS = "Friends(Anna, Bob)\nFriends(Cy, Bob)\nFriends(Bob, Cy)\nSmokes(Anna)\n"

GOLDEN = [
    "Smokes(Bob) is predicted true. Its rules, everything else as predicted, add up to log-odds of "
    "+1.900, a probability of 0.87. For it: Smokes(x) ^ Friends(x, y) => Smokes(y) (+2.200). "
    "Against it: Smokes(x) (-0.300).",
    "1.1000 | 1.1000 | 0.0000 | Smokes(Cy) ^ Friends(Cy, Bob) => | Smokes(Cy) = 1, Friends(Cy, "
    "Bob) = 1 | Smokes(x) ^ Friends(x, y) => Smokes(y)",
    "1.1000 | 1.1000 | 0.0000 | Smokes(Anna) ^ Friends(Anna, Bob) => | Smokes(Anna) = 1, "
    "Friends(Anna, Bob) = | Smokes(x) ^ Friends(x, y) => Smokes(y)",
    "-0.3000 | -0.3000 | 0.0000 | Smokes(Bob) | | Smokes(x)",
    "0.0000 | 1.1000 | 0.0000 | Smokes(Bob) ^ Friends(Bob, Cy) => | Smokes(Cy) = 1, Friends(Bob, "
    "Cy) = 1 | Smokes(x) ^ Friends(x, y) => Smokes(y)",
]


@pytest.fixture
def smokers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "rules.mln").write_text(RULES)
    (tmp_path / "people.db").write_text(FACTS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("smokers")
def test_the_command_line_names_the_evidence(run: Run) -> None:
    command = "explain rules.mln Smokes(Bob) --data people.db --query Smokes --task map"
    lines = run(command).out.splitlines()
    rows = [
        " ".join(line.replace("│", " | ").split()).strip("| ") for line in lines if "00" in line
    ]
    assert rows == GOLDEN
    known = next(
        item
        for item in run(f"{command} --json").json["contributions"]
        if not item["others"] and item["given"]
    )
    assert known == {
        "template": 0,
        "rule": "Smokes(x) ^ Friends(x, y) => Smokes(y)",
        "ground": "!Smokes(Anna) v !Friends(Anna, Bob) v Smokes(Bob)",
        "contribution": pytest.approx(1.1),
        "distance": 0.0,
        "others": [],
        "values": [],
        "weight": pytest.approx(1.1),
        "count": 1,
        "given": ["Smokes(Anna)", "Friends(Anna, Bob)"],
        "given_values": [1.0, 1.0],
        "definitions": [],
        "description": "",
        "written": "Smokes(Anna) ^ Friends(Anna, Bob) => Smokes(Bob)",
        "sense": 1,
    }


def test_a_ground_rule_reads_in_the_form_and_the_sense_of_its_author(tmp_path: Path) -> None:
    rules = "Directs(person, company)\nFraud(person)\n0.5 Directs(p, c) ^ Fraud(p)\n"
    (tmp_path / "facts.db").write_text("Directs(Ada, Acme)\n")
    with wb.open() as workspace:
        workspace.load(tmp_path / "facts.db", rules=rules)
        (told,) = workspace.infer(rules, query="Fraud").explain("Fraud(Ada)").contributions
    assert (told.ground, told.weight) == ("!Directs(Ada, Acme) v !Fraud(Ada)", -0.5)
    assert (told.written, told.written_weight) == ("Directs(Ada, Acme) ^ Fraud(Ada)", 0.5)
    assert told.distance + told.written_distance == 1


def test_a_ground_rule_names_things_as_people_do(tmp_path: Path) -> None:
    people = tmp_path / "people.csv"
    people.write_text("person,name,vip\n" + "".join(f"P{i},Name {i},yes\n" for i in range(9)))
    with wb.open() as workspace:
        workspace.load(people)
        rules = "Vip(person)\nBuys(person)\n1 Vip(p) => Buys(p)\n"
        (told,) = workspace.infer(rules, query="Buys").explain("Buys(P1)").contributions
    assert told.written == "Vip(Name 1 (P1)) => Buys(Name 1 (P1))"


def test_things_without_another_name_are_shown_without_quotes_too() -> None:
    with wb.open() as workspace:
        facts = 'Buys("P-1")\nBuys("Old Town")\n'
        workspace.infer("*Buys(person)\nVip(person)\n1 Vip(x)\n", query="Vip")
        workspace.data.add(facts)
        assert workspace.data.shown(facts.splitlines()) == ["Buys(P-1)", "Buys(Old Town)"]


def test_soft_logic_tells_weight_distance_and_pressure_of_each_ground_rule(tmp_path: Path) -> None:
    rules = tmp_path / "model.psl"
    rules.write_text(
        "1: Knows(A, B) & Votes(A) -> Votes(B)\n2: Knows(A, B) & Votes(A) -> Votes(B) ^2\n0.5: "
        "!Votes(A)\n"
    )
    for name, rows in (
        ("knows", "A\tC\nB\tC\t0.5\n"),
        ("seen", "A\t0.8\nB\t1\n"),
        ("votes", "C\n"),
    ):
        (tmp_path / f"{name}.tsv").write_text(rows)
    (tmp_path / "model.data").write_text(
        "predicates:\n  Knows/2: closed\n  Votes/1: open\nobservations:\n  Knows: knows.tsv\n  "
        "Votes: seen.tsv\n"
        "targets:\n  Votes: votes.tsv\n"
    )
    with wb.open() as workspace:
        workspace.load(tmp_path / "model.data", rules=rules)
        result = workspace.infer(rules, record=False, options={"tolerance": 1e-9})
        result.solution.values[:] = 0.4
        told = result.explain("Votes(C)").contributions
    from_a, from_b = (f"!Knows({x}, C) v !Votes({x}) v Votes(C)" for x in "AB")
    by_ground = {(item.ground, item.weight): item for item in told}
    assert len(by_ground) == len(told) == 5
    expected = {
        (from_a, 1.0): (1, 0.4),
        (from_b, 1.0): (1, 0.1),
        (from_a, 2.0): (1.6, 0.4),
        (from_b, 2.0): (0.4, 0.1),
    }
    for key, figures in (expected | {("!Votes(C)", 0.5): (-0.5, 0.4)}).items():
        assert (by_ground[key].contribution, by_ground[key].distance) == pytest.approx(figures)
    assert by_ground[(from_b, 2.0)].given == ("Knows(B, C)", "Votes(B)")
    assert by_ground[(from_b, 2.0)].given_values == (0.5, 1.0)


def test_beyond_the_first_two_hundred_a_line_says_how_many(smokers: Path) -> None:
    with wb.open() as workspace:
        workspace.declare(RULES)
        crowd = [f"P{number}" for number in range(250)]
        workspace.load(
            pd.DataFrame({"a": [*crowd, "Bob"], "b": ["Bob"] * 250 + ["Cy"]}), predicate="Friends"
        )
        workspace.load(pd.DataFrame({"a": crowd}), predicate="Smokes")
        result = workspace.infer(smokers / "rules.mln", query="Smokes", task="map", record=False)
        told = result.explain("Smokes(Bob)")
    rest = [item for item in told.contributions if item.count > 1]
    assert [(item.ground, item.count, item.contribution) for item in rest] == [
        ("50 more ground rules", 50, pytest.approx(55.0))
    ]
    assert sum(item.contribution for item in told.contributions) == pytest.approx(told.log_odds)
    assert told.by_rule()[0][2] == 251
    assert len({item.ground for item in told.contributions}) == 200 + 3


def test_what_the_data_no_longer_tell_stays_summed(smokers: Path) -> None:
    with wb.open() as workspace:
        workspace.load(smokers / "people.db", rules=smokers / "rules.mln")
        result = workspace.infer(smokers / "rules.mln", query="Smokes", task="map", record=False)
        before = result.explain("Smokes(Bob)")
        result.grounding.origin.database.connection.execute("DELETE FROM p_Friends WHERE a1 = 1")
        index = result.grounding.atoms.find("Smokes(Bob)")
        changed = result.explain("Smokes(Bob)")
    assert ground_rules(result.grounding, index) == []
    closed = result.explain("Smokes(Bob)")
    for later in (changed, closed):
        assert later.log_odds == pytest.approx(before.log_odds)
        assert sum(item.contribution for item in later.contributions) == pytest.approx(
            before.log_odds
        )
    assert "1 ground rule that evidence decides but for this atom" in [
        item.ground for item in changed.contributions
    ]
    assert all(item.ground for item in closed.contributions)


def test_the_atom_of_one_world_has_the_evidence_of_that_world(smokers: Path) -> None:
    with wb.open() as workspace:
        workspace.load(smokers / "people.db", rules=smokers / "rules.mln", world="one")
        (smokers / "other.db").write_text("Friends(Dan, Bob)\nSmokes(Dan)\n")
        workspace.load(smokers / "other.db", rules=smokers / "rules.mln", world="two")
        result = workspace.infer(smokers / "rules.mln", query="Smokes", task="map", record=False)
        atoms = result.grounding.atoms
        texts = [
            {
                rule.text
                for rules in ground_rules(result.grounding, atoms.find("Smokes(Bob)", world=world))
                for rule in rules.named
            }
            for world in atoms.worlds
        ]
    assert "!Smokes(Anna) v !Friends(Anna, Bob) v Smokes(Bob)" in texts[0]
    assert texts[1] == {"!Smokes(Dan) v !Friends(Dan, Bob) v Smokes(Bob)", "Smokes(Bob)"}


def test_averages_over_samples_are_told_by_ground_rule(smokers: Path) -> None:
    with wb.open() as workspace:
        workspace.load(smokers / "people.db", rules=smokers / "rules.mln")
        result = workspace.infer(
            smokers / "rules.mln", query="Smokes", engine="exact", record=False
        )
        told = result.explain("Smokes(Bob)", samples=200, seed=1)
    assert sum(item.contribution for item in told.contributions) == pytest.approx(told.log_odds)
    known = next(item for item in told.contributions if item.ground.startswith("!Smokes(Anna)"))
    assert known.contribution == pytest.approx(1.1)
    assert known.distance == pytest.approx(1 - result.value("Smokes(Bob)"), abs=0.15)
    assert np.isfinite(told.log_odds)


@pytest.fixture
def towns(smokers: Path) -> Path:
    (smokers / "town.db").write_text(FACTS)
    (smokers / "village.db").write_text("Friends(Anna, Bob)\n!Smokes(Anna)\n")
    return smokers


def test_an_atom_of_several_worlds_is_explained_in_the_world_that_is_chosen(towns: Path) -> None:
    with wb.open() as workspace:
        for name in ("town", "village"):
            workspace.load(towns / f"{name}.db", rules=RULES, world=name)
        result = workspace.infer(RULES, query=["Smokes"], engine="exact")
        told = {name: result.explain("Smokes(Bob)", world=name) for name in ("town", "village")}
        assert told["village"].value == pytest.approx(1 / (1 + np.exp(0.3)))
        assert told["town"].value == pytest.approx(result.value("Smokes(Bob)", world="town"))
        assert told["town"].value > told["village"].value + 0.2
        assert [item.ground for item in told["village"].contributions] == ["Smokes(Bob)"]
        for ask in (result.explain, result.value):
            with pytest.raises(UsageError, match=r"E0247.*2 worlds(.|\n)*town, village"):
                ask("Smokes(Bob)")
        assert result.explain("Smokes(Cy)").atom == "Smokes(Cy)"
        with pytest.raises(
            UsageError, match=r"E0305.*of the world village(.|\n)*it is one of town"
        ):
            result.explain("Smokes(Cy)", world="village")


def test_the_command_explains_in_the_world_that_is_chosen(towns: Path, run: Run) -> None:
    base = [
        "explain",
        "rules.mln",
        "Smokes(Bob)",
        "--query",
        "Smokes",
        "--world",
        "town.db",
        "--world",
        "village.db",
    ]
    refused = run(*base)
    assert refused.code == 2
    assert "E0247" in refused.err
    assert "town, village" in refused.err
    told = [run(*base, "--only", name, "--json").json["value"] for name in ("town", "village")]
    assert told[0] > told[1] + 0.2


def test_definitions_are_told_by_what_they_count(tmp_path: Path, run: Run) -> None:
    (tmp_path / "people.csv").write_text(
        "id,name,odd\n" + "".join(f"P{n},Person {n},{'yno'[n % 2]}\n" for n in range(9))
    )
    (tmp_path / "firms.csv").write_text(
        "firm_id,firm name\n" + "".join(f"C{n},Firm {n:02}\n" for n in range(8))
    )
    pairs = [(person, firm) for person in range(9) for firm in range(8) if firm <= person]
    (tmp_path / "directs.csv").write_text(
        "id,firm_id\n" + "".join(f"P{a},C{b}\n" for a, b in pairs)
    )
    (tmp_path / "rules.mln").write_text(
        "Directs(person, firm)\nSought(person)\nCompanies(x, n) := n = count(c: Directs(x, c)).\n"
        "1 Companies(x, n) ^ n >= 2 => Sought(x)\n"
    )
    loaded = wb.open(tmp_path / "firms.duckdb")
    with loaded as workspace:
        workspace.load([tmp_path / f"{name}.csv" for name in ("people", "firms", "directs")])
    files = f"{tmp_path / 'rules.mln'} -w {tmp_path / 'firms.duckdb'} --query Sought"
    for person, told in (
        (1, "Companies(Person 1 (P1), 2): 2 firms: Firm 00 (C0), Firm 01 (C1)"),
        (
            7,
            "Companies(Person 7 (P7), 8): 8 firms: "
            + ", ".join(f"Firm {n:02} (C{n})" for n in range(5))
            + " and 3 more",
        ),
    ):
        line = f"explain {files} Sought(P{person})"
        (reason,) = run(f"{line} --json").json["contributions"]
        assert reason["definitions"] == [told]
        assert told in run(line).out


def test_what_a_definition_is_over_is_told_by_kinds_and_words_and_not_by_its_variables() -> None:
    rules = """
Member(loan, member)
DaysOut(loan, number)
Knows(member, member)
Late(member)
Longest(m, u) := u = max(d: Member(l, m) ^ DaysOut(l, d)).
Near(x, z) := Knows(x, y) ^ Knows(y, z) ^ Knows(z, w) ^ w != y.
1 Longest(m, u) ^ u > 20 => Late(m)
1 Near(m, n) => Late(m)
"""
    with wb.open() as ws:
        ws.declare(rules)
        facts = "Member(L1, Ann)", "DaysOut(L1, 40)", "Member(L2, Ann)", "DaysOut(L2, 7)"
        ws.data.add(*facts, "Knows(Ann, Bob)", "Knows(Bob, Cem)", "Knows(Cem, Dee)")
        found = ws.infer(rules, query="Late", engine="exact").explain("Late(Ann)")
    assert sorted(found.definitions()) == [
        "Longest(Ann, 40): 2 cases: days out 40, loan L1; days out 7, loan L2",
        "Near(Ann, Cem): 1 case: y = Bob, w = Dee",
    ]


def test_rules_are_told_in_their_authors_words_beside_the_rule_where_two_share_them() -> None:
    rules = """
Friends(person, person)
Smokes(person)
// friends smoke alike
1.1 Smokes(x) ^ Friends(x, y) => Smokes(y)
// few smoke
-0.3 Smokes(x)
// friends smoke alike
0.2 Friends(x, y) => Smokes(y)
"""
    with wb.open() as ws:
        ws.declare(rules)
        ws.data.add("Friends(Anna, Bob)", "Smokes(Anna)")
        found = ws.infer(rules, query="Smokes", engine="exact").explain("Smokes(Bob)")
    assert "few smoke (-0.300)" in found.sentence()
    alike = "friends smoke alike: Smokes(x) ^ Friends(x, y) => Smokes(y) (+1.100)"
    assert alike in found.sentence()


def test_what_is_nearly_certain_is_not_said_to_be_certain() -> None:
    rules = "person = {Bob}\nSmokes(person)\n12.5 Smokes(x)\n"
    with wb.open() as ws:
        ws.declare(rules)
        found = ws.infer(rules, query="Smokes(Bob)", engine="exact").explain("Smokes(Bob)")
    said = found.sentence()
    assert "is true with probability more than 0.999" in said
    assert "a probability of more than 0.999." in said


def test_what_adds_up_to_a_number_has_its_digits() -> None:
    parts = (("base", 177077.78611), ("area", 89432.53012), ("rooms", -0.25))
    added = tuple(
        Contribution(at, rule, rule, value, 0.0, (), (), value, 1, ())
        for at, (rule, value) in enumerate(parts)
    )
    total = sum(value for _, value in parts)
    found = Explanation("Price(h1)", total, total, float("nan"), added, number=True)
    assert found.sentence() == (
        "Price(h1) is 266510: the sum of what its rules add, most of it base (+177078); "
        "area (+89432.5); rooms (-0.25)."
    )


def test_what_reads_as_nothing_is_no_reason() -> None:
    rules = """
person = {Bob}
Smokes(person)
Tall(person)
// few smoke
-0.3 Smokes(x)
// the tall hardly less
-1e-7 Smokes(x) ^ Tall(x)
"""
    with wb.open() as ws:
        ws.declare(rules)
        ws.data.add("Tall(Bob)")
        found = ws.infer(rules, query="Smokes(Bob)", engine="exact").explain("Smokes(Bob)")
    assert len(found.by_rule()) == 2
    assert found.sentence().endswith("Against it: few smoke (-0.300).")


def test_a_hard_rule_is_told_as_one() -> None:
    rules = """
Friends(person, person)
Smokes(person)
Smokes(x) ^ Friends(x, y) => Smokes(y).
-0.3 Smokes(x)
"""
    with wb.open() as ws:
        ws.declare(rules)
        ws.data.add("Friends(Anna, Bob)", "Smokes(Anna)")
        found = ws.infer(rules, query="Smokes", engine="exact").explain("Smokes(Bob)")
    said = found.sentence()
    assert "A hard rule leaves nothing else" in said
    assert "(a hard rule). Against it: Smokes(x) (-0.300)." in said
    assert "inf" not in said
