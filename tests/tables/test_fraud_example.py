"""The bundled fraud example: its generator makes the files that ship;
loading gives labels and questions.
"""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path

import workbench as wb
from workbench.database import facts_page
from workbench.resources import shipped

FRAUD = shipped("data", "fraud")


def test_the_generator_makes_the_files_that_ship(tmp_path: Path) -> None:
    subprocess.run([sys.executable, FRAUD / "generate.py", "--out", tmp_path], check=True)
    made = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*.csv"))
    assert made == sorted(path.relative_to(FRAUD) for path in FRAUD.rglob("*.csv"))
    assert all((tmp_path / path).read_bytes() == (FRAUD / path).read_bytes() for path in made)


def test_labels_are_truth_and_blanks_are_asked(tmp_path: Path) -> None:
    with wb.open() as ws:
        ws.load(FRAUD / "dataset.toml")
        truth = facts_page(ws.database, "IsFraud", partition="truth", limit=10_000).rows
        asked = facts_page(ws.database, "IsFraud", partition="target", limit=10_000).rows
        assert facts_page(ws.database, "IsFraud", partition="evidence").total == 0
        assert ws.database.setting("query") == "IsFraud"
    assert (len(truth), len(asked)) == (852, 348)
    assert {row[2] for row in truth} == {0.0, 1.0}
    assert {row[2] for row in asked} == {None}


def test_predictions_and_explanations_say_what_people_call_things(tmp_path: Path) -> None:
    rules = (
        "IsFraud(person)\nPhoneVerified(person)\n-1 IsFraud(x)\n0.9 !PhoneVerified(x) => "
        "IsFraud(x)\n"
    )
    with (FRAUD / "people.csv").open(encoding="utf-8") as stream:
        people = list(csv.DictReader(stream))
    person = next(one for one in people if not one["is_fraud"])
    first = (person["person_id"], person["name"])
    with wb.open() as ws:
        ws.load(FRAUD / "dataset.toml")
        result = ws.infer(rules, query="IsFraud", record=False)
        frame = result.predictions().set_index("atom")
        said = f"IsFraud({first[1]} ({first[0]}))"
        assert frame.loc[f"IsFraud({first[0]})", "shown"] == said
        assert result.explain(f"IsFraud({first[0]})").sentence().startswith(said)
        ws.save_as(tmp_path / "copy.duckdb")
    with wb.open(tmp_path / "copy.duckdb") as copy:
        assert (
            copy.infer(rules, query="IsFraud", record=False).names["person"][first[0]] == first[1]
        )
