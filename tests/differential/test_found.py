"""Differences that random programs showed, each made small."""

from __future__ import annotations

import pytest

from tests.differential.mln_checks import check_mln
from tests.differential.mln_programs import MlnCase
from tests.differential.outcome import Tally

WEIGHTS = ("P(t)", "C(t)", "W(t, num)")


def case(declarations: tuple[str, ...], rules: tuple[str, ...], *worlds: tuple[str, ...]) -> MlnCase:
    named = tuple((f"w{number}", facts) for number, facts in enumerate(worlds))
    return MlnCase(0, declarations, rules, named, ("P",), ("C",))


@pytest.mark.parametrize(
    ("rules", "facts"),
    [
        # Groundings of one row, whose weights in the data differ in sign.
        (("w: !W(x,w) v P(A)",), ("W(A, 2)", "W(B, -1)", "W(D, 0.5)")),
        (("w: !W(x,w) v P(A) v P(B)",), ("W(A, 2)", "W(B, -1)")),
        (("w: W(x,w) => (EXIST z (P(z)))",), ("W(A, 2)", "W(B, -1)")),
        # Evidence satisfies some of them, and those have other weights than the rest.
        (("w: !W(x,w) v C(x) v P(A)",), ("W(A, 2)", "W(B, -1)", "C(B)")),
        (("w: W(x,w) => C(x)", "0.5 P(x)"), ("W(A, 2)", "W(B, -3)", "W(D, -1)", "C(B)")),
    ],
)
def test_energies_with_weights_of_both_signs_in_the_data(rules: tuple[str, ...], facts: tuple[str, ...]) -> None:
    check_mln(case(WEIGHTS, rules, facts), Tally())
    check_mln(case(WEIGHTS, rules, facts, ("W(E, 1)", "P(E)")), Tally())
