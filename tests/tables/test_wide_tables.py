"""Wide tables from files to facts: what is proposed, what is loaded,
and that an edited mapping loads the same.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

import workbench as wb
from tests.cli.conftest import Run
from tests.cli.conftest import run as run
from workbench.database import Database, facts_page
from workbench.errors import Cancelled, InputError
from workbench.progress import Progress
from workbench.tables import (
    Staging,
    TablesReport,
    find_sources,
    format_mapping,
    propose,
    read_mapping,
    stage,
    type_tables,
)

PEOPLE = """person_id;name;age;born;income;city;is_fraud
P01;Ann Ode;34;03.02.1990;1.234,50;Ulm;ja
P02;Bob Iro;51;17.11.1973;2.000,00;Ulm;nein
P03;Cy Uno;29;01.01.1995;987,10;Bonn;
P04;Di Eco;?;30.06.1988;1.500,00;Bonn;nein
P05;Ed Aro;44;24.12.1980;N/A;Ulm;ja
P06;Flo Ito;38;05.05.1986;3.100,25;Bonn;
"""
COMPANIES = "id,name\nC1,Café Müller\nC2,Nord AG\nC3,Süd GmbH\n"
DIRECTORS = (
    "person_id\tcompany\tsince\nP01\tC1\t2001-05-06\nP02\tC1\t2002-01-01\n"
    "P03\tC2\t2010-10-10\nP03\tC2\t2010-10-10\n"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "people.csv").write_bytes(PEOPLE.encode("cp1252"))
    (tmp_path / "companies.csv").write_bytes(COMPANIES.encode("cp1252"))
    (tmp_path / "directors.tsv").write_text(DIRECTORS, encoding="utf-8")
    return tmp_path


def facts_of(database: Database) -> dict[str, list[tuple[object, ...]]]:
    return {
        name: sorted(facts_page(database, name, limit=10_000).rows, key=repr)
        for name in database.predicates()
    }


def test_kinds_keys_and_references_are_found(folder: Path) -> None:
    with stage(find_sources([folder])) as staging:
        mapping = propose(staging)
    people, companies, directors = (
        mapping.table(name) for name in ("people", "companies", "directors")
    )
    kinds = {column.name: column.kind for column in people.columns}
    assert kinds == {
        "person_id": "key",
        "name": "text",
        "age": "number",
        "born": "date",
        "income": "number",
        "city": "category",
        "is_fraud": "yes/no",
    }
    assert (people.type, people.key, people.display) == ("person", "person_id", ("name",))
    assert (people.column("born").reading.format, people.column("income").reading.decimal) == (
        "%d.%m.%Y",
        ",",
    )
    assert people.column("income").missing == 1
    assert (companies.type, companies.key) == ("company", "id")
    assert directors.relation == "Directors"
    assert [(column.name, column.table) for column in directors.references] == [
        ("person_id", "people"),
        ("company", "companies"),
    ]
    assert all(column.reason for table in mapping.tables for column in table.columns)


def test_facts_say_what_the_cells_say(folder: Path) -> None:
    with wb.open() as ws:
        report = ws.load(
            [folder / "people.csv", folder / "companies.csv", folder / "directors.tsv"]
        )
        assert isinstance(report, TablesReport)
        facts = facts_of(ws.database)
        signatures = {
            name: stored.argument_types for name, stored in ws.database.predicates().items()
        }
    assert signatures["Directors"] == ("person", "company")
    assert signatures["Since"] == ("person", "company", "date")
    assert signatures["Age"] == ("person", "number")
    assert Counter(report.facts) == Counter(
        PersonName=6,
        CompanyName=3,
        Age=5,
        Born=6,
        Income=5,
        City=6,
        IsFraud=4,
        Directors=3,
        Since=3,
    )
    assert {row[1] for row in facts["CompanyName"]} >= {"C1"}
    assert any("Café Müller" in row for row in facts["CompanyName"])
    assert [float(row[2]) for row in facts["Income"] if row[1] == "P01"] == [1234.5]
    assert {(row[1], row[2]) for row in facts["IsFraud"]} == {
        ("P01", 1.0),
        ("P02", 0.0),
        ("P04", 0.0),
        ("P05", 1.0),
    }
    assert any(note.code == "E0240" and "4, 5" in note.message for note in report.warnings)


def test_the_printed_mapping_loads_the_same_facts(folder: Path) -> None:
    with wb.open() as ws:
        report = ws.load(folder)
        assert isinstance(report, TablesReport)
        before = facts_of(ws.database)
    (folder / "dataset.toml").write_text(format_mapping(report.mapping, folder), encoding="utf-8")
    assert read_mapping(folder / "dataset.toml").table("people").type == "person"
    with wb.open() as ws:
        ws.load(folder)
        assert facts_of(ws.database) == before


def test_loading_again_adds_nothing_and_a_change_is_refused(folder: Path) -> None:
    with wb.open() as ws:
        ws.load(folder / "companies.csv")
        assert set(ws.load(folder / "companies.csv").facts.values()) == {0}
        (folder / "companies.csv").write_text(COMPANIES.replace("Nord", "West"), encoding="utf-8")
        with pytest.raises(InputError) as raised:
            ws.load(folder / "companies.csv")
        assert raised.value.diagnostics[0].code == "E0207"
        assert "C2" in raised.value.diagnostics[0].message


def test_a_predicate_of_that_name_keeps_the_table_of_facts(folder: Path) -> None:
    (folder / "smokes.csv").write_text("person\nAnna\nBob\n", encoding="utf-8")
    with wb.open() as ws:
        ws.declare("Smokes(person)")
        assert ws.load(folder / "smokes.csv").facts == {"Smokes": 2}


def test_numbers_refer_to_their_own_table_where_they_are_called_so(tmp_path: Path) -> None:
    rows = "".join(f"{n},{n // 2 or ''},{20 + n % 25},{n // 3 or ''}\n" for n in range(1, 61))
    head = "emp_no,manager,age,reply_to\n"
    (tmp_path / "employees.csv").write_text(head + rows, encoding="utf-8")
    with stage(find_sources([tmp_path])) as staging:
        table = propose(staging).table("employees")
    assert [column.name for column in table.references] == ["manager", "reply_to"]
    assert {column.table for column in table.references} == {"employees"}
    assert table.column("age").kind == "number"


def test_numbers_refer_to_another_table_by_its_name_behind_a_word_for_the_part(
    tmp_path: Path,
) -> None:
    depots = "depot_id,size\n" + "\n".join(f"{n},{n * 7 % 5}" for n in range(1, 21))
    (tmp_path / "depots.csv").write_text(depots + "\n", encoding="utf-8")
    routes = "\n".join(
        f"r{n},{n % 20 + 1},{n * 3 % 20 + 1},{n % 4 + 1},{n % 3 + 1}" for n in range(90)
    )
    (tmp_path / "routes.csv").write_text(
        f"route,from_depot,to_depot,max_depot,n_depots\n{routes}\n", encoding="utf-8"
    )
    with stage(find_sources([tmp_path / "depots.csv", tmp_path / "routes.csv"])) as staging:
        table = propose(staging).table("routes")
    assert {one.name: one.table for one in table.references} == {
        "from_depot": "depots",
        "to_depot": "depots",
    }
    assert table.column("max_depot").kind == table.column("n_depots").kind == "number"


def test_names_with_spaces_refer_where_they_are_many(tmp_path: Path) -> None:
    names = [
        f"{first} {last}"
        for first in ("Ann", "Bob", "Cy", "Di", 'O"Flo')
        for last in ("Ode", "Iro", "Uno", "a,b")
    ]
    quoted = ['"' + name.replace('"', '""') + '"' for name in names]
    rows = "".join(
        f"{name},{quoted[place * 7 % 20] if place % 4 else ''}\n"
        for place, name in enumerate(quoted)
    )
    ties = "".join(
        f"{name},{quoted[(3 * place + place // 20) % 20]}\n"
        for place, name in enumerate(2 * quoted)
    )
    (tmp_path / "Users of it.csv").write_text("User Name,asked by\n" + rows, encoding="utf-8")
    (tmp_path / "ties.csv").write_text("from,to\n" + ties, encoding="utf-8")
    with stage(find_sources([tmp_path])) as staging:
        mapping = propose(staging)
    assert [column.table for column in mapping.table("ties").references] == ["Users of it"] * 2
    assert mapping.table("ties").relation == "Ties"


def test_codes_of_digits_and_letters_refer_though_some_are_numbers(tmp_path: Path) -> None:
    codes = ["12345678", "7e102233", *(f"{n * 2654435761 % 2**32:08x}" for n in range(1, 30))]
    (tmp_path / "users.csv").write_text(
        "uid,age\n" + "".join(f"{c},{n}\n" for n, c in enumerate(codes))
    )
    rows = "".join(f"{n},{codes[n * 7 % 31]}\n" for n in range(90))
    (tmp_path / "tickets.csv").write_text("ticket,opened_by\n" + rows)
    with stage(find_sources([tmp_path / "users.csv", tmp_path / "tickets.csv"])) as staging:
        refers = propose(staging).table("tickets").column("opened_by")
    assert (refers.kind, refers.table) == ("reference", "users")


def test_few_names_with_spaces_refer_where_they_are_half_of_the_keys(tmp_path: Path) -> None:
    teams = [f"FC {name}" for name in ("Ode", "Iro", "Uno", "Eco", "Aro", "Ito")]
    (tmp_path / "teams.csv").write_text(
        "team,city\n" + "".join(f"{team},Ulm\n" for team in teams), encoding="utf-8"
    )
    played = [(home, away) for home in teams for away in teams if home != away]
    rows = "".join(
        f"{n},{home},{away},{home if n % 9 else 'Ulm FC'}\n"
        for n, (home, away) in enumerate(played)
    )
    (tmp_path / "matches.csv").write_text("match_id,home,away,winner\n" + rows, encoding="utf-8")
    with stage(find_sources([tmp_path])) as staging:
        columns = {column.name: column for column in propose(staging).table("matches").columns}
    assert [columns[name].table for name in ("home", "away", "winner")] == ["teams", "teams", None]


def test_repeated_rows_leave_a_key_a_key(tmp_path: Path) -> None:
    rows = [f"V{n:02};{n % 7};{('ja', 'nein', 'unbekannt', '')[n % 4]}" for n in range(40)]
    (tmp_path / "besuche.csv").write_text(
        "\n".join(["Besuch;Tage;Kosten", *rows, *rows[:3]]) + "\n", encoding="utf-8"
    )
    with stage(find_sources([tmp_path])) as staging:
        table = propose(staging).table("besuche")
    assert (table.key, table.columns[0].reason) == (
        "Besuch",
        "different in all 40 rows, repeated ones left out",
    )
    assert (table.columns[2].kind, table.columns[2].missing) == ("yes/no", 20 + 1)


@pytest.mark.parametrize(
    ("separator", "cells", "beside", "read", "doubted"),
    [
        # Decimal commas beside.
        (
            ";",
            ("45.500", "7.250", "910"),
            "1,5",
            [910.0, 7250.0, 45500.0],
            True,
        ),
        (";", ("45.500", "7.250", "910"), "ab", [7.25, 45.5, 910.0], True),
        (";", ("45.500", "0.250", "910"), "1,5", [0.25, 45.5, 910.0], False),
        (";", ("1.045.500", "7.250", "910"), "ab", [910.0, 7250.0, 1045500.0], False),
        # Commas between thousands.
        (
            "\t",
            ("45,500", "7,250", "910"),
            "1.5",
            [910.0, 7250.0, 45500.0],
            True,
        ),
        (";", ("45,500", "7,250", "910"), "ab", [7.25, 45.5, 910.0], True),
        ("\t", ("45,5", "7,250", "910"), "ab", [7.25, 45.5, 910.0], False),
    ],
)
def test_marks_that_may_part_thousands(
    tmp_path: Path,
    separator: str,
    cells: tuple[str, ...],
    beside: str,
    read: list[float],
    doubted: bool,
) -> None:
    rows = [separator.join([f"K{n}", cells[n % 3], beside]) for n in range(12)]
    text = "\n".join([separator.join(["id", "sales", "other"]), *rows]) + "\n"
    (tmp_path / "shops.csv").write_text(text, encoding="utf-8")
    with wb.open() as ws:
        report = ws.load(tmp_path / "shops.csv", wide=True)
        assert isinstance(report, TablesReport)
        assert sorted({row[2] for row in facts_of(ws.database)["Sales"]}) == read
        assert ("fits as well" in report.mapping.table("shops").column("sales").reason) == doubted


def test_a_table_that_rules_do_not_declare_is_said_with_its_declaration(folder: Path) -> None:
    with wb.open() as ws:
        ws.load([folder / "people.csv", folder / "companies.csv", folder / "directors.tsv"])
        with pytest.raises(InputError) as raised:
            ws.infer("IsFraud(person)\n1 Directors(x, c) ^ Directs(y, c) => IsFraud(x)")
    assert [one.help for one in raised.value.diagnostics] == [
        "the data have it: write `Directors(person, company)` above the rules",
        "declare it first: Name(type, type)",
    ]


def test_signs_beside_numbers_are_left_out(tmp_path: Path) -> None:
    rows = "".join(f"K{n};€{n + 1},5;{n} %;{n}.250,00 €;$ {n}x\n" for n in range(1, 30))
    (tmp_path / "shops.csv").write_text(
        "id;fee;share;rent;code\n" + rows + "K30;-€3,5;n/a;7 €;$\n", encoding="utf-8"
    )
    with wb.open() as ws:
        report = ws.load(tmp_path / "shops.csv", wide=True)
        assert isinstance(report, TablesReport)
        table, before = report.mapping.table("shops"), facts_of(ws.database)
    assert {column.name: column.reading.unit for column in table.columns[1:4]} == {
        "fee": "€",
        "share": "%",
        "rent": "€",
    }
    assert table.column("share").reason == "all numbers from 1 to 29, in %"
    assert table.column("code").kind == "text"
    assert {name: min(row[2] for row in before[name]) for name in ("Fee", "Share", "Rent")} == {
        "Fee": -3.5,
        "Share": 1.0,
        "Rent": 7.0,
    }
    (tmp_path / "dataset.toml").write_text(
        format_mapping(report.mapping, tmp_path), encoding="utf-8"
    )
    with wb.open() as ws:
        ws.load(tmp_path / "shops.csv", mapping=tmp_path / "dataset.toml")
        assert facts_of(ws.database) == before


def test_rows_that_say_different_things_of_one_pair_are_things_of_their_own(tmp_path: Path) -> None:
    """An order may hold a product twice: its lines are no relation,
    and none of them is at fault.
    """
    orders = "order_id,client\n" + "".join(f"o{n},c{n % 7}\n" for n in range(120))
    products = "product_id,price\n" + "".join(f"p{n},{n}\n" for n in range(30))
    lines = "order_id,product_id,pieces,gift\n" + "".join(
        f"o{n % 120},p{(n + n // 120 * 7) % 30},{n % 4},{n % 5}\n" for n in range(240)
    )
    for name, text in (
        ("orders", orders),
        ("products", products),
        ("lines", lines + "o3,p3,2,1\n"),
    ):
        (tmp_path / f"{name}.csv").write_text(text, encoding="utf-8")
    with stage(find_sources([tmp_path])) as staging:
        mapping = propose(staging)
        assert mapping.table("lines").relation is None
        assert [column.kind for column in mapping.table("lines").columns[:2]] == [
            "reference",
            "reference",
        ]
        assert type_tables(staging, mapping)["lines"].rows == 241


@pytest.mark.parametrize(
    ("name", "cells", "kind"),
    [
        ("caller", "+49700{:03}", "text"),
        ("phone", "49700{:03}", "text"),
        ("change", "+4970{:03}", "number"),
        ("amount", "49700{:03}", "number"),
    ],
)
def test_telephone_numbers_are_no_numbers(tmp_path: Path, name: str, cells: str, kind: str) -> None:
    """Of changes some are negative."""
    said = [cells.format(i * 7 % 60) for i in range(90)]
    if name == "change":
        said[0] = "-4970123"
    lines = [f"id,{name}", *(f"k{i},{cell}" for i, cell in enumerate(said))]
    (tmp_path / "calls.csv").write_text("\n".join(lines))
    with stage(find_sources([tmp_path / "calls.csv"])) as staging:
        mapping = propose(staging)
    assert mapping.table("calls").column(name).kind == kind


@pytest.mark.parametrize(
    ("name", "low", "kind"),
    [
        ("postcode", 10115, "text"),
        ("postal_code", 20095, "text"),
        ("Zip", 60311, "text"),
        ("tariffCode", 84081000, "text"),
        ("postcode", 9900, "number"),
        ("postcodes", 3, "number"),
        ("salary", 20095, "number"),
        ("number_of_seats", 200, "number"),
        ("code_year", 1900, "number"),
    ],
)
def test_codes_of_digits_are_no_numbers(tmp_path: Path, name: str, low: int, kind: str) -> None:
    """Where the name says so, and all have as many digits."""
    lines = [f"client,{name}", *(f"c{i},{low + i * 37 % 290}" for i in range(400))]
    (tmp_path / "clients.csv").write_text("\n".join(lines))
    with stage(find_sources([tmp_path / "clients.csv"])) as staging:
        mapping = propose(staging)
    assert mapping.table("clients").column(name).kind == kind


def test_steps_of_a_scale_are_numbers_and_codes_are_not(tmp_path: Path) -> None:
    rows = "".join(f"{n},{n % 24},{10 * (n % 24)},{n % 4},{n % 24}\n" for n in range(200))
    file = tmp_path / "policies.csv"
    file.write_text("policy,bonus_class,zone_class,fuel_class,claim_type\n" + rows)
    with stage(find_sources([file])) as staging:
        (table,) = propose(staging).tables
    kinds = {column.name: column.kind for column in table.columns}
    assert kinds["bonus_class"] == "number"
    assert {kinds[name] for name in ("zone_class", "fuel_class", "claim_type")} == {"category"}


@pytest.mark.parametrize(
    ("odd", "different", "kind", "blank"),
    [
        (("n.d.", "N.D."), 60, "number", 12),
        (("n.d.", "none seen"), 22, "category", 0),
        (("crew", "crew"), 12, "category", 0),
    ],
)
def test_the_one_word_among_many_numbers_says_that_there_is_none(
    tmp_path: Path, odd: tuple[str, str], different: int, kind: str, blank: int
) -> None:
    """Two words may be an answer each, and one word among few numbers a category more."""
    cells = [odd[n % 20 // 10] if n % 10 == 9 else str(1900 + n % different) for n in range(120)]
    lines = ["id,built", *(f"h{n},{cell}" for n, cell in enumerate(cells))]
    (tmp_path / "houses.csv").write_text("\n".join(lines), encoding="utf-8")
    with stage(find_sources([tmp_path / "houses.csv"])) as staging:
        column = propose(staging).table("houses").column("built")
    assert (column.kind, column.missing) == (kind, blank)
    assert ("n.d., N.D. taken for blank" in column.reason) == (kind == "number")


def test_numbers_of_rows_are_no_key_beside_one(tmp_path: Path) -> None:
    """Others refer to the column behind them; round amounts with blanks between thousands are
    numbers, of one length too.
    """
    lines = ["Unnamed: 0,emp,manager,salary"]
    for n in range(60):
        manager = f"E{n // 6:03}" if n > 5 else ""
        lines.append(f"{n},E{n:03},{manager},{20 + n} {n % 9}{n % 7}0")
    (tmp_path / "staff.csv").write_text("\n".join(lines), encoding="utf-8")
    with stage(find_sources([tmp_path / "staff.csv"])) as staging:
        kinds = {column.name: column.kind for column in propose(staging).table("staff").columns}
    assert kinds == {
        "Unnamed: 0": "ignore", "emp": "key", "manager": "reference", "salary": "number"
    }  # fmt: skip


def test_a_table_is_called_as_its_file_with_its_full_stops(tmp_path: Path) -> None:
    """Two tables of one key, called alike but for its `Nr`, speak of the same things."""
    cases = "".join(f"F{n};{'ja' if n % 3 else 'nein'}\n" for n in range(90))
    (tmp_path / "2024.Stays.CSV").write_text(f"Fall-Nr;back\n{cases}", encoding="utf-8")
    notes = "".join(f"F{n},Kind{n % 4}\n" for n in range(50))
    (tmp_path / "notes.csv").write_text(f"fall,kind\n{notes}", encoding="utf-8")
    with wb.open() as ws:
        mapping = ws.load(tmp_path, predict="2024.Stays.back").mapping
        signatures = {name: one.argument_types for name, one in ws.database.predicates().items()}
    assert mapping.predict == "2024.Stays.back"
    assert signatures["Kind"][0] == signatures["Back"][0] == "t2024_stay"
    assert mapping.table("notes").column("fall").table == "2024.Stays"


@pytest.mark.parametrize(
    ("columns", "display"),
    [
        ("Prénom,Nom", ("Prénom", "Nom")),
        ("Nombre,Apellidos", ("Nombre", "Apellidos")),
        ("Nom,Ville", ("Nom",)),
        ("first name,last name,name", ("name",)),
    ],
)
def test_people_are_called_by_their_names(
    tmp_path: Path, columns: str, display: tuple[str, ...]
) -> None:
    rows = "".join(f"K{n},{','.join(f'A{n}' for _ in columns.split(','))}\n" for n in range(30))
    (tmp_path / "people.csv").write_text(f"id,{columns}\n{rows}", encoding="utf-8")
    with stage(find_sources([tmp_path])) as staging:
        assert propose(staging).table("people").display == display


def test_a_list_refers_to_the_row_that_it_stands_in_whatever_its_key_is_called(
    tmp_path: Path,
) -> None:
    rows = [{"id": n, "ok": n % 2 == 0, "tags": [f"t{k}" for k in range(n % 3)]} for n in range(40)]
    (tmp_path / "people.json").write_text(json.dumps(rows), encoding="utf-8")
    with stage(find_sources([tmp_path]), lists_apart=True) as staging:
        column = propose(staging).table("tags").column("id")
    assert (column.kind, column.table) == ("reference", "people")


def test_a_workspace_among_its_tables_is_no_table(tmp_path: Path, run: Run) -> None:
    (tmp_path / "people.csv").write_text("id,age\n1,20\n2,30\n", encoding="utf-8")
    other, own = tmp_path / "other.duckdb", tmp_path / "own.duckdb"
    assert run("load", other, tmp_path / "people.csv").code == 0
    loaded = run("load", own, tmp_path)
    assert (loaded.code, loaded.out.splitlines()[-1]) == (0, "# 1 table loaded, 2 rows.")
    refused = run("load", tmp_path / "third.duckdb", other)
    assert (refused.code, "is a workspace" in refused.err) == (1, True)


def test_many_columns_are_profiled_in_the_memory_of_a_few(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Counts of different texts take megabytes each; they are not all made at once."""
    monkeypatch.setattr("workbench.tables.staging.memory_of_a_load", lambda: "100MB")
    file = tmp_path / "wide.csv"
    file.write_text(f"{','.join(f'c{n}' for n in range(90))}\n{','.join('1' * 90)}\n")
    with stage(find_sources([file])) as staging:
        (table,) = propose(staging).tables
    assert len(table.columns) == 90


@pytest.mark.parametrize("does", ["look", "load"])
def test_the_reading_of_tables_stops_where_it_is_cancelled(
    does: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = "SELECT sum(a.range) FROM range(1000000) a, range(100000000) b"
    monkeypatch.setattr(Staging, "rows", lambda self, sql: self.connection.sql(slow).fetchall())
    progress = Progress()
    progress.cancel_event.set()
    with wb.open() as workspace:
        work = workspace.data.look_at_tables if does == "look" else workspace.load
        with pytest.raises(Cancelled):
            work([folder], progress=progress)
        assert not workspace.data.catalog()
