"""Numbers that nothing can be computed with: by name, and not by an overflow."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.study.test_study import write
from workbench.errors import InputError
from workbench.study.prepared import prepared
from workbench.tables import find_sources, stage


def test_immense_numbers_are_left_out_and_refused_as_what_is_predicted(tmp_path: Path) -> None:
    rows = [
        [f"p{i}", ["-1.7e308", "5", "1e99"][i % 3], i % 5, "yes" if i % 4 else "no"]
        for i in range(60)
    ]
    file = write(tmp_path / "people.csv", ["person", "wealth", "age", "good"], rows)
    with stage(find_sources([file])) as staging:
        ready = prepared(staging, "people.good")
        assert [one.name for one in ready.schema["people"].columns] == ["age"]
        (said,) = [note for note in ready.warnings if note.code == "E0649"]
        assert "people.wealth" in said.message
        with pytest.raises(InputError, match=r"E0243.*1\.7e\+308"):
            prepared(staging, "people.wealth")
        assert prepared(staging, "people.age").target.kind == "number"
