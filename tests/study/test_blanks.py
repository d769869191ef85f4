"""Blanks of columns that otherwise say yes or no, or one thing, are told from what they say."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.study.test_study import inferred, write
from workbench.study.report import write_study
from workbench.verbs.studying.study import study


def test_what_is_blank_is_neither_yes_nor_no(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    rows: list[list[object]] = []
    for person in range(400):
        consent, mark = str(rng.choice(["yes", "no", ""])), str(rng.choice(["x", ""]))
        odds = 3.0 * (consent == "") + 2.0 * (mark == "x") - 2.0
        late = "yes" if rng.random() < 1 / (1 + np.exp(-odds)) else "no"
        rows.append([f"P{person}", consent, mark, "" if person % 10 == 0 else late])
    file = write(tmp_path / "people.csv", ["person", "consent", "mark", "late"], rows)
    result = study([file], "people.late", folds=2)
    words = " ".join(rule.words for rule in result.rules)
    assert "consent is unknown" in words
    assert "mark is unknown" in words
    write_study(result, tmp_path / "out")
    asked = result.predictions[~result.predictions["known"]]
    said = inferred(tmp_path / "out", [file])
    assert [said[(person,)] for person in asked["person"]] == asked["value"].astype(float).tolist()
