"""Labels beside atoms that are asked for: what is known is evidence for what is not,
what was asked stays unseen.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import workbench as wb

RULES = """
Knows(person, person)
Ill(person)
Old(person)
0.8 Knows(x, y) ^ Ill(x) => Ill(y)
0.5 Old(x) => Ill(x)
-1 Ill(x)
"""
PEOPLE = "person,old,ill\nP01,yes,yes\nP02,no,\nP03,no,no\nP04,yes,\nP05,no,yes\n"
KNOWS = "one,other\nP01,P02\nP01,P03\nP02,P04\nP03,P04\nP05,P04\nP04,P01\nP02,P05\n"


@pytest.fixture
def tables(tmp_path: Path) -> list[Path]:
    (tmp_path / "people.csv").write_text(PEOPLE)
    (tmp_path / "knows.csv").write_text(KNOWS)
    return [tmp_path / "people.csv", tmp_path / "knows.csv"]


def predicted(ws: wb.Workspace, **options: object) -> dict[str, float]:
    frame = ws.infer(RULES, query="Ill", engine="exact", record=False, **options).predictions()
    return dict(zip(frame["atom"], frame["value"]))


def test_blanks_are_predicted_as_if_the_labels_had_been_loaded_as_evidence(
    tables: list[Path],
) -> None:
    with wb.open() as kept, wb.open() as known:
        kept.load(tables, predict="people.ill")
        known.load(tables, predict="people.ill", labels="evidence")
        expected = predicted(known)
        assert expected.keys() == {"Ill(P02)", "Ill(P04)"}
        assert predicted(kept) == pytest.approx(expected, abs=1e-12)
        alone = predicted(kept, labels="withheld")
        assert alone.keys() == {f"Ill(P0{number})" for number in range(1, 6)}
        assert abs(alone["Ill(P02)"] - expected["Ill(P02)"]) > 0.01


def test_what_was_asked_for_keeps_its_truth_unseen(tables: list[Path], tmp_path: Path) -> None:
    (tmp_path / "later.csv").write_text("who\nP02\nP04\n")
    with wb.open() as ws:
        ws.load(tables, predict="people.ill")
        before = predicted(ws)
        ws.data.import_table(
            tmp_path / "later.csv", predicate="Ill", types={"who": "person"}, partition="truth"
        )
        assert predicted(ws) == before


def test_a_known_label_explains_a_prediction(tables: list[Path]) -> None:
    with wb.open() as ws:
        ws.load(tables, predict="people.ill")
        result = ws.infer(RULES, query="Ill", engine="exact")
        said = result.explain("Ill(P04)")
        again = ws.reopen(result.run_id).explain("Ill(P04)")
        assert any("Ill(P05)" in item.given for item in said.contributions)
        assert [item.contribution for item in again.contributions] == [
            item.contribution for item in said.contributions
        ]


def test_definitions_are_made_of_labels_where_nothing_else_is_known(tables: list[Path]) -> None:
    tables[0].write_text("person,years\nP01,30\nP02,\nP03,50\nP04,20\nP05,\n")
    rules = """
Knows(person, person)
Years(person, number)
Elder(person)
Counted(x, n) := n = count(y: Knows(x, y) ^ Years(y, a) ^ a >= 30).
0.7 Counted(x, n) ^ n >= 1 => Elder(x)
"""
    found = []
    for labels in ("withheld", "evidence"):
        with wb.open() as ws:
            ws.load(tables, predict="people.years", labels=labels)
            frame = ws.infer(rules, query="Elder", engine="exact", record=False).predictions()
            found.append(dict(zip(frame["atom"], frame["value"])))
    assert found[0] == found[1]
    assert found[0]["Elder(P04)"] > 0.6


@pytest.mark.parametrize(
    "changes", [{"Ill(P01)": False}, {"Ill(P03)": True}, {"Ill(P01)": None}, {"Ill(P02)": True}]
)
def test_what_if_a_label_were_otherwise(
    tables: list[Path], changes: dict[str, bool | None]
) -> None:
    found = []
    for labels in ("withheld", "evidence"):
        with wb.open() as ws:
            ws.load(tables, predict="people.ill", labels=labels)
            changed = ws.what_if(ws.infer(RULES, query="Ill", engine="exact"), changes)
            found.append(dict(zip(changed["atom"], changed["after"])))
    assert found[0] == pytest.approx(found[1], abs=1e-12, nan_ok=True)
