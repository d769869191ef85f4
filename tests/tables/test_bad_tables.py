"""Tables that are at fault: each is named with file, row and column, and nothing is loaded."""

from __future__ import annotations

from pathlib import Path

import pytest

import workbench as wb
from tests.cli.conftest import Run
from tests.cli.conftest import run as run
from workbench.database import LoadReport
from workbench.errors import Diagnostic, WorkbenchError
from workbench.tables import (
    TablesReport,
    format_mapping,
    leaks,
    propose,
    stage,
    target_faults,
    target_of,
    target_rows,
    type_tables,
)
from workbench.tables import find_sources as sources_of

ITEMS = "item_id,n,c\n" + "".join(f"K{i:03d},{i},{'xy'[i % 2]}\n" for i in range(100))


def load(path: Path, text: str, **options: object) -> LoadReport:
    path.write_bytes(text.encode("utf-8"))
    with wb.open() as ws:
        return ws.load(path, **options)  # type: ignore[arg-type]


def faults(path: Path, text: str, **options: object) -> tuple[Diagnostic, ...]:
    """The errors of a load, of which nothing stays in the workspace."""
    path.write_bytes(text.encode("utf-8"))
    with wb.open() as ws:
        with pytest.raises(WorkbenchError) as raised:
            ws.load(path, **options)  # type: ignore[arg-type]
        assert not ws.database.predicates()
    return tuple(raised.value.diagnostics)


def places(found: tuple[Diagnostic, ...]) -> list[tuple[str, int, int]]:
    return [(one.code, one.span.line, one.span.column) for one in found if one.span]


@pytest.mark.parametrize(
    ("text", "code", "line", "column"),
    [
        pytest.param("id;name;name\n1;a;b\n", "E0232", 1, 9, id="a column named twice"),
        pytest.param("", "E0233", 1, 1, id="an empty file"),
        pytest.param("id,name\n1,a\n2,b,c\n", "E0204", 3, 1, id="a cell too many"),
        pytest.param("id,name\n1,a\0b\n", "E0209", 2, 4, id="NUL"),
        pytest.param('id,name\n1,"a\n2,b\n', "E0211", 2, 1, id="an open quotation mark"),
        pytest.param(ITEMS + ",5,x\n", "E0238", 102, 1, id="a key with a blank"),
        pytest.param(ITEMS + "K003,7,x\n", "E0239", 102, 2, id="a key with a repetition"),
    ],
)
def test_a_fault_is_named_with_its_place(
    tmp_path: Path, text: str, code: str, line: int, column: int
) -> None:
    assert places(faults(tmp_path / "items.csv", text)) == [(code, line, column)]


def test_cells_too_many_are_told_as_far_as_they_were_read(tmp_path: Path) -> None:
    (found,) = faults(tmp_path / "items.csv", "id,name\n1,a\n2,b,c,d\n")
    assert found.message == "cells in this line: 3 or more, in the first: 2"
    assert found.help is not None
    assert "quotation marks" in found.help


def test_a_repeated_key_names_both_rows(tmp_path: Path) -> None:
    (found,) = faults(tmp_path / "items.csv", ITEMS + "K003,7,x\n")
    assert "K003 stands in rows 5, 102" in found.message
    assert "different n, c" in found.message


def test_a_key_with_a_blank_and_a_repetition_in_a_small_table_names_its_rows(
    tmp_path: Path,
) -> None:
    rows = "".join(f"{'' if i == 5 else 8 if i == 9 else i},{i % 7}\n" for i in range(40))
    messages = " ".join(found.message for found in faults(tmp_path / "items.csv", "id,n\n" + rows))
    assert "8 stands in rows 10, 11" in messages


@pytest.mark.parametrize(("keep", "kept"), [("first", 3.0), ("last", 7.0)])
def test_keep_chooses_among_rows_that_contradict(tmp_path: Path, keep: str, kept: float) -> None:
    path = tmp_path / "items.csv"
    path.write_text(ITEMS + "K003,7,x\n", encoding="utf-8")
    with stage(sources_of([path])) as staging:
        text = format_mapping(propose(staging), tmp_path).replace(
            'keep = "error"', f'keep = "{keep}"'
        )
    (tmp_path / "mapping.toml").write_text(text, encoding="utf-8")
    with wb.open() as ws:
        report = ws.load(path, mapping=tmp_path / "mapping.toml")
        found = ws.database.execute("SELECT * FROM facts.\"N\" WHERE item = 'K003'").fetchall()
    assert float(found[0][2]) == kept
    assert report.facts["N"] == 100
    assert [note.code for note in report.warnings] == ["E0239"]


def test_rows_that_say_the_same_count_once(tmp_path: Path) -> None:
    report = load(tmp_path / "items.csv", ITEMS + "K003,3,y\nK004,,x\n")
    assert report.facts["N"] == 100
    assert [(note.code, note.severity) for note in report.warnings] == [("E0240", "note")]


def test_dates_that_do_not_exist_are_counted_and_an_error_where_the_mapping_says_so(
    tmp_path: Path,
) -> None:
    text = (
        "id,d\n" + "".join(f"{i},{i % 28 + 1:02d}.02.2020\n" for i in range(60)) + "60,31.02.2020\n"
    )
    report = load(tmp_path / "days.csv", text)
    assert report.facts["D"] == 60
    (note,) = report.warnings
    assert (note.code, note.span and note.span.line) == ("E0236", 62)
    assert "'31.02.2020' in row 62" in note.message
    assert isinstance(report, TablesReport)
    mapping = format_mapping(report.mapping, tmp_path).replace(', unreadable = "blank"', "")
    (tmp_path / "mapping.toml").write_text(mapping, encoding="utf-8")
    found = faults(tmp_path / "days.csv", text, mapping=tmp_path / "mapping.toml")
    assert places(found) == [("E0236", 62, 2)]


def test_mixed_cells_stay_texts_and_the_reason_says_so(tmp_path: Path) -> None:
    report = load(
        tmp_path / "m.csv", "id,v\n" + "".join(f"{i},{'abc' if i % 3 else i}\n" for i in range(60))
    )
    assert isinstance(report, TablesReport)
    column = report.mapping.table("m").column("v")
    assert column.kind in ("text", "category")
    assert "are numbers" in column.reason
    assert report.facts[column.predicate or ""] == 60


def test_a_table_without_rows_is_a_warning(tmp_path: Path) -> None:
    report = load(tmp_path / "none.csv", "id,name\n")
    assert [(note.code, note.severity) for note in report.warnings] == [("E0233", "warning")]


def test_references_to_nothing_are_counted_and_loaded(tmp_path: Path) -> None:
    (tmp_path / "items.csv").write_text(ITEMS, encoding="utf-8")
    orders = (
        "order_id,item_id\n" + "".join(f"{i},K{i:03d}\n" for i in range(98)) + "98,K777\n99,K777\n"
    )
    (tmp_path / "orders.csv").write_text(orders, encoding="utf-8")
    with wb.open() as ws:
        report = ws.load([tmp_path / "items.csv", tmp_path / "orders.csv"])
    (note,) = report.warnings
    assert (note.code, note.span and (note.span.line, note.span.column)) == ("E0241", (100, 2))
    assert "2 cells of orders.item_id refer to nothing in items: K777" in note.message
    assert report.facts["Item"] == 100


def test_a_tie_without_one_of_its_ends_is_left_out_and_told(tmp_path: Path) -> None:
    people, ties = tmp_path / "people.csv", tmp_path / "ties.csv"
    rows = [f"p{n},{20 + n % 31}" for n in range(60)]
    people.write_text("person,age\n" + "\n".join(rows), encoding="utf-8")
    pairs = [f"p{n},p{n * 7 % 60}" for n in range(1, 40)] + [",p3", "p4,"]
    ties.write_text("from_person,to_person\n" + "\n".join(pairs), encoding="utf-8")
    with wb.open() as ws:
        report = ws.load([people, ties])
    (note,) = [one for one in report.warnings if one.code == "E0238"]
    assert "2 rows" in note.message
    assert note.message.endswith("row 41, 42; left out")
    assert report.facts["Ties"] == 39


def test_a_target_of_one_class_and_a_leak_are_told(tmp_path: Path) -> None:
    rows = [
        (
            i,
            20 + i % 40,
            "2020-01-05" if i % 5 == 0 else "",
            "" if i % 7 == 3 else "yes" if i % 5 == 0 else "no",
        )
        for i in range(300)
    ]
    text = "id,age,closed_on,is_fraud\n" + "".join(",".join(map(str, row)) + "\n" for row in rows)
    (tmp_path / "cases.csv").write_text(text, encoding="utf-8")
    with stage(sources_of([tmp_path / "cases.csv"])) as staging:
        mapping = propose(staging, predict="cases.is_fraud")
        typed = type_tables(staging, mapping)
        found = target_rows(staging, mapping, typed)
        said = [row[3] for row in rows]
        assert int(found.labelled.sum()) == len(said) - said.count("")
        assert int(found.values[found.labelled].sum()) == said.count("yes")
        assert target_faults(found) == ()
        (leak,) = leaks(staging, mapping, typed)
        assert leak.column == "closed_on"
        assert leak.how == "is filled exactly where is_fraud = yes"
    with wb.open() as ws:
        report = ws.load(tmp_path / "cases.csv", predict="cases.is_fraud")
    assert [note.code for note in report.warnings] == ["E0244"]
    paid = "".join(
        f"h{i},{i % 9},{0 if i % 3 else 50 + i},{'no' if i % 3 else 'yes'}\n" for i in range(60)
    )
    told = load(tmp_path / "houses.csv", "house,size,paid,sold\n" + paid, predict="houses.sold")
    assert [note.message for note in told.warnings] == [
        "houses.paid tells sold by one threshold in all of the labelled rows: it gives "
        "houses.sold away"
    ]
    calm = load(tmp_path / "quiet.csv", "id,x,t\n1,5,yes\n2,6,yes\n3,7,\n", predict="quiet.t")
    assert [note.code for note in calm.warnings] == ["E0243"]


@pytest.mark.parametrize(
    "predict", ["items.item_id", "items.nothing", "nowhere.n", "items", "items.n=3", "items.c="]
)
def test_what_cannot_be_predicted_is_refused(tmp_path: Path, predict: str) -> None:
    (found,) = faults(tmp_path / "items.csv", ITEMS, predict=predict)
    assert found.code in ("E0235", "E0237")
    assert found.help


def test_a_table_without_rows_has_nothing_to_predict(tmp_path: Path) -> None:
    (found,) = faults(tmp_path / "items.csv", "id,n,t\n", predict="items.t")
    assert found.message == "items.t cannot be predicted: its table has no rows"


@pytest.mark.parametrize("predict", ["advised", "advised.adviser"])
def test_pairs_without_a_column_that_says_so_are_refused(tmp_path: Path, predict: str) -> None:
    """Which pairs are not listed says nothing of which were looked at."""
    (tmp_path / "people.csv").write_text(
        "person,age\n" + "".join(f"P{n:02},{20 + n}\n" for n in range(30))
    )
    (tmp_path / "advised.csv").write_text(
        "person,adviser\n" + "".join(f"P{n % 22 + 8:02},P{n % 7:02}\n" for n in range(44))
    )
    with (
        stage(sources_of([tmp_path / "people.csv", tmp_path / "advised.csv"])) as staging,
        pytest.raises(WorkbenchError, match="E0780") as raised,
    ):
        target_of(propose(staging, predict=predict))
    assert "person, adviser" in str(raised.value.diagnostics[0].help)


def test_files_that_the_mapping_does_not_speak_of_are_refused(tmp_path: Path) -> None:
    report = load(tmp_path / "items.csv", ITEMS)
    assert isinstance(report, TablesReport)
    (tmp_path / "mapping.toml").write_text(
        format_mapping(report.mapping, tmp_path), encoding="utf-8"
    )
    (found,) = faults(tmp_path / "others.csv", ITEMS, mapping=tmp_path / "mapping.toml")
    assert found.code == "E0234"
    assert (found.help or "").endswith("items has no file: if it is this one, call it so")
    (found,) = faults(
        tmp_path / "items.csv", ITEMS.replace("n,c", "m,c"), mapping=tmp_path / "mapping.toml"
    )
    assert (found.code, "has no column n" in found.message) == ("E0235", True)


def test_a_wrong_key_is_shown_where_it_stands_and_not_inside_another(tmp_path: Path) -> None:
    report = load(tmp_path / "items.csv", ITEMS)
    assert isinstance(report, TablesReport)
    text = format_mapping(report.mapping, tmp_path)
    wrong = text.replace('kind = "number"', 'kind = "number", par = 1', 1)  # as in `separator`
    (tmp_path / "mapping.toml").write_text(wrong, encoding="utf-8")
    (found,) = faults(tmp_path / "items.csv", ITEMS, mapping=tmp_path / "mapping.toml")
    assert found.span is not None
    assert wrong.split("\n")[found.span.line - 1][found.span.column - 1 :].startswith("par = 1")


def test_an_edited_mapping_is_read_with_complaints_at_its_lines(tmp_path: Path) -> None:
    report = load(tmp_path / "items.csv", ITEMS)
    assert isinstance(report, TablesReport)
    text = format_mapping(report.mapping, tmp_path)
    for wrong, code in (
        (text.replace('kind = "number"', 'kind = "numbr"'), "E0214"),
        (text.replace("keep =", "kep ="), "E0214"),
        (text.replace('predicate = "C"', 'predicate = "N"'), "E0242"),
        (text.replace('key = "item_id"', 'key = "item"'), "E0235"),
    ):
        assert wrong != text
        (tmp_path / "mapping.toml").write_text(wrong, encoding="utf-8")
        (found,) = faults(tmp_path / "items.csv", ITEMS, mapping=tmp_path / "mapping.toml")
        assert found.code == code


def test_more_than_a_million_categories_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.tables.typed.MOST_CATEGORIES", 50)
    report = load(tmp_path / "items.csv", ITEMS)
    assert isinstance(report, TablesReport)
    assert not report.warnings
    text = format_mapping(report.mapping, tmp_path).replace('kind = "number"', 'kind = "category"')
    (tmp_path / "mapping.toml").write_text(text, encoding="utf-8")
    (note,) = load(tmp_path / "items.csv", ITEMS, mapping=tmp_path / "mapping.toml").warnings
    assert (note.code, note.severity) == ("E0246", "warning")
    assert "items.n" in note.message


def test_tables_that_do_not_fit_come_with_the_mapping_to_edit(tmp_path: Path, run: Run) -> None:
    items = tmp_path / "items.csv"
    items.write_text(ITEMS + "K003,7,x\n", encoding="utf-8")
    refused = run("load", tmp_path / "w.duckdb", items)
    assert (refused.code, "E0239" in refused.err) == (1, True)
    edited = refused.out.replace('keep = "error"', 'keep = "last"')
    (tmp_path / "dataset.toml").write_text(edited, encoding="utf-8")
    assert (
        run("load", tmp_path / "w.duckdb", items, "--mapping", tmp_path / "dataset.toml").code == 0
    )


@pytest.mark.parametrize(
    ("more", "trouble"),
    [
        (",a\n", "1 blank"),
        ("Firm 3,c\n", "1 repeated"),
        (",a\n,b\nFirm 3,c\n", "2 blank, 1 repeated"),
    ],
)
def test_a_table_whose_names_are_no_key_is_said_to_be_untied_and_how_it_is_tied(
    tmp_path: Path, more: str, trouble: str
) -> None:
    firms, loans = tmp_path / "firms.csv", tmp_path / "loans.csv"
    rows = "".join(f"Firm {i},{'ab'[i % 2]}\n" for i in range(60))
    firms.write_text(f"name,branch\n{rows}{more}")
    loans.write_text("loan,firm\n" + "".join(f"L{i},Firm {i % 60}\n" for i in range(200)))
    with wb.open() as ws:
        report = ws.load([firms, loans])
    notes = [note for note in report.warnings if note.code == "E0241"]
    assert [f"firms.name, which is no key ({trouble})" in note.message for note in notes] == [True]
    (tmp_path / "dataset.toml").write_text(
        '[[tables]]\nfile = "firms.csv"\nkey = "name"\nblank_keys = "skip"\nkeep = "first"\n'
        '[tables.columns]\nname = { kind = "key" }\nbranch = { kind = "category" }\n'
        '[[tables]]\nfile = "loans.csv"\nkey = "loan"\n[tables.columns]\n'
        'loan = { kind = "key" }\nfirm = { kind = "reference", table = "firms" }\n'
    )
    with wb.open() as ws:
        report = ws.load([firms, loans], mapping=tmp_path / "dataset.toml")
        assert "E0241" not in [one.code for one in report.warnings]
        assert ws.database.predicate("Firm").argument_types == ("loan", "firm")


def test_a_wrong_key_of_a_column_is_said_to_be_one_of_columns(tmp_path: Path) -> None:
    (tmp_path / "items.csv").write_text(ITEMS)
    (tmp_path / "dataset.toml").write_text(
        '[[tables]]\nfile = "items.csv"\nkey = "item_id"\n[tables.columns]\n'
        'item_id = { kind = "key", tabel = "x" }\n'
    )
    with wb.open() as ws, pytest.raises(WorkbenchError, match=r"no key of \[tables\.columns\]"):
        ws.load(tmp_path / "items.csv", mapping=tmp_path / "dataset.toml")


def test_a_column_called_as_a_key_refers_to_it_though_a_tenth_refers_to_nothing(
    tmp_path: Path,
) -> None:
    firms = "firm_id,branch\n" + "".join(f"F{i:03d},{'ab'[i % 2]}\n" for i in range(100))
    (tmp_path / "firms.csv").write_text(firms)
    rows = [f"P{i:03d},{'X' if i % 10 == 0 else 'F'}{i % 100:03d}\n" for i in range(200)]
    (tmp_path / "people.csv").write_text("person_id,firm_id\n" + "".join(rows))
    with stage(sources_of([tmp_path / "firms.csv", tmp_path / "people.csv"])) as staging:
        mapping = propose(staging)
        column = mapping.table("people").column("firm_id")
        assert (column.kind, column.table) == ("reference", "firms")
        notes = [note for table in type_tables(staging, mapping).values() for note in table.notes]
    assert [note.code for note in notes] == ["E0241"]
    assert "20 cells of people.firm_id refer to nothing in firms" in notes[0].message


def test_a_load_says_what_is_known_of_what_is_to_be_predicted(tmp_path: Path, run: Run) -> None:
    (tmp_path / "items.csv").write_text("id,kind,late\nK1,a,yes\nK2,b,\nK3,b,no\nK4,,no\n")
    work, items = tmp_path / "w.duckdb", tmp_path / "items.csv"
    printed = run("load", work, items, "--predict", "items.late").out
    assert printed.endswith(
        "# 1 table loaded, 4 rows. items.late is to be predicted: 3 labels, 1 blank.\n"
    )
    (tmp_path / "dataset.toml").write_text(printed, encoding="utf-8")
    again = run("load", tmp_path / "again.duckdb", "--mapping", tmp_path / "dataset.toml")
    assert again.out.splitlines()[-1] == printed.splitlines()[-1]


def test_a_value_that_no_cell_says_is_told(tmp_path: Path) -> None:
    sizes = ["klein", "groß", "Schloß"]
    rows = "".join(f"{n},{sizes[n % 3]}\n" for n in range(30))
    (tmp_path / "houses.csv").write_text("id,size\n" + rows, encoding="utf-8")
    with wb.open() as workspace, pytest.raises(WorkbenchError) as raised:
        workspace.study([tmp_path / "houses.csv"], predict="houses.size=Schloss")
    (said,) = raised.value.diagnostics
    assert (said.code, said.message) == (
        "E0243",
        "none of the 30 labels of houses.size says Schloss",
    )
