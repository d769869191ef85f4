"""Numbers of all sizes as people read them."""

from __future__ import annotations

import json

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from app.figures import (
    decimals,
    decimals_of_weights,
    figure,
    most_telling,
    several,
    spread,
    with_short_weight,
)
from app.pictures import linked


@pytest.mark.parametrize(
    ("value", "said"),
    [(0.1234, "0.123"), (9.5, "9.500"), (59.25, "59.25"), (-340.04, "-340.0"), (53000, "53,000")],
)
def test_the_more_digits_before_the_point_the_fewer_behind(value: float, said: str) -> None:
    assert figure(value) == said


def test_a_sum_has_its_sign_and_a_spread_the_decimals_of_its_mean() -> None:
    assert figure(53000, sign=True) == "+53,000"
    assert spread({"mean": 19936.325, "sd": 1027.849}) == "19,936 ± 1,028"
    assert spread({"mean": 0.5, "sd": None}) == "0.500"
    assert spread({"mean": None, "sd": None}) == "none"


def test_what_has_no_size_has_all_decimals() -> None:
    assert decimals(float("nan")) == decimals(0.0) == 3


def _two_columns() -> None:
    import pandas

    from app.tabular import table

    table(pandas.DataFrame({"share": [0.25, 0.5], "income": [53000.4, 17000.0]}), "rows")


def test_columns_of_large_numbers_are_whole() -> None:
    shown = AppTest.from_function(_two_columns).run().dataframe[0].value
    assert isinstance(shown, pd.DataFrame)
    assert list(shown["income"]) == [53000, 17000]
    assert list(shown["share"]) == [0.25, 0.5]


def test_weights_of_a_column_have_the_same_decimals_and_small_ones_two_digits_that_count() -> None:
    assert decimals_of_weights([3.01, 0.456, 1.045]) == 3
    assert decimals_of_weights([3.01, 0.00042, 0.0, float("nan")]) == 5
    assert decimals_of_weights([1e-12]) == 6
    assert decimals_of_weights([0.0]) == decimals_of_weights([]) == 3


def test_a_rule_is_shown_with_few_digits_of_its_weight() -> None:
    assert with_short_weight("-0.812966135842 A(x) ^ x >= 0.123456 => B(x)") == (
        "-0.813 A(x) ^ x >= 0.123456 => B(x)"
    )
    assert with_short_weight("0.123456: A(X) -> B(X) ^2") == "0.1235: A(X) -> B(X) ^2"
    for rule in ("1.5 A(x)", "A(x).", "0.1234567(x)"):
        assert with_short_weight(rule) == rule


def test_a_line_of_a_pair_has_what_was_said_or_a_number_that_is_not_sure() -> None:
    pairs = [("1", "2", 0.999, None), ("2", "3", 0.5, None), ("1", "3", 0.9, False)]
    drawn = linked([("1", "a"), ("2", "a"), ("3", "a")], pairs)
    lines = [line for line in drawn.splitlines() if " -- " in line]
    labels = ('label=""', 'label="0.50"', 'label="not"')
    assert [label in line for label, line in zip(labels, lines, strict=True)] == [True] * 3
    assert "dashed" in lines[2]


def test_a_reason_is_what_speaks_for_the_outcome() -> None:
    parts = [("far", -5.2), ("close", 4.0), ("same", 1.7)]
    assert most_telling(parts, 0.5) == ("close", 4.0)
    assert most_telling(parts, -0.5) == ("far", -5.2)
    assert most_telling(parts[1:], -0.5) is None


def test_what_rounds_to_nothing_has_no_minus() -> None:
    assert (figure(-1e-17, sign=True), figure(-4e-4), figure(-0.25)) == (
        "+0.000",
        "0.000",
        "-0.250",
    )


def _a_weight() -> None:
    import pandas

    from app.tabular import read_in_full, table

    told = pandas.DataFrame({"weight": [1.927445636], "with": [0.71428]})
    table(told, "first", weights=("weight",))
    read_in_full(told, "second", weights=("weight",))


def test_a_figure_has_the_same_digits_wherever_it_is_read() -> None:
    shown = AppTest.from_function(_a_weight).run()
    columns = shown.dataframe[0].proto.columns
    assert columns.count('"format": "%.3f"') == 2
    assert "| 1\\.927 | 0\\.714 |" in shown.markdown[0].value


def _two_charts() -> None:
    import pandas

    from app import charts
    from app.show import draw

    told = pandas.DataFrame({"x": [0.0, 1.0], "y": [0.0, 1.0], "order": [0, 1], "run": "one"})
    draw(charts.curves(told, "x", "y", description="Both"))
    parts = [("a", 1.0), ("b", -2.0)]
    draw(charts.waterfall(parts, total="sum", description="Steps"))


def test_charts_have_room_for_the_last_number_of_an_axis_or_what_they_ask_for() -> None:
    shown = AppTest.from_function(_two_charts).run()
    assert not shown.exception
    rooms = [json.loads(one.proto.spec)["padding"]["right"] for one in shown.get("vega_lite_chart")]
    assert rooms[0] == 12 < rooms[1]


def _a_name_far_down() -> None:
    import pandas

    from app.tabular import table

    rows = {"name": [None, "the run of the last week"] * 5, "kind": ["inference"] * 10}
    table(pandas.DataFrame(rows), "rows")


def test_a_column_is_as_wide_as_what_stands_below_a_blank_first_cell() -> None:
    columns = json.loads(AppTest.from_function(_a_name_far_down).run().dataframe[0].proto.columns)
    assert columns["name"]["width"] > 7 * len("the run of the last week")
    assert "kind" not in columns


def test_one_is_said_in_the_singular() -> None:
    assert [several(count, "row") for count in (0, 1, 1200)] == ["0 rows", "1 row", "1,200 rows"]
    assert several(1, "fact is", "facts are") == "1 fact is"
