"""Every kind of file gives the same table: the same kinds of columns, the same facts."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import date, datetime, timedelta
from pathlib import Path

import duckdb
import pandas as pd
import pytest
from openpyxl import Workbook

import workbench as wb
from workbench.database import facts_page
from workbench.errors import InputError, UsageError
from workbench.tables import TablesReport, as_files, find_sources, format_mapping, propose, stage

ROWS = [
    (1, "Café Müller", 1234.5, date(1990, 2, 3), True),
    (2, "Süd; GmbH", 99.0, date(1985, 11, 30), False),
    (3, 'Ulm "Ost"', 0.25, None, True),
    (4, "Zoë", None, date(2001, 1, 1), None),
]
NAMES = ("shop_id", "name", "sales", "opened", "open")


def text_of(separator: str, decimal: str, day: str, yes: str, no: str) -> str:
    def cell(value: object) -> str:
        if value is None:
            return ""
        if isinstance(value, bool):
            return yes if value else no
        if isinstance(value, float):
            return (
                f"{value:,.2f}".translate(str.maketrans(",.", ".,"))
                if decimal == ","
                else f"{value:.2f}"
            )
        if isinstance(value, date):
            return value.strftime(day)
        text = str(value)
        return '"' + text.replace('"', '""') + '"' if separator in text or '"' in text else text

    return "".join(separator.join(map(cell, row)) + "\n" for row in (NAMES, *ROWS))


def german(path: Path) -> Path:
    path.write_bytes(text_of(";", ",", "%d.%m.%Y", "ja", "nein").replace("ë", "e").encode("cp1252"))
    return path


def text(path: Path) -> Path:
    path.write_text(
        text_of("\t", ".", "%Y-%m-%d", "yes", "no").replace("ë", "e"), encoding="utf-8-sig"
    )
    return path


def old_mac(path: Path) -> Path:
    path.write_bytes(
        text_of("|", ".", "%m/%d/%Y", "Y", "N")
        .replace("ë", "e")
        .replace("\n", "\r")
        .encode("utf-16")
    )
    return path


def excel(path: Path) -> Path:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    for row in (NAMES, *ROWS):
        sheet.append(row)
    book.create_sheet("nothing")
    book.save(path)
    return path


def in_duckdb(path: Path) -> Path:
    with duckdb.connect(path) as connection:
        columns = "shop_id INTEGER, name VARCHAR, sales DOUBLE, opened DATE, open BOOLEAN"
        connection.execute(f"CREATE TABLE shops ({columns})")
        connection.executemany("INSERT INTO shops VALUES (?, ?, ?, ?, ?)", ROWS)
        if path.suffix == ".parquet":
            connection.execute(f"COPY shops TO '{path.with_name('shops.parquet')}'")
        if path.suffix == ".jsonl":
            connection.execute(f"COPY shops TO '{path.with_name('shops.jsonl')}' (FORMAT json)")
    return path


def exported(path: Path) -> Path:
    in_duckdb(path.with_name(f"made{path.suffix}"))
    return path


def sqlite(path: Path) -> Path:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            "CREATE TABLE shops (shop_id INTEGER, name TEXT, sales REAL, opened TEXT, open TEXT)"
        )
        rows = [
            (*row[:3], row[3] and row[3].isoformat(), row[4] if row[4] is None else str(row[4]))
            for row in ROWS
        ]
        connection.executemany("INSERT INTO shops VALUES (?, ?, ?, ?, ?)", rows)
    return path


@pytest.mark.parametrize(
    ("file", "make"),
    [
        pytest.param("shops.csv", german, id="semicolons, decimal commas, cp1252"),
        pytest.param("shops.tsv", text, id="tabs, byte order mark"),
        pytest.param("shops.txt", old_mac, id="bars, UTF-16, old Mac line ends"),
        pytest.param("shops.xlsx", excel, id="Excel"),
        pytest.param("shops.parquet", exported, id="Parquet"),
        pytest.param("shops.jsonl", exported, id="JSON lines"),
        pytest.param("data.duckdb", in_duckdb, id="DuckDB"),
        pytest.param("data.sqlite", sqlite, id="SQLite"),
    ],
)
def test_every_reader_gives_the_same_facts(
    tmp_path: Path, file: str, make: Callable[[Path], Path]
) -> None:
    path = make(tmp_path / file)
    with wb.open() as ws:
        report = ws.load(path)
        assert isinstance(report, TablesReport)
        (table,) = report.mapping.tables
        assert (table.name, table.key, table.type, table.rows) == ("shops", "shop_id", "shop", 4)
        kinds = {column.name: (column.kind, column.missing) for column in table.columns}
        assert kinds == {
            "shop_id": ("key", 0),
            "name": ("text", 0),
            "sales": ("number", 1),
            "opened": ("date", 1),
            "open": ("yes/no", 1),
        }
        facts = {name: facts_page(ws.database, name).rows for name in ws.database.predicates()}
    assert {(row[1], float(row[2])) for row in facts["Sales"]} == {
        ("1", 1234.5),
        ("2", 99.0),
        ("3", 0.25),
    }
    assert {str(row[2])[:10] for row in facts["Opened"]} == {
        "1990-02-03",
        "1985-11-30",
        "2001-01-01",
    }
    assert {(row[1], row[2]) for row in facts["Open"]} == {("1", 1.0), ("2", 0.0), ("3", 1.0)}
    assert {str(row[2]).replace("ë", "e") for row in facts["Name"]} == {
        "Café Müller",
        "Süd; GmbH",
        'Ulm "Ost"',
        "Zoe",
    }


def test_lines_of_any_length_are_read(tmp_path: Path) -> None:
    long = "x" * 3_000_000
    (tmp_path / "notes.csv").write_text(f"id,note\n1,{long}\n2,b\n", encoding="utf-8")
    with stage(find_sources([tmp_path / "notes.csv"])) as staging:
        assert staging.rows(
            f"SELECT max(length(c1)), count(*) FROM {staging.tables['notes'].relation}"
        ) == [(3_000_000, 2)]


@pytest.mark.parametrize(
    "names",
    [
        ("birthYear", "birthMonth", "birthDay"),
        ("Geburtsjahr", "Geburtsmonat", "Geburtstag"),
        ("Année naissance", "Mois naissance", "Jour naissance"),
        ("año", "mes", "día"),
    ],
)
def test_a_date_over_three_columns_is_one_date(tmp_path: Path, names: tuple[str, ...]) -> None:
    rows = "".join(f"{i},{1950 + i},{1 + i % 12},{1 + i % 28}\n" for i in range(40))
    (tmp_path / "players.csv").write_text(
        f"id,{','.join(names)}\n{rows}40,1999,,\n", encoding="utf-8"
    )
    with stage(find_sources([tmp_path])) as staging:
        column = propose(staging).table("players").columns[-1]
    assert (column.kind, column.parts, column.missing) == ("date", names, 1)


@pytest.mark.parametrize(
    "forms",
    [("%d.%m.%Y", "%Y-%m-%d"), ("%d.%m.%Y", "%d.%m.%y"), ("%d/%m/%Y", "%Y-%m-%d", "%d %b %Y")],
)
def test_dates_written_in_several_ways_are_one_column_of_dates(
    tmp_path: Path, forms: tuple[str, ...]
) -> None:
    days = [date(1970 + at % 50, 1 + at % 12, 1 + at % 28) for at in range(120)]
    rows = "".join(f"{at},{day.strftime(forms[at % len(forms)])}\n" for at, day in enumerate(days))
    (tmp_path / "people.csv").write_text(f"person,born\n{rows}", encoding="utf-8")
    with wb.open() as ws:
        report = ws.load(tmp_path / "people.csv")
        assert isinstance(report, TablesReport)
        column = report.mapping.table("people").column("born")
        assert (column.kind, column.missing) == ("date", 0)
        assert set((column.reading.format or "").split(" or ")) == set(forms)
        facts = facts_page(ws.database, "Born", limit=200).rows
    (tmp_path / "dataset.toml").write_text(
        format_mapping(report.mapping, tmp_path), encoding="utf-8"
    )
    with wb.open() as ws:
        ws.load(tmp_path / "people.csv", mapping=tmp_path / "dataset.toml")
        assert facts_page(ws.database, "Born", limit=200).rows == facts
    assert {int(person): born.date() for _, person, born, *_ in facts} == dict(enumerate(days))


def test_days_and_months_exchanged_in_one_column_are_not_two_ways_of_writing(
    tmp_path: Path,
) -> None:
    days = [date(1950 + at % 60, 1 + at % 12, 1 + at % 28) for at in range(120)]
    rows = "".join(
        f"{at},{day.strftime(('%d/%m/%Y', '%m/%d/%Y')[at % 2])}\n" for at, day in enumerate(days)
    )
    (tmp_path / "people.csv").write_text(f"person,born\n{rows}", encoding="utf-8")
    with stage(find_sources([tmp_path])) as staging:
        assert " or " not in (propose(staging).table("people").column("born").reading.format or "")


def test_broken_bytes_in_utf8_are_named(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes("id,name\n1,äöüß\n2,éè\n".encode() + b"3,\xff\n")
    with pytest.raises(InputError) as raised, stage(find_sources([tmp_path / "a.csv"])):
        pass
    (found,) = raised.value.diagnostics
    assert (found.code, found.span and (found.span.line, found.span.column)) == ("E0209", (4, 3))


def test_a_time_of_day_may_be_left_out(tmp_path: Path) -> None:
    rows = "".join(
        f"{i},2022-03-{1 + i % 28:02d}{f' {i % 24:02d}:30:00' if i % 3 else ''}\n"
        for i in range(60)
    )
    (tmp_path / "readings.csv").write_text(f"reading,at\n{rows}", encoding="utf-8")
    with wb.open() as ws:
        ws.load(tmp_path / "readings.csv")
        facts = {row[1]: row[2] for row in facts_page(ws.database, "At", limit=100).rows}
    assert len(facts) == 60
    assert (str(facts["0"]), str(facts["1"])) == ("2022-03-01 00:00:00", "2022-03-02 01:30:00")


WRITTEN_AS = {
    "%Y-%m-%dT%H:%M:%S.%fZ": lambda at: f"{at:%Y-%m-%dT%H:%M:%S}.000Z",
    "%Y-%m-%dT%H:%M:%S%z": lambda at: f"{at + timedelta(hours=2):%Y-%m-%dT%H:%M:%S}+02:00",
    "%Y-%m-%d %H:%M:%S%z": lambda at: f"{at - timedelta(hours=5):%Y-%m-%d %H:%M:%S}-05",
    "%Y-%m-%dT%H:%M": lambda at: f"{at:%Y-%m-%dT%H:%M}",
    "%m/%d/%Y %I:%M %p": lambda at: f"{at:%m/%d/%Y %I:%M %p}",
    "%Y-%m-%d %H:%M:%S.%f": lambda at: f"{at:%Y-%m-%d %H:%M:%S}.000000789",
}


@pytest.mark.parametrize("form", WRITTEN_AS)
def test_moments_are_read_however_they_are_written(tmp_path: Path, form: str) -> None:
    """With offsets from UTC as the hour there, halves of days, digits beyond microseconds."""
    moments = [datetime(2023, 11, 20) + timedelta(minutes=1731 * at) for at in range(60)]
    rows = "".join(f"K{at},{WRITTEN_AS[form](moment)}\n" for at, moment in enumerate(moments))
    (tmp_path / "calls.csv").write_text(f"call,at\n{rows}", encoding="utf-8")
    with wb.open() as ws:
        column = ws.load(tmp_path / "calls.csv").mapping.tables[0].columns[1]
        facts = {row[1]: row[2] for row in facts_page(ws.database, "At", limit=100).rows}
    assert (column.kind, column.reading.format) == ("date", form)
    assert facts == {f"K{at}": moment for at, moment in enumerate(moments)}


@pytest.mark.parametrize(
    ("cells", "kind", "third"),
    [
        ([f"{at % 24}:{at % 60:02d}" for at in range(60)], "number", 2 + 2 / 60),
        ([f"1:{at % 60:02d}.500" for at in range(60)], "text", "1:02.500"),
        ([f"{at}.5 kg" for at in range(60)], "number", 2.5),
        ([f"{at}km/h" for at in range(60)], "number", 2.0),
        ([f"2019-{1 + at % 12:02d}" for at in range(60)], "date", datetime(2019, 3, 1)),
        ([f"{at}{'ab'[at % 2]}" for at in range(60)], "text", "2a"),
        ([f"{at} m" for at in range(60)], "number", 2.0),
        ([f"{at}A" for at in range(60)], "text", "2A"),
        ([f"{at / 1e3:g} kg" if at % 3 == 2 else f"{at} g" for at in range(60)], "number", 2.0),
        ([f"{at / 1e3:g} L" if at % 3 == 2 else f"{at}mL" for at in range(60)], "number", 2.0),
        ([f"{at}{'gt'[at % 2]}" for at in range(60)], "text", "2g"),
        ([f"{at % 20:02}:00" for at in range(60)], "number", 2.0),
        ([f"{at} {'gl'[at % 2]}" for at in range(60)], "text", "2 g"),
    ],
)
def test_times_of_day_measures_and_months(
    tmp_path: Path, cells: list[str], kind: str, third: object
) -> None:
    rows = "".join(f"K{at},{cell}\n" for at, cell in enumerate(cells))
    (tmp_path / "calls.csv").write_text(f"call,length\n{rows}", encoding="utf-8")
    with wb.open() as ws:
        report = ws.load(tmp_path / "calls.csv")
        facts = {row[1]: row[2] for row in facts_page(ws.database, "Length", limit=100).rows}
        (tmp_path / "dataset.toml").write_text(format_mapping(report.mapping, tmp_path))
    assert report.mapping.tables[0].columns[1].kind == kind
    assert facts["K2"] == (pytest.approx(third) if kind == "number" else third)
    with wb.open() as ws:
        ws.load(tmp_path / "calls.csv", mapping=tmp_path / "dataset.toml")
        again = {row[1]: row[2] for row in facts_page(ws.database, "Length", limit=100).rows}
    assert again == facts


@pytest.mark.parametrize(
    ("written", "decimal", "kind"),
    [
        (lambda n: f"{n:,.2f}".replace(",", "'"), " .", "number"),
        (lambda n: f"{n:,.0f}".replace(",", "\u202f"), " .", "number"),
        (lambda n: f"{n:,.2f}".replace(",", " ").replace(".", ","), " ,", "number"),
        (lambda n: f"{n + 100_000:,.0f} €".replace(",", " "), " .", "number"),
        (lambda n: f"{n + 100_000_000:,.0f}".replace(",", " "), None, "text"),
    ],
)
def test_blanks_and_apostrophes_between_thousands(
    tmp_path: Path, written: Callable[[float], str], decimal: str | None, kind: str
) -> None:
    """But not in groups of digits that are all as long, as telephones have them."""
    amounts = [round(37.0 * at**2, 2) for at in range(60)]
    rows = "".join(f"K{at};{written(amount)}\n" for at, amount in enumerate(amounts))
    (tmp_path / "sums.csv").write_text(f"sum;amount\n{rows}", encoding="utf-8")
    with wb.open() as ws:
        column = ws.load(tmp_path / "sums.csv").mapping.tables[0].columns[1]
        facts = {row[1]: row[2] for row in facts_page(ws.database, "Amount", limit=100).rows}
    assert column.kind == kind
    if decimal:
        assert column.reading.decimal == decimal
        more = 100_000 if column.reading.unit else 0
        assert facts == {f"K{at}": amount + more for at, amount in enumerate(amounts)}


def test_titles_above_a_header_are_left_out_and_said(tmp_path: Path) -> None:
    head = "Staff, as of May;;\n\n;;\nperson;age;city\n"
    rows = "".join(f"P{at};{20 + at};{'AB'[at % 2]}\n" for at in range(30))
    (tmp_path / "staff.csv").write_text(head + rows, encoding="utf-8")
    book = Workbook()
    book.active.title = "staff"
    for line in ("Staff, as of May", "", *(head.splitlines()[-1:]), *rows.splitlines()):
        book.active.append([int(cell) if cell.isdigit() else cell for cell in line.split(";")])
    book.save(tmp_path / "staff.xlsx")
    for name, above in (("staff.csv", 3), ("staff.xlsx", 2)):
        with stage(find_sources([tmp_path / name])) as staging:
            table = staging.tables["staff"]
            mapping = propose(staging)
        assert (table.columns, table.rows, table.first_row) == (
            ("person", "age", "city"),
            30,
            above + 2,
        )
        assert any(f"{above} rows above the header" in note.message for note in table.notes)
        assert [one.kind for one in mapping.tables[0].columns] == ["key", "number", "category"]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("title", ["", "Staff in May"])
def test_names_of_columns_may_go_over_several_lines(tmp_path: Path, end: str, title: str) -> None:
    lines = [title] * bool(title) + ['person,"age\nin years","the ""old"" city"']
    lines += [f'P{at},{20 + at},"{"AB"[at % 2]}\nhere"' for at in range(30)] + ['P30,5" pipe,C']
    (tmp_path / "staff.csv").write_bytes(end.join([*lines, ""]).encode())
    with stage(find_sources([tmp_path / "staff.csv"])) as staging:
        table = staging.tables["staff"]
    assert (table.columns, table.rows) == (("person", "age in years", 'the "old" city'), 31)


@pytest.mark.parametrize("ending", ["jsonl", "json"])
def test_fields_of_objects_are_columns(tmp_path: Path, ending: str) -> None:
    lines = [
        f'{{"order": "R{at}", "buyer": {{"name": "N{at % 7}", "home": {{"city": "C{at % 3}"}}}}}}\n'
        for at in range(40)
    ]
    text = f"[\n{','.join(lines)}]" if ending == "json" else "".join(lines)
    (tmp_path / f"orders.{ending}").write_text(text, encoding="utf-8")
    with stage(find_sources([tmp_path / f"orders.{ending}"])) as staging:
        table = staging.tables["orders"]
        first = staging.rows(f"FROM {table.relation} ORDER BY rowid LIMIT 1")
    assert table.columns == ("order", "buyer_name", "buyer_home_city")
    assert first == [("R0", "N0", "C0")]


def test_a_blank_cell_may_mean_no(tmp_path: Path) -> None:
    """A mapping says so; the mapping written from it says no more."""
    rows = "".join(f"P{at},{'x' if at % 3 else ''}\n" for at in range(30))
    (tmp_path / "people.csv").write_text(f"person,member\n{rows}", encoding="utf-8")
    said = 'member = { kind = "yes/no", predicate = "Member", yes = ["x"], no = [""] }'
    (tmp_path / "dataset.toml").write_text(
        '[[tables]]\nname = "people"\nfile = "people.csv"\ntype = "person"\nkey = "person"\n'
        f'[tables.columns]\nperson = {{ kind = "key" }}\n{said}\n'
    )
    with wb.open() as ws:
        report = ws.load(tmp_path / "people.csv", mapping=tmp_path / "dataset.toml")
        facts = {row[1]: row[2] for row in facts_page(ws.database, "Member", limit=100).rows}
    assert facts == {f"P{at}": float(at % 3 > 0) for at in range(30)}
    assert said in " ".join(format_mapping(report.mapping, tmp_path).split())


def test_months_may_be_the_things_of_a_table(tmp_path: Path) -> None:
    months = [f"{year}-{month:02d}" for year in (2021, 2022) for month in range(1, 13)]
    rows = "".join(f"{month},{at}\n" for at, month in enumerate(months))
    (tmp_path / "months.csv").write_text(f"month,budget\n{rows}")
    rows = "".join(f"S{at},{months[at % 24]}\n" for at in range(60))
    (tmp_path / "sales.csv").write_text(f"sale,month\n{rows}")
    with stage(find_sources([tmp_path / "months.csv", tmp_path / "sales.csv"])) as staging:
        first, second = propose(staging).tables
    assert first.key == "month"
    assert [(one.name, one.kind) for one in second.columns] == [
        ("sale", "key"),
        ("month", "reference"),
    ]


def test_a_row_of_one_number_is_no_title(tmp_path: Path) -> None:
    rows = "".join(f"{at},{at % 7},{at % 3}\n" for at in range(30))
    (tmp_path / "marks.csv").write_text(f"5,,\n{rows}")
    with stage(find_sources([tmp_path / "marks.csv"])) as staging:
        assert staging.tables["marks"].rows == 31


@pytest.mark.parametrize(
    ("name", "frame"),
    [("a/b", pd.DataFrame({"x": [1]})), ("a", pd.DataFrame([[1, 2]], columns=["x", "x"]))],
)
def test_frames_that_are_no_tables_are_told(name: str, frame: pd.DataFrame) -> None:
    with pytest.raises(UsageError, match="E0644"), as_files({name: frame}):
        pass


def test_cells_of_several_types_in_a_frame_are_texts() -> None:
    frame = pd.DataFrame({"x": [1, "q", None]})
    with as_files({"a": frame}) as files, stage(find_sources(files)) as staging:
        assert staging.rows(f"FROM {staging.tables['a'].relation}") == [("1",), ("q",), (None,)]


@pytest.mark.parametrize(
    ("yes", "no"), [("tak", "nie"), ("Sì", "No"), ("ja", "nee"), ("да", "нет"), ("V", "F")]
)
def test_yes_and_no_are_read_in_many_languages(tmp_path: Path, yes: str, no: str) -> None:
    """Also where most say yes, in a word that other languages have too."""
    rows = "".join(f"K{at},{no if at % 5 == 0 else yes}\n" for at in range(60))
    (tmp_path / "people.csv").write_text(f"id,member\n{rows}", encoding="utf-8")
    with wb.open() as ws:
        (tmp_path / "dataset.toml").write_text(
            format_mapping(ws.load(tmp_path / "people.csv").mapping, tmp_path), encoding="utf-8"
        )
        facts = facts_page(ws.database, "Member", limit=100).rows
    assert sum(row[2] == 1 for row in facts) == 48
    with wb.open() as ws:
        ws.load(tmp_path / "people.csv", mapping=tmp_path / "dataset.toml")
        assert facts_page(ws.database, "Member", limit=100).rows == facts


@pytest.mark.parametrize(
    "cells",
    [
        ["12 mars 2024", "1er août 2023", "3 déc. 2022"],
        ["12. März 2024", "1. August 2023", "3. Dez. 2022"],
        ["12 mar 2024", "1 ago 2023", "3 dic 2022"],
        ["12 de março de 2024", "1 de agosto de 2023", "3 de dezembro de 2022"],
        ["12-mrt-24", "01-aug-23", "03-dec-22"],
        ["12 марта 2024", "1 авг 2023 г.", "3 декабря 2022"],
        ["12 marca 2024", "1 sierpnia 2023", "3 grudnia 2022"],
        ["2024. március 12.", "2023. augusztus 1.", "2022. december 3."],
        ["March 12th, 2024", "August 1st, 2023", "Dec 3, 2022"],
        ["2024年3月12日", "2023年8月1日", "2022年12月3日"],
    ],
)
def test_months_are_words_of_many_languages(tmp_path: Path, cells: list[str]) -> None:
    rows = "".join(f'K{at:02},"{cells[at % 3]}"\n' for at in range(60))
    (tmp_path / "visits.csv").write_text(f"visit,day\n{rows}", encoding="utf-8")
    with wb.open() as ws:
        report = ws.load(tmp_path / "visits.csv")
        facts = {row[1]: row[2].date() for row in facts_page(ws.database, "Day", limit=100).rows}
    assert report.mapping.tables[0].columns[1].kind == "date"
    days = [date(2024, 3, 12), date(2023, 8, 1), date(2022, 12, 3)]
    assert facts == {f"K{at:02}": days[at % 3] for at in range(60)}


def test_a_month_has_one_name_for_each_language() -> None:
    """No word stands for two months."""
    from workbench.tables.months import ENGLISH_OF, WORDS

    assert len(ENGLISH_OF) == sum(len(words.split()) for words in WORDS)


def test_pictures_in_a_sqlite_table_are_no_fault(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "staff.sqlite")) as connection, connection:
        connection.execute("CREATE TABLE staff (id INTEGER PRIMARY KEY, age INTEGER, photo BLOB)")
        rows = [(n, 20 + n, bytes([255, 216, 0, 65, n])) for n in range(30)]
        connection.executemany("INSERT INTO staff VALUES (?, ?, ?)", rows)
    with wb.open() as workspace:
        report = workspace.load([tmp_path / "staff.sqlite"], wide=True)
        assert report.facts["Age"] == 30
        rows = workspace.data.facts_page("Photo").rows
        assert any(row[2].startswith(r"\xFF\xD8\x00A") for row in rows)


def test_tables_of_one_name_in_two_schemas_are_called_by_both(tmp_path: Path) -> None:
    for name in ("shop", "bank"):
        with duckdb.connect(tmp_path / f"{name}.duckdb") as connection:
            connection.execute("CREATE TABLE people AS SELECT range AS id FROM range(20)")
            connection.execute("CREATE SCHEMA old")
            connection.execute(f"CREATE TABLE old.{name} AS SELECT range AS id FROM range(20)")
            connection.execute(f"CREATE TABLE {name} AS SELECT range AS id FROM range(20)")
    found = find_sources([tmp_path / "shop.duckdb"])
    assert {one.name for one in found} == {"people", "old/shop", "shop/shop"}
    both = {one.name for one in find_sources([tmp_path / "shop.duckdb", tmp_path / "bank.duckdb"])}
    assert both >= {"shop/people", "bank/people"}


def test_faults_of_a_workbook_among_numbers_are_blanks(tmp_path: Path) -> None:
    book = Workbook()
    assert book.active is not None
    book.active.append(["client", "margin"])
    for n in range(40):
        book.active.append([f"K{n}", "#DIV/0!" if n % 8 == 0 else "#REF!" if n % 9 == 0 else n / 4])
    book.save(tmp_path / "margins.xlsx")
    with stage(find_sources([tmp_path / "margins.xlsx"])) as staging:
        column = propose(staging).table("margins").column("margin")
    assert (column.kind, column.missing) == ("number", 9)


def test_whole_numbers_beside_blanks_in_a_frame_refer(tmp_path: Path) -> None:
    """A data frame stores them as floats; what they refer to has no such blanks."""
    people = pd.DataFrame({"person": range(40), "age": range(20, 60)})
    visits = pd.DataFrame({"visit": range(90), "person": [n % 40 for n in range(89)] + [None]})
    with as_files({"people": people, "visits": visits}) as files, stage(find_sources(files)) as one:
        refers = propose(one).table("visits").column("person")
    assert (refers.kind, refers.table, refers.missing) == ("reference", "people", 1)


def test_what_wide_tables_say_twice_is_not_looked_for(tmp_path: Path) -> None:
    """DuckDB compares each expression of a statement with each: minutes for a thousand columns."""
    for columns, sought in ((20, True), (120, False)):
        names = ",".join(f"c{n}" for n in range(columns))
        (tmp_path / "wide.csv").write_text(f"{names}\n{','.join(['1.5'] * columns)}\n")
        with stage(find_sources([tmp_path / "wide.csv"])) as staging:
            ((off,),) = staging.rows("SELECT current_setting('disabled_optimizers')")
            assert ("common_subexpressions" in off) is not sought
