"""Numbers inside texts tell sizes apart, and fields in which pairs are as random ones speak against
a class.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from benchmarks.linkage_further import FURTHER
from benchmarks.linkage_kinds import SUBJECTS, made_up
from benchmarks.linkage_readings import READINGS
from benchmarks.linkage_variants import VARIANTS
from experiments.cluster_scores import cluster_scores
from workbench.linkage.blocking import Pairs
from workbench.linkage.comparison import compare, make_comparison
from workbench.linkage.doubts import share_of_chance
from workbench.linkage.fields import make_field
from workbench.linkage.numbers import compared_numbers, hold_numbers, longest_number, numbers_in
from workbench.tables import find_sources, stage
from workbench.tables.records import read_records
from workbench.verbs.linking.link import link
from workbench.verbs.linking.result import LinkResult


def linked(
    folder: Path, kind: str, *, seed: int, again: float, apart: bool = False
) -> tuple[LinkResult, dict[str, float]]:
    tables, truths = made_up(
        kind, 2000, seed=seed, again=again, apart=apart, kinds=FURTHER | VARIANTS | READINGS
    )
    files = [folder / f"{letter}.csv" for letter, _ in zip("ab", tables)]
    for table, file in zip(tables, files):
        table.to_csv(file, index=False)
    result = link(files, id_column="id")
    thing = dict(zip(map(str, pd.concat(tables)["id"]), np.concatenate(truths)))
    of_record = np.array([thing[str(one)] for one in result.records.ids])
    return result, cluster_scores(result.clustering.label, of_record)


def test_texts_with_numbers_are_told_by_them() -> None:
    assert hold_numbers(["wood screw 4x30", "hex bolt 8x60", "washer"])
    assert not hold_numbers(["ab12 cde", "b 4711 xy", "sw1a 1aa"])
    assert not hold_numbers(
        ["a new method", "on trees", "windows 98", "of cells", "and genes", "x"]
    )
    assert numbers_in("ab 1234 pro 64gb") == numbers_in("64 gb AB1234") == "1234 64"
    assert (longest_number("64gb ab1234"), longest_number("pro")) == ("1234", "")
    texts = np.array(["screw 4x30", "4 x 30 screw", "screw 4x40", "screw 4", "model 1234", "1235"])
    one, other = np.array([0, 0, 0, 4], np.int32), np.array([1, 2, 3, 5], np.int32)
    same, differ = compared_numbers(texts, one, other)
    assert same.tolist() == [True, False, False, False]
    # One that lacks a number, or has a digit changed among four, differs in none.
    assert differ.tolist() == [False, True, False, False]


def test_numbers_of_many_texts_are_compared_as_one_pair_is() -> None:
    rng = np.random.default_rng(5)
    numbers = ["", "4", "40", "1234", "1235", "1299", "98765", "98865"]
    texts = np.array([f"bolt {a} x {b}" for a in numbers for b in numbers], object)
    one, other = rng.integers(0, len(texts), (2, 400)).astype(np.int32)
    same, differ = compared_numbers(texts, one, other)
    for at, (a, b) in enumerate(zip(one, other)):
        left, right = (set(numbers_in(texts[place]).split()) for place in (a, b))
        assert same[at] == (left == right != set())
        slipped = any(
            len(x) == len(y) >= 4 and sum(map(str.__ne__, x, y)) == 1
            for x in left - right
            for y in right - left
        )
        assert differ[at] == (bool(left - right) and bool(right - left) and not slipped)


@pytest.mark.parametrize("more", ["", " of stainless steel, best"])
def test_sizes_that_differ_are_a_level_of_their_own(more: str) -> None:
    others = [f"{word} hinge {number}{more}" for word in SUBJECTS for number in (2, 7, 9)]
    texts = [f"wood screw 4x30{more}", f"wood screw 4x40{more}", *others]
    codes = np.arange(len(texts), dtype=np.int32)
    comparison = make_comparison(make_field("article", "text", texts, codes))
    level = int(compare(comparison, Pairs(codes[:1], codes[1:2]))[0])
    assert comparison.levels[level] == "alike but for numbers"


def test_long_whole_numbers_are_codes(tmp_path: Path) -> None:
    rows = [(4006381000000 + 7919 * row, 1000 * row, 7919 * row * row) for row in range(60)]
    table = pd.DataFrame(rows, columns=["ean", "price", "people"])
    table.to_csv(tmp_path / "articles.csv", index=False)
    with stage(find_sources([tmp_path / "articles.csv"])) as staging:
        tables = tuple(staging.tables.values())
        records = read_records(staging, tables, [[name] for name in table.columns], [None])
    assert [column.kind for column in records.columns] == ["text", "number", "number"]


@pytest.mark.parametrize("apart", [False, True])
def test_sizes_tell_articles_of_one_name_apart(tmp_path: Path, apart: bool) -> None:
    result, true = linked(tmp_path, "fastenings", seed=11_031, again=0.4, apart=apart)
    assert true["F1"] > 0.65
    assert result.estimates.precision == pytest.approx(true["precision"], abs=0.08)


@pytest.mark.parametrize("kind", ["catalogues", "tracks"])
def test_what_is_said_of_versions_is_what_their_numbers_say(tmp_path: Path, kind: str) -> None:
    result, true = linked(tmp_path, kind, seed=11_031, again=0.3)
    assert result.estimates.precision == pytest.approx(true["precision"], abs=0.12)
    told = {one.code: one.message for one in result.warnings}
    assert "E0692" in told
    assert ("ean" if kind == "catalogues" else "isrc") in told["E0692"]


def test_the_share_of_random_pairs_is_that_of_the_level_they_explain() -> None:
    chance = np.array([0.0, 0.9, 0.06, 0.04])
    matches = np.array([0.0, 0.0, 0.3, 0.7])
    for share in (0.0, 0.2, 0.8):
        counts = 500 * ((1 - share) * matches + share * chance) + [250, 0, 0, 0]
        assert share_of_chance(counts, chance) == pytest.approx(share)


@pytest.mark.parametrize(
    ("kind", "again", "apart", "field"),
    [
        ("wines", 0.4, False, "vintage"),
        ("garments", 0.4, True, "sku"),
        ("flats", 0.4, False, "occupant"),
        ("namesakes", 0.4, False, "first name"),
    ],
)
def test_a_field_of_random_values_teaches_what_things_are(
    tmp_path: Path, kind: str, again: float, apart: bool, field: str
) -> None:
    result, true = linked(tmp_path, kind, seed=1131, again=again, apart=apart)
    assert true["precision"] > 0.6
    (said,) = [one.message for one in result.warnings if one.code == "E0691"]
    assert f"{field} are taken for different things" in said


def test_what_may_be_several_things_is_said(tmp_path: Path) -> None:
    result, true = linked(tmp_path, "parts", seed=1131, again=0.4)
    assert result.estimates.precision == pytest.approx(true["precision"], abs=0.12)
    assert "pages" in {one.code: one.message for one in result.warnings}["E0692"]


def test_who_moves_speaks_against_no_person(tmp_path: Path) -> None:
    result, true = linked(tmp_path, "movers", seed=1131, again=0.5, apart=True)
    assert true["F1"] > 0.9
    assert result.estimates.precision == pytest.approx(true["precision"], abs=0.05)
    assert "E0692" not in {one.code for one in result.warnings}


def test_the_day_of_a_gift_makes_no_other_giver(tmp_path: Path) -> None:
    result, true = linked(tmp_path, "gifts", seed=1131, again=0.4)
    assert true["F1"] > 0.9
    (said,) = [one.message for one in result.warnings if one.code == "E0691"]
    assert "given on are taken for one thing" in said
