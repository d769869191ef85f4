"""Downloads hold what the table shows, and no formula that a spreadsheet would run."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from app.downloads import csv_text
from app.files import beside_uploads, saved_upload
from app.state import Server
from workbench.resources import shipped
from workbench.tables import format_mapping
from workbench.verbs.linking.link import link


def test_formulas_are_neutralised_and_numbers_stay() -> None:
    frame = pd.DataFrame(
        {"name": ["=1+1", "@SUM(A1)", "\t=x", "Ada", None], "value": [-1.5, 2, 3, 4, 5], "+x": "-3"}
    )
    lines = csv_text(frame).splitlines()
    assert lines[0] == "name,value,'+x"
    assert lines[1] == "'=1+1,-1.5,'-3"
    assert lines[2].startswith("'@SUM(A1)")
    assert "'\t=x" in lines[3]
    assert lines[5] == ",5.0,'-3"


def test_a_mapping_that_is_taken_home_lies_beside_its_tables(state: Server, tmp_path: Path) -> None:
    state.switch(str(tmp_path / "work.duckdb"))
    folder = state.uploads() / "tmp1"
    folder.mkdir()
    table, named = folder / "people.csv", tmp_path / "towns.csv"
    table.write_text("person,town\nAda,Ulm\nBo,Bern\n", encoding="utf-8")
    named.write_text("town,size\nUlm,3\nBern,4\n", encoding="utf-8")
    mapping = state.workspace.data.look_at_tables([table, named]).mapping
    files = [
        line for line in beside_uploads(format_mapping(mapping)).splitlines() if "file" in line
    ]
    assert files == ['file = "people.csv"', f'file = "{named}"']


@pytest.mark.parametrize("name", ["Käufer, 2023 (neu).csv", "O'Brien & Co.csv", '../a".csv'])
def test_uploads_keep_their_names_but_for_rare_signs(state: Server, name: str) -> None:
    path = saved_upload(SimpleNamespace(name=name, getvalue=lambda: b"a,b\n1,2\n"))
    assert path.name == name.removeprefix("../").replace('"', "_")
    assert path.is_relative_to(state.uploads())
    mapping = format_mapping(state.workspace.data.look_at_tables([path]).mapping)
    assert f'file = "{path.name}"' in beside_uploads(mapping)


def test_files_of_more_rows_are_taken_home_in_folders(state: Server, tmp_path: Path) -> None:
    state.switch(str(tmp_path / "work.duckdb"))
    (state.uploads() / "tmp1").mkdir()
    (state.uploads() / "tmp2").mkdir()
    for number in (1, 2):
        table = state.uploads() / f"tmp{number}" / "people.csv"
        table.write_text(f"person,town\nAda{number},Ulm\nBo{number},Bern\n", encoding="utf-8")
        state.workspace.load(table, wide=True)
    mapping = format_mapping(state.workspace.data.tables_at_hand())
    assert 'more = ["tmp2/people.csv"]' in beside_uploads(mapping)


def test_a_second_download_does_not_wait_for_a_page_that_is_gone() -> None:
    said = "from app.downloads import download\ndownload('A', lambda: 'x', 'a.txt')"
    (button,) = AppTest.from_string(said).run().get("download_button")
    assert button.proto.ignore_rerun
    for path in Path(shipped("app")).rglob("*.py"):
        assert path.name == "downloads.py" or "st.download_button" not in path.read_text("utf-8")


def _tables() -> None:
    import pandas

    from app.tabular import read_in_full, small_table, table

    found = pandas.DataFrame({"who": ["=A1", "Bo"], "share": [0.25, 0.123456]})
    table(found[:1], "part", whole=found)
    read_in_full(found, "told", weights=())
    small_table(("who", "share"), [["=A1", 3], ["Bo", None]], "short")


def test_every_table_is_taken_home_whole_and_without_formulas(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    files = {}

    def download(label: str, data: Callable[[], str], name: str, mime: str, **_: object) -> None:
        files[name] = data()

    monkeypatch.setattr("app.tabular.download", download)
    assert not AppTest.from_function(_tables).run().exception
    whole = "who,share\n'=A1,0.25\nBo,0.123456\n"
    assert files == {
        "part.csv": whole,
        "told.csv": whole,
        "short.csv": "who,share\n'=A1,3\nBo,\n",
    }


def test_tables_are_drawn_where_a_download_is_drawn_with_them() -> None:
    drawn = re.compile(r"\b(?:st\.table|\w+\.dataframe|\w+\.data_editor)\(")
    for path in Path(shipped("app")).rglob("*.py"):
        text = path.read_text("utf-8")
        assert len(drawn.findall(text)) <= text.count("take_home("), path


def test_answers_about_records_called_like_formulas_are_read_again(tmp_path: Path) -> None:
    records, answers = tmp_path / "people.csv", tmp_path / "answers.csv"
    records.write_text("id,name\n-K1,ann lee\n+K2,ann lea\n=K3,bob hay\n", encoding="utf-8")
    said = pd.DataFrame({"left": ["-K1", "+K2"], "right": ["+K2", "=K3"], "match": [1, 0]})
    answers.write_text(csv_text(said), encoding="utf-8")
    assert link([records], labels=answers).labels == 2
