"""What is known of the target of other rows: numbers and classes; of earlier ones, where rows have
times."""

from __future__ import annotations

from pathlib import Path as File
from typing import Any

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from workbench.cli import app
from workbench.structure.candidate import Candidate, Onward
from workbench.structure.candidates import onward_columns
from workbench.structure.relational import Column, Reference, Schema, Table
from workbench.structure.table_paths import Hop, Path
from workbench.study.around import Around
from workbench.study.fitting import candidates_for
from workbench.study.prepared import prepared
from workbench.study.report import write_study
from workbench.tables import find_sources, stage
from workbench.verbs.studying.inference import with_inferred
from workbench.verbs.studying.study import study

SHARED = Path("staff", (Hop("shared", "team", "staff"),))
PAY = Candidate(SHARED, "mean", Onward((), Column("pay", "number")), label=0)


def test_no_row_sees_its_own_label_and_asked_rows_see_all() -> None:
    n = 40
    whole = Around({None: np.zeros(n, np.int64)}, np.full(n, n), np.arange(n), np.ones(n, np.bool_))
    labels = np.random.default_rng(1).normal(size=n)
    labels[:4] = np.nan
    said = whole.told(PAY, labels)
    assert said[:4] == pytest.approx(np.full(4, np.nanmean(labels)))
    for row in range(4, n):
        other = labels.copy()
        other[row] += 100
        assert whole.told(PAY, other)[row] == pytest.approx(said[row])
    assert np.isnan(whole.told(PAY, np.full(n, np.nan))).all()


def test_a_share_is_of_the_known_labels_among_the_rows_reached() -> None:
    genre = Onward((), Column("genre", "category", ("crime", "travel")))
    share = Candidate(SHARED, "share", genre, "travel", label=1)
    low, high, ends = np.array([0, 3, 3, 3]), np.array([3, 3, 3, 3]), np.array([2, 3, -1])
    reached = Around({None: low}, high, ends, np.ones(4, np.bool_))
    labels = np.array([np.nan, np.nan, 1.0, 0.0])
    said = reached.told(share, labels)
    assert said[0] == 0.5
    assert np.isnan(said[1])


@pytest.mark.parametrize("kind", ["number", "category"])
@pytest.mark.parametrize("learner", ["rules", "boosted_trees"])
def test_the_known_target_of_others_foretells_and_the_program_says_the_same(
    tmp_path: File, kind: str, learner: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.structure.boosted_trees.MOST_TREES", 20)
    before: list[pd.DataFrame] = []

    def kept(staging: Any, ready: Any, result: Any, explain: Any, **given: Any) -> Any:
        before.append(result.predictions.copy())
        return with_inferred(staging, ready, result, explain, **given)

    monkeypatch.setattr("workbench.verbs.studying.study.with_inferred", kept)
    rng = np.random.default_rng(2)
    level = rng.normal(size=40)
    rows = []
    for number in range(400):
        team = int(rng.integers(40))
        pay = level[team] + 0.3 * rng.normal()
        said = (
            round(50 + 10 * pay, 1)
            if kind == "number"
            else ("low", "mid", "top")[int(pay > -0.4) + int(pay > 0.4)]
        )
        rows.append([f"e{number}", f"team {team}", int(rng.integers(20, 60)), said])
    frame = pd.DataFrame(rows, columns=["person", "team", "age", "pay"]).astype({"pay": object})
    frame.loc[::8, "pay"] = ""
    file = tmp_path / "staff.csv"
    frame.to_csv(file, index=False)
    result = study([file], "staff.pay", folds=2, learner=learner)
    assert any("known pay" in rule.words for rule in result.rules)
    if kind == "number":
        ours, base = (one["MAE"]["mean"] for one in (result.metrics, result.baselines["base rate"]))
        assert ours < 0.7 * base
    else:
        assert result.metrics["accuracy"]["mean"] > 0.7
    asked = ~result.predictions["known"].to_numpy(bool)
    one, other = before[0][asked], result.predictions[asked]
    told = "value" if kind == "number" else "probability"
    assert other[told].to_numpy(float) == pytest.approx(one[told].to_numpy(float), rel=1e-5)
    assert kind == "number" or list(one["value"]) == list(other["value"])
    write_study(result, tmp_path / "out")
    without = tmp_path / "new" / "staff.csv"
    without.parent.mkdir()
    frame[["person", "team", "age"]].head(9).to_csv(without, index=False)
    place = tmp_path / "out"
    line = ["infer", str(place / "program.mln"), "--data", str(without)]
    called = CliRunner().invoke(app, [*line, "--mapping", str(place / "dataset.toml")])
    assert called.exit_code == 0, called.output


GENRE = Onward((), Column("genre", "category", ("crime", "travel")))
LATE = Onward((), Column("late", "flag"))
EARLIER = [
    Candidate(SHARED, "latest", Onward((), Column("pay", "number")), label=0),
    Candidate(SHARED, "mean", LATE, label=0),
    Candidate(SHARED, "sum", LATE, label=0),
    Candidate(SHARED, "share", GENRE, "travel", label=1),
    Candidate(SHARED, "latest_is", GENRE, "travel", label=1),
]


@pytest.mark.parametrize("candidate", EARLIER, ids=lambda one: one.aggregate)
def test_of_earlier_rows_the_known_labels_count_and_no_later_one(candidate: Candidate) -> None:
    rng = np.random.default_rng(4)
    n = 60
    day = np.sort(rng.integers(0, 25, n)).astype(float)
    labels = rng.integers(0, 2, n).astype(float)
    labels[rng.random(n) < 0.3] = np.nan
    until = np.searchsorted(day, day, "left")
    whole = Around({None: np.zeros(n, np.int64)}, until, np.arange(n), np.ones(n, np.bool_), day)
    said = whole.told(candidate, labels)
    for row in range(n):
        known = np.flatnonzero((day < day[row]) & ~np.isnan(labels))
        if candidate.aggregate.startswith("latest"):
            known = known[day[known] == day[known].max()] if len(known) else known
        told = labels[known]
        want = told.mean() if len(known) else np.nan
        if candidate.aggregate == "sum":
            want = np.sum(told == 0)
        assert said[row] == pytest.approx(want, nan_ok=True)


@pytest.mark.parametrize("kind", ["number", "category", "yes/no"])
def test_earlier_labels_of_the_same_thing_foretell_and_the_program_says_the_same(
    tmp_path: File, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before: list[pd.DataFrame] = []

    def kept(staging: Any, ready: Any, result: Any, explain: Any, **given: Any) -> Any:
        before.append(result.predictions.copy())
        return with_inferred(staging, ready, result, explain, **given)

    monkeypatch.setattr("workbench.verbs.studying.study.with_inferred", kept)
    frame = _loans(kind)
    file = tmp_path / "loans.csv"
    frame.to_csv(file, index=False)
    pd.DataFrame({"member": [f"m{one}" for one in range(60)]}).to_csv(
        tmp_path / "members.csv", index=False
    )
    files = [file, tmp_path / "members.csv"]
    result = study(files, "loans.back", time="loans.taken", folds=2)
    assert any("earlier loans of its member" in rule.words for rule in result.rules)
    if kind == "number":
        ours, base = (one["MAE"]["mean"] for one in (result.metrics, result.baselines["base rate"]))
        assert ours < 0.8 * base
    else:
        assert result.metrics["AUC-ROC"]["mean"] > 0.7
    asked = ~result.predictions["known"].to_numpy(bool)
    told = "probability" if kind == "category" else "value"
    one, other = (said[told].to_numpy(float)[asked] for said in (before[0], result.predictions))
    assert other == pytest.approx(one, rel=1e-5)
    assert ("known =" in result.mapping) or kind != "yes/no"
    assert asked.any()
    write_study(result, tmp_path / "out")
    line = ["infer", str(tmp_path / "out" / "program.mln"), "--data", str(file), "--data"]
    mapping = ["--mapping", str(tmp_path / "out" / "dataset.toml"), "--json"]
    said = CliRunner().invoke(app, [*line, str(files[1]), *mapping])
    assert said.exit_code == 0, said.output


def test_labels_of_the_same_time_or_later_change_no_prediction(tmp_path: File) -> None:
    pd.DataFrame({"member": [f"m{one}" for one in range(60)]}).to_csv(
        tmp_path / "members.csv", index=False
    )
    frame, said = _loans("yes/no"), []
    day = frame["taken"].to_numpy()[len(frame) // 2]
    early = (frame["taken"] < day).to_numpy()
    frame.loc[~early, "back"] = frame.loc[~early, "back"].replace("", "no")
    for turned in (False, True):
        if turned:
            frame.loc[~early, "back"] = frame.loc[~early, "back"].to_numpy()[::-1]
        file = tmp_path / "loans.csv"
        frame.to_csv(file, index=False)
        with stage(find_sources([file, tmp_path / "members.csv"])) as staging:
            ready = prepared(staging, "loans.back", time="loans.taken")
            rows = np.arange(len(ready.rows))
            matrix = candidates_for(staging, ready, rows, collective=True)
            said.append(matrix.told(ready.labels, sorted(matrix.of_labels)))
    at_last = (frame["taken"] <= day).to_numpy()
    assert np.array_equal(said[0][at_last], said[1][at_last], equal_nan=True)
    assert not np.array_equal(said[0], said[1], equal_nan=True)


def _loans(kind: str) -> pd.DataFrame:
    """Loans of sixty members, each of whom mostly does as before."""
    rng = np.random.default_rng(3)
    level = rng.normal(size=60)
    member = rng.integers(60, size=600)
    back = level[member] + 0.4 * rng.normal(size=600)
    words = {"category": ("soon", "late", "never"), "yes/no": ("no", "yes", "yes")}
    said = [
        str(round(20 + 5 * one, 1))
        if kind == "number"
        else words[kind][int(one > -0.3) + int(one > 0.5)]
        for one in back
    ]
    days = np.datetime64("2022-01-01") + np.sort(rng.integers(0, 300, 600))
    frame = pd.DataFrame(
        {"loan": np.arange(600), "member": [f"m{one}" for one in member], "taken": days}
    )
    frame["taken"] = frame["taken"].dt.strftime("%Y-%m-%d")
    frame["back"] = np.where(rng.random(600) < 0.1, "", said)
    return frame


def test_what_led_to_rows_is_not_said_of_them() -> None:
    columns = (Column("team", "category", ("a", "b")), Column("pay", "number"))
    schema = Schema(
        {
            "staff": Table("staff", 9, "id", columns, (Reference("team", "teams"),)),
            "teams": Table("teams", 2, "team"),
        }
    )
    of_team = Path("staff", (Hop("to", "team", "teams"), Hop("from", "team", "staff")))
    assert [one.column.name for one in onward_columns(schema, of_team)] == ["pay"]
