"""Scoring predictions from files."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.errors import InputError, UsageError
from workbench.language.ground_atoms import parse_atom
from workbench.verbs.evaluate import evaluate_file
from workbench.workspace import open_workspace


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


def test_unlisted_atoms_are_false_in_a_list_of_true_ones_and_left_out_beside_false_ones(
    tmp_path: Path,
) -> None:
    predictions = tmp_path / "predictions.csv"
    predictions.write_text(
        'atom,predicate,value\nP(A),P,0.9\nP(B),P,0.8\n"P(""C"")",P,0.1\nP(D),P,0.7\nQ(A),Q,1\n'
    )
    truth = tmp_path / "truth.db"
    truth.write_text("P(A)\n?P(D)\nP(E)\n")
    result = evaluate_file(predictions, [truth])
    assert (result["scored"], result["left_out"], result["unpredicted"]) == (3, 2, 1)
    assert (result["accuracy"], result["precision"]) == pytest.approx((2 / 3, 0.5))
    assert (
        "3 of 5 predictions are scored; of P an atom that the truth does not list is false (2)"
        in result["reading"]
    )
    assert "of Q only atoms that the truth lists are scored (1 left out)" in result["reading"]
    assert list(result["by_predicate"]) == ["P"]
    assert evaluate_file(predictions, [truth], unlisted="skip")["scored"] == 1
    assert evaluate_file(predictions, [truth], unlisted="false")["scored"] == 4
    truth.write_text("P(A)\n!P(C)\n?P(D)\nP(E)\n")
    result = evaluate_file(predictions, [truth])
    assert (result["scored"], result["left_out"], result["accuracy"]) == (2, 3, 1.0)
    assert evaluate_file(predictions, [truth], unlisted="false")["scored"] == 4


@pytest.mark.parametrize(("labels", "scored"), [("P(A)", 4), ("P(A)\n!P(B)", 2)])
def test_a_result_is_scored_by_the_readings_of_files(
    tmp_path: Path, labels: str, scored: int
) -> None:
    truth = tmp_path / "truth.db"
    truth.write_text(labels + "\n")
    rules = "Q(t)\nP(t)\n1.5 Q(x) => P(x)\n"
    (tmp_path / "facts.db").write_text("Q(A)\nQ(B)\nQ(C)\n!Q(D)\n")
    with open_workspace() as workspace:
        workspace.load(tmp_path / "facts.db", rules=rules)
        result = workspace.infer(rules, query="P", engine="exact")
        assert workspace.evaluate(result, truth)["scored"] == scored
        assert workspace.evaluate(result, truth, unlisted="false")["scored"] == 4
        listed = labels.count("P(")
        assert workspace.evaluate(result, truth, unlisted="skip")["scored"] == listed


@pytest.mark.parametrize(
    ("files", "scored"),
    [
        ({"truth.f": "p(a). p(b).", "truth.n": "p(c)."}, 3),
        ({"exs.pl": "pos(p(a)). pos(p(b)). neg(p(c)). q(d)."}, 3),
        ({"truth.pl": "p(a). p(b). q(d)."}, 4),
    ],
)
def test_examples_of_an_ilp_problem_are_truth(
    tmp_path: Path, files: dict[str, str], scored: int
) -> None:
    predictions = tmp_path / "predictions.csv"
    predictions.write_text(
        'atom,predicate,value\n"p(""a"")",p,0.9\n"p(""b"")",p,0.8\n"p(""c"")",p,0\n"p(""d"")",p,0\n'
    )
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    result = evaluate_file(predictions, [tmp_path / name for name in files])
    assert (result["scored"], result["accuracy"], result["positives"]) == (scored, 1.0, 2.0)


def test_a_row_that_is_no_prediction_is_named(tmp_path: Path) -> None:
    predictions = tmp_path / "predictions.csv"
    predictions.write_text("atom,predicate,value\nP(A),P,1.5\n")
    with pytest.raises(InputError, match=r"predictions\.csv:2"):
        evaluate_file(predictions, [])


def test_predicates_keep_their_spelling_and_a_number_may_be_a_last_argument(tmp_path: Path) -> None:
    predictions = tmp_path / "predictions.csv"
    predictions.write_text(
        'atom,predicate,value\n"Rates(1, 5)",Rates,0.9\n"Rates(1, 1)",Rates,0.2\n'
    )
    (tmp_path / "rates_truth.tsv").write_text("1\t5\n1\t1\t0\n")
    result = evaluate_file(predictions, [tmp_path / "rates_truth.tsv"])
    assert list(result["by_predicate"]) == ["Rates"]
    assert (result["accuracy"], result["unpredicted"]) == (1.0, 0)


def test_a_truth_about_something_else_is_warned_of_and_two_labels_refused(tmp_path: Path) -> None:
    predictions = tmp_path / "predictions.csv"
    predictions.write_text("atom,predicate,value\nP(A),P,0.9\n")
    truth = tmp_path / "truth.db"
    truth.write_text("Pp(A)\n")
    with pytest.raises(InputError, match=r"E0826.*nothing to score\n.*did you mean Pp"):
        evaluate_file(predictions, [truth])
    truth.write_text("P(A)\n!P(A)\n")
    with pytest.raises(InputError, match="E0207"):
        evaluate_file(predictions, [truth])
    truth.write_text("P(A\n")
    with pytest.raises(InputError, match="E0205"):
        evaluate_file(predictions, [truth])
    with pytest.raises(InputError, match="E0814"):
        evaluate_file(predictions, [tmp_path / "nowhere.db"])


def test_a_table_of_truth_may_have_a_header(tmp_path: Path) -> None:
    predictions = tmp_path / "predictions.csv"
    predictions.write_text('atom,predicate,value\n"R(1, 5)",R,0.9\n"R(1, 1)",R,0.2\n')
    for name, text in (
        ("r.csv", "user,item,value\n1,5,1\n1,1,0\n"),
        ("r.csv", "1,5,1\n1,1,0\n"),
        ("r.tsv", "u\ti\n1\t5\n"),
    ):
        (tmp_path / name).write_text(text)
        found = evaluate_file(predictions, [tmp_path / name])
        assert (found["scored"], found["accuracy"], found["unpredicted"]) == (2, 1.0, 0)


def test_functions_and_other_predicates_of_the_truth_do_no_harm(tmp_path: Path) -> None:
    predictions = tmp_path / "predictions.csv"
    predictions.write_text("\natom,predicate,value\n\nRain,Rain,0.9\n")
    (tmp_path / "truth.db").write_text("Mother(A) = B\nKnows(A, B)\nRain\n")
    assert evaluate_file(predictions, [tmp_path / "truth.db"])["accuracy"] == 1.0


def test_worlds_are_met_by_name_and_never_guessed(tmp_path: Path) -> None:
    predictions = tmp_path / "predictions.csv"
    rows = [("P(A)", 0.9, "one"), ("P(B)", 0.1, "one"), ("P(A)", 0.2, "two"), ("P(B)", 0.8, "two")]
    text = "".join(f"{atom},P,{value},{world}\n" for atom, value, world in rows)
    predictions.write_text("atom,predicate,value,world\n" + text)
    for world, facts in (("one", "P(A)\n"), ("two", "P(B)\n")):
        (tmp_path / f"{world}.db").write_text(facts)
    files = [tmp_path / "one.db", tmp_path / "two.db"]
    found = evaluate_file(predictions, files)
    assert (found["scored"], found["accuracy"]) == (4, 1.0)
    swapped = [Path(f"two={files[0]}"), Path(f"one={files[1]}")]
    assert evaluate_file(predictions, swapped)["accuracy"] == 0.0
    (tmp_path / "truth.db").write_text("P(A)\n")
    with pytest.raises(UsageError, match=r"E0707.*worlds one, two"):
        evaluate_file(predictions, [tmp_path / "truth.db"])
    predictions.write_text("atom,predicate,value\nP(A),P,1\nP(A),P,0\n")
    with pytest.raises(InputError, match=r"E0706.*P\(A\) is predicted twice, here and on line 2"):
        evaluate_file(predictions, [tmp_path / "truth.db"])


def test_the_truth_of_a_dataset_is_read_as_it_is_loaded(tmp_path: Path) -> None:
    (tmp_path / "links.csv").write_text("from,to,year\nA,B,1\nB,C,2\n")
    (tmp_path / "dataset.toml").write_text(
        'name = "links"\nprogram = "links.mln"\n[[facts]]\nfile = "links.csv"\npredicate = '
        '"LinksTo"\n'
        'columns = ["from", "to"]\npartition = "truth"\n'
    )
    (tmp_path / "links.mln").write_text("LinksTo(page, page)\n")
    predictions = tmp_path / "predictions.csv"
    predictions.write_text(
        'atom,predicate,value\n"LinksTo(A,B)",LinksTo,0.9\n"LinksTo(A,C)",LinksTo,0.2\n'
    )
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
    found = evaluate_file(
        predictions, [tmp_path / "HasCat.csv"], kind="continuous", categorical=["HasCat"]
    )
    assert found["by_predicate"]["HasCat"]["categorical accuracy"] == 0.5
    assert found["MAE"] == pytest.approx((0.1 + 0.2 + 0.6 + 0.6) / 4)
    assert found["NMSE"] == pytest.approx(found["MSE"])
    with pytest.raises(UsageError, match="HasTopic"):
        evaluate_file(predictions, [tmp_path / "HasCat.csv"], categorical=["HasTopic"])
