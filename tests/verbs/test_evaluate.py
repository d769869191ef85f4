"""Scoring predictions from files."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.errors import InputError
from workbench.verbs.evaluate import evaluate_file, parse_atom


@pytest.mark.parametrize(
    ("text", "atom"),
    [
        ("Smokes(Anna)", ("Smokes", ("Anna",))),
        ('Smokes("Anna")', ("Smokes", ("Anna",))),
        ('Has("a, \\"b\\")", 3)', ("Has", ('a, "b")', "3"))),
        ("Rain", ("Rain", ())),
        ("Rain()", ("Rain", ())),
        ("Smokes(Anna", None),
        ("Smokes(,)", None),
    ],
)
def test_atoms_are_read_with_their_quotes(text: str, atom: object) -> None:
    assert parse_atom(text) == atom


def test_unlisted_atoms_are_false_and_question_marks_skipped(tmp_path: Path) -> None:
    predictions = tmp_path / "predictions.csv"
    predictions.write_text('atom,predicate,value\nP(A),P,0.9\nP(B),P,0.8\n"P(""C"")",P,0.1\nP(D),P,0.7\n')
    truth = tmp_path / "truth.db"
    truth.write_text("P(A)\n!P(C)\n?P(D)\nP(E)\n")
    result = evaluate_file(predictions, [truth])
    assert result["scored"] == 3
    assert result["accuracy"] == pytest.approx(2 / 3)
    assert result["precision"] == pytest.approx(0.5)
    assert result["unpredicted"] == 1


def test_a_row_that_is_no_prediction_is_named(tmp_path: Path) -> None:
    predictions = tmp_path / "predictions.csv"
    predictions.write_text("atom,predicate,value\nP(A),P,1.5\n")
    with pytest.raises(InputError, match=r"predictions\.csv:2"):
        evaluate_file(predictions, [])
