"""Recorded predictions read where they lie, against the plain Python of it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
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
    """Every other of the names is labelled a fan of Ann, the first but one expressly not."""
    import pandas as pd

    with Database.open() as opened:
        opened.declare(parse_mln("Fan(person, person)\nOther(person)\n"))
        load_frame(opened, pd.DataFrame({"a": NAMES[::2], "b": "Ann"}), predicate="Fan", partition="truth")
        denied = pd.DataFrame({"a": [NAMES[1]], "b": ["Ann"], "value": [0.0]})
        load_frame(opened, denied, predicate="Fan", partition="truth")
        yield opened


def recorded(
    database: Database, values: list[float], *, folds: list[int] | None = None, truth: list[float] | None = None
) -> int:
    columns = {"predicate": ["Fan"] * len(values), "atom": [text_of(name) for name in NAMES[: len(values)]]}
    columns |= {"value": values} | ({"fold": folds} if folds else {}) | ({"truth": truth} if truth else {})  # type: ignore[dict-item]
    return record_run(database, RunRecord(kind="infer", status="exact", seconds=0.0, predictions=columns))


def test_labels_meet_predictions_by_the_text_of_their_atoms(database: Database) -> None:
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
    columns = {"predicate": ["Other"], "atom": ["Other(Ann)"], "value": [0.5]}
    run = record_run(database, RunRecord(kind="infer", status="exact", seconds=0.0, predictions=columns))
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


def test_atoms_of_one_name_in_two_worlds_are_paired_in_order(database: Database) -> None:
    columns = {"predicate": ["Fan"] * 2, "atom": ["Fan(Ann, Ann)"] * 2}
    first, second = (
        record_run(
            database, RunRecord(kind="infer", status="exact", seconds=0.0, predictions=columns | {"value": values})
        )
        for values in ([0.1, 0.9], [0.1, 0.8])
    )
    frame = changed_rows(database, first, second, "prediction")
    assert frame[["value_first", "value_second"]].to_numpy().tolist() == [[0.9, 0.8]]


def test_folds_are_the_same_only_atom_by_atom(database: Database) -> None:
    first = recorded(database, [0.1, 0.9, 0.5], folds=[0, 0, 1], truth=[1, 0, 1])
    same = recorded(database, [0.3, 0.2, 0.5], folds=[0, 0, 1], truth=[1, 0, 1])
    other = recorded(database, [0.3, 0.2, 0.5], folds=[0, 1, 0], truth=[1, 0, 1])
    assert same_folds(database, first, same)
    assert not same_folds(database, first, other)
