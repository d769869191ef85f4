"""How blanks lie among what is known: whole groups are held out where blanks lie in such."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.study.test_study import write
from workbench.arrays import Bool
from workbench.evaluation import auc_roc
from workbench.study.blanks_among import parting_group
from workbench.study.folds import Labelled, dealt_whole, study_folds
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


def test_what_is_known_beside_no_blank_is_not_read(tmp_path: Path) -> None:
    """Other visits of the same user tell a visit, where any of these is known."""
    files, truth, blank = visits(tmp_path, 2, of_whole_users=True)
    result = study(files, "visits.bought", folds=3)
    said = np.asarray(result.predictions["value"])[:VISITS][blank]
    area = auc_roc(said, truth[blank].astype(float))
    assert "rows with the same user together, as blanks lie" in result.sentence
    assert area > 0.68
    assert abs(result.metrics["AUC-ROC"]["mean"] - area) < 0.08
    assert not any("known" in rule.words and "user" in rule.words for rule in result.rules)
