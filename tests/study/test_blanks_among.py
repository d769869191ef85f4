"""How blanks lie among what is known: whole groups are held out where blanks lie in such."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from tests.study.test_study import write
from workbench import RelationalClassifier
from workbench.arrays import Bool
from workbench.evaluation import auc_roc
from workbench.structure.candidate import Candidate, Onward
from workbench.structure.relational import Column
from workbench.structure.table_paths import Hop
from workbench.structure.table_paths import Path as TablePath
from workbench.study.around import Around
from workbench.study.blanks_among import parting_group
from workbench.study.folds import Labelled, dealt_whole, study_folds
from workbench.study.gathered import Neighbours
from workbench.study.prepared import prepared
from workbench.tables import find_sources, stage
from workbench.verbs.studying.study import study

VISITS, USERS = 1600, 160


def visits(path: Path, seed: int, *, of_whole_users: bool) -> tuple[list[Path], Bool, Bool]:
    """Visits of users who mostly do the same, the truth, the blanks; regions say nothing."""
    draw = np.random.default_rng(seed)
    user = draw.integers(0, USERS, VISITS)
    habit, age = draw.normal(0, 2, USERS), draw.integers(18, 80, USERS)
    cheap = draw.random(VISITS) < 0.5
    odds = habit[user] + 0.05 * (age[user] - 49) + 1.2 * (cheap - 0.5)
    truth = draw.random(VISITS) < 1 / (1 + np.exp(-odds))
    blank = (draw.random(USERS) < 0.3)[user] if of_whole_users else draw.random(VISITS) < 0.3
    said = np.where(blank, "", np.where(truth, "yes", "no"))
    rows = [
        [at, f"u{user[at]}", "low" if cheap[at] else "high", f"r{at % 12}", said[at]]
        for at in range(VISITS)
    ]
    rows += [[VISITS + at, "", "low", "", "yes"] for at in range(3)]
    files = [
        write(path / "users.csv", ["user", "age"], [[f"u{at}", age[at]] for at in range(USERS)]),
        write(path / "visits.csv", ["visit", "user", "price", "region", "bought"], rows),
    ]
    return files, truth, blank


def test_users_part_blanks_from_what_is_known_where_they_do(tmp_path: Path) -> None:
    for whole in (True, False):
        files, _, _ = visits(tmp_path / str(whole), 1, of_whole_users=whole)
        with stage(find_sources(files)) as staging:
            ready = prepared(staging, "visits.bought")
            found = parting_group(staging, ready.typed["visits"])
        assert (found is not None) == whole
        if found is not None:
            name, codes = found
            users = [line.split(",")[1] for line in files[1].read_text().splitlines()[1:]]
            assert name == "user"
            # Equal codes where users are equal; rows of no user stand alone.
            assert len(set(codes.tolist())) == len({one for one in users if one}) + 3
            assert len(set(zip(codes.tolist(), users))) == len(set(codes.tolist()))


def test_groups_are_dealt_whole() -> None:
    draw = np.random.default_rng(0)
    group = draw.integers(0, 40, 500)
    sets = dealt_whole(group, 5, 3)
    assert sorted(np.concatenate(sets).tolist()) == list(range(500))
    assert all(70 <= len(one) <= 130 for one in sets)
    assert sum(len(set(group[one].tolist())) for one in sets) == len(set(group.tolist()))
    target = Labelled("yes/no", np.where(draw.random(500) < 0.2, np.nan, 1.0), group=group)
    folds = study_folds(target, 3, 0)
    assert len(folds) == 3
    assert all(set(group[held]).isdisjoint(group[rows]) for rows, held in folds)
    judges = target.judging(np.flatnonzero(~np.isnan(target.labels)), 0)
    assert judges is not None
    assert len(judges) == 5
    assert Labelled("yes/no", np.ones(50), group=np.zeros(50, np.int64)).judging(
        np.arange(50), 0
    ) is None  # fmt: skip


def test_rows_of_one_group_see_no_label_of_each_other() -> None:
    """Forty rows reach each other over a region; twenty groups of two."""
    draw = np.random.default_rng(5)
    group, labels = np.repeat(np.arange(20), 2), draw.normal(size=40)
    labels[38:] = np.nan
    low, high, ends = np.zeros(40, np.int64), np.full(40, 40), np.arange(40)
    table = TablePath("t", (Hop("shared", "region", "t"),))
    mean = Candidate(table, "mean", Onward((), Column("y", "number")), label=0)
    latest = Candidate(table, "latest", Onward((), Column("y", "number")), label=0)
    plain = Around({None: low}, high, ends, low == 0)
    timed = Around({None: low}, np.arange(40), ends, low == 0, np.arange(40.0))
    for reached, candidate in ((plain, mean), (timed, mean), (timed, latest)):
        apart = replace(reached, group=group)
        before = apart.told(candidate, labels)
        for row in (4, 5, 17):
            changed = labels.copy()
            changed[group == group[row]] += 100
            assert apart.told(candidate, changed)[row] == before[row]
        changed = labels.copy()
        changed[20:38] += 100
        assert (apart.told(candidate, changed) != before).any()
        # Rows without a label see all that they reach.
        assert before[39] == reached.told(candidate, labels)[39]
    ties = Neighbours(np.array([0, 0, 1, 2]), np.array([1, 2, 0, 0])).apart(group)
    assert (ties.source.tolist(), ties.target.tolist()) == ([0, 2], [2, 0])


def test_numbers_of_whole_shops_are_told_by_what_shops_are(tmp_path: Path) -> None:
    """A shop's other days tell a day's revenue, where any of these is known."""
    draw = np.random.default_rng(4)
    shop, habit = draw.integers(0, 90, 1500), draw.normal(0, 40, 90)
    size, warm = draw.integers(50, 600, 90), draw.normal(14, 8, 1500).round(1)
    fixed = 0.3 * size[shop] + 2 * warm
    truth = (fixed + habit[shop] + draw.normal(0, 20, 1500)).round(1)
    blank = (draw.random(90) < 0.3)[shop]
    days = [
        [at, f"s{shop[at]}", warm[at], "" if blank[at] else truth[at]] for at in range(len(truth))
    ]
    files = [
        write(tmp_path / "shops.csv", ["shop", "size"], [[f"s{at}", size[at]] for at in range(90)]),
        write(tmp_path / "days.csv", ["day", "shop", "warm", "revenue"], days),
    ]
    result = study(files, "days.revenue", folds=3)
    said = np.asarray(result.predictions["value"], np.float64)[blank]
    lost = np.abs(said - truth[blank]).mean()
    assert lost < 1.25 * np.abs(fixed[blank] - truth[blank]).mean()
    assert not any("known" in rule.words for rule in result.rules)


def test_what_is_known_beside_no_blank_is_not_read(tmp_path: Path) -> None:
    """Other visits of the same user tell a visit, where any of these is known."""
    files, truth, blank = visits(tmp_path, 2, of_whole_users=True)
    result = study(files, "visits.bought", folds=3)
    said = np.asarray(result.predictions["value"])[:VISITS][blank]
    area = auc_roc(said, truth[blank].astype(float))
    assert "rows with the same user together, as blanks lie" in result.sentence
    assert area > 0.64
    assert abs(result.metrics["AUC-ROC"]["mean"] - area) < 0.08
    assert not any("known" in rule.words and "user" in rule.words for rule in result.rules)


def test_many_blanks_beside_each_other_are_told_by_known_labels_alone(tmp_path: Path) -> None:
    """Visits in and out of the study: `infer` says of its program what the rules say row by row."""
    files, truth, _ = visits(tmp_path, 3, of_whole_users=False)
    header, *rows = [line.split(",") for line in files[1].read_text().splitlines()]
    draw = np.random.default_rng(1)
    blank = draw.random(VISITS) < 0.6
    told = ["yes" if one else "no" for one in truth]
    some = [[*row[:4], "" if blank[at] else told[at]] for at, row in enumerate(rows[:VISITS])]
    files[1] = write(tmp_path / "visits.csv", header, some)
    result = study(files, "visits.bought", folds=2)
    assert "KnownBought(y, u) ^ u >= 1 => Bought(x)" in result.program
    assert "=> Bought(x) v Bought(y)" not in result.program
    model = RelationalClassifier().fit(files, "visits.bought")
    said = np.asarray(result.predictions["value"], np.float64)[blank]
    np.testing.assert_allclose(said, model.predict_proba(files)[blank, 1], atol=1e-6)
    few = [[*row[:4], "" if at % 40 == 0 else told[at]] for at, row in enumerate(rows[:VISITS])]
    files[1] = write(tmp_path / "visits.csv", header, few)
    assert "=> Bought(x) v Bought(y)" in study(files, "visits.bought", folds=2).program
