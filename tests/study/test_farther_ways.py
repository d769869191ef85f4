"""Ways through rows of a row's own kind: to what refers to its manager, to lines of other orders of
its customer, to employees with the same skill.
"""

from __future__ import annotations

import json
from datetime import date, timedelta
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


def _staff(directory: Path) -> list[Path]:
    """Employees with managers, whose skills and reviews stand in lists of JSON."""
    rng = np.random.default_rng(3)
    lines = [
        {
            "employee": f"e{n}",
            "manager": f"e{rng.integers(n // 4 + 1)}" if n else None,
            "pay": int(rng.integers(20, 90)) if rng.random() < 0.8 else None,
            "skills": [f"skill {at}" for at in rng.choice(25, rng.integers(4), replace=False)],
            "reviews": [
                {"year": int(rng.integers(2018, 2024)), "score": int(rng.integers(1, 6))}
                for _ in range(rng.integers(4))
            ],
        }
        for n in range(90)
    ]
    path = directory / "employees.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return [path]


def test_definitions_say_what_columns_say_of_rows_of_ones_own_kind(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    with stage(find_sources(_staff(tmp_path)), lists_apart=True) as staging:
        assert staging.tables["skills"].columns == ("employee", "skill")
        assert staging.tables["reviews"].columns == ("employee", "reviews_year", "reviews_score")
        ready = prepared(staging, "employees.pay")
        every = candidates_for(staging, ready, np.arange(90), collective=True).candidates
        words = list(map(candidate_words, every))
        for said in (
            "mean reviews score of reviews of its manager",
            "mean known pay of other employees with the same skill (through skills)",
        ):
            assert said in words
        plain = [one for one in every if one.label is None]
        farther = [one for one in plain if len(one.path.hops) > 1 and not one.of_text]
        assert_definitions_say_columns(staging, ready, farther[::5], rng)


@pytest.fixture
def orders(tmp_path: Path) -> list[Path]:
    """Lines go back by a mood of the customer, and where one product stands in an order twice."""
    rng = np.random.default_rng(5)
    mood = rng.random(60) < 0.5
    lines = []
    for n in range(300):
        for at in range(4):
            lines.append([f"o{n}", at, f"p{rng.integers(5)}", rng.choice(["S", "M", "L"])])
    in_order = [[line[2] for line in lines if line[0] == f"o{n}"] for n in range(300)]
    returned = [
        mood[int(order[1:]) % 60] or in_order[int(order[1:])].count(product) > 1
        for order, _, product, _ in lines
    ]
    rows = [
        [*line, "" if rng.random() < 0.05 else "yes" if back and rng.random() < 0.9 else "no"]
        for line, back in zip(lines, returned)
    ]
    return [
        write(tmp_path / "lines.csv", ["order", "line_no", "product", "size", "returned"], rows),
        write(
            tmp_path / "orders.csv",
            ["order", "customer", "paid"],
            [[f"o{n}", f"c{n % 60}", rng.choice(["card", "cash"])] for n in range(300)],
        ),
        write(
            tmp_path / "customers.csv",
            ["customer", "age"],
            [[f"c{n}", int(rng.integers(20, 70))] for n in range(60)],
        ),
        write(
            tmp_path / "products.csv", ["product", "price"], [[f"p{n}", n * 7] for n in range(5)]
        ),
    ]


def test_labels_of_ones_customer_and_lines_with_ones_product_tell(
    tmp_path: Path, orders: list[Path]
) -> None:
    found = study(orders, "lines.returned", folds=2, out=tmp_path / "out")
    words = " / ".join(rule.words for rule in found.rules)
    assert "among other lines of its order's customer" in words
    assert "number of lines of its order with the same product, itself among them" in words
    assert found.metrics["AUC-ROC"]["mean"] > 0.88
    (tmp_path / "out" / "program.mln").write_text(found.program, encoding="utf-8")
    (tmp_path / "out" / "dataset.toml").write_text(found.mapping, encoding="utf-8")
    said = inferred(tmp_path / "out", orders)
    asked = found.predictions[~found.predictions["known"]]
    for order, line, value in zip(asked["order"], asked["line_no"], asked["value"]):
        assert said[(f"{order}/{line}",)] == pytest.approx(value, abs=1e-12)


def test_lists_are_tables_again_on_new_files_of_the_same_shape(tmp_path: Path) -> None:
    files = _staff(tmp_path)
    found = study(files, "employees.pay", folds=2, out=tmp_path / "out")
    (tmp_path / "out" / "program.mln").write_text(found.program, encoding="utf-8")
    (tmp_path / "out" / "dataset.toml").write_text(found.mapping, encoding="utf-8")
    assert 'part = "skills"' in found.mapping
    said = inferred(tmp_path / "out", files)
    asked = found.predictions[~found.predictions["known"]]
    assert {key: said[(key,)] for key in asked["employee"]} == pytest.approx(
        dict(zip(asked["employee"], asked["value"]))
    )


def test_definitions_say_what_columns_say_of_a_towns_weather_in_the_last_days(
    tmp_path: Path,
) -> None:
    rng = np.random.default_rng(7)
    day = lambda at: (date(2023, 1, 1) + timedelta(days=int(at))).isoformat()  # noqa: E731
    towns = [f"t{n}" for n in range(3)]
    visits = [
        [n, f"s{rng.integers(12)}", day(rng.integers(60, 150)), int(n % 5) if n % 4 else ""]
        for n in range(160)
    ]
    weather = [
        [town, day(at), int(rng.gamma(2, 10)) if rng.random() < 0.9 else ""]
        for town in towns
        for at in range(150)
    ]
    files = [
        write(tmp_path / "visits.csv", ["visit", "site", "day", "score"], visits),
        write(
            tmp_path / "sites.csv",
            ["site", "town", "size"],
            [[f"s{n}", towns[n % 3], n * 3] for n in range(12)],
        ),
        write(tmp_path / "weather.csv", ["town", "day", "wind"], weather),
    ]
    with stage(find_sources(files)) as staging:
        ready = prepared(staging, "visits.score", time="visits.day")
        every = candidates_for(staging, ready, np.arange(160), collective=False).candidates
        alike = [one for one in every if one.path.hops and one.path.hops[-1].kind == "alike"]
        said = "greatest wind of weather rows with the same town as its site in the last 30 days"
        assert said in (candidate_words(one, timed=True) for one in alike)
        assert_definitions_say_columns(staging, ready, alike[:24], rng)


def test_rows_that_tie_two_things_of_one_table_are_read_at_the_other(tmp_path: Path) -> None:
    """Parts are late by how many of their supplier's own suppliers are in the north."""
    rng = np.random.default_rng(6)
    regions = rng.choice(["north", "south", "east"], 40)
    ties = {(int(a), int(b)) for a, b in rng.integers(40, size=(120, 2)) if a != b}
    supplied = rng.integers(40, size=300)
    north = np.array([sum(regions[b] == "north" for a, b in ties if a == at) for at in supplied])
    noise = rng.normal(0, 0.1, 300)
    parts = [
        [f"p{n}", f"s{at}", "" if n % 9 == 0 else round(2 * north[n] + noise[n], 3)]
        for n, at in enumerate(supplied)
    ]
    files = [
        write(tmp_path / "parts.csv", ["part", "supplier", "late"], parts),
        write(tmp_path / "suppliers.csv", ["supplier", "region"], [
            [f"s{n}", region] for n, region in enumerate(regions)
        ]),
        write(tmp_path / "upstream.csv", ["supplier", "upstream"], [
            [f"s{a}", f"s{b}"] for a, b in sorted(ties)
        ]),
    ]  # fmt: skip
    with stage(find_sources(files)) as staging:
        ready = prepared(staging, "parts.late")
        made = candidates_for(staging, ready, np.arange(300), collective=False)
        words = list(map(candidate_words, made.candidates))
        said = (
            "number of upstream rows of its supplier (as supplier) with upstream's region = north"
        )
        assert list(made.X[:, words.index(said)]) == list(north)
        behind = [one for one in made.candidates if len(one.path.hops) == 2]
        assert_definitions_say_columns(staging, ready, behind[::3], rng)
