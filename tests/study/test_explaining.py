"""What supports a rule, and whose rate is told beside the others'."""

from __future__ import annotations

import numpy as np

from workbench.structure.terms import Condition, Term
from workbench.study.explaining import lift_between, rows_of_term

X = np.array([[0, 3], [0, 1], [0, np.nan], [4, 2], [7, 8]], np.float32)


def test_a_count_that_most_rows_have_none_of_is_supported_by_those_that_have() -> None:
    supporting, held = rows_of_term(Term(column=0, form="number"), X)
    assert supporting.tolist() == held.tolist() == [False, False, False, True, True]


def test_a_number_is_supported_where_it_is_known_and_told_by_its_upper_half() -> None:
    supporting, held = rows_of_term(Term(column=1, form="number"), X)
    assert supporting.tolist() == [True, True, False, True, True]
    assert held.tolist() == [True, False, False, False, True]


def test_a_condition_is_supported_where_it_holds() -> None:
    few = Condition(0, "at_least", 1.0)
    supporting, held = rows_of_term(Term((few,)), X)
    assert supporting.tolist() == held.tolist() == [False, False, False, True, True]
    supporting, _ = rows_of_term(Term((few,), column=1, form="number"), X)
    assert supporting.tolist() == [False, False, False, True, True]


def test_no_row_supports_a_number_that_no_row_knows() -> None:
    supporting, held = rows_of_term(Term(column=1, form="number"), X[2:3])
    assert not supporting.any()
    assert not held.any()


def test_means_below_zero_have_no_lift() -> None:
    assert lift_between(232.6, -16.0) is None
    assert lift_between(-16.0, 232.6) is None
    assert (lift_between(0.0, 0.5), lift_between(0.6, 0.3)) == (0.0, 2.0)
