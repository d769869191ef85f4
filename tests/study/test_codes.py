"""Codes whose first characters say of which kind they are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.study.test_study import inferred, write
from workbench.study.codes import beginnings
from workbench.study.schema import relational_schema
from workbench.tables import find_sources, propose, stage, type_tables
from workbench.verbs.studying.study import study


@pytest.mark.parametrize(
    ("cells", "lengths"),
    [
        ([f"I{a}.{b}" for a in (20, 21, 25, 50) for b in range(4)], [2, 3]),
        ([f"{land}-{n}" for land in ("DE", "FR") for n in range(7, 99, 9)], [2]),
        ([f"{a}{b}{c}" for a in "12" for b in "345" for c in "0189"], [1, 2]),
        (["red house", "long river", "last night", "a road", "one", "two", "three", "no"], []),
        (["Ulm", "Kassel", "Jena", "Gera", "Bonn", "Kiel", "Köln", "Riga", "Oslo"], []),
    ],
)
def test_lengths_at_which_codes_part(cells: list[str], lengths: list[int], tmp_path: Path) -> None:
    file = write(tmp_path / "t.csv", ["n", "code"], [[i, c] for i, c in enumerate(cells * 8)])
    with stage(find_sources([file])) as staging:
        typed = dict(type_tables(staging, propose(staging)))["t"]
        found = beginnings(staging, typed, "code")
    assert [one.beginning for one in found] == lengths


def test_numbers_one_after_the_other_are_no_codes(tmp_path: Path) -> None:
    file = write(tmp_path / "t.csv", ["n", "code"], [[i, f"K{i % 90:04}"] for i in range(900)])
    with stage(find_sources([file])) as staging:
        typed = dict(type_tables(staging, propose(staging)))["t"]
        assert not beginnings(staging, typed, "code", numbered=(typed, "code"))
        assert beginnings(staging, typed, "code")


def test_references_to_a_few_of_many_numbered_things_are_no_codes(tmp_path: Path) -> None:
    people = [[f"P{i:04}", i % 7] for i in range(2000)]
    posts = [[f"P{17 * i % 2000:04}", i % 5] for i in range(300)]
    files = [
        write(tmp_path / "people.csv", ["person_id", "age"], people),
        write(tmp_path / "posts.csv", ["person_id", "rank"], posts),
    ]
    with stage(find_sources(files)) as staging:
        mapping = propose(staging)
        typed = dict(type_tables(staging, mapping))
        schema = relational_schema(staging, mapping, typed, target="people")
        assert beginnings(staging, typed["posts"], "person_id")
    assert not [column for column in schema.tables["posts"].columns if column.beginning]


def test_rules_name_the_beginning_of_codes_and_the_program_tests_it(tmp_path: Path) -> None:
    """Stays with a heart's diagnosis are followed by another; parcels from one country, too."""
    rng = np.random.default_rng(8)
    codes = np.array([f"{a}{b}.{c}" for a in "IJK" for b in range(20, 29) for c in range(8)])
    stays, diagnoses = [], []
    for stay in range(500):
        some = rng.choice(codes, int(rng.integers(1, 4)), replace=False)
        country = rng.choice(["DE", "FR", "IT"])
        heart = any(code.startswith("I") for code in some)
        label = ("yes" if heart or country == "IT" else "no") if stay % 6 else ""
        stays.append([f"S{stay}", f"{country}-{rng.integers(1000, 9999)}", label])
        diagnoses += [[f"S{stay}", code] for code in some]
    files = [
        write(tmp_path / "stays.csv", ["stay", "sender", "again"], stays),
        write(tmp_path / "diagnoses.csv", ["stay", "code"], diagnoses),
    ]
    found = study(files, "stays.again", folds=2, out=tmp_path / "out")
    words = " ".join(rule.words for rule in found.rules)
    assert "code beginning with I" in words
    assert "sender begins with IT" in words
    assert found.metrics["AUC-ROC"]["mean"] > 0.98
    (tmp_path / "out" / "program.mln").write_text(found.program, encoding="utf-8")
    (tmp_path / "out" / "dataset.toml").write_text(found.mapping, encoding="utf-8")
    said = inferred(tmp_path / "out", files)
    asked = found.predictions[~found.predictions["known"]]
    assert {str(key): said[(str(key),)] for key in asked["stay"]} == pytest.approx(
        dict(zip(asked["stay"].astype(str), asked["value"])), abs=1e-12
    )
