"""What is written in another order or form is alike: names, telephones, dockets, registers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from workbench.linkage.blocking import Pairs
from workbench.linkage.comparison import compare, make_comparison
from workbench.linkage.fields import Field, kind_of_texts
from workbench.linkage.keys import part_texts
from workbench.tables import find_sources, stage
from workbench.tables.records import read_records


def level(kind: str, one: str, other: str) -> str:
    field = Field("x", kind, np.array([one, other], object), np.arange(2, dtype=np.int32))  # type: ignore[arg-type]
    comparison = make_comparison(field)
    pair = Pairs(np.zeros(1, np.int32), np.ones(1, np.int32))
    return comparison.levels[compare(comparison, pair)[0]]


@pytest.mark.parametrize(
    ("kind", "one", "other", "expected"),
    [
        ("name", "smith john", "john smith", "very close"),
        ("name", "smith john", "jon smith", "very close"),
        ("code", "555 123 4567", "5551234567", "written otherwise"),
        ("code", "1 555 123 4567", "5551234567", "written otherwise"),
        ("code", "1 12 cv 01234", "12 1234", "written otherwise"),
        ("code", "ab12345", "cd12345", "two letters apart"),
        ("code", "5551234567", "555 123 4568", "one letter apart"),
        ("code", "123 145", "123", "same beginning"),
        ("code", "5551234567", "8239876543", "far"),
    ],
)
def test_levels(kind: str, one: str, other: str, expected: str) -> None:
    assert level(kind, one, other) == level(kind, other, one) == expected


def test_texts_with_words_beside_numbers_are_no_codes() -> None:
    addresses = [f"{at} Willow Lane #{at % 7}" for at in range(200)]
    plates = [f"AB {at} CD" for at in range(200)]
    products = [f"Ketprolin {at} mg film coated tablets" for at in range(200)]
    kinds = [
        kind_of_texts(np.array(texts, object), np.arange(200, dtype=np.int32))
        for texts in (addresses, plates, products)
    ]
    assert kinds == ["numbered", "code", "numbered words"]


def test_keys_are_of_what_is_said_however_it_is_written() -> None:
    for kind, part, texts in (
        ("name", "words", ["smith john", "john smith"]),
        ("code", "last digits", ["1 555 123 4567", "5551234567"]),
    ):
        field = Field("x", kind, np.array(texts, object), np.arange(2, dtype=np.int32))  # type: ignore[arg-type]
        assert len(set(part_texts(field, part))) == 1


def test_long_numbers_of_one_length_are_codes_though_some_are_mistyped(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    register = random.integers(7 * 10**6, 10**7, 200).astype(str)
    register[:8] = ["74a1123", "745112", "90x7812", "7812", "99128122", "7 12", "80b1234", "712"]
    sold = random.integers(10, 10**7, 200)
    year = random.integers(1950, 2020, 200)
    pd.DataFrame({"register": register, "sold": sold, "year": year}).to_csv(
        tmp_path / "ships.csv", index=False
    )
    with stage(find_sources([tmp_path / "ships.csv"])) as staging:
        names = [["register"], ["sold"], ["year"]]
        records = read_records(staging, list(staging.tables.values()), names, [None])
    assert [column.kind for column in records.columns] == ["text", "number", "number"]


def test_one_weight_in_two_units_is_one_value(tmp_path: Path) -> None:
    """Within a column, and in two files that use another one each."""
    weights = [0.07 * (1 + at % 9) for at in range(40)]
    grams = [f"{1000 * one:g} g" for one in weights]
    mixed = [f"{one:g} kg" if at % 3 else grams[at] for at, one in enumerate(weights)]
    kilograms = [f"{one:g} kg" for one in weights]
    for name, cells in (("grams", grams), ("mixed", mixed), ("kilograms", kilograms)):
        rows = "".join(f"{at},{cell}\n" for at, cell in enumerate(cells))
        (tmp_path / f"{name}.csv").write_text(f"id,weight\n{rows}", encoding="utf-8")
    for pair in (("grams", "mixed"), ("mixed", "kilograms"), ("kilograms", "grams")):
        with stage(find_sources([tmp_path / f"{name}.csv" for name in pair])) as staging:
            tables = tuple(staging.tables.values())
            column = read_records(staging, tables, [["weight"] * 2], ["id"] * 2).columns[0]
        assert column.kind == "number"
        assert column.codes[:40].tolist() == column.codes[40:].tolist()
        assert sorted(map(float, column.texts)) == pytest.approx([70.0 * at for at in range(1, 10)])
