"""Rows that are asked but unlike those learned from are named; rows that are alike are not."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.study.test_study import write
from workbench.verbs.studying.study import study


def shop(path: Path, *, paid_before: bool) -> list[Path]:
    """Orders, late or not, and their fines: one for each late order,
    for those asked only `paid_before`.
    """
    rng = np.random.default_rng(0)
    orders, fines = [], []
    for number in range(240):
        late = bool(rng.random() < 0.5)
        asked = number % 4 == 0
        orders.append([f"o{number}", rng.integers(1, 50), "" if asked else "yes" if late else "no"])
        if (paid_before or not asked) and (rng.random() < 0.97):
            fines.append([f"o{number}", 5 if late else 1])
    return [
        write(path / "orders.csv", ["order", "size", "late"], orders),
        write(path / "fines.csv", ["order", "amount"], fines),
    ]


def test_what_only_rows_with_a_label_have_is_said(tmp_path: Path) -> None:
    result = study(shop(tmp_path, paid_before=False), "orders.late", folds=2)
    (said,) = [one for one in result.warnings if one.code == "E0646"]
    assert "60 rows asked are unlike" in said.message
    assert "its fine's amount is unknown" in said.message


def test_rows_that_are_alike_are_passed_over(tmp_path: Path) -> None:
    result = study(shop(tmp_path, paid_before=True), "orders.late", folds=2)
    assert not [one for one in result.warnings if one.code == "E0646"]


def test_a_copy_of_the_target_is_said(tmp_path: Path) -> None:
    orders, fines = shop(tmp_path, paid_before=True)
    said = (tmp_path / "orders.csv").read_text().replace("size,late", "amount,overdue")
    (tmp_path / "shown.csv").write_text(said)
    found = [
        [
            one.message
            for one in study(files, "orders.late", folds=2).warnings
            if one.code == "E0647"
        ]
        for files in ([orders, fines], [orders, tmp_path / "shown.csv"])
    ]
    assert not found[0]
    assert "overdue" in found[1][0]
    assert "tells it in 100.0% of the labelled rows" in found[1][0]


def test_a_view_of_some_rows_is_said(tmp_path: Path) -> None:
    orders, _ = shop(tmp_path, paid_before=True)
    head, *rows = orders.read_text().splitlines()
    large = [row for row in rows if int(row.split(",")[1]) > 25]
    (tmp_path / "large.csv").write_text("\n".join([head, *large]) + "\n")
    warnings = study([orders, tmp_path / "large.csv"], "orders.late", folds=2).warnings
    (said,) = [one.message for one in warnings if one.code == "E0647"]
    known = sum(not row.endswith(",") for row in large)
    assert f"tells it in 100.0% of the {known} labelled rows where it is known" in said


def test_classes_for_which_there_are_too_few_rules_are_named(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    rows = [
        [f"i{number}", *(rng.normal(size=3) + 3 * np.eye(3)[number % 6 // 2]), "abcdef"[number % 6]]
        for number in range(240)
    ]
    rows[::12] = [[*row[:4], ""] for row in rows[::12]]
    items = write(tmp_path / "items.csv", ["item", "x", "y", "z", "kind"], rows)
    few, enough = (
        list(study([items], "items.kind", folds=2, rules=most).warnings) for most in (3, 30)
    )
    (said,) = [one for one in few if one.code == "E0651"]
    assert "of 6 values of kind have no rule of their own" in said.message
    assert said.help == "allow more, such as --rules 12"
    assert not [one for one in enough if one.code == "E0651"]


def test_blanks_that_come_later_ask_for_a_time(tmp_path: Path) -> None:
    draw = np.random.default_rng(2)
    said = []
    for name, asked in (("later", range(90, 120)), ("among", range(0, 120, 4))):
        rows: list[list[object]] = []
        for at in range(120):
            late = "" if at in asked else "yes" if draw.random() < 0.5 else "no"
            day = np.datetime64("2024-01-01") + at
            rows.append([f"o{at}", draw.integers(1, 50), str(day), late])
        file = write(tmp_path / name / "orders.csv", ["order", "size", "placed", "late"], rows)
        for time in (None, "orders.placed"):
            result = study([file], "orders.late", time=time, folds=2)
            said.append([one.message for one in result.warnings if one.code == "E0652"])
    assert len(said[0]) == 1
    assert "all 30 blanks of orders.late come later" in said[0][0]
    assert "orders.placed from 2024-03-31 on" in said[0][0]
    assert not any(said[1:])
