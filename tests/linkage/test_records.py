"""Records keep the order of their rows, however many batches they come in."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from workbench.tables import find_sources, stage
from workbench.tables.records import read_records


def test_columns_and_ids_of_many_rows_stay_in_order(tmp_path: Path) -> None:
    n = 400_000
    words = np.array(["amber", "birch", "cedar", "dogwood", "elder"], object)[
        np.arange(n) * 7919 % 5
    ]
    pd.DataFrame({"id": np.arange(n), "word": words}).to_parquet(
        tmp_path / "rows.parquet", row_group_size=40_000
    )
    with stage(find_sources([tmp_path / "rows.parquet"])) as staging:
        records = read_records(staging, list(staging.tables.values()), [["word"]], ["id"])
    (column,) = records.columns
    assert (np.array(column.texts, object)[column.codes] == words).all()
    assert (records.ids.astype(int) == np.arange(n)).all()


def test_texts_lose_case_accents_and_marks_only(tmp_path: Path) -> None:
    cells = ["Müller-Lüdenscheid ", "MULLER ludenscheid", "n/a", "", "O'Neil", "日本"]
    pd.DataFrame({"name": cells}).to_csv(tmp_path / "names.csv", index=False)
    with stage(find_sources([tmp_path / "names.csv"])) as staging:
        records = read_records(staging, list(staging.tables.values()), [["name"]], [None])
    (column,) = records.columns
    assert [column.texts[code] if code >= 0 else None for code in column.codes] == [
        "muller ludenscheid", "muller ludenscheid", None, None, "o neil", "日本",
    ]  # fmt: skip
    assert records.ids.tolist() == ["1", "2", "3", "4", "5", "6"]


def test_letters_that_are_no_others_with_accents_are_spelled(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(
        "name\nSøren Weiß\nSOREN WEISS\nŁuczak\nluczak\n", encoding="utf-8"
    )
    with stage(find_sources([tmp_path / "a.csv"])) as staging:
        (column,) = read_records(
            staging, tuple(staging.tables.values()), [["name"]], [None]
        ).columns
    assert column.texts == ["soren weiss", "luczak"]
    assert column.codes.tolist() == [0, 0, 1, 1]
