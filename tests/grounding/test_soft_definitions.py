"""Values, definitions and scopes in soft logic, from text to the answer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import workbench as wb
from workbench.language import check, format_program, parse_psl
from workbench.language.psl.types import with_values
from workbench.language.values import ValueKind

RULES = """
Peers(X, Y) := Directs(X, C) & Directs(Y, C) & (X != Y) .
Companies(X, N) := N = count(C: Directs(X, C)) .
BornIn(X, Y) := Born(X, D) & Y = year(D) .
Fraud(X) open where
    Directs(X, C) .
2.0: Companies(X, N) & N >= 2 -> Fraud(X)
4.0: BornIn(X, Y) & abs(Y - 1990) <= 1 -> Fraud(X)
3.0: Peers(X, Y) & Fraud(Y) -> Fraud(X)
0.5: !Fraud(X)
"""
DATA = """
predicates:
  Directs/2: closed
  Born/2:
    - closed
    - types: [person, date]
  Fraud/1: open
observations:
  Directs: directs.txt
  Born: born.txt
"""


def test_what_is_printed_reads_back() -> None:
    program = parse_psl(RULES)
    assert parse_psl(format_program(program)) == program
    assert program.predicates["Companies"].kinds == (None, ValueKind.NUMBER)


def test_rules_over_definitions_and_dates(tmp_path: Path) -> None:
    (tmp_path / "rules.psl").write_text(RULES)
    (tmp_path / "facts.data").write_text(DATA)
    (tmp_path / "directs.txt").write_text("A\tC1\nB\tC1\nA\tC2\nD\tC3\nE\tC3\nF\tC4\n")
    (tmp_path / "born.txt").write_text("D\t1991-05-05\nB\t1975-01-01\nG\t1990-01-01\n")
    workspace = wb.open()
    workspace.declare(tmp_path / "rules.psl")
    workspace.load(tmp_path / "facts.data")
    frame = workspace.infer(tmp_path / "rules.psl").predictions()
    # G directs nothing, so it is outside the scope; what A and D are their peers are, for 3 is more
    # than 0.5.
    values = dict(zip(frame["atom"], frame["value"]))
    expected = {"A": 1.0, "B": 1.0, "D": 1.0, "E": 1.0, "F": 0.0}
    assert values == pytest.approx(
        {f"Fraud({name})": value for name, value in expected.items()}, abs=1e-3
    )


def test_a_document_holds_definitions_values_and_scopes(tmp_path: Path) -> None:
    """A predicate that a document gives no types has those of the places that rules join it with;
    what definitions make needs no declaration.
    """
    document = {
        "predicates": {
            "Age/2": {
                "types": ["person", "number"],
                "observations": [["a", 30], ["b", 50], ["c", 20]],
            },
            "Knows/2": {"observations": [["a", "b"], ["b", "c"], ["c", "a", 0.5]]},
            "Good/1": {"targets": [["a"], ["b"], ["c"], ["d"]]},
        },
        "rules": [
            "Elder(X, M) := M = max(A: Knows(X, Y) & Age(Y, A)) .",
            "Good(X) open where Age(X, A) & A > 10 .",
            "1: Elder(X, M) & Age(X, A) & M > A -> Good(X)",
            "0.8: Age(X, A) & scaled(A) -> Good(X) ^2",
            "0.5: !Good(X)",
        ],
    }
    path = tmp_path / "model.json"
    path.write_text(json.dumps(document))
    with wb.open() as workspace:
        workspace.declare(path)
        workspace.load(path)
        result = workspace.infer(path)
    # That c knows a is half true, so it has no elder.
    assert result.values == pytest.approx([1.0, 0.6875, 0.0], abs=1e-3)
    assert [one.code for one in result.warnings] == ["E0335"]


@pytest.mark.parametrize(
    "definition",
    [
        "Due(X, N) := N = count(D: Since(X, D) & D > $now - 100) .",
        "Due(X, T) := Since(X, D) & D + 10 >= $now & T = D - 30 .",
        "Due(X, T) := Since(X, D) & T = $now - 1 .",
        "Due(X, T) := Pays(X, M) & Owes(X, N) & T = M * N .",
        "Due(X, N) := N = count(M: Pays(X, M) & Owes(X, K) & M - K > 1 & M > K) .",
        "Due(X, T) := C = count(M: Pays(X, M)) & T = C + 1 .",
        "Due(X, T) := C = latest(D: Since(X, D)) & T = C + 1 .",
        "Due(X, M) := Pays(X, M) & Owes(X, N) & M / N > 1 & abs(M - N) < 3 .",
    ],
)
def test_what_is_calculated_with_has_a_type_before_data_tell_it(definition: str) -> None:
    program = parse_psl(f"{definition}\n1: Due(X, T) -> Good(X)\n")
    assert not check(program)
    dates = {"Since": (None, ValueKind.DATE)}
    numbers = dict.fromkeys(("Pays", "Owes"), (None, ValueKind.NUMBER))
    given = {name: kinds for name, kinds in {**dates, **numbers}.items() if name in definition}
    typed = with_values(program, given)
    date = "T = D" in definition or "$now - 1 ." in definition or "latest" in definition
    made = ValueKind.DATE if date else ValueKind.NUMBER
    assert typed.predicates["Due"].kinds == (None, made)


def test_an_atom_outside_its_scope_is_false_beside_others_that_are_open(tmp_path: Path) -> None:
    rules = [
        "1: Link(A, C) -> Link(C, C)",
        "3: Good(A) -> Link(A, A)",
        "2: Good(A)",
        "0.5: Link(A, B)",
        "1.5: Good(A) & Knows(A, B) & !Link(B, B) -> Good(B) ^2",
    ]
    # The rule whose only open atom would lie outside is not ground.
    scoped = ["Link(A, B) open where Knows(A, B) .", *rules, "4: Knows(A, B) -> Link(B, A)"]
    every = {"targets": [["a", "b"], ["b", "a"], ["a", "a"], ["b", "b"]]}
    denied = {"targets": [["a", "b"]], "observations": [["a", "a", 0], ["b", "b", 0]]}
    found = []
    for number, (lines, links) in enumerate(((scoped, every), (rules, denied))):
        predicates = {
            "Knows/2": {"observations": [["a", "b"]]},
            "Link/2": links,
            "Good/1": {"targets": [["a"], ["b"]]},
        }
        path = tmp_path / f"{number}.json"
        path.write_text(json.dumps({"predicates": predicates, "rules": lines}))
        with wb.open() as workspace:
            workspace.declare(path)
            workspace.load(path)
            result = workspace.infer(path, record=False)
        found.append((result.predictions()["atom"].tolist(), result.solution.energy))
    assert found[0][0] == found[1][0]
    assert [energy for _, energy in found] == pytest.approx([4.5, 4.5], abs=1e-3)


def test_a_filter_alone_may_name_what_a_definition_makes(tmp_path: Path) -> None:
    document = {
        "predicates": {
            "Knows/2": {"observations": [["a", "b"]]},
            "Good/1": {"targets": [["a"], ["b"], ["c"]]},
        },
        "rules": [
            "Knower(X) := Knows(X, Y) .",
            "2: Good(+X) <= 0 {X: !Knower(X)}",
            "1: Good(X)",
        ],
    }
    path = tmp_path / "model.json"
    path.write_text(json.dumps(document))
    with wb.open() as workspace:
        workspace.declare(path)
        workspace.load(path)
        values = workspace.infer(path, record=False).values
    assert values == pytest.approx([1.0, 0.0, 0.0], abs=1e-3)


def test_dates_that_are_written_and_moved_and_a_predicate_that_yaml_takes_for_true(
    tmp_path: Path,
) -> None:
    (tmp_path / "m.data").write_text(
        "predicates:\n  On/2: closed\n  Early/1: open\n  Late/1: open\n"
        "observations:\n  On: on.txt\ntargets:\n  Early: names.txt\n  Late: names.txt\n"
    )
    (tmp_path / "on.txt").write_text("A\t2019-12-20\nB\t2019-12-28\nC\t2020-02-01\n")
    (tmp_path / "names.txt").write_text("A\nB\nC\n")
    rules = """
Old(X) := On(X, D) & D < "2020-01-01" - 7 .
Gap(X, N) := On(X, D) & N = D - "2020-01-01" & N > 0 .
1: Old(X) -> Early(X)
1: Gap(X, N) & N > 10 -> Late(X)
0.1: !Early(X)
0.1: !Late(X)
"""
    with wb.open() as ws:
        ws.load(tmp_path / "m.data", rules=rules)
        found = ws.infer(rules, task="map").predictions()
    assert set(found.loc[found["value"] > 0.5, "atom"]) == {"Early(A)", "Late(C)"}
