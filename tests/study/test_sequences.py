"""Rows that come after others of the same thing: a reset right after an alarm."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from tests.study.test_definitions_and_columns import assert_definitions_say_columns
from tests.study.test_study import assert_infer_says_the_same, write
from workbench.study import gathered
from workbench.study.fitting import candidates_for
from workbench.study.prepared import prepared
from workbench.study.words import candidate_words
from workbench.tables import find_sources, stage
from workbench.verbs.studying.study import study

KINDS = ["start", "stop", "alarm", "reset"]


def _machines(directory: Path, machines: int, *, blanks: bool) -> list[Path]:
    """Machines that fail by how often a reset comes right after an alarm, and their logs; with
    blanks and rows of one moment.
    """
    rng = np.random.default_rng(3)
    logs: list[list[object]] = []
    things = []
    for n in range(machines):
        kinds = [KINDS[at] for at in rng.integers(4, size=int(rng.integers(1, 10)))]
        at = np.cumsum(rng.integers(not blanks, 3, len(kinds)))
        for kind, hours in zip(kinds, at):
            day = (datetime(2024, 1, 1) + timedelta(hours=int(hours))).isoformat(" ")
            blank = blanks and rng.random() < 0.1
            site = f"s{rng.integers(4)}"
            logs.append([f"m{n}", site, "" if blank else day, kind if rng.random() < 0.9 else ""])
        pairs = sum(pair == ("alarm", "reset") for pair in pairwise(kinds))
        fails = rng.random() < (0.15 if pairs == 0 else 0.85)
        asked = (datetime(2024, 1, 1) + timedelta(hours=int(rng.integers(12)))).isoformat(" ")
        fee = int(rng.integers(90))
        things.append(
            [f"m{n}", asked, fee if n % 6 else "", ("yes" if fails else "no", "")[n % 7 == 0]]
        )
    rng.shuffle(logs)
    return [
        write(directory / "machines.csv", ["machine", "checked", "fee", "fails"], things),
        write(directory / "logs.csv", ["machine", "site", "at", "event"], logs),
        write(directory / "sites.csv", ["site", "floor"], [[f"s{n}", n % 3] for n in range(4)]),
    ]


@pytest.mark.parametrize("time", [None, "machines.checked"])
def test_definitions_say_what_columns_say_of_what_came_before(
    tmp_path: Path, time: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gathered, "SPARE", 1)
    rng = np.random.default_rng(5)
    with stage(find_sources(_machines(tmp_path, 600, blanks=True))) as staging:
        ready = prepared(staging, "machines.fee", time=time)
        every = candidates_for(staging, ready, np.arange(600), collective=False).candidates
        found = [one for one in every if one.among and one.among[0].column.after]
        words = list(map(candidate_words, found))
        assert len({*words}) == len(words) > 20
        assert any(said.endswith("= reset right after one with event = alarm") for said in words)
        assert any("= reset, some time after one with event = alarm" in said for said in words)
        gaps = [one for one in every if one.onward and one.onward.column.after]
        assert {one.aggregate for one in gaps} == {"max", "min", "variance", "latest"}
        assert_definitions_say_columns(staging, ready, [*gaps, *found[::3]], rng)


def test_a_reset_after_an_alarm_tells_and_infer_says_the_same(tmp_path: Path) -> None:
    files = _machines(tmp_path, 800, blanks=False)
    found = study(files, "machines.fails", folds=2, out=tmp_path / "out")
    assert "event = reset right after one with event = alarm" in found.rules[0].words
    assert found.metrics["AUC-ROC"]["mean"] > 0.72
    assert_infer_says_the_same(tmp_path / "out", files, found, "machine", n_asked=115)
