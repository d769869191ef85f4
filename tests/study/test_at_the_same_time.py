"""Rows that last: who was in one ward at the same time, who was at one company then."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pytest

from tests.study.test_definitions_and_columns import assert_definitions_say_columns
from tests.study.test_study import assert_infer_says_the_same, write
from workbench.study import offers
from workbench.study.columns import CandidateColumns
from workbench.study.fitting import candidates_for, filled
from workbench.study.prepared import Prepared, prepared
from workbench.study.words import candidate_words
from workbench.tables import Staging, find_sources, stage
from workbench.verbs.studying.study import study

PEOPLE = 150


def _stays(directory: Path, *, keyed: bool) -> list[Path]:
    """People and when they were where, some still there, some since nobody knows when: with a key
    of its own by day, without by year.
    """
    rng = np.random.default_rng(3)
    rows: list[list[object]] = []
    for n in range(PEOPLE):
        for place in rng.choice(12, int(rng.integers(1, 4)), replace=False).tolist():
            begins, lasts = int(rng.integers(90)), int(rng.integers(12))
            is_over, is_known = rng.random() < 0.8, rng.random() < 0.95
            at = [begins, begins + lasts]
            shown = [date(2024, 1, 1) + timedelta(days=d) if keyed else 1930 + d for d in at]
            when = [str(shown[0]) if is_known else "", str(shown[1]) if is_over else ""]
            rows.append([f"p{n}", f"w{place}", *when])
    if keyed:
        rows = [[number, *row] for number, row in enumerate(rows)]
    header = [*["stay"][: int(keyed)], "person", "ward", "begun", "ended"]
    people = [
        [f"p{n}", n % 50, "" if n % 4 == 0 else ["no", "yes"][int(rng.random() < 0.4)]]
        for n in range(PEOPLE)
    ]
    return [
        write(directory / "people.csv", ["person", "age", "ill"], people),
        write(directory / "stays.csv", header, rows),
        write(directory / "wards.csv", ["ward", "beds"], [[f"w{n}", n * 3 % 7] for n in range(12)]),
    ]


def _meeting(staging: Staging, ready: Prepared) -> dict[str, np.ndarray]:
    matrix = candidates_for(staging, ready, np.arange(PEOPLE), collective=False)
    every = [one for one in matrix.candidates if any(hop.meets for hop in one.path.hops)]
    X = filled(
        CandidateColumns(staging, ready.schema, ready.typed, ready.rows),
        every,
        range(len(every)),
        [],
    )
    some = [at for at, one in enumerate(every) if one.aggregate in ("count", "mean", "share")]
    rng = np.random.default_rng(4)
    told = [every[at] for at in some]
    assert_definitions_say_columns(staging, ready, told, rng, X[:, some])
    return dict(zip(map(candidate_words, every), X.T))


@pytest.mark.parametrize("keyed", [True, False])
def test_definitions_say_what_columns_say_of_what_was_at_the_same_time(
    tmp_path: Path, keyed: bool
) -> None:
    """And both what is counted by hand; what has no end is not over."""
    files = _stays(tmp_path, keyed=keyed)
    lines = [line.split(",")[-4:] for line in files[1].read_text("utf-8").splitlines()[1:]]
    met = {f"p{n}": 0 for n in range(PEOPLE)}
    for person, ward, begun, ended in lines:
        for other, there, since, until in lines:
            is_same = (person, ward) == (other, there)
            if ward == there and begun and since and not is_same:
                met[person] += (not ended or since <= ended) and (not until or begun <= until)
    with stage(find_sources(files)) as staging:
        said = _meeting(staging, prepared(staging, "people.ill"))
    words = "number of other stays with the same ward at the same time as its stays"
    assert said[words].tolist() == [met[f"p{n}"] for n in range(PEOPLE)]


def test_rows_too_many_to_look_through_are_not_walked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(offers, "MOST_MEETING", 10)
    with stage(find_sources(_stays(tmp_path, keyed=True))) as staging:
        ready = prepared(staging, "people.ill")
        matrix = candidates_for(staging, ready, np.arange(PEOPLE), collective=False)
    assert not any(hop.meets for one in matrix.candidates for hop in one.path.hops)


def test_what_spreads_among_those_in_one_ward_is_found(tmp_path: Path) -> None:
    """Those that are ill made those ill that were there at the same time, not before or after."""
    rng = np.random.default_rng(7)
    n = 600
    stays = [
        (who, int(rng.integers(25)), int(begins), int(begins + rng.integers(1, 9)))
        for who in range(n)
        for begins in rng.integers(0, 300, int(rng.integers(1, 3)))
    ]
    first = rng.random(n) < 0.15
    near = np.zeros(n, np.int64)
    for who, ward, begun, ended in stays:
        near[who] += sum(
            bool(first[other]) and there == ward and since <= ended and begun <= until
            for other, there, since, until in stays
            if other != who
        )
    ill = first | (rng.random(n) < np.where(near > 0, 0.85, 0.03))
    day = lambda at: (date(2024, 1, 1) + timedelta(days=at)).isoformat()  # noqa: E731
    people = [
        [f"p{who}", int(rng.integers(80)), "" if who % 9 == 0 else ["no", "yes"][int(ill[who])]]
        for who in range(n)
    ]
    rows = [[at, f"p{a}", f"w{w}", day(b), day(c)] for at, (a, w, b, c) in enumerate(stays)]
    files = [
        write(tmp_path / "people.csv", ["person", "age", "ill"], people),
        write(tmp_path / "stays.csv", ["stay", "person", "ward", "begun", "ended"], rows),
    ]
    found = study(files, "people.ill", folds=3)
    words = "known yes among other people with the same ward at the same time (through stays)"
    assert any(words in rule.words for rule in found.rules[:2])
    assert found.metrics["AUC-ROC"]["mean"] > 0.68
    (tmp_path / "out").mkdir()
    assert_infer_says_the_same(tmp_path / "out", files, found, "person", n_asked=67)
