"""Rows that have a thing in one of two roles: a team's matches at home and away."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pytest

from tests.study.test_definitions_and_columns import assert_definitions_say_columns
from tests.study.test_study import inferred, write
from workbench.arrays import Float, Int64
from workbench.study.fitting import candidates_for
from workbench.study.prepared import prepared
from workbench.study.words import candidate_words
from workbench.tables import find_sources, stage
from workbench.verbs.studying.study import study


def _league(directory: Path, *, keyed: bool) -> tuple[list[Path], Int64, Int64, Int64, Float]:
    """Teams of different strength; a match is won by the better of its two, or the luckier."""
    rng = np.random.default_rng(2)
    n_teams, n = 70, 1100
    strength = rng.normal(size=n_teams)
    day = np.sort(rng.integers(0, 400, n))
    home = rng.integers(0, n_teams, n)
    away = (home + rng.integers(1, n_teams, n)) % n_teams
    if not keyed:
        _, first = np.unique(home * n_teams + away, return_index=True)
        day, home, away = (one[np.sort(first)] for one in (day, home, away))
    won = (rng.random(len(day)) < 1 / (1 + np.exp(2 * (strength[away] - strength[home])))) * 1.0
    won[rng.random(len(won)) < 0.15] = np.nan
    rows = [
        [
            *([f"m{at}"] if keyed else []),
            (date(2024, 1, 1) + timedelta(days=int(day[at]))).isoformat(),
            f"t{home[at]}",
            f"t{away[at]}",
            int(rng.integers(100)),
            "" if np.isnan(won[at]) else ["no", "yes"][int(won[at])],
        ]
        for at in range(len(day))
    ]
    header = [*(["match"] if keyed else []), "day", "home_team", "away_team", "crowd", "home_won"]
    files = [
        write(directory / "matches.csv", header, rows),
        write(directory / "teams.csv", ["team", "founded"], [[f"t{k}", k] for k in range(n_teams)]),
    ]
    return files, day, home, away, won


@pytest.mark.parametrize("keyed", [True, False])
def test_definitions_say_what_columns_say_of_rows_of_two_roles(tmp_path: Path, keyed: bool) -> None:
    files, day, home, away, won = _league(tmp_path, keyed=keyed)
    rng = np.random.default_rng(3)
    with stage(find_sources(files)) as staging:
        ready = prepared(staging, "matches.home_won", time="matches.day")
        made = candidates_for(staging, ready, np.arange(len(day)), collective=True)
        of_two = [one for one in made.candidates if one.path.many and one.path.hops[-1].other]
        assert {one.aggregate for one in of_two} >= {"count", "since", "mean", "latest"}
        assert {one.turned for one in of_two} == {True, False}
        assert any(one.label is not None and one.window for one in of_two)
        X = made.given(ready.labels)[:, [made.candidates.index(one) for one in of_two]]
        words = [candidate_words(one, timed=True) for one in of_two]
        place = words.index(
            "share of earlier matches of its away team with known home won as home team or no home "
            "won as away team"
        )
        for at in range(0, len(day), 7):
            before = (day < day[at]) & ~np.isnan(won)
            own = np.concatenate(
                [won[before & (home == away[at])], 1 - won[before & (away == away[at])]]
            )
            assert X[at, place] == pytest.approx(own.mean() if len(own) else np.nan, nan_ok=True)
        assert_definitions_say_columns(staging, ready, of_two, rng, X)


def test_earlier_matches_in_both_roles_tell_who_wins(tmp_path: Path) -> None:
    files = _league(tmp_path, keyed=True)[0]
    found = study(files, "matches.home_won", time="matches.day", folds=2, out=tmp_path / "out")
    words = " / ".join(rule.words for rule in found.rules)
    assert "with known home won as home team or no home won as away team" in words
    assert found.metrics["AUC-ROC"]["mean"] > 0.7
    (tmp_path / "out" / "program.mln").write_text(found.program, encoding="utf-8")
    (tmp_path / "out" / "dataset.toml").write_text(found.mapping, encoding="utf-8")
    said = inferred(tmp_path / "out", files)
    asked = found.predictions[~found.predictions["known"]]
    for match, value in zip(asked["match"], asked["value"]):
        assert said[(match,)] == pytest.approx(value, abs=1e-12)


def test_what_the_pairs_of_a_thing_s_other_role_are_tied_by_is_that_thing(tmp_path: Path) -> None:
    random = np.random.default_rng(5)
    rank = random.normal(size=24)
    every = [(one, two) for one in range(24) for two in range(24) if one < two]
    chosen = [
        pair if random.random() < 0.5 else pair[::-1]
        for pair in random.permutation(every)[:240].tolist()
    ]
    said = ["no", "yes"]
    rows = [
        f"D{one},D{two},{said[int(rank[one] > rank[two])] if number % 10 else ''}"
        for number, (one, two) in enumerate(chosen)
    ]
    (tmp_path / "drugs.csv").write_text("drug\n" + "".join(f"D{one}\n" for one in range(24)))
    (tmp_path / "pairs.csv").write_text("drug,other,better\n" + "\n".join(rows) + "\n")
    result = study([tmp_path / "drugs.csv", tmp_path / "pairs.csv"], "pairs.better", folds=2)
    stated = [one for one in result.program.splitlines() if one.startswith("Tied")]
    ties = {one[one.index("(") :] for one in stated if ":=" in one}
    assert ties == {
        "(xa, xb, xa, yb) := Pairs(xa, xb) ^ Pairs(xa, yb) ^ xb != yb.",
        "(xa, xb, ya, xb) := Pairs(xa, xb) ^ Pairs(ya, xb) ^ xa != ya.",
        "(xa, xb, ya, xa) := Pairs(xa, xb) ^ Pairs(ya, xa).",
        "(ya, xa, xa, xb) := Pairs(xa, xb) ^ Pairs(ya, xa).",
    }
