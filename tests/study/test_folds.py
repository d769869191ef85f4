"""Which rows judge where rows have a time, and what time the parts of a study have."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from time import monotonic

import numpy as np
import pytest

from workbench.progress import SILENT
from workbench.structure.candidate import Candidate, Onward
from workbench.structure.relational import Column
from workbench.structure.table_paths import Hop
from workbench.structure.table_paths import Path as TablePath
from workbench.structure.weighted_rules import constant_rules
from workbench.study import run
from workbench.study.around import Around
from workbench.study.blanks_among import are_later, asked_for
from workbench.study.folds import (
    Labelled,
    latest_split,
    study_folds,
)
from workbench.study.learners import FittedRules
from workbench.study.matrix import CandidateMatrix
from workbench.study.run import FoldRun, Settings


def test_few_rows_are_judged_by_several_stretches_of_time_many_by_the_latest() -> None:
    rng = np.random.default_rng(0)
    few = rng.integers(0, 60, size=500).astype(np.float64)
    sets = latest_split(few)
    assert len(sets) == 5
    assert sorted(np.concatenate(sets).tolist()) == list(range(500))
    for later, earlier in pairwise(sets):
        assert few[later].min() > few[earlier].max()
    many = rng.random(4000)
    (latest,) = latest_split(many)
    assert np.isclose(len(latest), 800, atol=2)
    assert many[latest].min() > np.delete(many, latest).max()


def test_rows_of_one_time_are_held_out_by_their_order() -> None:
    (last,) = latest_split(np.zeros(40))
    assert last.tolist() == list(range(32, 40))


def test_rows_are_held_out_as_blanks_lie() -> None:
    time, labels = np.arange(200.0), np.tile([0.0, 1.0], 100)
    after, among = labels.copy(), labels.copy()
    after[160:] = np.nan
    after[[3, 50]] = np.nan  # a few gaps beside what is asked of the time to come
    among[::5] = np.nan
    undated = np.where(np.isnan(among), np.nan, time)
    assert are_later(time, labels)
    assert are_later(time, after)
    assert are_later(undated, among)
    assert not are_later(time, among)
    for blanks, later in ((after, True), (among, False)):
        target = Labelled("yes/no", blanks, time=time if later else None)
        folds = study_folds(target, 3, 0)
        assert all((time[held].min() > time[rows].max()) == later for rows, held in folds)


def test_training_rows_know_as_little_as_those_asked_about() -> None:
    time = np.arange(120.0)
    labels = np.where(time < 100, time % 2, np.nan)
    assert asked_for(time, labels) == 20
    assert np.isclose(asked_for(time[:100], labels[:100]), 16.5)
    until = Labelled("yes/no", labels, time=time, horizon=20.0).known_until()
    assert until is not None
    assert (until <= time).all()
    # Spans of twenty days that end with the last known day; the first of them sees all before.
    assert until[[99, 80, 79, 60, 20]].tolist() == [79, 79, 59, 59, 19]
    assert until[:20].tolist() == time[:20].tolist()
    target = Labelled("yes/no", labels, time=time).trained_on(np.arange(60), np.arange(60, 90))
    assert target.horizon == 30
    assert np.flatnonzero(~np.isnan(target.labels)).tolist() == list(range(60))
    assert Labelled("yes/no", labels).trained_on(np.arange(60), np.arange(60, 90)).horizon is None


def test_labels_asked_later_than_a_rows_own_limit_are_not_seen() -> None:
    """Five rows of one group: each sees the earlier ones that it may."""
    time, labels = np.arange(5.0), np.array([1.0, 0.0, 1.0, 1.0, np.nan])
    low, high = np.zeros(5, np.int64), np.arange(5)
    whole = Around({None: low, 2: np.maximum(high - 2, 0)}, high, np.arange(5), low == 0, time)
    table = TablePath("t", (Hop("shared", "c", "t"),))
    latest = Candidate(table, "latest", Onward((), Column("y", "flag")), label=1)
    several = Candidate(table, "sum", Onward((), Column("y", "flag")), label=1, window=2)
    part = whole.before(np.array([0.0, 1.0, 1.0, 1.0, 3.0]))
    np.testing.assert_array_equal(whole.told(latest, labels), [np.nan, 1, 0, 1, 1])
    np.testing.assert_array_equal(part.told(latest, labels), [np.nan, 1, 1, 1, 1])
    np.testing.assert_array_equal(whole.told(several, labels), [0, 1, 1, 1, 2])
    np.testing.assert_array_equal(part.told(several, labels), [0, 1, 1, 0, 1])


def test_final_rules_have_the_time_that_folds_left(monkeypatch: pytest.MonkeyPatch) -> None:
    y = np.arange(40) % 2.0
    matrix = CandidateMatrix((), np.empty((40, 0), np.float32), {})
    deadlines: list[float | None] = []

    def fitted(*given: object) -> FittedRules:
        deadlines.append(given[3].deadline)  # type: ignore[attr-defined]
        done = len(deadlines) > 1
        return FittedRules("yes/no", (replace(constant_rules(y, True), complete=done),))

    def fold(*given: object) -> FoldRun:
        held_out = given[3][1]  # type: ignore[index]
        return FoldRun(held_out, y[held_out], {}, FittedRules("yes/no", (constant_rules(y, True),)))

    monkeypatch.setattr(run, "fitted_rules", fitted)
    monkeypatch.setattr(run, "cross_validated_fold", fold)
    target = Labelled("yes/no", y)
    studied = run.run_study(matrix, target, Settings(), deadline=monotonic() + 60, progress=SILENT)
    first, second = deadlines
    assert first is not None
    assert second is not None
    assert second > first + 10
    assert studied.status == "done"
    assert studied.model is not None
    assert studied.model.complete
