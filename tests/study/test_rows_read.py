"""What paths reach, and what tables say, are read once each."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.study.test_study import write
from workbench.structure.candidate import Candidate, Onward
from workbench.structure.path_search import paths
from workbench.study import rows_read
from workbench.study.columns import CandidateColumns
from workbench.study.prepared import prepared
from workbench.study.search import candidate_matrix
from workbench.tables import find_sources, stage


def test_each_path_and_each_table_is_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    people = [[f"p{i}", i % 7, "yes" if i % 3 else "no"] for i in range(60)]
    visits = [[f"v{i}", f"p{i % 60}", i % 13, "abc"[i % 3]] for i in range(300)]
    files = [
        write(tmp_path / "people.csv", ["person", "age", "good"], people),
        write(tmp_path / "visits.csv", ["visit", "person", "cost", "kind"], visits),
    ]
    asked: list[str] = []
    read = rows_read.arrays_of
    monkeypatch.setattr(
        rows_read, "arrays_of", lambda staging, sql: (asked.append(sql), read(staging, sql))[1]
    )
    with stage(find_sources(files)) as staging:
        ready = prepared(staging, "people.good")
        columns = CandidateColumns(staging, ready.schema, ready.typed, ready.rows)
        matrix = candidate_matrix(columns, "people")
        assert len(list(paths(ready.schema, "people"))) == 2
    of_paths = [sql for sql in asked if "ORDER BY a_" in sql]
    assert len(of_paths) == len(set(of_paths)) == 1
    cells = [cell for sql in asked if "AS r_" in sql for cell in sql.split(", ")[1:]]
    assert len(cells) == len({cell.split(" AS ")[0] for cell in cells})
    total = next(
        at
        for at, one in enumerate(matrix.candidates)
        if one.aggregate == "sum" and one.onward and one.onward.kind == "number" and not one.among
    )
    np.testing.assert_array_equal(
        matrix.X[:, total], [sum(j % 13 for j in range(i, 300, 60)) for i in range(60)]
    )


def test_products_of_numbers_of_twenty_digits_are_finite(tmp_path: Path) -> None:
    """So that what is shortened to them can be written into a program."""
    rows = [[f"p{i}", f"{i % 7 + 1}{'0' * 21}", i % 5, "yes" if i % 3 else "no"] for i in range(60)]
    file = write(tmp_path / "people.csv", ["person", "wealth", "team", "good"], rows)
    with stage(find_sources([file])) as staging:
        ready = prepared(staging, "people.good")
        columns = CandidateColumns(staging, ready.schema, ready.typed, ready.rows)
        own = next(one for one in paths(ready.schema, "people") if not one.hops)
        (read,) = (one for one in ready.schema.tables["people"].columns if one.name == "wealth")
        wealth = Candidate(own, "value", Onward((), read))
        product = Candidate(wealth.path, "product", compared=(wealth, wealth))
        filled = columns.fill(wealth.path, [product])[:, 0]
    assert np.isfinite(filled).all()
    assert filled.max() == np.finfo(np.float32).max
