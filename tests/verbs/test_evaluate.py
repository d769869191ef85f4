"""Scoring predictions from files."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.errors import InputError, UsageError
from workbench.language.ground_atoms import parse_atom
from workbench.verbs.evaluate import evaluate_file


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


def test_predicates_keep_their_spelling_and_a_number_may_be_a_last_argument(tmp_path: Path) -> None:
    predictions = tmp_path / "predictions.csv"
    predictions.write_text('atom,predicate,value\n"Rates(1, 5)",Rates,0.9\n"Rates(1, 1)",Rates,0.2\n')
    (tmp_path / "rates_truth.tsv").write_text("1\t5\n1\t1\t0\n")
    result = evaluate_file(predictions, [tmp_path / "rates_truth.tsv"])
    assert list(result["by_predicate"]) == ["Rates"]
    assert (result["accuracy"], result["unpredicted"]) == (1.0, 0)


def test_a_truth_about_something_else_is_warned_of_and_two_labels_refused(tmp_path: Path) -> None:
    predictions = tmp_path / "predictions.csv"
    predictions.write_text("atom,predicate,value\nP(A),P,0.9\n")
    truth = tmp_path / "truth.db"
    truth.write_text("Pp(A)\n")
    (warning,) = evaluate_file(predictions, [truth])["warnings"]
    assert warning["code"] == "E0826"
    truth.write_text("P(A)\n!P(A)\n")
    with pytest.raises(InputError, match="E0825"):
        evaluate_file(predictions, [truth])


def test_the_truth_of_a_dataset_is_read_as_it_is_loaded(tmp_path: Path) -> None:
    (tmp_path / "links.csv").write_text("from,to,year\nA,B,1\nB,C,2\n")
    (tmp_path / "dataset.toml").write_text(
        'name = "links"\nprogram = "links.mln"\n[[facts]]\nfile = "links.csv"\npredicate = "LinksTo"\n'
        'columns = ["from", "to"]\npartition = "truth"\n'
    )
    (tmp_path / "links.mln").write_text("LinksTo(page, page)\n")
    predictions = tmp_path / "predictions.csv"
    predictions.write_text('atom,predicate,value\n"LinksTo(A,B)",LinksTo,0.9\n"LinksTo(A,C)",LinksTo,0.2\n')
    result = evaluate_file(predictions, [tmp_path / "dataset.toml"])
    assert (result["positives"], result["unpredicted"], result["F1"]) == (1, 1, 1.0)


def test_a_table_may_spell_its_predicate_with_underscores(tmp_path: Path) -> None:
    (tmp_path / "links_to.csv").write_text("A,B\n")
    predictions = tmp_path / "predictions.csv"
    predictions.write_text('atom,predicate,value\n"LinksTo(A,B)",LinksTo,0.9\n')
    result = evaluate_file(predictions, [tmp_path / "links_to.csv"])
    assert result["positives"] == 1
    assert not result["warnings"]


def test_categories_and_continuous_errors_of_a_file(tmp_path: Path) -> None:
    predictions = tmp_path / "predictions.csv"
    rows = [("A", "x", 0.9), ("A", "y", 0.2), ("B", "x", 0.6), ("B", "y", 0.4)]
    lines = [f'"HasCat({item},{category})",HasCat,{value}' for item, category, value in rows]
    predictions.write_text("\n".join(["atom,predicate,value", *lines]) + "\n")
    (tmp_path / "HasCat.csv").write_text("A,x\nB,y\n")
    found = evaluate_file(predictions, [tmp_path / "HasCat.csv"], kind="continuous", categorical=["HasCat"])
    assert found["by_predicate"]["HasCat"]["categorical accuracy"] == 0.5
    assert found["MAE"] == pytest.approx((0.1 + 0.2 + 0.6 + 0.6) / 4)
    assert found["NMSE"] == pytest.approx(found["MSE"])
    with pytest.raises(UsageError, match="HasTopic"):
        evaluate_file(predictions, [tmp_path / "HasCat.csv"], categorical=["HasTopic"])
