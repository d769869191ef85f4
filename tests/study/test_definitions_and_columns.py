"""Definitions say of every row what the candidates' columns say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pytest

from tests.study.test_study import write
from workbench.arrays import Real
from workbench.database import Database
from workbench.language import parse_program
from workbench.progress import SILENT
from workbench.structure.candidate import Candidate
from workbench.structure.terms import Condition, Term
from workbench.structure.weighted_rules import WeightedRules
from workbench.study import gathered
from workbench.study.columns import CandidateColumns
from workbench.study.fitting import candidates_for, filled
from workbench.study.learners import FittedRules
from workbench.study.prepared import Prepared, prepared
from workbench.study.program import program_text
from workbench.study.words import candidate_words
from workbench.tables import Staging, find_sources, stage
from workbench.verbs.studying.inference import joint_values, loaded

AT_ONCE = 40
"""Candidates of one program."""
SAID = ["What a view", "Too cold; too far", "a view, but COLD", "Über-Ärger"]


@pytest.mark.parametrize("time", ["clients.asked", None])
def test_definitions_say_what_columns_say_whatever_the_candidate(
    tmp_path: Path, time: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every candidate's number and a test of it, weighed at random:
    the program's sum is the columns' sum.
    """
    monkeypatch.setattr(gathered, "SPARE", 1)
    rng = np.random.default_rng(6)
    day = lambda: (date(2024, 1, 1) + timedelta(days=int(rng.integers(400)))).isoformat()  # noqa: E731
    or_blank = lambda value: "" if rng.random() < 0.2 else value  # noqa: E731
    clients = [
        [
            f"c{n}",
            f"t{rng.integers(4)}",
            day(),
            or_blank(rng.choice(["yes", "no"])),
            or_blank(int(rng.integers(99))),
            or_blank(f"c{rng.integers(40)}"),
            or_blank(int(rng.integers(1, 50))),
        ]
        for n in range(1500)
    ]
    visits = [
        [n, f"c{rng.integers(290)}", or_blank(day()),
         or_blank(rng.choice(["short", "long", "odd"])), or_blank(int(rng.integers(50))),
         rng.choice(["yes", ""]), or_blank(f"No. {n}: {rng.choice(SAID)}!"), or_blank(day())]
        for n in range(900)
    ]  # fmt: skip
    towns = [[f"t{n}", ["yes", "no"][n % 2], n * 10] for n in range(4)]
    files = [
        write(
            tmp_path / "clients.csv",
            ["client", "town", "asked", "insured", "score", "guide", "age"],
            clients,
        ),
        write(
            tmp_path / "visits.csv",
            ["visit", "client", "day", "length", "cost", "snowy", "said", "billed"],
            visits,
        ),
        write(tmp_path / "towns.csv", ["town", "coastal", "size"], towns),
    ]
    with stage(find_sources(files)) as staging:
        ready = prepared(staging, "clients.score", time=time)
        every = candidates_for(staging, ready, np.arange(1500), collective=False).candidates
        found = {one.aggregate for one in every}
        assert found >= {
            "latest",
            "count",
            "mean",
            "share",
            "different",
            "variance",
            "difference",
            "ratio",
            "product",
        }
        assert any(one.of_text for one in every)
        assert any(
            hop.kind == "shared" and hop.column == "guide" for one in every for hop in one.path.hops
        )
        assert any(one.among is not None and one.aggregate == "latest" for one in every)
        assert {one.onward.column.part for one in every if one.onward} == {"", "weekday", "month"}
        assert any(one.onward and one.onward.column.since and one.value for one in every)
        assert any(one.value and one.among and one.among[0].kind == "number" for one in every)
        assert any(ready.schema[one.path.end].of for one in every) == (time is not None)
        of_few = candidates_for(staging, ready, np.arange(20), collective=False).candidates
        assert all(one.among is None for one in of_few), "more columns than rows"
        assert_definitions_say_columns(staging, ready, every, rng)


@pytest.mark.parametrize("time", ["marks.day", None])
def test_definitions_over_ties_of_two_things_say_what_columns_say(
    tmp_path: Path, time: str | None
) -> None:
    """Rows of a table without a key: ways that leave from one of their two ends,
    and the ends' own names.
    """
    rng = np.random.default_rng(8)
    day = lambda: (date(2024, 1, 1) + timedelta(days=int(rng.integers(400)))).isoformat()  # noqa: E731
    pairs = sorted({(int(rng.integers(30)), int(rng.integers(12))) for _ in range(230)})
    marks = [
        [f"s{one}", f"k{other}", day(), "" if rng.random() < 0.2 else int(rng.integers(10))]
        for one, other in pairs
    ]
    students = [
        [f"s{n}", "" if n % 5 == 0 else ["left", "stays", "new"][n % 3], n] for n in range(30)
    ]
    courses = [[f"k{n}", f"t{n % 6}", n % 4] for n in range(12)]
    teachers = [[f"t{n}", ["yes", "no"][n % 2], n * 1.5] for n in range(6)]
    files = [
        write(tmp_path / "marks.csv", ["student", "course", "day", "mark"], marks),
        write(tmp_path / "students.csv", ["student", "state", "hours"], students),
        write(tmp_path / "courses.csv", ["course", "teacher", "credits"], courses),
        write(tmp_path / "teachers.csv", ["teacher", "strict", "age"], teachers),
    ]
    with stage(find_sources(files)) as staging:
        ready = prepared(staging, "marks.mark", time=time)
        assert ready.target.table.relation
        every = candidates_for(staging, ready, np.arange(len(pairs)), collective=False).candidates
        assert any(one.path.many for one in every)
        assert_definitions_say_columns(staging, ready, every, rng)


@pytest.mark.parametrize("keyed", [True, False])
def test_what_two_ends_have_in_common_is_counted(tmp_path: Path, keyed: bool) -> None:
    """Papers by both, contracts between them, one town: as columns, as definitions,
    and counted by hand.
    """
    rng = np.random.default_rng(9)
    people = [
        [f"p{n}", f"t{rng.integers(5)}", "" if n % 7 == 0 else f"d{rng.integers(3)}"]
        for n in range(30)
    ]
    wrote = sorted({(f"p{rng.integers(28)}", f"title {rng.integers(40)}") for _ in range(90)})
    contracts = [
        [f"p{rng.integers(30)}", f"p{rng.integers(30)}", int(rng.integers(90)), n]
        for n in range(400)
    ]
    pairs = sorted({(int(rng.integers(29)), int(rng.integers(30))) for _ in range(200)})
    rows = [
        [f"p{one}", f"p{other}", "" if rng.random() < 0.3 else int(rng.integers(10))]
        for one, other in pairs
    ]
    if keyed:  # and a person is not known here and there
        rows = [[f"r{n}", "" if n % 9 == 0 else row[0], *row[1:]] for n, row in enumerate(rows)]
    files = [
        write(tmp_path / "people.csv", ["person", "town", "party"], people),
        write(tmp_path / "wrote.csv", ["person", "title"], [list(row) for row in wrote]),
        write(tmp_path / "contracts.csv", ["giver", "taker", "sum", "contract"], contracts),
        write(tmp_path / "pairs.csv", [*["pair"][: int(keyed)], "one", "other", "score"], rows),
    ]
    with stage(find_sources(files)) as staging:
        ready = prepared(staging, "pairs.score")
        matrix = candidates_for(staging, ready, np.arange(len(rows)), collective=False)
        every = [one for one in matrix.candidates if one.aggregate == "in_common"]
        assert_definitions_say_columns(staging, ready, every, rng)
        columns = CandidateColumns(staging, ready.schema, ready.typed, ready.rows).fill(
            every[0].path, every
        )
        by_words = dict(zip(map(candidate_words, every), columns.T))
    titles, contracted = {}, {}
    for person, title in wrote:
        titles.setdefault(person, set()).add(title)
    for giver, taker, *_ in contracts:
        contracted[giver, taker] = contracted.get((giver, taker), 0) + 1
    town = {person: where for person, where, _ in people}
    ends = [row[-3:-1] for row in rows]
    by_hand = {
        "number of the same title of wrote rows of its one and wrote rows of its other": (
            lambda one, other: len(titles.get(one, set()) & titles.get(other, set()))
        ),
        "number of contracts of its one (as giver) whose taker is its other person's person": (
            lambda one, other: contracted.get((one, other), 0)
        ),
        "its one person's town is its other person's town": lambda one, other: (
            town[one] == town[other]
        ),
    }
    for words, count in by_hand.items():
        expected = [float(count(one, other)) if one else np.nan for one, other in ends]
        np.testing.assert_array_equal(by_words[words], expected, err_msg=words)


def test_what_a_dated_thing_has_in_common_is_known_from_its_date_on(tmp_path: Path) -> None:
    """A card's country and its merchant's; some cards are issued later, some nobody knows when."""
    rng = np.random.default_rng(10)
    day = lambda: (date(2024, 1, 1) + timedelta(days=int(rng.integers(200)))).isoformat()  # noqa: E731
    lands = ["AT", "CH", "DE", ""]
    cards = [[f"c{n}", lands[n % 4], "" if n % 7 == 0 else day()] for n in range(40)]
    shops = [[f"m{n}", lands[n * 5 % 3]] for n in range(25)]
    paid = [
        [n, f"c{rng.integers(40)}", f"m{rng.integers(25)}", day(), "" if n % 4 else n % 9]
        for n in range(240)
    ]
    files = [
        write(tmp_path / "cards.csv", ["card", "country", "issued"], cards),
        write(tmp_path / "shops.csv", ["shop", "country"], shops),
        write(tmp_path / "paid.csv", ["payment", "card", "shop", "at", "points"], paid),
    ]
    with stage(find_sources(files)) as staging:
        ready = prepared(staging, "paid.points", time="paid.at")
        matrix = candidates_for(staging, ready, np.arange(len(paid)), collective=False)
        (both,) = [one for one in matrix.candidates if one.aggregate == "in_common"]
        assert_definitions_say_columns(staging, ready, [both], rng)
        columns = CandidateColumns(staging, ready.schema, ready.typed, ready.rows, ready.times)
        found = columns.fill(both.path, [both])[:, 0]
    of_card = {card: (land, issued) for card, land, issued in cards}
    land_of = dict(shops)
    for (_, card, shop, at, _), said in zip(paid, found):
        land, issued = of_card[card]
        if not issued or issued > at:
            assert np.isnan(said)
        else:
            assert said == (land == land_of[shop])


def kind_of(one: Candidate) -> tuple[object, ...]:
    """A candidate without the names and values that it is about."""
    column = None if one.onward is None else one.onward.column
    return (
        one.aggregate,
        tuple(hop.kind for hop in one.path.hops),
        column and (one.onward and one.onward.kind, column.part, column.since, column.sign),
        one.value and (one.value[:1] == ">", not one.value.isidentifier()),
        one.window,
        one.label,
        one.among and one.among[0].kind,
        one.with_ and one.with_[1],
        one.compared and tuple(kind_of(part) for part in one.compared),
        one.turned,
    )


def some_of_each_kind(every: Sequence[Candidate], rng: np.random.Generator) -> list[Candidate]:
    """One of each kind, drawn at random."""
    drawn: dict[tuple[object, ...], list[int]] = {}
    for at in rng.permutation(len(every)).tolist():
        drawn.setdefault(kind_of(every[at]), []).append(at)
    return [every[places[0]] for places in drawn.values()]


def assert_definitions_say_columns(
    staging: Staging,
    ready: Prepared,
    every: Sequence[Candidate],
    rng: np.random.Generator,
    X: Real | None = None,
) -> None:
    if X is None:
        every = some_of_each_kind(every, rng)
        columns = CandidateColumns(staging, ready.schema, ready.typed, ready.rows, ready.times)
        X = filled(columns, every, range(len(every)), [])
    with Database.open() as database:
        for first in range(0, len(every), AT_ONCE):
            places = range(first, min(first + AT_ONCE, len(every)))
            assert_definitions_of_some_say_columns(database, staging, ready, every, places, X, rng)


def assert_definitions_of_some_say_columns(
    database: Database,
    staging: Staging,
    ready: Prepared,
    every: Sequence[Candidate],
    places: range,
    X: Real,
    rng: np.random.Generator,
) -> None:
    """In a workspace that has the tables from the first of them on."""
    asked = np.isnan(ready.labels)
    numbers = [at for at in places if set(np.unique(X[:, at][~np.isnan(X[:, at])])) - {0.0, 1.0}]
    terms = [Term((), at, "number", -1e9, 1e9) for at in numbers]
    tests = [
        Term((Condition(at, "at_least", 1.5 if at in numbers else 0.5, at % 4 < 2),))
        if at % 2
        else Term((Condition(at, "below", 0.5, at % 4 < 2), Condition(at, "known")))
        for at in places
    ]
    rules = [*terms, *tests]
    discrete = ready.kind != "number"
    weights = rng.normal(size=len(rules)) * (0.01 if discrete else 1)
    model = WeightedRules(tuple(rules), weights, 0.5, discrete)
    others = [replace(model, terms=(), weights=np.empty(0))] * (
        len(ready.classes) - 1 if ready.kind == "category" else 0
    )
    fitted = FittedRules(ready.kind, (*others, model))
    text = program_text(ready, fitted, every)
    if places[0]:
        program = parse_program(text)
        database.declare(program)
    else:
        program = loaded(database, staging, ready, text)
    values = joint_values(database, program, ready, 0, 60.0, SILENT)
    expected = fitted.predict(X)[asked]
    if ready.kind == "category":
        expected = expected[:, -1]
    of_class = ready.classes[-1:] if ready.kind == "category" else ()
    said = [
        values[(*(key[row] for key in ready.keys.values()), *of_class)]
        for row in np.flatnonzero(asked)
    ]
    np.testing.assert_allclose(
        said,
        expected,
        atol=max(1e-6 * np.abs(expected).max(), 1e-300),
        err_msg=str([every[at] for at in places]),
    )
