"""Definitions in SQL: the same facts as the language's own, typed cells, no labels,
and every refusal at its place.
"""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner

import workbench as wb
from workbench.cli import app
from workbench.database import facts_page
from workbench.errors import Diagnostic, InputError, UsageError
from workbench.study.prepared import mapping_onto
from workbench.tables import (
    SqlDefinition,
    TablesMapping,
    TablesReport,
    corrected,
    find_sources,
    format_mapping,
    read_mapping,
    stage,
)

MAPPING = """predict = "people.cheats"
[[tables]]
name = "people"
file = "people.csv"
separator = ";"
type = "person"
key = "id"
[tables.columns]
id = { kind = "key" }
born = { kind = "date", predicate = "Born", format = "%d.%m.%Y" }
income = { kind = "number", predicate = "Income", decimal = "," }
member = { kind = "yes/no", predicate = "Member" }
cheats = { kind = "yes/no", predicate = "Cheats" }
note = { kind = "ignore" }
[[tables]]
name = "posts"
file = "posts.csv"
separator = ","
relation = "Posts"
[tables.columns]
person = { kind = "reference", table = "people" }
firm = { kind = "reference", table = "firms" }
[[tables]]
name = "firms"
file = "firms.csv"
separator = ","
type = "firm"
key = "firm"
[tables.columns]
firm = { kind = "key" }
city = { kind = "category", predicate = "City", type = "city" }
"""
PEOPLE = """id;born;income;member;cheats;note
A;03.02.1990;1.234,5;yes;yes;old
B;17.11.1973;;no;;?
C;01.01.1995;10;;;
D;30.06.1988;20,25;yes;;new
"""
PEERS = (
    "SELECT a.person, b.person\nFROM posts a JOIN posts b USING (firm)\nWHERE a.person <> b.person"
)
PAIR = ("person", "person")
RULES = (
    "Cheats(person)\n*Posts(person, firm)\n{}\n1.5 Cheats(x) ^ Peers(x, y) => Cheats(y)\n-0.5 "
    "Cheats(x)\n"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "people.csv").write_text(PEOPLE, encoding="utf-8")
    (tmp_path / "posts.csv").write_text("person,firm\nA,F\nB,F\nC,G\nD,G\nB,G\n", encoding="utf-8")
    (tmp_path / "firms.csv").write_text("firm,city\nF,Ulm\nG,Ulm\n", encoding="utf-8")
    return tmp_path


def described(folder: Path, *definitions: SqlDefinition) -> Path:
    """The folder's `dataset.toml`, with these definitions written as the workbench writes them."""
    written = format_mapping(TablesMapping((), None, definitions))
    (folder / "dataset.toml").write_text(MAPPING + written, encoding="utf-8")
    return folder / "dataset.toml"


def rows(folder: Path, sql: str, types: tuple[str, ...] = PAIR) -> set[tuple[object, ...]]:
    described(folder, SqlDefinition("Peers", types, sql))
    with wb.open() as ws:
        ws.load(folder)
        return {row[1:-2] for row in facts_page(ws.database, "Peers").rows}


def fault(folder: Path, sql: str, types: tuple[str, ...] = PAIR, name: str = "Peers") -> Diagnostic:
    """What is said of the second definition of two; nothing is loaded."""
    path = described(folder, SqlDefinition("Fine", PAIR, PEERS), SqlDefinition(name, types, sql))
    with wb.open() as ws:
        with pytest.raises(InputError) as raised:
            ws.load(folder)
        assert not ws.database.predicates()
    (found,) = raised.value.diagnostics
    lines = path.read_text().splitlines()
    assert found.span is not None
    assert found.span.source.endswith("dataset.toml")
    assert lines[found.span.line - 1 :][:2] == ["[[definitions]]", f'name = "{name}"']
    return found


def test_a_definition_in_sql_infers_as_the_same_one_in_the_language(folder: Path) -> None:
    found = []
    for definitions, text in (
        ((SqlDefinition("Peers", PAIR, PEERS),), "*Peers(person, person)"),
        ((), "Peers(x, y) := Posts(x, f) ^ Posts(y, f) ^ x != y."),
    ):
        described(folder, *definitions)
        with wb.open() as ws:
            report = ws.load(folder, labels="evidence")
            result = ws.infer(RULES.format(text), query="Cheats", task="marginal", engine="exact")
            table = result.predictions()
            found.append(dict(zip(table["atom"], table["value"])))
            told = result.explain("Cheats(B)")
        assert report.facts.get("Peers") == (8 if definitions else None)
        assert "Peers(A, B)" in {atom for item in told.contributions for atom in item.given}
    assert found[0] == pytest.approx(found[1], abs=1e-12)
    assert len(set(found[0].values())) > 1


def test_the_command_line_reads_the_definitions_of_a_mapping(folder: Path) -> None:
    data = [
        word
        for name in ("people", "posts", "firms")
        for word in ("--data", str(folder / f"{name}.csv"))
    ]
    found = []
    for definitions, text in (
        ((SqlDefinition("Peers", PAIR, PEERS),), "*Peers(person, person)"),
        ((), "Peers(x, y) := Posts(x, f) ^ Posts(y, f) ^ x != y."),
    ):
        path = described(folder, *definitions)
        (folder / "rules.mln").write_text(RULES.format(text), encoding="utf-8")
        command = [
            "infer",
            str(folder / "rules.mln"),
            *data,
            "--mapping",
            str(path),
            "--task",
            "marginal",
            "--json",
        ]
        answer = CliRunner().invoke(app, command)
        assert answer.exit_code == 0, answer.output
        found.append(json.loads(answer.stdout)["diagnostics"]["log_z"])
    assert found[0] == pytest.approx(found[1], abs=1e-12)


def test_rules_that_define_the_same_predicate_are_refused(folder: Path) -> None:
    described(folder, SqlDefinition("Peers", PAIR, PEERS))
    with wb.open() as ws:
        ws.load(folder)
        with pytest.raises(UsageError, match="E0324"):
            ws.infer(RULES.format("Peers(x, y) := Posts(x, f) ^ Posts(y, f)."), query="Cheats")


def test_cells_are_what_the_mapping_reads(folder: Path) -> None:
    types = ("person", "date", "number", "text")
    sql = "SELECT id, born, income * 2, note FROM people WHERE year(born) > 1900"
    assert rows(folder, sql, types) == {
        ("A", datetime(1990, 2, 3), 2469.0, "old"),
        ("D", datetime(1988, 6, 30), 40.5, "new"),
    }
    assert rows(folder, "SELECT id, id FROM people WHERE member") == {("A", "A"), ("D", "D")}
    assert rows(
        folder, "SELECT id, nullif(id, 'B') FROM people WHERE income IS NULL OR income < 15"
    ) == {("C", "C")}
    assert rows(folder, "SELECT id, '' FROM people UNION ALL SELECT 'A', 'B' FROM firms") == {
        ("A", "B")
    }
    assert rows(folder, "SELECT count(*), city FROM firms GROUP BY city", ("number", "city")) == {
        (2.0, "Ulm")
    }
    assert rows(
        folder,
        "SELECT born - DATE '1990-01-01', id FROM people WHERE id = 'A'",
        ("number", "person"),
    ) == {(33.0, "A")}


def test_the_column_to_predict_is_not_there_to_read(folder: Path) -> None:
    found = fault(folder, "SELECT id, id FROM people WHERE cheats")
    assert (found.code, "people.cheats is what is predicted" in str(found.help)) == ("E0254", True)
    assert (
        "selects 5 (id, born, income, member, note)"
        in fault(folder, "SELECT * FROM people").message
    )


@pytest.mark.parametrize(
    ("sql", "types", "code", "said"),
    [
        ("DELETE FROM people", PAIR, "E0253", "DELETE"),
        ("EXPLAIN SELECT id, id FROM people", PAIR, "E0253", "EXPLAIN"),
        ("DESCRIBE people", PAIR, "E0253", "catalogue"),
        ("SELECT id, id FROM people; DROP TABLE people", PAIR, "E0253", "one statement"),
        ("SELEC id", PAIR, "E0253", "syntax error"),
        ("SELECT current_setting('threads'), 'A'", PAIR, "E0253", "current_setting"),
        ("SELECT content, content FROM read_text('/etc/passwd')", PAIR, "E0253", "read_text"),
        ("SELECT table_name, 'A' FROM information_schema.tables", PAIR, "E0253", "catalogue"),
        ("SELECT * FROM 'people.csv'", PAIR, "E0254", "people.csv"),
        ("SELECT id, id FROM peple", PAIR, "E0254", "peple"),
        ("SELECT id, nme FROM people", PAIR, "E0254", 'nme" not found'),
        ("SELECT id, id FROM facts.people", PAIR, "E0254", "people"),
        ("SELECT id, $day FROM people", PAIR, "E0254", "day"),
        ("SELECT id, note::INTEGER FROM people", PAIR, "E0254", "old"),
        ("SELECT id FROM people", PAIR, "E0255", "selects 1 (id)"),
        ("SELECT id, born FROM people", PAIR, "E0256", "gives DATE"),
        ("SELECT id, member FROM people", ("person", "number"), "E0256", "gives BOOLEAN"),
        ("SELECT id, income / 0 FROM people", ("person", "number"), "E0256", "no finite number"),
        ("SELECT id, id FROM people", ("person", "persn"), "E0256", "persn"),
    ],
)
def test_what_cannot_be_is_refused_at_its_place(
    folder: Path, sql: str, types: tuple[str, ...], code: str, said: str
) -> None:
    found = fault(folder, sql, types)
    assert found.code == code
    assert said in found.message
    assert found.help


def test_names_that_are_taken_are_refused(folder: Path) -> None:
    assert fault(folder, PEERS, name="Posts").code == "E0257"
    assert fault(folder, PEERS, name="fine").code == "E0257"


def test_rows_time_and_memory_are_limited(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.tables.definitions.MOST_ROWS", 8)
    assert len(rows(folder, PEERS)) == 8
    assert fault(folder, f"{PEERS} UNION ALL SELECT 'A', 'B'").code == "E0258"
    monkeypatch.setattr("workbench.tables.definitions.SECONDS", 4.0)
    endless = (
        "SELECT count(*)::VARCHAR, 'A' FROM range(10000000) a, range(10000000) b WHERE "
        "a.range <> b.range"
    )
    assert fault(folder, endless).code == "E0216"


def test_without_rows_a_warning_says_how_none_means_none(folder: Path) -> None:
    described(folder, SqlDefinition("Peers", PAIR, f"{PEERS} AND a.person = b.person"))
    with wb.open() as ws:
        (note,) = [note for note in ws.load(folder).warnings if note.code == "E0258"]
        assert (note.severity, ws.database.predicates()["Peers"].closed) == ("warning", True)
    assert "*Peers(person, person)" in str(note.help)


def test_definitions_stay_with_the_mapping(folder: Path) -> None:
    definitions = (
        SqlDefinition("Peers", PAIR, PEERS, 'who sit "together"'),
        SqlDefinition("Named", ("person",), "SELECT id -- '''\nFROM people WHERE id <> ''"),
        SqlDefinition("Apart", ("person",), "\tSELECT id\nFROM people WHERE note = ''"),
    )
    path = described(folder, *definitions)
    mapping = read_mapping(path)
    assert mapping.definitions == definitions
    path.write_text(format_mapping(mapping, folder), encoding="utf-8")
    assert read_mapping(path).definitions == definitions
    assert corrected(mapping, "people", "note", kind="text").definitions == definitions
    with stage(find_sources([folder / f"{name}.csv" for name in mapping.by_name])) as staging:
        assert mapping_onto(staging, mapping, "people.member").definitions == definitions
    with wb.open() as ws:
        first, again = ws.load(folder), ws.load(folder)
        assert isinstance(first, TablesReport)
        assert [report.facts["Peers"] for report in (first, again)] == [8, 0]
        ws.data.rename_predicate("Peers", "Beside")
        assert [one.name for one in at_hand(ws).definitions] == ["Beside", "Named", "Apart"]
        with pytest.raises(UsageError, match=r"E0272.*Beside"):
            ws.data.delete_table("posts")
        ws.data.delete_predicate("Beside")
        ws.data.delete_table("posts")
        assert [one.name for one in at_hand(ws).definitions] == ["Named", "Apart"]


def test_tables_at_hand_are_read_when_what_definitions_named_is_gone(folder: Path) -> None:
    described(
        folder,
        SqlDefinition(
            "Near", ("person", "city"), "SELECT person, city FROM posts NATURAL JOIN firms"
        ),
    )
    with wb.open() as ws:
        ws.load(folder)
        ws.data.delete_predicate("City")
        assert [one.name for one in at_hand(ws).definitions] == ["Near"]


def test_a_study_refuses_definitions_before_it_begins(folder: Path) -> None:
    path = described(folder, SqlDefinition("Peers", PAIR, "DROP TABLE people"))
    files = [folder / f"{name}.csv" for name in ("people", "posts", "firms")]
    with wb.open() as ws, pytest.raises(InputError, match="E0253"):
        ws.study(files, predict="people.cheats", mapping=path)


def at_hand(ws: wb.Workspace) -> TablesMapping:
    mapping = ws.data.tables_at_hand()
    assert mapping is not None
    return mapping


@pytest.mark.parametrize(
    "entry", ['name = "Peers"', 'name = "a b"\ntypes = ["person"]\nsql = "FROM people"']
)
def test_a_definition_that_lacks_something_is_told_at_its_line(folder: Path, entry: str) -> None:
    (folder / "dataset.toml").write_text(f"{MAPPING}\n[[definitions]]\n{entry}\n", encoding="utf-8")
    with pytest.raises(InputError, match="E0214") as raised:
        read_mapping(folder / "dataset.toml")
    span = raised.value.diagnostics[0].span
    assert span is not None
    assert span.line == MAPPING.count("\n") + 2


@pytest.mark.parametrize("name", ["incoming_rows", "Incoming_Rows_"])
def test_a_table_may_be_called_like_what_comes_in(tmp_path: Path, name: str) -> None:
    (tmp_path / f"{name}.csv").write_text(
        "person,years\n" + "".join(f"P{at},{20 + at}\n" for at in range(6))
    )
    with wb.open() as ws:
        mapping = ws.data.look_at_tables([tmp_path / f"{name}.csv"]).mapping
        thing = mapping.tables[0].type
        assert thing is not None
        older = SqlDefinition("Older", (thing,), f"SELECT person FROM {name} WHERE years > 23")
        ws.load(tmp_path / f"{name}.csv", mapping=replace(mapping, definitions=(older,)))
        assert [row[1] for row in facts_page(ws.database, "Older").rows] == ["P4", "P5"]
