"""The documents' tables say what the records say."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from benchmarks.figures import DOCUMENTS, FIGURES, MARKED, Layout, drawn, layouts, write
from experiments import (
    FoldScore,
    Measurement,
    ReproductionTable,
    add_measurement,
    published,
    read_record,
    rows_from_folds,
    systems,
)


def test_documents_are_as_their_records() -> None:
    assert write(check=True) == 0


def test_every_layout_has_its_place_in_one_document() -> None:
    places = [
        match["name"]
        for path in DOCUMENTS
        for match in MARKED.finditer(path.read_text(encoding="utf-8"))
    ]
    assert sorted(places) == sorted(layouts())


@pytest.mark.parametrize("name", sorted(path.stem for path in FIGURES.glob("*.json")))
def test_every_record_has_its_command_and_is_shown(name: str) -> None:
    measurements = read_record(FIGURES / f"{name}.json")
    assert all(
        one.command.startswith(f"workbench reproduce {name}") and one.commit for one in measurements
    )
    assert any(layout.experiment == name for layout in layouts().values())


@pytest.mark.parametrize("name", sorted(layouts()))
def test_a_layout_names_rows_that_its_experiment_has(name: str) -> None:
    """Rows of Alzheimer's drugs have words behind a system: `+transitivity`, `fold_pair`."""
    layout = layouts()[name]
    known = (*systems(layout.experiment), *(row.system for row in published(layout.experiment)))
    assert all(row["system"].startswith(known) for row in layout.rows)


def test_a_record_has_a_line_for_each_figure_and_is_read_back_as_it_was(tmp_path: Path) -> None:
    scores = [FoldScore("A", "x", "F1", str(fold), fold / 3) for fold in range(5)]
    table = ReproductionTable(
        "t", "T", rows_from_folds(scores, {}), tuple(scores), ("“noted”",), {"A": 1.5}
    )
    new = Measurement("workbench reproduce t", "c", "2020-01-31", 2.0, {"numpy": "2"}, table)
    add_measurement(tmp_path / "t.json", new)
    lines = (tmp_path / "t.json").read_text(encoding="utf-8").splitlines()
    assert sum('"fold":' in line for line in lines) == 5
    assert read_record(tmp_path / "t.json") == (new,)
    undefined = ReproductionTable("t", "T", (), (FoldScore("B", "x", "F1", "1", math.nan),))
    add_measurement(
        tmp_path / "u.json", Measurement("workbench reproduce t", "c", "", 0.0, {}, undefined)
    )
    assert math.isnan(read_record(tmp_path / "u.json")[0].table.folds_detail[0].value)


def test_a_table_shows_published_and_measured_figures_and_leaves_out_what_is_in_neither() -> None:
    scores = [FoldScore("A", "x", "F1", fold, value) for fold, value in (("1", 0.5), ("2", 0.7))]
    table = ReproductionTable(
        "t", "T", rows_from_folds(scores, {("A", "x", "F1"): 0.4, ("B", "x", "F1"): 0.3})
    )
    layout = Layout(
        "t",
        rows=[
            {"system": "A", "show": "published", "label": "A, published"},
            {"system": "A"},
            {"system": "B"},
        ],
        columns=[
            {"heading": "percent", "column": "x", "cell": "{F1.ours:1} ({F1.sd:1})"},
            {
                "heading": "published / ours",
                "column": "x",
                "cell": "{F1.published:1} / {F1.ours:1} ± {F1.sd:1}",
            },
        ],
        scale=100.0,
    )
    assert layout.markdown(table).splitlines()[2:] == [
        "| A, published | 40.0 | 40.0 / 40.0 |",
        "| A | 60.0 (14.1) | 40.0 / 60.0 ± 14.1 |",
        "| B |  | 30.0 / – |",
    ]


def test_rows_that_are_drawn_can_be_run_by_themselves() -> None:
    rows = drawn(1000, 0, float("inf"))
    assert {experiment for experiment, _, _ in rows} == {
        path.stem for path in FIGURES.glob("*.json")
    }
    assert all(system in systems(experiment) for experiment, system, _ in rows)
