"""Tables that come in parts, and folders in folders."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from openpyxl import Workbook

import workbench as wb
from workbench.database import facts_page
from workbench.errors import InputError
from workbench.tables import find_sources, format_mapping, propose, stage
from workbench.tables.parts import table_and_part

MONTHS = [f"2024-{month:02}" for month in range(1, 5)]


def _sales(folder: Path, name: str, month: int) -> Path:
    rows = "".join(f"S{at % 4},P{at % 3},{10 * month + at}.5\n" for at in range(12))
    (folder / name).write_text(f"shop,product,amount\n{rows}", encoding="utf-8")
    return folder / name


@pytest.mark.parametrize(
    ("name", "table", "part"),
    [
        ("sales_2024-01", "sales", "2024-01"),
        ("sales202401", "sales", "202401"),
        ("2024-01-31 sales", "sales", "2024-01-31"),
        ("Ventes mars 2024", "Ventes", "mars 2024"),
        ("sales-jan", "sales", "jan"),
        ("orders_Q1_2023", "orders", "Q1_2023"),
        ("export (2)", "export", "2"),
        ("part-0001", "part", "0001"),
        ("old/staff", "staff", "old"),
        ("people", "people", ""),
        ("human", "human", ""),
        ("2024", "2024", ""),
        ("summar", "summar", ""),
    ],
)
def test_parts_are_told_by_names(name: str, table: str, part: str) -> None:
    assert table_and_part(name) == (table, part)


def test_files_of_one_tables_parts_are_one_table(tmp_path: Path) -> None:
    files = [_sales(tmp_path, f"sales_{month}.csv", at) for at, month in enumerate(MONTHS)]
    with wb.open() as ws:
        report = ws.load(files)
        (table,) = report.mapping.tables
        assert (table.name, table.rows, table.column("month").kind) == ("sales", 48, "date")
        assert [one.code for one in report.warnings] == ["E0245"]
        facts = {name: facts_page(ws.database, name).rows for name in ws.database.predicates()}
        months = [str(row[2])[:7] for row in facts_page(ws.database, "Month", limit=99).rows]
    assert sorted(months) == [month for month in MONTHS for _ in range(12)]
    (tmp_path / "dataset.toml").write_text(format_mapping(report.mapping, tmp_path))
    for sources in ((), files):
        with wb.open() as ws:
            again = ws.load(sources, mapping=tmp_path / "dataset.toml")
            said = [
                format_mapping(one.mapping).split("[tables.columns]")[0] for one in (again, report)
            ]
            assert said[0] == said[1]
            assert facts == {
                name: facts_page(ws.database, name).rows for name in ws.database.predicates()
            }


def test_a_further_part_is_more_rows_of_its_table(tmp_path: Path) -> None:
    files = [_sales(tmp_path, f"sales_{month}.csv", at) for at, month in enumerate(MONTHS)]
    with wb.open() as ws:
        ws.load(files[:3])
        report = ws.load(files[3])
        assert [(table.name, table.rows) for table in report.mapping.tables] == [("sales", 12)]
        months = [str(row[2])[:7] for row in facts_page(ws.database, "Month", limit=99).rows]
    assert sorted(months) == [month for month in MONTHS for _ in range(12)]


def test_a_mapping_reads_another_part(tmp_path: Path) -> None:
    files = [_sales(tmp_path, f"sales_{month}.csv", at) for at, month in enumerate(MONTHS)]
    with stage(find_sources(files[:3]), parts_together=True) as staging:
        mapping = propose(staging)
    with wb.open() as ws:
        report = ws.load(files[3], mapping=mapping)
        assert [(table.name, table.rows) for table in report.mapping.tables] == [("sales", 12)]
        assert {str(row[2])[:7] for row in facts_page(ws.database, "Month").rows} == {MONTHS[3]}


def test_tables_of_other_columns_stay_apart(tmp_path: Path) -> None:
    _sales(tmp_path, "table1.csv", 1)
    (tmp_path / "table2.csv").write_text("id,colour\n1,red\n2,blue\n", encoding="utf-8")
    with wb.open() as ws:
        assert [one.name for one in ws.load(tmp_path).mapping.tables] == ["table1", "table2"]


def test_numbered_files_get_no_column(tmp_path: Path) -> None:
    for number in (1, 2):
        _sales(tmp_path, f"part-{number}.csv", number)
    with wb.open() as ws:
        (table,) = ws.load(tmp_path).mapping.tables
    assert (table.name, table.rows, len(table.columns)) == ("part", 24, 3)


def test_tables_of_a_database_are_not_put_together(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "shop.sqlite")) as shop:
        for year in (2023, 2024):
            shop.execute(f"CREATE TABLE sales_{year} (shop TEXT, amount REAL)")
            shop.executemany(f"INSERT INTO sales_{year} VALUES (?, ?)", [("a", 1.0), ("b", 2.5)])
        shop.commit()
    with wb.open() as ws:
        names = [one.name for one in ws.load(tmp_path / "shop.sqlite").mapping.tables]
    assert names == ["sales_2023", "sales_2024"]


def test_folders_in_a_folder_are_read(tmp_path: Path) -> None:
    for year in ("2022", "2023"):
        (tmp_path / year).mkdir()
        rows = "".join(f"A{at},N{at},{at + int(year)}\n" for at in range(20))
        (tmp_path / year / "staff.csv").write_text(f"staff_id,name,wage\n{rows}")
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "teams.csv").write_text("team_id,town\nT1,Ulm\nT2,Bonn\n")
    (tmp_path / ".hidden").mkdir()
    (tmp_path / ".hidden" / "secret.csv").write_text("a,b\n1,2\n")
    (tmp_path / "study").mkdir()
    (tmp_path / "study" / "dataset.toml").write_text("")
    (tmp_path / "study" / "predictions.csv").write_text("a,b\n1,2\n")
    with wb.open() as ws:
        staff, teams = sorted(ws.load(tmp_path).mapping.tables, key=lambda one: one.name)
    assert (staff.name, staff.rows, staff.key) == ("staff", 40, "staff_id+year")
    assert teams.name == "teams"


def test_files_of_one_name_that_are_given_are_refused(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        _sales(tmp_path / folder, "sales.csv", 1)
    with wb.open() as ws, pytest.raises(InputError, match="two tables are called sales"):
        ws.load([tmp_path / "a" / "sales.csv", tmp_path / "b" / "sales.csv"])


def test_workbooks_of_years_with_sheets_of_months_are_one_table(tmp_path: Path) -> None:
    """Each month has the year of its workbook; workbooks whose sheets are no months stay apart."""
    for year, sheets in ((2021, ("Jan", "Feb")), (2022, ("Jan", "Feb", "Mar"))):
        for name, called in (("sales", sheets), ("stock", ["north", "south"])):
            book = Workbook()
            for at, sheet in enumerate(called):
                page = book.create_sheet(sheet) if at else book.active
                page.title = sheet
                page.append([f"{name[:2]}_id", "amount"])
                for row in range(9):
                    page.append([f"{year}{sheet}{row}", 10.5 * row + at])
            book.save(tmp_path / f"{name}_{year}.xlsx")
    with wb.open() as ws:
        report = ws.load([tmp_path])
        rows = {table.name: table.rows for table in report.mapping.tables}
        months = {str(row[2])[:7] for row in facts_page(ws.database, "Month", limit=99).rows}
    assert rows == {"sales": 45, "stock_2021": 18, "stock_2022": 18}
    assert months == {"2021-01", "2021-02", "2022-01", "2022-02", "2022-03"}
    (tmp_path / "dataset.toml").write_text(format_mapping(report.mapping, tmp_path))
    with wb.open() as ws:
        assert ws.load((), mapping=tmp_path / "dataset.toml").facts == report.facts
