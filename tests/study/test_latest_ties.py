"""What the latest row refers to, where several rows are of the latest day."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.study.test_definitions_and_columns import assert_definitions_say_columns
from tests.study.test_study import write
from workbench.study.columns import CandidateColumns
from workbench.study.fitting import candidates_for
from workbench.study.prepared import prepared
from workbench.tables import find_sources, stage


def test_rows_of_one_day_that_differ_name_no_latest_thing(tmp_path: Path) -> None:
    """Of two visits on one day to clinics apart neither is the latest; to one clinic it is that."""
    rng = np.random.default_rng(3)
    n = 120
    patients = [
        [f"p{k}", f"2024-03-{rng.integers(1, 9):02}", "" if k % 7 == 0 else ["yes", "no"][k % 2]]
        for k in range(n)
    ]
    visits = [
        [f"v{k}", f"p{rng.integers(n)}", f"2024-03-{rng.integers(1, 4):02}", f"c{rng.integers(3)}"]
        for k in range(500)
    ]
    clinics = [[f"c{k}", 10 * k + 5, "ab"[k % 2]] for k in range(3)]
    files = [
        write(tmp_path / "patients.csv", ["patient", "asked", "ill"], patients),
        write(tmp_path / "visits.csv", ["visit", "patient", "day", "clinic"], visits),
        write(tmp_path / "clinics.csv", ["clinic", "beds", "kind"], clinics),
    ]
    with stage(find_sources(files)) as staging:
        ready = prepared(staging, "patients.ill", time="patients.asked")
        made = candidates_for(staging, ready, np.arange(n), collective=False)
        latest = [
            one for one in made.candidates if any(hop.kind == "latest" for hop in one.path.hops)
        ]
        beds = next(
            one
            for one in latest
            if one.onward and one.onward.column.name == "beds" and one.aggregate == "value"
        )
        columns = CandidateColumns(staging, ready.schema, ready.typed, ready.rows, ready.times)
        found = columns.fill(beds.path, [beds], np.float64)[:, 0]
        for value, (patient, asked, _) in zip(found, patients, strict=True):
            mine = [one for one in visits if one[1] == patient and one[2] <= asked]
            last = {one[3] for one in mine if one[2] == max(other[2] for other in mine)}
            (expected,) = [10 * int(one[1:]) + 5 for one in last] if len(last) == 1 else [np.nan]
            np.testing.assert_equal(value, float(expected))
        assert_definitions_say_columns(staging, ready, latest[:12], rng)
