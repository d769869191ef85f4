"""The program of a study gives the values of the study, and its reasons add up."""

from __future__ import annotations

from datetime import date, timedelta
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import workbench as wb
from benchmarks.study import business_tables
from tests.study.test_study import FRAUD, inferred, write
from workbench.cli import app
from workbench.study.report import write_study
from workbench.study.result import StudyResult
from workbench.verbs.studying.inference import with_inferred
from workbench.verbs.studying.study import study


def test_the_program_says_what_the_study_says(tmp_path: Path) -> None:
    tables = [
        str(FRAUD / f"{name}.csv") for name in ("people", "companies", "directors", "addresses")
    ]
    result = study(tables, "people.is_fraud", folds=2, out=tmp_path)
    (tmp_path / "program.mln").write_text(result.program, encoding="utf-8")
    (tmp_path / "dataset.toml").write_text(result.mapping, encoding="utf-8")
    data = [part for table in tables for part in ("--data", table)]
    line = [
        "infer",
        str(tmp_path / "program.mln"),
        *data,
        "--mapping",
        str(tmp_path / "dataset.toml"),
    ]
    called = CliRunner().invoke(app, [*line, "--out", str(tmp_path / "said.csv")])
    assert called.exit_code == 0, called.output
    said = pd.read_csv(tmp_path / "said.csv").set_index("atom")["value"]
    asked = result.predictions[~result.predictions["known"]]
    found = said.loc[[f"IsFraud({person})" for person in asked["person_id"]]]
    np.testing.assert_array_equal(found.to_numpy(), asked["value"].to_numpy(float))
    assert_kept(tmp_path / "workspace.duckdb", result, asked["value"].to_numpy(float))
    assert_explained(result, dict(zip(asked["person_id"], asked["value"])))


def assert_explained(result: StudyResult, values: dict[str, float]) -> None:
    """The rows that are asked are explained first, the surest before the others,
    with the values of the predictions, which add up; then the known ones.
    """
    asked = [one for one in result.explanations if not one.known]
    assert list(result.explanations[: len(asked)]) == asked
    assert len(result.explanations) == len(asked) + result.labelled
    told = {one.name[one.name.rindex("(") + 1 : -1]: one for one in asked}
    assert {key: one.value for key, one in told.items()} == values
    assert [one.value for one in asked] == sorted(values.values(), reverse=True)
    for one in told.values():
        parts = one.parts()
        assert sum(adds for _, adds in parts) == pytest.approx(
            np.log(one.value / (1 - one.value)), abs=2e-3
        )
        assert parts[0] == ("what every row begins with", one.begins)
    # Rings are found by all their members at once.
    assert any(abs(one.jointly) > 0.01 for one in told.values())


def assert_kept(place: Path, result: StudyResult, values: Any) -> None:
    """The workspace beside a study has the tables, the rules, what was inferred,
    and what the folds held out.
    """
    with wb.open(place) as ws:
        kept, inferred = ws.runs.all()
        assert (kept.kind, inferred.kind) == ("study", "infer")
        assert sorted(ws.runs.predictions(inferred.id)["value"]) == pytest.approx(
            sorted(values), abs=0
        )
        assert f"run {kept.id}" in ws.runs.standing(inferred.id).text
        scores = ws.runs.metric_summary(ws.runs.scores_by_fold(kept.id)).set_index("metric")["mean"]
        for name in ("AUC-ROC", "F1", "precision", "recall", "accuracy"):
            assert scores[name] == pytest.approx(result.metrics[name]["mean"], abs=1e-12)
        assert (ws.rules.at_hand()[0], ws.recall("query")) == (result.program, "IsFraud")
        atom = str(ws.runs.predictions(inferred.id)["atom"][0])
        assert ws.data.shown([atom, "no atom"]) == [
            ws.reopen(inferred.id).explain(atom).shown,
            "no atom",
        ]
        assert ws.data.shown([atom])[0] in unescape(ws.runs.report(inferred.id))
        # Weights of large and small numbers are told for steps, in the program for one.
        words = {
            rule.words.rsplit(":", 1)[0]
            for rule in result.rules
            if rule.words.endswith(f": {rule.weight:+.3g}")
        }
        assert len(words) >= len(result.rules) / 2
        assert words <= set(ws.models.rules(inferred.id)["description"])
        largest = (
            ws.reopen(inferred.id)
            .explain(ws.runs.predictions(inferred.id)["atom"][0])
            .by_rule()[0][0]
        )
        assert largest in set(ws.models.rules(inferred.id)["formula"])


def test_a_program_over_a_relation_says_what_the_study_says(tmp_path: Path) -> None:
    """Directors have no key: shares and numbers of them count pairs,
    and who they are is an argument, no column.
    """
    files = []
    for name, frame in business_tables(2000, seed=0).items():
        files.append(tmp_path / f"{name}.csv")
        frame.to_csv(files[-1], index=False)
    result = study(files, "people.late", folds=2)
    assert "share(" in result.program or "count(" in result.program
    assert not result.warnings
    write_study(result, tmp_path / "out")
    asked = result.predictions[~result.predictions["known"]]
    said = inferred(tmp_path / "out", files)
    assert [said[(person,)] for person in asked["person_id"]] == asked["value"].astype(
        float
    ).tolist()


def test_a_friend_counts_whoever_asked_whom(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each tie is written once. Those of whom blanks are friends are all known, so that the program
    says what the rules say, and nothing is told jointly.
    """
    before: list[pd.DataFrame] = []

    def kept(staging: Any, ready: Any, result: StudyResult, explain: Any, **given: Any) -> Any:
        before.append(result.predictions.copy())
        return with_inferred(staging, ready, result, explain, **given)

    monkeypatch.setattr("workbench.verbs.studying.study.with_inferred", kept)
    rng = np.random.default_rng(2)
    group = rng.integers(40, size=400)
    yes = rng.random(400) < np.where(group % 2, 0.85, 0.1)
    blank = rng.random(400) < 0.2
    ties = [
        (one, int(other))
        for one in range(400)
        for other in rng.choice(np.flatnonzero(group == group[one]), 2)
        if one != other and not (blank[one] and blank[other])
    ]
    said = np.where(blank, "", np.where(yes, "yes", "no"))
    files = [
        write(tmp_path / "users.csv", ["nick", "bot"], [[f"u{k}", said[k]] for k in range(400)]),
        write(tmp_path / "friends.csv", ["one", "other"], [[f"u{a}", f"u{b}"] for a, b in ties]),
    ]
    found = study(files, "users.bot", folds=2)
    assert "^ Bot(y) => Bot(x)" in found.program
    own = before[0][~before[0]["known"]]
    asked = found.predictions[~found.predictions["known"]]
    assert list(asked["value"]) == pytest.approx(list(own["value"].astype(float)), abs=1e-6)


def test_a_program_over_dates_says_what_the_study_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ages, what was paid before each order was placed, and how long ago:
    definitions with and without a time. A client has one blank order at most, so that rules over
    other orders' labels count known ones alone, and nothing is told jointly.
    """
    rng = np.random.default_rng(5)
    begin = date(2024, 1, 1)
    clients = [
        [f"c{i}", (date(1950, 1, 1) + timedelta(days=int(rng.integers(20_000)))).isoformat()]
        for i in range(40)
    ]
    paid = [
        [
            n,
            f"c{rng.integers(40)}",
            (begin + timedelta(days=int(rng.integers(700)))).isoformat(),
            int(rng.integers(90)),
        ]
        for n in range(500)
    ]
    orders: list[list[object]] = []
    asked: set[str] = set()
    for n in range(360):
        client, day = f"c{rng.integers(40)}", begin + timedelta(days=int(rng.integers(120, 700)))
        recent = [
            amount for _, who, when, amount in paid if who == client and when <= day.isoformat()
        ]
        born = date.fromisoformat(str(clients[int(client[1:])][1]))
        z = 0.8 * len(recent) - 4 + (2 if born.year > 1985 else -1)
        late = "yes" if rng.random() < 1 / (1 + np.exp(-z)) else "no"
        orders.append([f"o{n}", client, day.isoformat(), late if client in asked else ""])
        asked.add(client)
    files = [
        write(tmp_path / "clients.csv", ["client", "born"], clients),
        write(tmp_path / "payments.csv", ["payment", "client", "paid_on", "amount"], paid),
        write(tmp_path / "orders.csv", ["order", "client", "placed", "late"], orders),
    ]
    learned: list[pd.DataFrame] = []

    def kept(staging: Any, ready: Any, result: Any, explain: Any, **given: Any) -> Any:
        learned.append(result.predictions.copy())
        return with_inferred(staging, ready, result, explain, **given)

    monkeypatch.setattr("workbench.verbs.studying.study.with_inferred", kept)
    for time in ("orders.placed", None):
        result = study(files, "orders.late", time=time, folds=2)
        assert not [note.message for note in result.warnings if "row by row" in str(note.help)]
        assert ":=" in result.program
        model = result.predictions[~result.predictions["known"]]["value"].to_numpy(float)
        assert np.ptp(model) > 0.1
        rules = learned.pop()
        np.testing.assert_allclose(
            model, rules[~rules["known"]]["value"].to_numpy(float), atol=1e-9
        )


def _late_people(tmp_path: Path) -> list[Path]:
    ages = np.random.default_rng(4).integers(20, 70, 60).tolist()
    people: list[list[object]] = [
        [f"p{n}", age, "" if n % 6 == 0 else "yes" if age > 45 else "no"]
        for n, age in enumerate(ages)
    ]
    return [write(tmp_path / "people.csv", ["person", "age", "late"], people)]


def test_inference_cut_off_before_a_sample_leaves_what_the_rules_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "workbench.verbs.studying.inference.joint_values",
        lambda *_: {(f"p{n}",): np.nan for n in range(60)},
    )
    result = study(_late_people(tmp_path), "people.late", folds=2, out=tmp_path / "out")
    assert [note.code for note in result.warnings if "first sample" in note.message] == ["E0637"]
    _assert_rules_told_the_blanks(result)


def test_tables_that_take_longer_to_load_than_is_left_are_not_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.verbs.studying.inference.A_ROW", 10.0)
    result = study(_late_people(tmp_path), "people.late", folds=2, time_limit=300)
    assert [note.code for note in result.warnings if "left no time" in note.message] == ["E0637"]
    _assert_rules_told_the_blanks(result)


def _assert_rules_told_the_blanks(result: StudyResult) -> None:
    asked = result.predictions[~result.predictions["known"]]["value"].to_numpy(float)
    assert np.ptp(asked) > 0.1
    assert result.explanations
