"""Predicates renamed, merged and deleted: facts, folds, rules, tables follow; all or nothing."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

import workbench as wb
from workbench.errors import UsageError
from workbench.workspace import Workspace

RULES = """// Smokes(x) is said of people
Friends(person, person)
Smokes(person)
Smoker(person)
1.5 Smokes(x) ^ Friends(x, y) => Smokes(y)
0.5 Named(x, "Smokes(x)") => Smokes (x)
"""


@pytest.fixture
def club() -> Workspace:
    ws = wb.open()
    ws.declare("Friends(person, person)\nSmokes(person)\nSmoker(person)\n1 Smokes(x)\n")
    ws.data.add("Smokes(Ann)", "Smokes(Bob)", "Friends(Ann, Bob)", "Smoker(Bob)", "Smoker(Cem)")
    return ws


def facts(ws: Workspace, name: str) -> set[str]:
    return {row[1] for row in ws.data.facts_page(name).rows}


def test_a_renamed_predicate_keeps_facts_folds_and_its_place_in_rules_but_not_in_texts(
    club: Workspace,
) -> None:
    club.data.make_folds("random", predicate="Smokes", count=2)
    club.rules.keep(RULES, "mln")
    club.remember("query", "Friends,Smokes")
    assert club.data.rename_predicate("Smokes", "Smoking")
    assert facts(club, "Smoking") == {"Ann", "Bob"}
    assert sum(fold.test_atoms for fold in club.data.folds()) == 3, "Cem is a person too"
    assert club.recall("query") == "Friends,Smoking"
    text, _ = club.rules.at_hand()
    assert text == RULES.replace("Smokes(person)", "Smoking(person)").replace(
        "1.5 Smokes(x) ^ Friends(x, y) => Smokes(y)", "1.5 Smoking(x) ^ Friends(x, y) => Smoking(y)"
    ).replace("=> Smokes (x)", "=> Smoking (x)")
    assert club.data.query('SELECT count(*) FROM facts."Smoking"').rows[0][0] == 2


@pytest.mark.parametrize("name", ["Friends", "friends", "two words", "", "1st"])
def test_a_name_that_is_taken_or_cannot_be_written_is_refused(club: Workspace, name: str) -> None:
    with pytest.raises(UsageError, match="E0271"):
        club.data.rename_predicate("Smokes", name)
    assert facts(club, "Smokes") == {"Ann", "Bob"}


def test_a_name_may_change_its_case(club: Workspace) -> None:
    club.data.rename_predicate("Smokes", "smokes")
    assert facts(club, "smokes") == {"Ann", "Bob"}


def test_merged_facts_count_once_and_the_other_is_gone(club: Workspace) -> None:
    club.rules.keep("Smoker(person)\nSmokes(person)\n1 Smoker(x) => Smokes(x)", "mln")
    assert club.data.merge_predicates("Smoker", "Smokes") == 1
    assert facts(club, "Smokes") == {"Ann", "Bob", "Cem"}
    assert "Smoker" not in {item.predicate.name for item in club.data.catalog()}
    assert "Smoker" not in club.rules.at_hand()[0]


def test_a_merge_of_other_types_or_of_facts_that_contradict_changes_nothing(
    club: Workspace,
) -> None:
    with pytest.raises(UsageError, match="E0272"):
        club.data.merge_predicates("Friends", "Smokes")
    club.data.add("!Smokes(Cem)")
    with pytest.raises(UsageError, match="contradict"):
        club.data.merge_predicates("Smoker", "Smokes")
    assert facts(club, "Smoker") == {"Bob", "Cem"}


def test_a_deleted_predicate_leaves_no_constant_behind_in_the_domains(club: Workspace) -> None:
    assert club.data.delete_predicate("Smoker") == 2
    assert club.data.combinations("Smokes") == 2, "Cem was only a smoker"
    with pytest.raises(UsageError, match="E0203"):
        club.data.delete_predicate("Smoker")


@pytest.fixture
def ward(tmp_path: Path) -> tuple[Workspace, list[Path]]:
    """Two tables that refer to each other, loaded."""
    people, visits = tmp_path / "pat.csv", tmp_path / "visits.csv"
    people.write_text("pat,age,smoker\n" + "".join(f"p{n},{20 + n},{n % 2}\n" for n in range(30)))
    visits.write_text("visit,pat,cost\n" + "".join(f"v{n},p{n % 30},{n * 7}\n" for n in range(60)))
    ws = wb.open()
    look = ws.data.look_at_tables([people, visits])
    ws.load([people, visits], mapping=look.predicting("pat.smoker").mapping, wide=True)
    return ws, [people, visits]


def test_a_renamed_table_is_referred_to_predicted_and_read_again_by_its_new_name(
    ward: tuple[Workspace, list[Path]], tmp_path: Path
) -> None:
    ws, files = ward
    ws.data.rename_table("pat", "Patienten")
    mapping = ws.data.tables_at_hand()
    assert mapping is not None
    assert mapping.predict == "Patienten.smoker"
    assert [one.name for one in mapping.tables] == ["Patienten", "visits"]
    assert [column.table for column in mapping.table("visits").references] == ["Patienten"]
    study = ws.study(files, predict=mapping.predict, mapping=mapping, folds=2)
    assert study.as_record()["target"] == "Patienten.smoker"
    more = tmp_path / "more" / "Patienten.csv"
    more.parent.mkdir()
    more.write_text("pat,age,smoker\np77,40,1\n")
    assert sum(ws.load([more]).facts.values()) > 0, "more rows of a table by its new name"
    assert ws.data.look_at_tables(files).more_rows, "its own files are it, too"
    ws.load(files, mapping=ws.data.tables_at_hand(), wide=True)


@pytest.mark.parametrize("name", ["VISITS", "", "--"])
def test_a_table_cannot_be_called_as_another_or_by_no_name(
    ward: tuple[Workspace, list[Path]], name: str
) -> None:
    with pytest.raises(UsageError, match="E0837"):
        ward[0].data.rename_table("pat", name)
    with pytest.raises(UsageError, match="E0235"):
        ward[0].data.rename_table("nobody", "somebody")


def test_a_table_renamed_before_it_is_loaded_gives_its_things_their_name(
    ward: tuple[Workspace, list[Path]],
) -> None:
    _, files = ward
    ws = wb.open()
    look = ws.data.look_at_tables(files).renamed("pat", "patients")
    assert set(look.rows) == set(look.columns) == {"patients", "visits"}
    look = look.corrected("patients", "age", kind="category")
    ws.load(files, mapping=look.mapping, wide=True)
    assert "patient" in ws.data.types()
    assert look.renamed("patients", "visit").mapping.table("visit").type == "patient"


def test_a_table_takes_its_predicates_along_unless_another_refers_to_it(tmp_path: Path) -> None:
    people, visits = tmp_path / "people.csv", tmp_path / "visits.csv"
    people.write_text("id,age,town\n" + "".join(f"p{n},{20 + n},t{n % 3}\n" for n in range(30)))
    visits.write_text(
        "visit,id,cost\n" + "".join(f"v{n},p{n % 30},{n * 7 % 90}\n" for n in range(60))
    )
    ws = wb.open()
    ws.load([people, visits])
    with pytest.raises(UsageError, match="E0272"):
        ws.data.delete_table("people")
    ws.data.rename_predicate(ws.data.catalog()[0].predicate.name, "Renamed")
    before = {item.predicate.name for item in ws.data.catalog()}
    assert ws.data.delete_table("visits") > 0
    mapping = ws.data.tables_at_hand()
    assert mapping is not None
    assert [table.name for table in mapping.tables] == ["people"]
    assert {item.predicate.name for item in ws.data.catalog()} < before


def test_imported_predicates_can_be_written_in_rules_and_keep_their_types(tmp_path: Path) -> None:
    (tmp_path / "staff.csv").write_text("one,other\nAnn,Bo\n", encoding="utf-8")
    connection = sqlite3.connect(tmp_path / "staff.sqlite")
    connection.executescript("CREATE TABLE w (one, other); INSERT INTO w VALUES ('Ann', 'Bo')")
    connection.close()
    with wb.open() as ws:

        def table(predicate: str, *types: str) -> object:
            columns = dict(zip(("one", "other"), types))
            return ws.data.import_table(tmp_path / "staff.csv", predicate=predicate, types=columns)

        def attached(predicate: str, *types: str) -> object:
            source = str(tmp_path / "staff.sqlite")
            return ws.data.attach_table(source, table="w", predicate=predicate, types=types)

        for load in (table, attached):
            for name in ("9th", "a b", "", "v", "Exist"):
                with pytest.raises(UsageError, match="E0271"):
                    load(name, "person", "person")
            load("Kölner", "person", "person")
            with pytest.raises(UsageError, match="E0202"):
                load("Kölner", "person", "town")
        assert set(ws.database.predicates()) == {"Kölner"}
