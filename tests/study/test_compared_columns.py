"""Columns of rows set against others: payments abroad, over the limit, after they were due."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.study.test_definitions_and_columns import assert_definitions_say_columns
from tests.study.test_gathered_columns import _day
from tests.study.test_study import write
from workbench.study import gathered
from workbench.study.columns import CandidateColumns
from workbench.study.fitting import candidates_for
from workbench.study.offers import kind_and_threshold_offers
from workbench.study.prepared import prepared
from workbench.study.words import candidate_words
from workbench.tables import find_sources, stage

COUNTRIES = ["DE", "FR", "IT"]
FIELDS = ["math", "bio", "art", "law"]


@pytest.mark.parametrize("timed", [True, False])
def test_definitions_say_what_columns_say_of_columns_set_against_others(
    tmp_path: Path, timed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Payments in another country than their account's, over its limit, to another branch, after
    its review; failed ones of large amounts in the last days.
    """
    monkeypatch.setattr(gathered, "SPARE", 1)
    rng = np.random.default_rng(8)
    n, or_blank = 250, lambda value: "" if rng.random() < 0.1 else value
    accounts = [
        [f"a{k}", _day(rng.integers(100, 300)), or_blank(rng.choice(COUNTRIES)),
         f"b{rng.integers(5)}", or_blank(int(rng.integers(20, 90))), _day(rng.integers(300)),
         "" if k % 9 == 0 else int(rng.integers(9))]
        for k in range(n)
    ]  # fmt: skip
    payments = [
        [f"p{k}", f"a{rng.integers(n)}", _day(rng.integers(300)), or_blank(rng.choice(COUNTRIES)),
         f"b{rng.integers(5)}", or_blank(int(rng.integers(1, 99))), rng.choice(["yes", "no"])]
        for k in range(500)
    ]  # fmt: skip
    files = [
        write(
            tmp_path / "accounts.csv",
            ["account", "asked", "country", "branch", "card_limit", "reviewed", "risk"],
            accounts,
        ),
        write(
            tmp_path / "payments.csv",
            ["payment", "account", "paid_on", "country", "branch", "amount", "failed"],
            payments,
        ),
        write(tmp_path / "branches.csv", ["branch", "rank"], [[f"b{k}", k % 2] for k in range(5)]),
    ]
    with stage(find_sources(files)) as staging:
        ready = prepared(staging, "accounts.risk", time="accounts.asked" if timed else None)
        made = candidates_for(staging, ready, np.arange(n), collective=False)
        words = [candidate_words(one, timed=timed) for one in made.candidates]
        place = words.index("number of its payments with country other than account's country")
        assert "share of its payments with amount above account's card limit" in words
        assert "number of its payments with branch other than account's branch" in words
        late = "number of its payments with paid on after account's asked"
        assert (late in words) is not timed
        for at, (key, asked, country, *_) in enumerate(accounts):
            own = [
                one[3] != country
                for one in payments
                if one[1] == key and one[3] and country and (not timed or one[2] <= asked)
            ]
            assert made.X[at, place] == sum(own)
        some = [one for one in made.candidates if one.onward and one.onward.column.against]
        if timed:
            columns = CandidateColumns(staging, ready.schema, ready.typed, ready.rows, ready.times)
            recent = kind_and_threshold_offers(
                columns, made.candidates[place].path, 500, recent=True
            )
            assert any("and failed in the last" in candidate_words(one) for one in recent)
            some += recent[::9]
        assert_definitions_say_columns(staging, ready, some[::4], rng)


def test_categories_of_the_same_values_are_compared_whatever_they_are_called(
    tmp_path: Path,
) -> None:
    """Students pass in what they study; works of few values are not compared with levels."""
    rng = np.random.default_rng(9)
    of_student = [str(rng.choice(FIELDS)) for _ in range(40)]
    of_course = [str(rng.choice(FIELDS)) for _ in range(12)]
    pairs = [(int(rng.integers(40)), int(rng.integers(12))) for _ in range(200)]
    exams = [
        [f"e{k}", f"s{one}", f"c{other}",
         "" if k % 5 == 0 else "yes" if of_student[one] == of_course[other] else "no"]
        for k, (one, other) in enumerate(pairs)
    ]  # fmt: skip
    students = [[f"s{k}", major, "ab"[k % 2]] for k, major in enumerate(of_student)]
    courses = [[f"c{k}", field, "ab"[k % 2]] for k, field in enumerate(of_course)]
    files = [
        write(tmp_path / "exams.csv", ["exam", "student", "course", "passed"], exams),
        write(tmp_path / "students.csv", ["student", "major", "half"], students),
        write(tmp_path / "courses.csv", ["course", "field", "shift"], courses),
    ]
    with stage(find_sources(files)) as staging:
        ready = prepared(staging, "exams.passed")
        made = candidates_for(staging, ready, np.arange(len(exams)), collective=False)
        words = [candidate_words(one) for one in made.candidates]
        place = words.index("its student's major is its course's field")
        same = [of_student[one] == of_course[other] for one, other in pairs]
        assert made.X[:, place].tolist() == same
        assert "its student's half is its course's shift" not in words
        assert_definitions_say_columns(staging, ready, [made.candidates[place]], rng)
