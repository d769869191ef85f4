"""Rows that share two things: a bidder's bids in one auction, a pupil's marks in one subject."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pytest

from tests.study.test_definitions_and_columns import assert_definitions_say_columns
from tests.study.test_study import write
from workbench.structure.candidate import Candidate
from workbench.study.fitting import candidates_for
from workbench.study.prepared import prepared
from workbench.study.words import candidate_words
from workbench.tables import find_sources, stage


def test_definitions_say_what_columns_say_of_groups_within_rows(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    n = 200
    auctions = [[f"a{k}", "" if k % 9 == 0 else int(rng.integers(99))] for k in range(n)]
    bids = [
        [k, f"a{rng.integers(n)}", f"b{rng.integers(6)}" if rng.random() < 0.9 else "",
         "" if rng.random() < 0.1 else int(rng.integers(50)), rng.choice(["yes", "no"])]
        for k in range(1900)
    ]  # fmt: skip
    files = [
        write(tmp_path / "auctions.csv", ["auction", "score"], auctions),
        write(tmp_path / "bids.csv", ["bid", "auction", "bidder", "amount", "late"], bids),
        write(tmp_path / "bidders.csv", ["bidder", "since"], [[f"b{k}", k * 7] for k in range(6)]),
    ]
    with stage(find_sources(files)) as staging:
        ready = prepared(staging, "auctions.score")
        made = candidates_for(staging, ready, np.arange(n), collective=False)
        some = [one for one in made.candidates if any(map(_of_groups, one.compared or (one,)))]
        words = [candidate_words(one) for one in some]
        groups = "bids with the same auction and bidder"
        most, dear = f"greatest number of {groups} of its bids", f"least mean amount of {groups}"
        X = made.X[:, [made.candidates.index(one) for one in some]]
        for at, (auction, _) in enumerate(auctions):
            own = [bid for bid in bids if bid[1] == auction]
            who = {bid[2] for bid in own} - {""}
            amounts = [[b[3] for b in own if b[2] == one and b[3] != ""] for one in who]
            count = max((sum(b[2] == one for b in own) for one in who), default=np.nan)
            least = min((float(np.mean(one)) for one in amounts if one), default=np.nan)
            share = words.index(f"{most} divided by the number of its bids")
            assert X[at, words.index(most)] == pytest.approx(count, nan_ok=True)
            assert X[at, words.index(f"{dear} of its bids")] == pytest.approx(least, nan_ok=True)
            assert X[at, share] == pytest.approx(count / len(own) if own else np.nan, nan_ok=True)
        assert_definitions_say_columns(staging, ready, some, rng, X)


def _of_groups(one: Candidate) -> bool:
    return one.onward is not None and bool(one.onward.column.group)


@pytest.mark.parametrize("keyed", [True, False])
@pytest.mark.parametrize("timed", [True, False])
def test_definitions_say_what_columns_say_of_rows_with_the_same_thing_and_kind(
    tmp_path: Path, keyed: bool, timed: bool
) -> None:
    """A student's other exams in the subject of this course, and marks there, of a table of them;
    exams with a key of their own and as ties of students and courses.
    """
    rng = np.random.default_rng(2)
    day = lambda: (date(2024, 1, 1) + timedelta(days=int(rng.integers(400)))).isoformat()  # noqa: E731
    subjects = ["art", "law", "math", "music"]
    pairs = sorted({(int(rng.integers(40)), int(rng.integers(24))) for _ in range(420)})
    exams = [
        [*[k][: int(keyed)], f"s{one}", f"k{other}", day(), int(rng.integers(100)),
         "" if rng.random() < 0.2 else int(rng.integers(9))]
        for k, (one, other) in enumerate(pairs)
    ]  # fmt: skip
    courses = [[f"k{k}", subjects[k % 4], k % 5] for k in range(24)]
    hours = [[k, f"s{rng.integers(40)}", f"k{rng.integers(24)}", day(), k % 7] for k in range(900)]
    files = [
        write(
            tmp_path / "exams.csv",
            [*["exam"][: int(keyed)], "student", "course", "day", "homework", "points"],
            exams,
        ),
        write(tmp_path / "courses.csv", ["course", "subject", "size"], courses),
        write(tmp_path / "students.csv", ["student", "age"], [[f"s{k}", k] for k in range(40)]),
        write(tmp_path / "hours.csv", ["hour", "student", "course", "day", "spent"], hours),
    ]
    with stage(find_sources(files)) as staging:
        ready = prepared(staging, "exams.points", time="exams.day" if timed else None)
        made = candidates_for(staging, ready, np.arange(len(exams)), collective=True)
        of_two = [
            at
            for at, one in enumerate(made.candidates)
            if one.path.hops
            and one.path.hops[0].other
            and (one.path.hops[0].way or one.path.hops[0].kind == "alike")
        ]
        words = [candidate_words(made.candidates[at], timed=timed) for at in of_two]
        X = made.given(ready.labels)[:, of_two]
        alike = "exams with the same student and course's subject"
        if not timed:
            place = words.index(f"mean homework of other {alike}")
            subject = {course: what for course, what, _ in courses}
            for at, row in enumerate(exams):
                *_, student, course, _, _, _ = row
                own = [
                    other[-2] for k, other in enumerate(exams)
                    if k != at and other[-5] == student and subject[other[-4]] == subject[course]
                ]  # fmt: skip
                assert X[at, place] == pytest.approx(np.mean(own) if own else np.nan, nan_ok=True)
        assert any(f"known points of {'earlier' if timed else 'other'} {alike}" in w for w in words)
        assert any("hours with the same" in one for one in words) == keyed
        assert_definitions_say_columns(
            staging, ready, [made.candidates[at] for at in of_two], rng, X
        )
