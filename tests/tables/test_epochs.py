"""Times written as seconds since 1970, and other numbers that are as large."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

from workbench.tables import find_sources, format_mapping, propose, read_mapping, stage, type_tables

DAY = 1_609_459_200  # 2021-01-01


def visits(path: Path, name: str, scale: int, zeros: int = 0) -> Path:
    cells = [0 if n < zeros else (DAY + 3600 * n) * scale for n in range(50)]
    rows = "".join(f"V{n},{cell}\n" for n, cell in enumerate(cells))
    (path / "visits.csv").write_text(f"visit,{name}\n{rows}")
    return path / "visits.csv"


@pytest.mark.parametrize(
    ("name", "scale", "unit"),
    [("created_at", 1, "seconds"), ("Timestamp", 1000, "milliseconds"), ("ts", 10**6, "micro")],
)
def test_numbers_that_are_times_are_read_so(
    tmp_path: Path, name: str, scale: int, unit: str
) -> None:
    with stage(find_sources([visits(tmp_path, name, scale, zeros=5)])) as staging:
        mapping = propose(staging)
        column = mapping.table("visits").column(name)
        assert (column.kind, column.missing) == ("date", 5)
        assert (column.reading.format or "").startswith(unit)
        assert "from 2021-01-01 to 2021-01-03, and the name says" in column.reason
        (tmp_path / "dataset.toml").write_text(format_mapping(mapping, tmp_path))
        typed = type_tables(staging, read_mapping(tmp_path / "dataset.toml"))["visits"]
        sql = f"SELECT count({name}), max({name}) FROM {typed.relation}"
        assert staging.rows(sql) == [(45, datetime(2021, 1, 3, 1))]


@pytest.mark.parametrize(("name", "scale"), [("population", 1), ("created_at", 10**9)])
def test_other_large_numbers_are_numbers(tmp_path: Path, name: str, scale: int) -> None:
    with stage(find_sources([visits(tmp_path, name, scale)])) as staging:
        assert propose(staging).table("visits").column(name).kind == "number"


def test_a_mapping_makes_times_numbers_again(tmp_path: Path) -> None:
    with stage(find_sources([visits(tmp_path, "created_at", 1)])) as staging:
        text = format_mapping(propose(staging), tmp_path)
        as_number = text.replace('"date"', '"number"').replace(', format = "seconds since', " #")
        (tmp_path / "dataset.toml").write_text(
            "\n".join(line.replace(' # 1970" }', " }") for line in as_number.splitlines())
        )
        typed = type_tables(staging, read_mapping(tmp_path / "dataset.toml"))["visits"]
        assert staging.rows(f"SELECT min(created_at) FROM {typed.relation}") == [(float(DAY),)]
