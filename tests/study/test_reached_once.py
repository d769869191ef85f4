"""A row that several ways lead to counts once: in columns of a study as in its program."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.study.test_definitions_and_columns import assert_definitions_say_columns
from tests.study.test_study import write
from workbench.structure.table_paths import reaches_again
from workbench.study.fitting import candidates_for
from workbench.study.prepared import prepared
from workbench.tables import find_sources, stage


def _groups(directory: Path) -> list[Path]:
    """People of two or three groups each: two of them share one group, or several."""
    rng = np.random.default_rng(8)
    n = 90
    people = [
        [f"p{k}", int(rng.integers(18, 80)), str(rng.choice(["yes", "no", ""], p=[0.4, 0.5, 0.1]))]
        for k in range(n)
    ]
    members = [
        [f"p{k}", f"g{group}"] for k in range(n) for group in rng.choice(12, 3, replace=False)
    ]
    return [
        write(directory / "people.csv", ["person", "age", "votes"], people),
        write(directory / "members.csv", ["person", "group"], members),
        write(directory / "groups.csv", ["group", "founded"], [[f"g{k}", k] for k in range(12)]),
    ]


def test_what_values_add_up_to_is_of_each_row_once(tmp_path: Path) -> None:
    with stage(find_sources(_groups(tmp_path))) as staging:
        ready = prepared(staging, "people.votes")
        made = candidates_for(staging, ready, np.arange(len(ready.labels)), collective=False)
        again = [at for at, one in enumerate(made.candidates) if reaches_again(one.path.suffix)]
        assert {made.candidates[at].aggregate for at in again} >= {"mean", "sum", "variance"}
        X = made.given(ready.labels)[:, again]
        rng = np.random.default_rng(9)
        assert_definitions_say_columns(
            staging, ready, [made.candidates[at] for at in again], rng, X
        )
        age = {row[0]: row for row in (line.split(",") for line in _lines(tmp_path, "people"))}
        groups: dict[str, set[str]] = {}
        for person, group in (line.split(",") for line in _lines(tmp_path, "members")):
            groups.setdefault(person, set()).add(group)
        place = next(
            column
            for column, at in enumerate(again)
            if (one := made.candidates[at]).aggregate == "sum"
            and one.among is None
            and one.onward is not None
            and one.onward.column.name == "age"
        )
        together = [p for p in groups if groups[p] & groups["p0"]]
        assert X[0, place] == pytest.approx(sum(int(age[person][1]) for person in together))


def _lines(directory: Path, table: str) -> list[str]:
    return (directory / f"{table}.csv").read_text(encoding="utf-8").splitlines()[1:]
