"""From files to a report: the bundled fraud tables, small and odd tables, time, leaks of labels."""

from __future__ import annotations

import csv
import json
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from workbench.cli import app
from workbench.errors import Cancelled, InputError, UsageError
from workbench.evaluation import auc_roc
from workbench.language.ground_atoms import parse_atom
from workbench.progress import Conduct, Progress
from workbench.structure.candidate import Candidate, Onward
from workbench.structure.relational import Column
from workbench.structure.table_paths import Hop
from workbench.structure.table_paths import Path as TablePath
from workbench.study.folds import Labelled, prediction_loss
from workbench.study.gathered import Neighbours
from workbench.study.matrix import CandidateMatrix
from workbench.study.report import write_study
from workbench.study.result import StudyResult
from workbench.study.run import FoldRun, Settings, cross_validated_fold
from workbench.tables import Staging
from workbench.verbs.studying.study import study

FRAUD = Path(__file__).parents[2] / "data" / "fraud"


def write(path: Path, header: list[str], rows: list[list[object]]) -> Path:
    path.parent.mkdir(exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([header, *rows])
    return path


def test_cells_of_several_lines_and_names_of_our_own(tmp_path: Path) -> None:
    town = 'Ulm\nDonau, "x"'
    rows: list[list[object]] = [
        [f"p{i}", i * 7 % 50, town if i % 3 else "Bonn", "yes" if i % 3 or i % 10 == 0 else "no"]
        for i in range(80)
    ]
    rows[:3] = [[*row[:3], ""] for row in rows[:3]]
    said = []
    for header in (["id", "age", "town", "late"], ["world", "value", "row_", "rowid"]):
        file = write(tmp_path / header[0] / "people.csv", header, rows)
        out = tmp_path / header[0]
        write_study(study([file], f"people.{header[3]}", folds=2, out=out), out)
        said.append(inferred(out, [file]))
    assert len(said[0]) == 3
    assert said[0] == said[1]


def test_labels_of_rows_without_a_date_are_not_left_out_silently(tmp_path: Path) -> None:
    rows: list[list[object]] = [
        [f"o{i}", "" if i < 3 else f"2020-{i % 12 + 1:02}-01", i * 7 % 50, "no" if i % 2 else "yes"]
        for i in range(40)
    ]
    rows[0][3] = ""
    file = write(tmp_path / "orders.csv", ["id", "placed", "amount", "late"], rows)
    result = study([file], "orders.late", time="orders.placed", folds=2)
    assert result.labelled == 37
    told = [one for one in result.warnings if one.code == "E0648"]
    assert [one.message[:6] for one in told] == ["2 rows"]


def test_scores_are_of_gaps_where_gaps_are_asked(tmp_path: Path) -> None:
    """Machines go on as they were: what was known just before tells, and stands beside each gap."""
    draw = np.random.default_rng(8)
    state = np.zeros(20, bool)
    rows: list[list[object]] = []
    for at in range(800):
        machine = at % 20
        state[machine] ^= draw.random() < 0.1
        day = str(np.datetime64("2023-01-01") + at // 2)
        rows.append([at, f"m{machine}", day, "yes" if state[machine] else "no"])
    truth = np.array([row[3] == "yes" for row in rows])
    gaps = np.sort(draw.permutation(800)[:150])
    said = {}
    for name, blank in (("among", gaps), ("later", np.arange(700, 800))):
        asked = [[*row[:3], "" if at in set(blank) else row[3]] for at, row in enumerate(rows)]
        file = write(tmp_path / name / "checks.csv", ["check", "machine", "day", "bad"], asked)
        result = study([file], "checks.bad", time="checks.day", folds=3)
        area = auc_roc(np.asarray(result.predictions["value"])[blank], truth[blank].astype(float))
        said[name] = (result.metrics["AUC-ROC"]["mean"], area)
        lies = "drawn at random" if name == "among" else "that lie later"
        assert lies in result.sentence
    assert abs(said["among"][0] - said["among"][1]) < 0.06
    assert said["among"][0] > said["later"][0] + 0.1


def test_the_future_is_told_by_what_will_be_known_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A machine that was bad yesterday is bad today, not in two months: what was known just before
    is known of no blank, and other checks' known labels are trusted less for it.
    """
    draw = np.random.default_rng(4)
    state, rows, truth = np.zeros(60, bool), list[list[object]](), []
    for at in range(3000):
        machine, old = at % 60, draw.random() < 0.5
        state[machine] = draw.random() < 0.3 if draw.random() < 0.1 else state[machine]
        truth.append(bool(draw.random() < (0.8 if state[machine] else 0.1 + 0.3 * old)))
        day = str(np.datetime64("2023-01-01") + at // 30)
        label = "" if at >= 2100 else "yes" if truth[-1] else "no"
        rows.append([at, f"m{machine}", day, "old" if old else "new", label])
    file = write(tmp_path / "checks.csv", ["check", "machine", "day", "part", "bad"], rows)
    asked = np.arange(2100, 3000)
    lost = []
    for whole in (False, True):
        if whole:
            monkeypatch.setattr(CandidateMatrix, "seen_as_asked", lambda self, target: self)
        result = study([file], "checks.bad", time="checks.day", folds=2)
        said = np.asarray(result.predictions["value"])[asked]
        lost.append(prediction_loss("yes/no", said, np.array(truth)[asked].astype(float)))
    assert lost[0] < lost[1] - 0.01


def test_a_newcomers_line_finds_the_planted_rings(tmp_path: Path) -> None:
    tables = [
        str(FRAUD / f"{name}.csv") for name in ("people", "companies", "directors", "addresses")
    ]
    called = CliRunner().invoke(
        app, ["study", *tables, "--predict", "people.is_fraud", "--out", str(tmp_path), "--json"]
    )
    assert called.exit_code == 0, called.output
    record = json.loads(called.stdout)
    assert set(record) >= {
        "target",
        "labelled",
        "asked",
        "metrics",
        "baselines",
        "rules",
        "seconds",
    }
    words = " / ".join(rule["words"] for rule in record["rules"])
    assert len(record["rules"]) <= 30
    assert "each known yes among other people that share companies with it" in words
    said = pd.read_csv(tmp_path / "predictions.csv").set_index("person_id")
    truth = pd.read_csv(FRAUD / "answers" / "people.csv").set_index("person_id")
    asked = said[~said["known"]]
    label = (truth.loc[asked.index, "is_fraud"] == "yes").to_numpy(float)
    planted = truth.loc[asked.index].select_dtypes("number").iloc[:, 0].to_numpy(float)
    assert auc_roc(asked["value"].to_numpy(float), label) >= 0.9 * auc_roc(planted, label)
    assert (asked["low"] <= asked["value"]).all()
    assert (asked["value"] <= asked["high"]).all()
    for name in ("report.html", "program.mln", "dataset.toml"):
        assert (tmp_path / name).stat().st_size > 200


def test_no_held_out_label_is_seen() -> None:
    path = TablePath("t", (Hop("shared", "c", "t"),))
    ties = Neighbours(np.array([0, 1, 1, 2]), np.array([1, 0, 2, 1]))
    matrix = CandidateMatrix(
        (Candidate(path, "labelled", label=1),), np.full((3, 1), np.nan), {path: ties}
    )
    labels = np.array([1.0, 0.0, 1.0])
    assert matrix.given(labels)[:, 0].tolist() == [0, 2, 0]
    hidden = np.array([1.0, 0.0, np.nan])
    assert matrix.given(hidden)[:, 0].tolist() == [0, 1, 0]


def test_a_fold_says_the_same_whatever_its_held_out_labels_are() -> None:
    rng = np.random.default_rng(2)
    n = 120
    path = TablePath("t", (Hop("shared", "c", "t"),))
    team = rng.integers(0, 25, n)
    one, other = np.nonzero((team[:, None] == team[None, :]) & ~np.eye(n, dtype=bool))
    candidates = (Candidate(path, "labelled", label=1), Candidate(path, "count"))
    X = np.column_stack((np.full(n, np.nan), rng.normal(size=n)))
    matrix = CandidateMatrix(candidates, X, {path: Neighbours(one, other)})
    labels = (rng.random(n) < 0.2 + 0.6 * (team % 2)).astype(float)
    held_out = np.arange(0, n, 4)
    training = np.setdiff1d(np.arange(n), held_out)
    said = []
    for changed in (labels, np.where(np.isin(np.arange(n), held_out), 1 - labels, labels)):
        fold = cross_validated_fold(
            matrix, Labelled("yes/no", changed), Settings(), (training, held_out), Conduct()
        )
        said.append([fold.predicted, *fold.baselines.values()])
    assert np.std(said[0][0]) > 0
    for first, second in zip(*said):
        np.testing.assert_array_equal(first, second)


def test_what_is_left_of_a_count_does_not_tell_a_rows_own_label() -> None:
    """Labels drawn at random in eight groups: given its group,
    a row's count of the others' labels is its own label.
    """
    draw = np.random.default_rng(0)
    groups, labels = np.repeat(np.arange(8), 30), (draw.random(240) < 0.3).astype(float)
    same = TablePath("t", (Hop("shared", "g", "t"),))
    source, target = np.nonzero((groups[:, None] == groups[None, :]) & ~np.eye(240, dtype=bool))
    own = [
        Candidate(
            TablePath("t"), "is", Onward((), Column("g", "category", tuple("abcdefgh"))), value=v
        )
        for v in "abcdefgh"
    ]
    candidates = (*own, *(Candidate(same, "labelled", label=label) for label in (0, 1)))
    X = np.column_stack((np.eye(8)[groups], np.full((240, 2), np.nan))).astype(np.float32)
    matrix = CandidateMatrix(candidates, X, {same: Neighbours(source, target)}, True)
    held_out = np.sort(draw.permutation(240)[:80])
    training = np.setdiff1d(np.arange(240), held_out)
    fold = cross_validated_fold(
        matrix, Labelled("yes/no", labels), Settings(), (training, held_out), Conduct()
    )
    lost = prediction_loss("yes/no", fold.predicted, labels[held_out])
    assert lost < 1.1 * prediction_loss("yes/no", fold.baselines["base rate"], labels[held_out])


def test_later_rows_change_nothing(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    days = pd.date_range("2021-01-01", periods=300, freq="2D")
    orders = [
        [i, f"c{rng.integers(20)}", str(day.date()), ["no", "yes"][int(rng.random() < 0.5)]]
        for i, day in enumerate(days)
    ]
    pays = [
        [i, f"c{rng.integers(20)}", str(day.date()), float(rng.integers(100))]
        for i, day in enumerate(days)
    ]
    last = 200
    customers = write(
        tmp_path / "customers.csv",
        ["customer_id", "size"],
        [[f"c{i}", i * 3 % 7] for i in range(20)],
    )

    def columns(amounts: list[list[object]]) -> np.ndarray:
        from workbench.study.columns import CandidateColumns
        from workbench.study.prepared import prepared
        from workbench.study.search import candidate_matrix
        from workbench.tables import find_sources, stage

        files = [
            write(tmp_path / "orders.csv", ["order_id", "customer_id", "placed", "late"], orders),
            write(
                tmp_path / "payments.csv", ["payment_id", "customer_id", "paid", "amount"], amounts
            ),
            customers,
        ]
        with stage(find_sources(files)) as staging:
            ready = prepared(staging, "orders.late", time="orders.placed")
            filled = CandidateColumns(staging, ready.schema, ready.typed, ready.rows, ready.times)
            matrix = candidate_matrix(filled, "orders")
            assert any(one.window for one in matrix.candidates)
            return np.column_stack([matrix.X[:last, at] for at in range(matrix.X.shape[1])])

    later = [row[3] for row in pays[last + 1 :]]
    shuffled = [
        *pays[: last + 1],
        *([*row[:3], value] for row, value in zip(pays[last + 1 :], reversed(later))),
    ]
    np.testing.assert_array_equal(columns(pays), columns(shuffled))


@pytest.mark.parametrize("learner", ["rules", "boosted_trees"])
def test_a_number_is_predicted_with_intervals(
    tmp_path: Path, learner: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.structure.boosted_trees.MOST_TREES", 40)
    rng = np.random.default_rng(1)
    cities = [[f"c{i}", round(float(rng.normal(50, 10)), 1)] for i in range(20)]
    houses: list[list[object]] = []
    for i in range(300):
        city, area = int(rng.integers(20)), float(rng.normal(100, 30))
        price = 2 * area + 3 * cities[city][1] + rng.normal() * 10  # type: ignore[operator]
        houses.append(
            [
                f"h{i}",
                f"c{city}",
                "NA" if i % 11 == 0 else round(area, 1),
                "" if i % 5 == 0 else round(price, 2),
            ]
        )
    files = [
        write(tmp_path / "cities.csv", ["city_id", "income"], cities),
        write(tmp_path / "houses.csv", ["house", "city_id", "area", "price"], houses),
    ]
    result = study(files, "houses.price", folds=3, learner=learner)  # type: ignore[arg-type]
    assert result.kind == "number"
    ours, base = result.metrics["MAE"]["mean"], result.baselines["base rate"]["MAE"]["mean"]
    assert ours is not None
    assert base is not None
    assert "linear regression on own columns" in result.baselines
    assert ours < 0.5 * base
    asked = result.predictions[~result.predictions["known"]]
    assert len(asked) == result.asked == 60
    assert (asked["low"] < asked["value"]).all()
    write_study(result, tmp_path / "out")
    said = inferred(tmp_path / "out", files)
    assert said == {
        (key,): value for key, value in zip(asked["house"], asked["value"].astype(float))
    }
    new = [
        write(tmp_path / "new" / "cities.csv", ["city_id", "income"], cities[:3]),
        write(
            tmp_path / "new" / "houses.csv",
            ["house", "city_id", "area", "price"],
            [["n1", "c0", 120.5, ""]],
        ),
    ]
    assert 150 < inferred(tmp_path / "out", new)[("n1",)] < 550


def inferred(out: Path, files: list[Path]) -> dict[tuple[str, ...], float]:
    """What `infer` says of a study's program: by the atom's constants."""
    data = [part for file in files for part in ("--data", str(file))]
    line = ["infer", str(out / "program.mln"), *data, "--mapping", str(out / "dataset.toml")]
    called = CliRunner().invoke(app, [*line, "--out", str(out / "inferred.csv")])
    assert called.exit_code == 0, called.output
    said = pd.read_csv(out / "inferred.csv")
    atoms = [parse_atom(atom) for atom in said["atom"]]
    return {atom[1]: value for atom, value in zip(atoms, said["value"]) if atom is not None}


def assert_infer_says_the_same(
    out: Path, files: list[Path], found: StudyResult, key: str, n_asked: int
) -> None:
    """A study's program and mapping give the rows without a value, `n_asked` of them, what the
    study does.
    """
    (out / "program.mln").write_text(found.program, encoding="utf-8")
    (out / "dataset.toml").write_text(found.mapping, encoding="utf-8")
    said = inferred(out, files)
    asked = found.predictions[~found.predictions["known"]]
    assert len(asked) == n_asked
    assert {one: said[(one,)] for one in asked[key]} == pytest.approx(
        dict(zip(asked[key], asked["value"])), abs=1e-12
    )


@pytest.mark.parametrize("learner", ["rules", "boosted_trees"])
def test_a_category_is_told_by_all_its_values(
    tmp_path: Path, learner: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.structure.boosted_trees.MOST_TREES", 20)
    rng = np.random.default_rng(0)
    rows = []
    for i in range(120):
        x, y = rng.normal(size=2)
        kind = "north" if x > 0.5 else "south east" if y > 0 else "west"
        rows.append([round(float(x), 3), round(float(y), 3), "" if i % 10 == 0 else kind])
    file = write(tmp_path / "points.csv", ["x", "y", "place"], rows)
    result = study([file], "points.place", folds=2, learner=learner)  # type: ignore[arg-type]
    accuracy = result.metrics["accuracy"]["mean"]
    assert accuracy is not None
    assert accuracy > 0.75
    assert set(result.predictions["value"]) <= {"north", "south east", "west"}
    assert len(result.rules) <= 30 or learner == "boosted_trees"
    write_study(result, tmp_path / "out")
    said = inferred(tmp_path / "out", [file])
    asked = result.predictions[~result.predictions["known"]]
    assert len(said) == 3 * len(asked)
    for row, value, probability in zip(
        asked["row"].astype(str), asked["value"], asked["probability"]
    ):
        of_row = {key[1]: found for key, found in said.items() if key[0] == row}
        assert sum(of_row.values()) == pytest.approx(1)
        assert of_row[value] == max(of_row.values()) == probability


def test_a_key_that_refers_to_another_table_leads_there(tmp_path: Path) -> None:
    """Ballots of people: the ballot's key is the person's; what is known of the person,
    and of medals, counts.
    """
    rng = np.random.default_rng(3)
    people = [[f"p{i}", round(float(rng.normal(180, 9)), 1)] for i in range(160)]
    medals = [[n, f"p{rng.integers(160)}"] for n in range(240)]
    won = {person: sum(1 for _, who in medals if who == person) for person, _ in people}
    ballots: list[list[object]] = []
    for place, (person, _) in enumerate(people[:140]):
        ballots.append([person, "" if place % 7 == 0 else "yes" if won[person] >= 2 else "no"])
    files = [
        write(tmp_path / "people.csv", ["person", "height"], people),
        write(tmp_path / "medals.csv", ["medal", "person"], medals),
        write(tmp_path / "ballots.csv", ["person", "inducted"], ballots),
    ]
    result = study(files, "ballots.inducted", folds=2)
    area = result.metrics["AUC-ROC"]["mean"]
    assert area is not None
    assert area > 0.95
    assert any("medals" in rule.words for rule in result.rules)
    write_study(result, tmp_path / "out")
    asked = result.predictions[~result.predictions["known"]]
    said = inferred(tmp_path / "out", files)
    assert [said[(person,)] for person in asked["person"]] == asked["value"].astype(float).tolist()


def test_a_rule_names_the_words_that_tell(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    has = rng.random((400, 60)) < np.geomspace(0.5, 0.05, 60)
    told = np.where(has[:, 44] | has[:, 51], "yes", "no")
    pages = write(
        tmp_path / "pages.csv", ["page", "of_interest"], [[f"P{k:03}", told[k]] for k in range(400)]
    )
    cells = [[f"P{k:03}", f"w{word:02}"] for k, word in zip(*np.nonzero(has))]
    words = write(tmp_path / "words.csv", ["page", "word"], cells)
    result = study([pages, words], "pages.of_interest", folds=2, rules=4)
    assert result.metrics["AUC-ROC"]["mean"] > 0.97
    named = " ".join(rule.words for rule in result.rules)
    assert "its words with word among w44, w51:" in named, "those that tell, and no other"


def test_a_rule_names_the_products_that_tell_on_new_tables_too(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    bought = np.minimum(rng.geometric(0.03, (500, 6)), 260) - 1
    told = np.where(((bought == 9) | (bought == 20)).any(axis=1), "yes", "no")
    told[::9] = ""
    customers = write(
        tmp_path / "customers.csv", ["customer", "churn"], [[f"C{k}", told[k]] for k in range(500)]
    )
    products = write(
        tmp_path / "products.csv",
        ["product", "name", "shelf"],
        [[f"P{k}", f"Tea no. {k}", "AB"[k % 2]] for k in range(260)],
    )
    lines = [[f"K{k}-{at}", f"C{k}", f"P{bought[k, at]}"] for k in range(500) for at in range(6)]
    purchases = write(tmp_path / "purchases.csv", ["purchase", "customer", "product"], lines)
    files = [customers, products, purchases]
    result = study(files, "customers.churn", folds=2, rules=3, out=tmp_path)
    named = " ".join(rule.words for rule in result.rules)
    assert "with product among Tea no. 9 (P9), Tea no. 20 (P20):" in named
    for rule in result.rules:
        if rule.weight > 1:
            assert rule.rate_with is not None
            assert rule.rate_without is not None
            assert rule.rate_with > rule.rate_without
            assert rule.lift is not None or rule.rate_without == 0, "all yes are among its rows"
    (tmp_path / "program.mln").write_text(result.program, encoding="utf-8")
    (tmp_path / "dataset.toml").write_text(result.mapping, encoding="utf-8")
    said = inferred(tmp_path, files)
    asked = result.predictions[~result.predictions["known"]]
    assert {key: said[(key,)] for key in asked["customer"]} == dict(
        zip(asked["customer"], asked["value"])
    )


def test_letters_of_every_alphabet_name_definitions(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    streets = rng.integers(0, 9, 90)
    late = [("nein" if street < 5 else "ja") if n % 3 else "" for n, street in enumerate(streets)]
    bought = [[f"k{n}", f"s{streets[n]}", late[n]] for n in range(90)]
    known = [[f"s{n}", 100 * n + 17, 5 - n % 3] for n in range(9)]
    files = [
        write(tmp_path / "käufe.csv", ["kauf", "straße", "pünktlich"], bought),
        write(tmp_path / "straßen.csv", ["straße", "fläche", "层"], known),
    ]
    result = study(files, "käufe.pünktlich", folds=2)
    assert any(name in result.program for name in ("FlächeStraßen", "V层Straßen"))
    asked = result.predictions[~result.predictions["known"]]
    assert len(asked) == 30
    assert asked["value"].between(0, 1).all()


def test_fifty_rows_are_enough_and_three_are_not(tmp_path: Path) -> None:
    rows = [[i, i % 7, "yes" if i % 7 > 3 else "no"] for i in range(50)]
    result = study([write(tmp_path / "t.csv", ["id", "size", "good"], rows)], "t.good")
    area = result.metrics["AUC-ROC"]["mean"]
    assert area is not None
    assert area > 0.9
    with pytest.raises(InputError, match="E0630"):
        study([write(tmp_path / "t.csv", ["id", "size", "good"], rows[2:6])], "t.good")


def test_what_cannot_be_is_said(tmp_path: Path) -> None:
    table = write(
        tmp_path / "t.csv",
        ["id", "size", "good"],
        [[i, i % 7, "yes" if i % 3 else "no"] for i in range(50)],
    )
    for wrong, code in (
        ({"time": "t.size"}, "E0632"),
        ({"folds": 1}, "E0633"),
        ({"rules": 0}, "E0634"),
        ({"learner": "x"}, "E0635"),
    ):
        with pytest.raises(UsageError, match=code):
            study([table], "t.good", **wrong)  # type: ignore[arg-type]
    same = write(
        tmp_path / "t.csv",
        ["id", "size", "good"],
        [[i, 1, "yes" if i % 3 else "no"] for i in range(50)],
    )
    with pytest.raises(InputError, match="E0631"):
        study([same], "t.good")


def test_a_leak_is_said_and_left_out(tmp_path: Path) -> None:
    rows = [
        [i, i * 37 % 11, "2024-05-01" if i % 4 == 0 else "", "yes" if i % 4 == 0 else "no"]
        for i in range(80)
    ]
    result = study(
        [write(tmp_path / "t.csv", ["id", "size", "closed_on", "bad"], rows)], "t.bad", folds=2
    )
    assert any(one.code == "E0244" for one in result.warnings)
    assert all("closed" not in rule.words for rule in result.rules)


def test_time_runs_out_with_an_answer() -> None:
    tables = [FRAUD / f"{name}.csv" for name in ("people", "companies", "directors", "addresses")]
    result = study(tables, "people.is_fraud", time_limit=0.0)
    assert result.status == "limit"
    assert len(result.predictions) == result.labelled + result.asked


def test_a_study_hears_a_cancel_while_it_reads(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    progress = Progress()

    def slow(staging: Staging, predict: str, **options: Any) -> None:
        progress.cancel_event.set()
        staging.rows("SELECT sum(a.range) FROM range(1000000) a, range(10000000) b")

    monkeypatch.setattr("workbench.verbs.studying.study.prepared", slow)
    with pytest.raises(Cancelled):
        study([write(tmp_path / "t.csv", ["id", "bad"], [[1, "no"]])], "t.bad", progress=progress)


def test_a_study_that_hears_nothing_is_left_with_the_folds_so_far(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cancel, ended, folds = Event(), Event(), count()

    def deaf(*arguments: Any) -> FoldRun:
        if next(folds):
            cancel.set()
            ended.wait()
        return cross_validated_fold(*arguments)

    monkeypatch.setattr("workbench.study.run.cross_validated_fold", deaf)
    monkeypatch.setattr("workbench.leaving.GRACE", 0.01)
    tables = [FRAUD / f"{name}.csv" for name in ("people", "companies", "directors", "addresses")]
    result = study(tables, "people.is_fraud", progress=Progress(cancel_event=cancel))
    ended.set()
    assert result.status == "cancelled"
    assert result.rules
    assert result.metrics


def test_the_hour_of_a_moment_is_looked_at(tmp_path: Path) -> None:
    """Calls at night are answered less; the program asks the same of new rows."""
    rng = np.random.default_rng(7)
    minutes = rng.integers(0, 300 * 24 * 60, 400)
    moments = [datetime(2024, 1, 1) + timedelta(minutes=int(one)) for one in minutes]
    chance = [0.1 if one.hour >= 20 else 0.8 for one in moments]
    rows = [
        [f"K{at}", f"{one:%Y-%m-%dT%H:%M:%S}Z", "" if at % 8 == 0 else "yes" if yes else "no"]
        for at, (one, yes) in enumerate(zip(moments, rng.random(400) < chance))
    ]
    calls = write(tmp_path / "calls.csv", ["call", "at", "answered"], rows)
    result = study([calls], "calls.answered", folds=2, rules=4, out=tmp_path)
    assert "hour of the at is 20:00 or later" in " ".join(rule.words for rule in result.rules)
    (tmp_path / "program.mln").write_text(result.program, encoding="utf-8")
    (tmp_path / "dataset.toml").write_text(result.mapping, encoding="utf-8")
    said = inferred(tmp_path, [calls])
    asked = result.predictions[~result.predictions["known"]]
    assert {key: said[(key,)] for key in asked["call"]} == dict(zip(asked["call"], asked["value"]))


def test_the_share_of_rows_at_night_is_looked_at(tmp_path: Path) -> None:
    """Cards used at night are fraud; the program asks the same of new rows."""
    rng = np.random.default_rng(8)
    cards, payments = [], []
    for at in range(240):
        nightly = float(rng.choice([0.05, 0.4]))
        for _ in range(int(rng.integers(4, 20))):
            hour = int(rng.integers(22, 24) if rng.random() < nightly else rng.integers(7, 21))
            payments.append([f"C{at}", f"2024-01-{int(rng.integers(1, 29)):02d} {hour:02d}:30:00"])
        label = "yes" if nightly > 0.2 else "no"
        cards.append([f"C{at}", int(rng.integers(1, 9)), "" if at % 8 == 0 else label])
    files = [
        write(tmp_path / "cards.csv", ["card", "limit", "fraud"], cards),
        write(tmp_path / "payments.csv", ["card", "paid"], payments),
    ]
    result = study(files, "cards.fraud", folds=2, rules=4, out=tmp_path)
    assert result.metrics["AUC-ROC"]["mean"] > 0.95
    words = " ".join(rule.words for rule in result.rules)
    assert "its payments with paid 22:00 or later" in words
    (tmp_path / "program.mln").write_text(result.program, encoding="utf-8")
    (tmp_path / "dataset.toml").write_text(result.mapping, encoding="utf-8")
    said = inferred(tmp_path, files)
    asked = result.predictions[~result.predictions["known"]]
    assert {key: said[(key,)] for key in asked["card"]} == dict(zip(asked["card"], asked["value"]))
