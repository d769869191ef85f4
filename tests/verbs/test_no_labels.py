"""Rows that are told by each other's labels, where none is known."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest

from workbench.workspace import open_workspace

JOINT = """*Sharing(person, person)
Fraud(person)
1.5 Sharing(x, y) ^ Fraud(x) => Fraud(y)
-1 Fraud(x)
"""
APART = """*Sharing(person, person)
Fraud(person)
1.5 Sharing(x, y) => Fraud(y)
-1 Fraud(x)
"""


def _files(directory: Path, labels: dict[int, str]) -> list[Path]:
    directory.mkdir()
    people = [f"P{n},{'yes' if n % 3 else 'no'},{labels.get(n, '')}" for n in range(30)]
    shared = [f"P{n % 30},P{(n * 7 + 1) % 30}" for n in range(45)]
    (directory / "people.csv").write_text("\n".join(["person,rich,fraud", *people]) + "\n")
    (directory / "sharing.csv").write_text("\n".join(["person,other_person", *shared]) + "\n")
    return [directory / "people.csv", directory / "sharing.csv"]


@pytest.mark.parametrize(
    ("rules", "known", "labels", "warned"),
    [
        (JOINT, {}, "evidence", True),
        (JOINT, {4: "no"}, "evidence", False),
        (JOINT, {4: "no"}, "withheld", True),
        (APART, {}, "evidence", False),
    ],
)
def test_rows_without_any_label_are_warned_of_where_rules_tell_them_by_each_other(
    tmp_path: Path,
    rules: str,
    known: dict[int, str],
    labels: Literal["evidence", "withheld"],
    warned: bool,
) -> None:
    with open_workspace() as workspace:
        workspace.load(_files(tmp_path / "old", {1: "yes", 2: "no"}), predict="people.fraud")
        mapping = workspace.data.tables_at_hand()
    with open_workspace() as workspace:
        workspace.load(_files(tmp_path / "new", known), mapping=mapping)
        result = workspace.infer(rules, query="Fraud", task="marginal", labels=labels)
    assert ("E0653" in {one.code for one in result.warnings}) is warned
