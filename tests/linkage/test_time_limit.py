"""A time limit holds for reading, candidates, EM and clusters:
a clock that ticks with every look ends it anywhere.
"""

from __future__ import annotations

from itertools import count
from pathlib import Path
from threading import Event

import numpy as np
import pytest

import workbench.progress
import workbench.verbs.common
from benchmarks.linkage_sets import households
from tests.kits.interruptions import QUESTIONS, interruptions
from workbench.errors import Cancelled, ExitCode, WorkbenchError
from workbench.linkage.candidates import compare_candidates, find_candidates
from workbench.linkage.comparison import make_comparison
from workbench.progress import Conduct, Progress
from workbench.verbs.linking.link import link
from workbench.verbs.linking.reading import read_linked
from workbench.verbs.linking.result import LinkResult


@pytest.fixture
def people(tmp_path: Path) -> Path:
    (frame,), _ = households(700, seed=3, copies=1.8)
    frame.to_csv(tmp_path / "people.csv", index=False)
    return tmp_path / "people.csv"


@pytest.fixture
def ticking(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = count()
    for module in (workbench.progress, workbench.verbs.common):
        monkeypatch.setattr(module, "monotonic", lambda: float(next(clock)))


def linked(people: Path, looks: int) -> LinkResult | None:
    """None where time ended before there was a linkage."""
    try:
        return link([people], time_limit=looks)
    except WorkbenchError as error:
        if (error.diagnostics[0].code, error.exit_code) != ("E0689", ExitCode.LIMIT):
            raise
        return None


def test_wherever_time_ends_there_is_a_linkage_or_a_coded_error(
    people: Path, ticking: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Components that are parted in every way look at no clock, and these are all small.
    monkeypatch.setattr("workbench.linkage.clustering.MOST_RECORDS", 1)
    seen = set()
    for looks in (0, 2, 4, 10, 40, 100, 200, 400, 700, 1000, 1400, 2000, 4000):
        result = linked(people, looks)
        if result is None:
            seen.add("nothing")
            continue
        assert len(result.clusters) == len(result.records)
        assert (
            (result.status == "limit")
            == bool(result.cut)
            == ("E0690" in [one.code for one in result.warnings])
        )
        assert result.as_record()["cut"] == list(result.cut)
        seen.update(part.split()[0] for part in result.cut)
    assert seen == {"nothing", "candidates", "weights", "clusters"}


def test_candidates_that_were_not_counted_are_missed_and_that_is_estimated(
    people: Path, ticking: None
) -> None:
    fields = read_linked([people], None).choice.fields
    every = find_candidates(fields, None)
    some = find_candidates(
        fields, None, conduct=Conduct(deadline=workbench.progress.monotonic() + 30)
    )
    assert some.cut
    assert not every.cut
    assert 0 < len(some.statements) < len(every.statements)
    assert np.isin(some.pairs.keys(700), every.pairs.keys(700)).mean() > 0.5


def test_with_time_enough_the_limit_changes_nothing(people: Path) -> None:
    free, limited = link([people]), link([people], time_limit=3600)
    assert free.clusters.equals(limited.clusters)
    assert limited.cut == ()


def test_wherever_it_is_cancelled_there_is_a_linkage_or_a_plain_word(
    people: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.linkage.clustering.MOST_RECORDS", 1)
    seen = set()
    for progress in interruptions((*QUESTIONS, 140, 200, 300, 500, 800)):
        try:
            result = link([people], progress=progress)
        except Cancelled:
            seen.add("nothing")
            continue
        assert len(result.clusters) == len(result.records)
        assert result.clustering.bound <= result.clustering.energy
        if result.cut:
            assert result.status == "cancelled"
            (said,) = [one for one in result.warnings if one.code == "E0690"]
            assert said.message.startswith("a cancel cut linking short")
        seen.update(part.split()[0] for part in result.cut)
    assert seen == {"nothing", "weights", "clusters"}


def test_a_cancel_is_heard_between_two_columns(people: Path) -> None:
    """Columns of a million pairs take a second each."""
    fields = read_linked([people], None).choice.fields
    comparisons = [make_comparison(field) for field in fields]
    compared: list[str] = []
    stop = Event()

    def report(stage: str, done: float, total: float | None, field: str) -> None:
        compared.append(field)
        stop.set()

    with pytest.raises(Cancelled):
        compare_candidates(comparisons, find_candidates(fields, None), Progress(report, stop))
    assert compared == [fields[0].name]
