"""What rules read beyond a row's own rows: of which kind the table between is, what others share,
what a number is beside one of what the row refers to.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.study.test_definitions_and_columns import assert_definitions_say_columns
from tests.study.test_study import inferred, write
from workbench.study.fitting import candidates_for
from workbench.study.prepared import prepared
from workbench.study.words import candidate_words
from workbench.tables import find_sources, stage
from workbench.verbs.studying.study import study


def test_a_rule_names_the_kind_of_the_table_between(tmp_path: Path) -> None:
    """A machine fails where a temperature was high, whatever its pressures."""
    rng = np.random.default_rng(4)
    machines, sensors, readings = [], [], []
    for machine in range(300):
        heat = 0.0
        for kind in ("heat", "pressure", "sound"):
            sensors.append([f"s{machine}{kind}", machine, kind])
            values = rng.normal(50, 10, 4).round(1)
            heat = values.max() if kind == "heat" else heat
            readings += [[f"s{machine}{kind}", value] for value in values]
        machines.append([machine, "yes" if heat > 62 else "no"])
    files = [
        write(tmp_path / "machines.csv", ["machine", "failed"], machines),
        write(tmp_path / "sensors.csv", ["sensor", "machine", "kind"], sensors),
        write(tmp_path / "readings.csv", ["sensor", "value"], readings),
    ]
    found = study(files, "machines.failed", folds=2)
    assert found.metrics["AUC-ROC"]["mean"] > 0.95
    assert any(
        "greatest value of readings of its sensors with sensor's kind = heat" in rule.words
        for rule in found.rules
    )


def test_known_labels_reach_rows_of_those_who_share_a_value(tmp_path: Path) -> None:
    """Loans default by the telephone of their client; five or six clients share one."""
    rng = np.random.default_rng(5)
    bad = rng.random(60) < 0.4
    clients = [[f"c{i}", f"+4970{i % 60:04}", int(rng.integers(20, 70))] for i in range(340)]
    loans = [
        [
            n,
            f"c{n % 340}",
            int(rng.integers(1, 99)),
            "yes" if n % 9 and bad[n % 340 % 60] else "no" if n % 9 else "",
        ]
        for n in range(360)
    ]
    files = [
        write(tmp_path / "loans.csv", ["loan", "client", "amount", "defaulted"], loans),
        write(tmp_path / "clients.csv", ["client", "phone", "age"], clients),
    ]
    found = study(files, "loans.defaulted", folds=2, out=tmp_path / "out")
    assert any("other clients with the same phone as its client" in r.words for r in found.rules)
    (tmp_path / "out" / "program.mln").write_text(found.program, encoding="utf-8")
    (tmp_path / "out" / "dataset.toml").write_text(found.mapping, encoding="utf-8")
    said = inferred(tmp_path / "out", files)
    asked = found.predictions[~found.predictions["known"]]
    assert {int(key): said[(str(key),)] for key in asked["loan"]} == pytest.approx(
        dict(zip(asked["loan"].astype(int), asked["value"])), abs=1e-12
    )
    assert found.metrics["AUC-ROC"]["mean"] > 0.95


def test_an_own_number_is_divided_by_one_of_what_it_refers_to(tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    incomes = np.exp(rng.normal(8, 1, 150)).round()
    amounts = np.exp(rng.normal(8, 1, 600)).round()
    clients = [[f"c{i}", int(income)] for i, income in enumerate(incomes)]
    loans = [
        [n, f"c{n % 150}", int(amount), "yes" if amount > incomes[n % 150] else "no"]
        for n, amount in enumerate(amounts)
    ]
    files = [
        write(tmp_path / "loans.csv", ["loan", "client", "amount", "defaulted"], loans),
        write(tmp_path / "clients.csv", ["client", "income"], clients),
    ]
    found = study(files, "loans.defaulted", folds=2)
    assert any("amount divided by its client's income" in rule.words for rule in found.rules)
    assert found.metrics["AUC-ROC"]["mean"] > 0.97


def test_one_row_of_two_kinds_at_once_is_told_from_two_rows_of_one_each(tmp_path: Path) -> None:
    """An actor is honoured for a leading role in a tragedy;
    a small part in one and the lead of a farce are nothing.
    """
    rng = np.random.default_rng(7)
    genres = [("tragedy", "comedy", "farce")[n] for n in rng.integers(0, 3, 80)]
    cast, honoured = set(), set()
    for play, genre in enumerate(genres):
        for actor in rng.choice(200, 8, replace=False):
            role = ("lead", "support")[int(rng.random() < 0.7)]
            cast.add((f"p{play}", f"a{actor}", role))
            if role == "lead" and genre == "tragedy":
                honoured.add(actor)
    actors = [[f"a{n}", ("yes" if n in honoured else "no") if n % 8 else ""] for n in range(200)]
    files = [
        write(tmp_path / "actors.csv", ["actor", "honoured"], actors),
        write(
            tmp_path / "plays.csv",
            ["play", "genre"],
            [[f"p{n}", genre] for n, genre in enumerate(genres)],
        ),
        write(tmp_path / "cast.csv", ["play", "actor", "role"], sorted(cast)),
    ]
    found = study(files, "actors.honoured", folds=2)
    assert any("with play's genre = tragedy and role = lead" in one.words for one in found.rules)
    assert found.metrics["AUC-ROC"]["mean"] > 0.99
    (tmp_path / "program.mln").write_text(found.program, encoding="utf-8")
    (tmp_path / "dataset.toml").write_text(found.mapping, encoding="utf-8")
    said = inferred(tmp_path, files)
    asked = found.predictions[~found.predictions["known"]]
    assert {key: said[(key,)] for key in asked["actor"]} == pytest.approx(
        dict(zip(asked["actor"], asked["value"])), abs=1e-12
    )


@pytest.mark.parametrize("timed", [True, False])
def test_numbers_of_another_scale_in_rows_of_another_kind_are_read_by_kind(
    tmp_path: Path, timed: bool
) -> None:
    """Nothing is made of heat and pressure together; of two that are alike all is."""
    rng = np.random.default_rng(8)
    days = ["2024-01-05", "2024-02-10", "2024-03-01", "2024-03-09"]
    sensors = [[f"s{at}", f"m{at // 2}", ("heat", "pressure")[at % 2]] for at in range(120)]
    readings = [
        [f"s{at}", day, round(rng.normal(60, 5) if at % 2 == 0 else rng.normal(3, 1), 2), mark]
        for at in range(120)
        for day, mark in zip(days, rng.integers(9, size=4))
    ]
    checks = [
        [f"k{at}", f"m{at % 60}", days[at % 4], rng.choice(["yes", "no", ""])] for at in range(240)
    ]
    files = [
        write(tmp_path / "machines.csv", ["machine"], [[f"m{at}"] for at in range(60)]),
        write(tmp_path / "sensors.csv", ["sensor", "machine", "kind"], sensors),
        write(tmp_path / "readings.csv", ["sensor", "day", "value", "mark"], readings),
        write(tmp_path / "checks.csv", ["check", "machine", "asked", "failed"], checks),
    ]
    with stage(find_sources(files)) as staging:
        ready = prepared(staging, "checks.failed", time="checks.asked" if timed else None)
        made = candidates_for(staging, ready, np.arange(240), collective=False)
        words = [candidate_words(one, timed=timed) for one in made.candidates]
        of_readings = [one for one in words if "readings" in one]
        mixed = [one for one in of_readings if "value" in one and "kind" not in one]
        assert not [one for one in mixed if "different" not in one]
        heat = "mean value of readings of sensors of its machine with sensor's kind = heat"
        assert words.count(heat) == 1
        assert (f"{heat} in the last 30 days" in words) == timed
        assert "mean mark of readings of sensors of its machine" in words
        some = [one for one, said in zip(made.candidates, words) if "kind = heat" in said]
        assert_definitions_say_columns(staging, ready, some[::4], rng)
