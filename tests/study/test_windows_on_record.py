"""Rows of the last days on record, where target rows are not asked at times of their own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.study.test_definitions_and_columns import assert_definitions_say_columns
from tests.study.test_study import assert_infer_says_the_same, write
from workbench.study.columns import CandidateColumns
from workbench.study.fitting import candidates_for, filled
from workbench.study.prepared import prepared
from workbench.study.words import candidate_words
from workbench.tables import find_sources, stage
from workbench.verbs.studying.study import study

CUSTOMERS = 300
Usage = list[tuple[int, int, object, float]]


def _customers(directory: Path, dated: str) -> tuple[list[Path], Usage]:
    """Customers, some of whom talk less than they did; months, or years, and what has no date."""
    rng = np.random.default_rng(12)
    base, fall = np.exp(rng.normal(4, 0.4, CUSTOMERS)), np.exp(rng.normal(0, 0.5, CUSTOMERS))
    usage: Usage = []
    for step in range(36):
        when = f"{2021 + step // 12}-{step % 12 + 1:02d}-01" if dated == "day" else 1980 + step
        for one in np.flatnonzero(rng.random(CUSTOMERS) < 0.9):
            minutes = base[one] * (fall[one] if step >= 33 else 1) * np.exp(rng.normal(0, 0.2))
            shown = "" if rng.random() < 0.1 else when
            usage.append((len(usage), int(one), shown, round(float(minutes), 1)))
    leaves = rng.random(CUSTOMERS) < 1 / (1 + np.exp(4 * np.log(fall)))
    label = np.where(rng.random(CUSTOMERS) < 0.2, "", np.where(leaves, "yes", "no"))
    customers = [[n, int(rng.integers(18, 80)), said] for n, said in enumerate(label)]
    files = [
        write(directory / "customers.csv", ["customer_id", "age", "leaves"], customers),
        write(directory / "usage.csv", ["usage_id", "customer_id", dated, "minutes"], usage),
    ]
    return files, usage


@pytest.mark.parametrize("dated", ["day", "year"])
def test_definitions_say_what_columns_say_of_the_last_days_on_record(
    tmp_path: Path, dated: str
) -> None:
    """And both what is worked out by hand: what has no date is in no window."""
    files, usage = _customers(tmp_path, dated)
    window, since = (90, "2023-09-02") if dated == "day" else (3, 2013)
    with stage(find_sources(files)) as staging:
        ready = prepared(staging, "customers.leaves")
        matrix = candidates_for(staging, ready, np.arange(CUSTOMERS), collective=False)
        every = [one for one in matrix.candidates if any(p.window for p in one.compared or (one,))]
        columns = CandidateColumns(staging, ready.schema, ready.typed, ready.rows)
        X = filled(columns, every, range(len(every)), [])
        words = [candidate_words(one) for one in every]
        unit = "days" if dated == "day" else "years"
        mean = f"mean minutes of its usage rows in the last {window} {unit} on record"
        found = X[:, words.index(mean)]
        ratio = X[:, words.index(f"{mean} divided by the mean minutes of its usage rows")]
        assert_definitions_say_columns(staging, ready, every, np.random.default_rng(1), X)
    for customer in range(CUSTOMERS):
        of = [(when, minutes) for _, who, when, minutes in usage if who == customer]
        last = [minutes for when, minutes in of if when != "" and when >= since]  # type: ignore[operator]
        assert found[customer] == pytest.approx(np.mean(last) if last else np.nan, nan_ok=True)
        if last:
            of_all = np.mean([minutes for _, minutes in of])
            assert ratio[customer] == pytest.approx(np.mean(last) / of_all)


def test_who_talks_less_than_before_leaves(tmp_path: Path) -> None:
    files, _ = _customers(tmp_path, "day")
    found = study(files, "customers.leaves", folds=3)
    known = found.predictions["known"]
    assert any("in the last 90 days on record" in rule.words for rule in found.rules)
    assert found.metrics["AUC-ROC"]["mean"] > 0.7
    assert_infer_says_the_same(tmp_path, files, found, "customer_id", int((~known).sum()))
