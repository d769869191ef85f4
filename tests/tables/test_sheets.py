"""Sheets as people make them: headers over two rows, merged cells, totals, a sheet a month."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from openpyxl import Workbook

import workbench as wb
from workbench.database import facts_page
from workbench.tables import find_sources, format_mapping, propose, stage
from workbench.tables.headers import find_header
from workbench.tables.part_names import sheets_of_one_table

PEOPLE = [[f"P{at:02}", "Ulm Bonn Kiel".split()[at % 3], 20 + at, 10.5 * at] for at in range(30)]
NAMES = ["id", "city", "age", "wage"]


def _book(path: Path, merged: Sequence[str] = (), /, **sheets: Sequence[Sequence[object]]) -> Path:
    book = Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(list(row))
        for cells in merged:
            sheet.merge_cells(cells)
    book.save(path)
    return path


def _read(*paths: Path) -> dict[str, tuple[tuple[str, ...], list[tuple[str | None, ...]]]]:
    with stage(find_sources(paths), parts_together=True) as staging:
        return {
            name: (table.columns, staging.rows(f"FROM {table.relation} ORDER BY rowid"))
            for name, table in staging.tables.items()
        }


@pytest.mark.parametrize(
    ("rows", "above", "names"),
    [
        ([["id", "Size", None], [None, "wide", "high"], ["a", "1", "2"], ["b", "3", "4"]], 0,
         ("id", "Size wide", "Size high")),
        ([["id", "Born", None], [None, "2021", "2022"], ["a", "1", "2"], ["b", "3", "4"]], 0,
         ("id", "Born 2021", "Born 2022")),
        ([["", "x", "y"], ["id", "kg", "cm"], ["a", "1", "2,5"], ["b", "3", "4,5"]], 0,
         ("id", "x kg", "y cm")),
        ([["Report"], [], ["", "A", "", "B", ""], ["id", "u", "v", "u", "v"],
          *[["a", "1", "2", "3", "4"]] * 3], 2, ("id", "A u", "A v", "B u", "B v")),
        ([["", "city", "age"], ["Ann", "Ulm", "34"], ["Bob", "Bonn", "40"]], 0, None),
        ([["id", "x", "y"], ["a", "?", "-"], ["b", "3", "4"], ["c", "3", "4"]], 0, None),
        ([["id", "x", "y"], ["a", "p", "q"], ["b", "p", "s"], ["c", "r", "q"]], 0, None),
        ([["id", "x", ""], ["a", "1", "seen"], ["b", "2", ""], ["c", "3", ""]], 0, None),
    ],
)  # fmt: skip
def test_headers_over_two_rows(
    rows: list[list[str | None]], above: int, names: tuple[str, ...] | None
) -> None:
    found = find_header(rows)
    expected = (above, 2, names) if names else (above, 1, tuple(rows[0]))
    assert (found.above, found.rows, found.cells) == expected


def test_a_report_is_its_table(tmp_path: Path) -> None:
    """A title, a header over two rows, notes beside and below, totals: the plain table."""
    rows: list[list[object]] = [["Report"], [], ["id", "city", "Figures"], [None, None, *NAMES[2:]]]
    rows += [[*row] for row in PEOPLE]
    rows[9] += [None, None, "as of May"]
    total = sum(float(row[3]) for row in PEOPLE)
    rows += [["Total", None, None, total], [], ["Source: the payroll office, provisional"]]
    merged = ("A1:D1", "A3:A4", "B3:B4", "C3:D3")
    report = _book(tmp_path / "report.xlsx", merged, people=rows)
    with stage(find_sources([report])) as staging:
        table = staging.tables["report"]
        assert table.columns == ("id", "city", "Figures age", "Figures wage")
        assert (table.rows, table.first_row, len(table.notes)) == (30, 5, 5)
        found = staging.rows(f"FROM {table.relation} ORDER BY rowid")
        kinds = [column.kind for column in propose(staging).tables[0].columns]
    plain = _book(tmp_path / "plain.xlsx", people=[NAMES, *PEOPLE])
    assert found == _read(plain)["plain"][1]
    assert kinds == ["key", "category", "number", "number"]
    cells = [[*row, *[None] * (7 - len(row))] for row in rows]
    lines = [";".join("" if cell is None else str(cell) for cell in row) for row in cells]
    (tmp_path / "report.csv").write_text("\n".join(lines), encoding="utf-8")
    assert _read(tmp_path / "report.csv")["report"][0] == table.columns


def test_rows_that_only_look_like_margins_stay(tmp_path: Path) -> None:
    rows = [*PEOPLE, ["P30", None, None, None], ["Total Oil", "Ulm", 3, 4.5]]
    book = _book(tmp_path / "people.xlsx", people=[NAMES, *rows])
    assert len(_read(book)["people"][1]) == 32
    book = _book(tmp_path / "people.xlsx", people=[NAMES, *rows[:-1]])
    assert len(_read(book)["people"][1]) == 31


def test_a_last_row_of_a_key_alone_or_of_nothing_stays(tmp_path: Path) -> None:
    rows = [",".join(map(str, row)) for row in (NAMES, *PEOPLE, ["P100", "", "", ""])]
    (tmp_path / "people.csv").write_text("\n".join([*rows, ",,,"]) + "\n")
    _, found = _read(tmp_path / "people.csv")["people"]
    assert [row[0] for row in found[-2:]] == ["P100", ""]


def test_totals_are_told_by_their_sums(tmp_path: Path) -> None:
    lines = [f"P{at};{at},5;{at % 3}" for at in range(20)]
    for total, kept in (("Summe;200,0;19", 20), ("Summe;17,0;3", 21)):
        text = "\n".join(["name;wage;children", *lines, total])
        (tmp_path / "wages.csv").write_text(text, encoding="utf-8")
        assert len(_read(tmp_path / "wages.csv")["wages"][1]) == kept


def test_merged_cells_stand_in_each_row(tmp_path: Path) -> None:
    rows = [[f"R{at // 3}" if at % 3 == 0 else None, f"T{at}", at] for at in range(9)]
    merged = ("A2:A4", "A5:A7", "A8:A10")
    book = _book(tmp_path / "towns.xlsx", merged, towns=[["region", "town", "size"], *rows])
    assert [row[0] for row in _read(book)["towns"][1]] == [f"R{at // 3}" for at in range(9)]


@pytest.mark.parametrize(
    ("sheets", "table", "column", "parts"),
    [
        (("Jan", "Feb", "Mar"), "sales", "month", ["Jan", "Feb", "Mar"]),
        (("Orders 2022", "Orders 2023"), "Orders", "year", ["2022", "2023"]),
        (("North", "South"), "sales", "sheet", ["North", "South"]),
        (("1", "2"), "sales", None, []),
    ],
)
def test_sheets_of_one_table(
    tmp_path: Path, sheets: tuple[str, ...], table: str, column: str | None, parts: list[str]
) -> None:
    """Written and read again as the mapping says, they are the same facts."""
    of_each = {
        sheet: [NAMES, *([f"{at}{row[0]}", *row[1:]] for row in PEOPLE[:9])]
        for at, sheet in enumerate(sheets)
    }
    book = _book(tmp_path / "sales.xlsx", **of_each)
    with wb.open() as ws:
        report = ws.load(book)
        (found,) = report.mapping.tables
        assert (found.name, found.rows) == (table, 9 * len(sheets))
        names = [one.name for one in found.columns]
        assert names == [*NAMES, *([column] if column else [])]
        facts = {name: facts_page(ws.database, name).rows for name in ws.database.predicates()}
    (tmp_path / "dataset.toml").write_text(format_mapping(report.mapping, tmp_path))
    for sources in ((), [book]):
        with wb.open() as ws:
            ws.load(sources, mapping=tmp_path / "dataset.toml")
            for name, rows in facts.items():
                assert facts_page(ws.database, name).rows == rows
    if column:
        assert sorted({str(row[-1])[:7] for row in _read(book)[table][1]}) == sorted(parts)


def test_a_workbook_of_further_sheets_is_read_by_a_mapping(tmp_path: Path) -> None:
    months = {month: [NAMES, *PEOPLE[:6]] for month in ("Jan", "Feb")}
    with stage(
        find_sources([_book(tmp_path / "a.xlsx", **months)]), parts_together=True
    ) as staging:
        mapping = propose(staging)
    later = {month: [NAMES, *PEOPLE[6:12]] for month in ("Mar", "Apr", "May")}
    with wb.open() as ws:
        report = ws.load(_book(tmp_path / "b.xlsx", **later), mapping=mapping)
        assert [(one.name, one.rows) for one in report.mapping.tables] == [("a", 18)]


def test_other_sheets_stay_apart(tmp_path: Path) -> None:
    rows = {name: [NAMES, *PEOPLE[:6]] for name in ("buyers", "sellers")}
    book = _book(tmp_path / "shop.xlsx", **rows, goods=[["good", "price", "kind"], ["a", 1, "b"]])
    assert sorted(_read(book)) == ["buyers", "goods", "sellers"]
    columns = {"buyers": ("a", "b"), "sellers": ("a", "b"), "goods": ("c",)}
    assert sheets_of_one_table(columns) == {}


def test_sheets_of_one_name_in_several_workbooks(tmp_path: Path) -> None:
    books = [
        _book(tmp_path / f"firm_{year}.xlsx", staff=[NAMES, *PEOPLE[at:9]], teams=[["t"], ["A"]])
        for at, year in enumerate(("2022", "2023"))
    ]
    found = _read(*books)
    assert found["staff"][0] == (*NAMES, "year")
    assert [row[-1] for row in found["staff"][1]] == ["2022"] * 9 + ["2023"] * 8


def test_a_files_size_is_not_believed(tmp_path: Path) -> None:
    """Some programs write that a sheet is one cell wide; no cell is left out."""
    from zipfile import ZipFile

    book = _book(tmp_path / "people.xlsx", people=[NAMES, *PEOPLE])
    with ZipFile(book) as parts:
        texts = {name: parts.read(name) for name in parts.namelist()}
    sheet = "xl/worksheets/sheet1.xml"
    texts[sheet] = texts[sheet].replace(b'ref="A1:D31"', b'ref="A1"')
    with ZipFile(book, "w") as parts:
        for name, text in texts.items():
            parts.writestr(name, text)
    columns, rows = _read(book)["people"]
    assert (columns, len(rows)) == (tuple(NAMES), 30)
    assert all(one < other for one, other in pairwise(rows))
