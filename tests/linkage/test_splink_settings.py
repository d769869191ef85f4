"""Models that Splink trained: match weights by its formula, conditions over pairs,
and all that can be wrong.
"""

from __future__ import annotations

import json
from itertools import combinations
from math import log2
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from workbench.errors import WorkbenchError
from workbench.tables.pair_conditions import is_of_kind
from workbench.verbs.linking.link import link

PEOPLE = (
    "unique_id,First Name,row,age\n"
    "a,ann,york,30\nb,ann,york,9\nc,anna,bath,10\nd,bob,,31\ne,,york,100\nf,rob,bath,\ng,ann,hull,8\nh,b{b},hull,10\n"
)


def level(
    condition: str, m: float | None = None, u: float | None = None, **more: Any
) -> dict[str, Any]:
    return {"sql_condition": condition, "m_probability": m, "u_probability": u, **more}


def name_levels() -> list[dict[str, Any]]:
    exact = level('"First Name_l" = "First Name_r"', 0.7, 0.1, tf_adjustment_column="First Name")
    exact.update(tf_adjustment_weight=0.5, tf_minimum_u_value=0.2)
    return [
        level('"First Name_l" IS NULL OR "First Name_r" IS NULL', is_null_level=True),
        exact,
        level(
            """levenshtein("First Name_l", "First Name_r") <= 1 AND "First Name_r" <> '{view}'""",
            0.2,
            0.05,
        ),
        level("ELSE", 0.1, 0.85),
    ]


def model(**more: Any) -> dict[str, Any]:
    return {
        "link_type": "dedupe_only",
        "probability_two_random_records_match": 0.2,
        "comparisons": [
            {"output_column_name": "name", "comparison_levels": name_levels()},
            {
                "output_column_name": "age",
                "comparison_levels": [
                    level("age_l is null or age_r is null", is_null_level=True),
                    level("abs(age_l - age_r) <= 1 AND age_l < 99", 0.9, 0.1),
                    level("ELSE", 0.1, 0.9),
                ],
            },
        ],
        "blocking_rules_to_generate_predictions": [
            {"blocking_rule": "l.row = r.row", "sql_dialect": "duckdb"},
            'substr(l."First Name", 1, 1) = substr(r."First Name", 1, 1)',
        ],
        **more,
    }


def given(path: Path, settings: object, *tables: str) -> tuple[list[Path], Path]:
    files = [path / f"{name}.csv" for name, _ in zip("xyz", tables)]
    for file, table in zip(files, tables):
        file.write_text(table, encoding="utf-8")
    (path / "model.json").write_text(
        settings if isinstance(settings, str) else json.dumps(settings), encoding="utf-8"
    )
    return files, path / "model.json"


def test_match_weights_are_those_of_the_formula(tmp_path: Path) -> None:
    files, settings = given(tmp_path, model(), PEOPLE)
    result = link(files, settings=settings)
    rows = [line.split(",") for line in PEOPLE.splitlines()[1:]]
    names = [row[1] for row in rows if row[1]]

    def weight(one: list[str], other: list[str]) -> float:
        found = log2(0.2 / 0.8)
        if one[1] and other[1]:
            if one[1] == other[1]:
                found += log2(0.7 / 0.1) + 0.5 * (
                    log2(0.1) - log2(max(0.2, names.count(one[1]) / len(names)))
                )
            else:
                close = {one[1], other[1]} in ({"ann", "anna"}, {"bob", "rob"})
                found += log2(0.2 / 0.05) if close else log2(0.1 / 0.85)
        if one[3] and other[3]:
            near = abs(int(one[3]) - int(other[3])) <= 1 and int(one[3]) < 99
            found += log2(0.9 / 0.1) if near else log2(0.1 / 0.9)
        return found

    expected = {
        (one[0], other[0]): weight(one, other)
        for one, other in combinations(rows, 2)
        if (one[2] and one[2] == other[2]) or (one[1] and other[1] and one[1][0] == other[1][0])
    }
    pairs, ids = result.candidates.pairs, result.records.ids
    found = {
        (ids[left], ids[right]): bits
        for left, right, bits in zip(pairs.left, pairs.right, result.scores / np.log(2))
    }
    assert found == pytest.approx(expected, abs=1e-9)
    shown = result.pairs.set_index(["left", "right"])
    assert shown["match_weight"].to_dict() == pytest.approx(
        {pair: expected[pair] for pair in shown.index}, abs=1e-8
    )
    assert shown.loc[("a", "b"), "probability"] == pytest.approx(
        1 / (1 + 2 ** -expected["a", "b"]), abs=1e-6
    )
    assert sum(part for _, part in result.why("a", "g")) == pytest.approx(
        expected["a", "g"] * np.log(2)
    )
    assert [one["pairs"] for one in result.statements()] == [5, 7]
    assert result.left_out == {}


def test_two_files_are_compared_across_or_within_too(tmp_path: Path) -> None:
    head, *rows = PEOPLE.splitlines()
    tables = ["\n".join([head, *part]) + "\n" for part in (rows[:4], rows[4:])]
    files, settings = given(tmp_path, model(link_type="link_only"), *tables)
    across = link(files, settings=settings)
    files, settings = given(tmp_path, model(link_type="link_and_dedupe"), *tables)
    within = link(files, settings=settings)
    files, settings = given(tmp_path, model(), PEOPLE)
    once = link(files, settings=settings)
    pairs = across.candidates.pairs
    assert pairs.left.max() < 4
    assert pairs.right.min() >= 4
    np.testing.assert_array_equal(within.candidates.pairs.keys(8), once.candidates.pairs.keys(8))
    np.testing.assert_allclose(within.scores, once.scores)
    assert set(pairs.keys(8)) < set(within.candidates.pairs.keys(8))


def test_cells_are_numbers_or_dates_where_a_column_has_nothing_else(tmp_path: Path) -> None:
    table = "unique_id,code,size,born\n1,007,1.0,2001-02-28\n2,7,1,2001-03-01\n3,007,,2000-03-01\n"
    conditions = ["code_l = code_r", "size_l = size_r", "abs(date_diff('day', born_l, born_r)) = 1"]
    comparisons = [
        {"comparison_levels": [level(one, 0.8, 0.2), level("ELSE", 0.5, 0.5)]} for one in conditions
    ]
    files, settings = given(
        tmp_path, model(comparisons=comparisons, blocking_rules_to_generate_predictions=[]), table
    )
    result = link(files, settings=settings)
    bits = result.scores / np.log(2) + 2.0
    np.testing.assert_allclose(bits, [4.0, 2.0, 0.0])


def test_lists_are_compared_by_their_elements(tmp_path: Path) -> None:
    """In Parquet files as in cells of text; vectors by their cosine."""
    rows = {
        "unique_id": ["1", "2", "3"],
        "tags": [["red", "round"], ["round", "blue"], ["flat"]],
        "place": [[1.0, 0.0], [0.9, 0.1], [0.0, 2.0]],
    }
    conditions = [
        "array_length(list_intersect(tags_l, tags_r)) >= 1",
        "array_cosine_similarity(place_l, place_r) >= 0.9",
    ]
    comparisons = [
        {"comparison_levels": [level(one, 0.8, 0.2), level("ELSE", 0.2, 0.8)]} for one in conditions
    ]
    _, settings = given(
        tmp_path, model(comparisons=comparisons, blocking_rules_to_generate_predictions=[])
    )
    table = pd.DataFrame(rows)
    table.to_parquet(tmp_path / "lists.parquet")
    table.to_csv(tmp_path / "lists.csv", index=False)
    for name in ("lists.parquet", "lists.csv"):
        bits = link([tmp_path / name], settings=settings).scores / np.log(2)
        np.testing.assert_allclose(bits + 2.0, [4.0, -4.0, -4.0])


@pytest.mark.parametrize(
    ("text", "kind", "is_so"),
    [
        ("[1, 2.5]", "DOUBLE[2]", True),
        ("[1, 2.5]", "DOUBLE[3]", False),
        ("[1, x]", "DOUBLE[]", False),
        ("[]", "VARCHAR[]", True),
        ("a", "VARCHAR[]", False),
    ],
)
def test_new_cells_are_lists_as_the_linked_ones_are(text: str, kind: str, is_so: bool) -> None:
    assert is_of_kind(text, kind) == is_so


def test_labels_settle_their_pairs(tmp_path: Path) -> None:
    files, settings = given(tmp_path, model(), PEOPLE)
    labels = tmp_path / "labels.csv"
    labels.write_text("left,right,match\na,b,0\nd,e,1\n", encoding="utf-8")
    clusters = link(files, settings=settings, labels=labels).clusters.set_index("id")["cluster"]
    assert clusters["a"] != clusters["b"]
    assert clusters["d"] == clusters["e"]


def with_condition(condition: str) -> dict[str, Any]:
    found = model()
    found["comparisons"][0]["comparison_levels"][2]["sql_condition"] = condition
    return found


def untrained() -> dict[str, Any]:
    found = model()
    del found["comparisons"][1]["comparison_levels"][1]["m_probability"]
    return found


@pytest.mark.parametrize(
    ("settings", "code", "said"),
    [
        ("{", "E0674", "not JSON"),
        ([1], "E0674", "comparisons"),
        (model(link_type="all"), "E0674", "link_type"),
        (model(probability_two_random_records_match=1), "E0674", "between 0 and 1"),
        (model(comparisons=[{"comparison_levels": [{}]}]), "E0674", "sql_condition"),
        (
            model(blocking_rules_to_generate_predictions=[{"arrays_to_explode": ["x"]}]),
            "E0674",
            "exploded",
        ),
        (
            model(comparisons=[{"comparison_levels": name_levels()[2:] + name_levels()[1:2]}]),
            None,
            "",
        ),
        (
            untrained(),
            "E0675",
            "abs(age_l - age_r) <= 1 AND age_l < 99 of age has no m_probability",
        ),
        (with_condition("age_l = = age_r"), "E0676", "name"),
        (with_condition("true) FROM read_csv('x.csv') WHERE (true"), "E0676", "single expression"),
        (with_condition("true), (true"), "E0676", "cannot be used"),
        (with_condition("true); DROP TABLE texts; SELECT (true"), "E0676", "cannot be used"),
        (with_condition("age_l IN (SELECT 1)"), "E0676", "subquery"),
        (
            with_condition("age_l = (SELECT content FROM read_text('/etc/passwd'))"),
            "E0676",
            "subquery",
        ),
        (with_condition("getenv('HOME') = age_l"), "E0676", "getenv"),
        (with_condition("length(current_setting('threads')) > 1"), "E0676", "current_setting"),
        (with_condition("CAST(row_l AS INTEGER) = 1"), "E0676", "INT32"),
        (with_condition("date_diff('day', row_l, row_r) = 1"), "E0676", "name"),
        (with_condition("ages_l = age_r"), "E0677", "ages_l"),
        (model(blocking_rules_to_generate_predictions=["l.town = r.town"]), "E0677", "l.town"),
        (model(blocking_rules_to_generate_predictions=["row = row"]), "E0677", "row"),
        (model(link_type="link_only"), "E0678", "1 table"),
    ],
)
def test_what_cannot_be_used_is_named(
    tmp_path: Path, settings: object, code: str | None, said: str
) -> None:
    files, path = given(tmp_path, settings, PEOPLE)
    if code is None:
        link(files, settings=path)
        return
    with pytest.raises(WorkbenchError) as raised:
        link(files, settings=path)
    assert raised.value.diagnostics[0].code == code
    assert said in raised.value.diagnostics[0].message


def test_comparisons_need_a_level_for_every_pair(tmp_path: Path) -> None:
    settings = model()
    del settings["comparisons"][0]["comparison_levels"][-1]
    files, path = given(tmp_path, settings, PEOPLE)
    with pytest.raises(WorkbenchError, match="in no level of name"):
        link(files, settings=path)


def test_too_many_pairs_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.verbs.linking.settings.MOST_PAIRS", 4)
    for rules in ([], ["l.row = r.row"]):
        files, path = given(tmp_path, model(blocking_rules_to_generate_predictions=rules), PEOPLE)
        with pytest.raises(WorkbenchError, match="E0679"):
            link(files, settings=path)
