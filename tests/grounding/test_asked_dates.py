"""Atoms that are asked at a date see the facts up to it, and no later ones."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

import workbench as wb
from workbench.errors import InputError, UsageError

Event = tuple[str, str]

RULES = """
Starts(driver, date)
Crash(driver, date)
Dnf(driver, date)
// crashes before the start
Crashes(d, t, n) := Starts(d, t) ^ n = count(s: Crash(d, s) ^ s < t).
Dnf(d, t) open where Starts(d, t){until}.
0.8 * n: Crashes(d, t, n) => Dnf(d, t)
0.5 Crash(d, s) ^ s <= t ^ s > t - 40 => Dnf(d, t)
-1.5 Dnf(d, t)
"""
DRIVERS = "ABCDEF"


def facts(seed: int) -> tuple[list[Event], list[Event], dict[Event, bool]]:
    draw = np.random.default_rng(seed)
    days = [f"2020-{month:02d}-{day:02d}" for month in range(1, 13) for day in (3, 17)]
    starts = [(driver, day) for driver in DRIVERS for day in days if draw.random() < 0.7]
    crashes = [(driver, day) for driver in DRIVERS for day in days if draw.random() < 0.3]
    return starts, crashes, {start: bool(draw.random() < 0.4) for start in starts}


def text_of(starts: Sequence[Event], crashes: Sequence[Event], labels: dict[Event, bool]) -> str:
    lines = [f"Starts({d}, {t})" for d, t in starts] + [f"Crash({d}, {t})" for d, t in crashes]
    return "\n".join(
        [*lines, *(f'{"" if true else "!"}Dnf({d}, "{t}")' for (d, t), true in labels.items())]
    )


@contextmanager
def loaded(folder: Path, text: str, rules: str) -> Iterator[wb.Workspace]:
    (folder / "facts.db").write_text(text)
    with wb.open() as workspace:
        workspace.load(folder / "facts.db", rules=rules)
        yield workspace


def predictions(workspace: wb.Workspace, rules: object) -> dict[str, float]:
    result = workspace.infer(rules, query="Dnf", task="marginal", labels="withheld")  # type: ignore[arg-type]
    found = result.predictions()
    return dict(zip(found["atom"].tolist(), found["value"].tolist()))


def days_between(early: str, late: str) -> float:
    return float((np.datetime64(late) - np.datetime64(early)) / np.timedelta64(1, "D"))


def test_each_atom_is_predicted_from_the_facts_up_to_its_date(tmp_path: Path) -> None:
    starts, crashes, _ = facts(0)
    with loaded(tmp_path, text_of(starts, crashes, {}), RULES.format(until="")) as workspace:
        found = predictions(workspace, RULES.format(until=""))
    wanted = {}
    for driver, day in starts:
        mine = [s for d, s in crashes if d == driver]
        recent = sum(s <= day and days_between(s, day) < 40 for s in mine)
        odds = 0.8 * sum(s < day for s in mine) + 0.5 * recent - 1.5
        wanted[f'Dnf({driver}, "{day}")'] = 1 / (1 + math.exp(-odds))
    assert found == pytest.approx(wanted)


def test_shuffling_what_is_later_changes_no_weight_and_no_prediction(tmp_path: Path) -> None:
    until = "2020-08-01"
    rules = RULES.format(until=f' ^ t <= "{until}"')
    starts, crashes, labels = facts(1)
    later = [[row for row in rows if row[1] > until] for rows in (starts, crashes)]
    answers = []
    for seed in (0, 1, 2):
        draw = np.random.default_rng(seed)
        moved = [
            [
                (driver, rows[place][1])
                for (driver, _), place in zip(rows, draw.permutation(len(rows)))
            ]
            for rows in later
        ]
        early = [[row for row in rows if row[1] <= until] for rows in (starts, crashes)]
        told = {
            row: bool(draw.random() < 0.5) if row[1] > until else true
            for row, true in labels.items()
        }
        with loaded(
            tmp_path, text_of(early[0] + moved[0], early[1] + moved[1], told), rules
        ) as workspace:
            learned = workspace.learn(rules, query="Dnf")
            answers.append((learned.weights.tolist(), predictions(workspace, learned)))
    assert answers[0][1]
    assert answers[0] == answers[1] == answers[2]


def test_a_rule_that_could_see_later_facts_is_refused_unless_it_may(tmp_path: Path) -> None:
    rules = RULES.format(until="") + "1 Crash(d, s) => Dnf(d, t)\n"
    starts, crashes, _ = facts(2)
    with loaded(tmp_path, text_of(starts, crashes, {}), rules) as workspace:
        with pytest.raises(
            InputError, match=r"E0252.*nothing says that s, a date of Crash, is not later"
        ):
            workspace.infer(rules, query="Dnf")
        allowed = workspace.infer(rules, query="Dnf", task="marginal", allow_future=True)
        assert len(allowed.predictions()) == len(starts)
        again = workspace.runs.predictions(allowed.run_id)
        assert len(again) == len(starts)


def test_explanations_and_previews_do_not_show_how_dates_are_bound(tmp_path: Path) -> None:
    rules = RULES.format(until="")
    with loaded(
        tmp_path, "Starts(A, 2020-01-05)\nStarts(A, 2020-03-05)\nCrash(A, 2020-02-20)", rules
    ) as workspace:
        result = workspace.infer(rules, query="Dnf", task="marginal")
        shown = repr(result.explain('Dnf(A, "2020-03-05")'))
    assert "date of" not in shown
    assert 'Crashes(A, "2020-03-05", 1)' in shown


def test_what_stands_in_a_dates_place_is_a_date(tmp_path: Path) -> None:
    rules = RULES.format(until="")
    with (
        loaded(tmp_path, "Starts(A, 2020-01-05)\nDnf(A, Monday)", rules) as workspace,
        pytest.raises(InputError, match=r"E0251.*Monday"),
    ):
        workspace.infer(rules, query="Dnf")


def test_a_predicate_with_a_date_and_no_scope_is_not_asked_about(tmp_path: Path) -> None:
    rules = "Starts(driver, date)\nDnf(driver, date)\nOld(driver)\n1 Starts(d, t) => Old(d)"
    with (
        loaded(tmp_path, "Starts(A, 2020-01-05)", rules) as workspace,
        pytest.raises(UsageError, match=r"(?s)E0322.*open where"),
    ):
        workspace.infer(rules, query="Dnf")
