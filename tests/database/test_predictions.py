"""Recorded predictions read where they lie, against the plain Python of it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
import pytest

from workbench.database import (
    Database,
    RunRecord,
    changed_rows,
    labelled_values,
    load_frame,
    predictions_page,
    record_run,
    same_folds,
    scored_predictions,
    worst_predictions,
)
from workbench.database.runs import Columns
from workbench.language import parse_mln
from workbench.language.ground_atoms import atom_text, parse_atom

NAMES = [
    "Ann",
    "bob",
    "New York",
    'say "hi"',
    "back\\slash",
    "12",
    "-3.5",
    "Æsa",
    "<b>",
    "o'Neil",
    "A_1",
    "1e5",
    "two\nlines",
]


def text_of(name: str) -> str:
    return atom_text("Fan", [name, "Ann"])


def test_atoms_are_read_as_they_are_written() -> None:
    for name in NAMES:
        assert parse_atom(text_of(name)) == ("Fan", (name, "Ann"))


@pytest.fixture
def database() -> Iterator[Database]:
    """Every other of the names is labelled a fan of Ann."""
    with Database.open() as opened:
        opened.declare(parse_mln("Fan(person, person)\nOther(person)\nKnows(person, person)\n"))
        load_frame(opened, pd.DataFrame({"a": NAMES, "b": "Ann"}), predicate="Knows")
        load_frame(
            opened, pd.DataFrame({"a": NAMES[::2], "b": "Ann"}), predicate="Fan", partition="truth"
        )
        yield opened


def ids_of(database: Database, names: list[str]) -> list[int]:
    known = dict(database.execute("SELECT name, id FROM c_person").fetchall())
    return [known[name] for name in names]


def recorded(
    database: Database,
    values: list[float],
    *,
    folds: list[int] | None = None,
    truth: list[float] | None = None,
) -> int:
    ids = np.array(ids_of(database, NAMES[: len(values)]), np.int32)
    columns = {"world": [0] * len(values), "predicate": ["Fan"] * len(values)}
    columns |= {
        "arguments": np.column_stack(
            [ids, np.full(ids.size, ids_of(database, ["Ann"])[0], np.int32)]
        )
    }  # type: ignore[dict-item]
    columns |= (
        {"value": values} | ({"fold": folds} if folds else {}) | ({"truth": truth} if truth else {})
    )  # type: ignore[dict-item]
    return record(database, columns, Fan=("person", "person"))


def record(database: Database, columns: Columns, **types: tuple[str, ...]) -> int:
    return record_run(
        database,
        RunRecord(kind="infer", status="exact", seconds=0.0, atom_types=types, predictions=columns),
    )


def test_labels_meet_predictions_by_their_keys(database: Database) -> None:
    values = np.linspace(0.0, 1.0, len(NAMES)).tolist()
    run = recorded(database, values)
    frame = scored_predictions(database, run)
    assert frame["atom"].tolist() == [text_of(name) for name in NAMES]
    assert frame["truth"].tolist() == [1.0 - place % 2 for place in range(len(NAMES))]
    fold, value, truth = labelled_values(database, run)
    assert fold.tolist() == [-1.0] * len(NAMES)
    assert value.tolist() == values
    assert truth.tolist() == frame["truth"].tolist()
    worst = worst_predictions(database, run, limit=2)
    assert worst["atom"].tolist() == [text_of(NAMES[0]), text_of(NAMES[len(NAMES) // 2 * 2 - 1])]


def test_a_predicate_without_labels_stays_unscored(database: Database) -> None:
    columns = {
        "world": [0],
        "predicate": ["Other"],
        "arguments": np.array([[0]], np.int32),
        "value": [0.5],
    }
    run = record(database, columns, Other=("person",))
    assert scored_predictions(database, run)["truth"].isna().all()
    assert labelled_values(database, run)[0].size == 0
    assert worst_predictions(database, run).empty


def test_a_page_searches_and_counts_all(database: Database) -> None:
    run = recorded(database, [0.1, 0.9, 0.5], folds=[0, 0, 1])
    frame, total = predictions_page(database, run, limit=2)
    assert (frame["value"].tolist(), total) == ([0.9, 0.5], 3)
    frame, total = predictions_page(database, run, search="BOB")
    assert (frame["atom"].tolist(), total) == ([text_of("bob")], 1)
    assert predictions_page(database, run, fold=1)[1] == 1
    assert predictions_page(database, run, search="%")[1] == 0


def test_changes_between_runs_are_ordered_paired_and_limited(database: Database) -> None:
    first, second = recorded(database, [0.1, 0.9, 0.5]), recorded(database, [0.1, 0.2, 0.6, 0.3])
    frame = changed_rows(database, first, second, "prediction")
    assert frame["atom"].tolist() == [text_of(name) for name in (NAMES[1], NAMES[2], NAMES[3])]
    assert frame["change"].fillna(-1).round(9).tolist() == [0.7, 0.1, -1]
    assert len(changed_rows(database, first, second, "prediction", most=1)) == 1
    assert not same_folds(database, first, second)


def two_worlds(database: Database, worlds: list[int], values: list[float]) -> int:
    """One atom, predicted in several worlds."""
    same = np.zeros((len(worlds), 2), np.int32)
    return record(
        database,
        {"world": worlds, "predicate": ["Fan"] * len(worlds), "arguments": same, "value": values},
        Fan=("person", "person"),
    )


def test_atoms_of_one_name_in_two_worlds_are_told_apart(database: Database) -> None:
    database.world_id("other")
    first, second = (
        two_worlds(database, [0, 1], [0.1, 0.9]),
        two_worlds(database, [1, 0], [0.8, 0.1]),
    )
    frame = changed_rows(database, first, second, "prediction")
    assert frame[["world", "value_first", "value_second"]].to_numpy().tolist() == [
        ["other", 0.9, 0.8]
    ]
    assert same_folds(database, first, second)
    assert not same_folds(database, first, two_worlds(database, [0], [0.1]))


def test_labels_of_one_world_are_not_those_of_another(database: Database) -> None:
    other = database.world_id("other")
    run = two_worlds(database, [0, other], [0.9, 0.2])
    name = lowest(database)
    load_frame(
        database, pd.DataFrame({"a": [name], "b": [name]}), predicate="Fan", partition="truth"
    )
    assert scored_predictions(database, run)["truth"].tolist() == [1.0, 0.0]


def lowest(database: Database) -> str:
    """The name with id 0."""
    return str(database.execute("SELECT name FROM c_person WHERE id = 0").fetchall()[0][0])


def test_an_unlisted_atom_is_false_only_in_a_closed_world(database: Database) -> None:
    values = np.linspace(0.0, 1.0, len(NAMES)).tolist()
    run = recorded(database, values)
    assert labelled_values(database, run)[1].size == len(NAMES)
    denied = pd.DataFrame({"a": [NAMES[1]], "b": ["Ann"], "value": [0.0]})
    load_frame(database, denied, predicate="Fan", partition="truth")
    assert labelled_values(database, run)[1].size == len(NAMES[::2]) + 1


def test_labels_are_found_by_name_where_types_were_declared_otherwise_since(
    database: Database,
) -> None:
    values = np.linspace(0.0, 1.0, len(NAMES)).tolist()
    run = recorded(database, values)
    before = scored_predictions(database, run)
    database.declare(parse_mln("Fan(fan, star)\n"))
    after = scored_predictions(database, run)
    assert after.equals(before)
    assert after["truth"].sum() == len(NAMES[::2])


def test_folds_are_the_same_only_atom_by_atom(database: Database) -> None:
    first = recorded(database, [0.1, 0.9, 0.5], folds=[0, 0, 1], truth=[1, 0, 1])
    same = recorded(database, [0.3, 0.2, 0.5], folds=[0, 0, 1], truth=[1, 0, 1])
    other = recorded(database, [0.3, 0.2, 0.5], folds=[0, 1, 0], truth=[1, 0, 1])
    assert same_folds(database, first, same)
    assert not same_folds(database, first, other)
