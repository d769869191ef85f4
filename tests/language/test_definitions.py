"""Value types, definitions and scopes: what is read, printed back and refused."""

from __future__ import annotations

import pytest

from workbench.errors import InputError
from workbench.language import format_program, parse_mln
from workbench.language.definitions import strata
from workbench.language.formatting import format_mln_source
from workbench.language.program import Aggregate, FormulaRule
from workbench.language.values import ValueKind

DECLARED = """
Directs(person, company)
Closed(company)
Age(person, number)
Drove(driver, race)
Date(race, date)
Pays(person, person, number)
Surname(person, text)
Fraud(person)
Late(driver)
Same(person, person)
"""
MADE = """
// shares a director
// with someone
Peers(x, y) := Directs(x, c) ^ Directs(y, c) ^ x != y.
Reach(x, z) := Peers(x, z).
Reach(x, z) := Reach(x, y) ^ Peers(y, z).
Companies(x, n) := n = count(c: Directs(x, c)).
Recent(d, n) := n = count(r: Drove(d, r) ^ Date(r, t) ^ t <= $now ^ t > $now - 365).
Paid(x, s) := s = sum(a: Pays(x, y, a) ^ a > 10).
Year(d, y) := Date(r, t) ^ Drove(d, r) ^ y = year(t).
Part(x, s) := s = share(c: Directs(x, c), Closed(c)).
Same(x, y) open where
    Surname(x, s) ^ Surname(y, s).

// older ones
1.2 Age(x, a) ^ a >= 30 => Fraud(x)
1.2 * a: Age(x, a) => Fraud(x)
w * log(n + 1): Companies(x, n) => Fraud(x)
0.5 Age(x, a) ^ Age(y, b) ^ abs(a - b) <= 2 => Same(x, y)
Date(r, t) ^ t > "2020-01-01" ^ Drove(d, r) ^ year(t) = 2021 => Late(d)
"""


def test_what_is_printed_reads_back() -> None:
    program = parse_mln(DECLARED + MADE)
    text = format_program(program)
    again = parse_mln(text)
    assert again == program
    assert format_program(again) == text
    assert [one.description for one in again.definitions][:2] == [
        "shares a director with someone",
        "",
    ]
    assert [rule.description for rule in again.rules] == ["older ones"] * 5
    source = format_mln_source(DECLARED + MADE)
    assert parse_mln(source) == program
    assert "// shares a director\n// with someone\nPeers(x, y) := Directs(x, c)" in source


def test_heads_have_the_types_of_their_variables() -> None:
    program = parse_mln(DECLARED + MADE)
    assert program.predicates["Reach"].argument_types == ("person", "person")
    assert program.predicates["Companies"].kinds == (None, ValueKind.NUMBER)
    assert all(program.predicates[name].closed for name in program.defined)
    assert strata(program)[:2] == (("Companies",), ("Paid",))
    assert {"Peers", "Reach"} <= {name for together in strata(program) for name in together}
    (companies,) = (one for one in program.definitions if one.head.predicate == "Companies")
    assert isinstance(companies.body[0], Aggregate)


def test_weights_times_a_number() -> None:
    program = parse_mln(DECLARED + MADE)
    weights = [rule.weight for rule in program.rules if isinstance(rule, FormulaRule)]
    assert [weight.kind for weight in weights] == ["given", "given", "learn", "given", "learn"]
    assert [weight.factor is not None for weight in weights] == [False, True, True, False, False]


@pytest.mark.parametrize(
    "declared",
    [
        "number = {1, ..., 9}\nAge(person, number)",
        "Age(person, number!)",
        "Age(person, number)\nnumber Of(person)",
    ],
)
def test_a_type_with_a_domain_keeps_its_name(declared: str) -> None:
    program = parse_mln(f"{declared}\nFraud(person)\n1 Age(x, +a) => Fraud(x)\n2 Age(x, 3)")
    assert program.predicates["Age"].kinds == (None, None)
    assert "number" in program.types
    assert parse_mln(format_program(program)) == program


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("P(x) v Fraud(x) := Closed(c) ^ Directs(x, c).", "E0150"),
        ("P(x) := Fraud(x) v Directs(x, Acme).", "E0150"),
        ("P(x) := count(c: Directs(x, c)) > 2.", "E0151"),
        ("P(x, n) := n = total(c: Directs(x, c)).", "E0151"),
        ("P(x, n) := n = share(c: Directs(x, c)).", "E0151"),
        ("P(x, n) := n = count(c: Directs(x, c), Closed(c)).", "E0151"),
        ("P(x, n) := n = sum(a, b: Age(x, a) ^ Age(x, b)).", "E0151"),
        ("Age(x, a) := Directs(x, c) ^ a > 3.", "E0152"),
        ("P(x) := Directs(x, c) ^ !Directs(y, c).", "E0152"),
        ("Age(x, a) := Directs(x, c).", "E0152"),
        ("P(x, n) := n = mean(a: Directs(x, c)).", "E0110"),
        ("P(x, y, n) := n = count(c: Directs(x, c) ^ Directs(y, c)).", "E0153"),
        ("P(x) := Directs(x, c) ^ !P(x).", "E0154"),
        ("P(x) := Q(x, n) ^ n > 1.\nQ(x, n) := n = count(x: Directs(x, c) ^ P(x)).", "E0154"),
        ("Age(y, b) := Age(x, a) ^ Same(x, y) ^ b = a + 1.", "E0154"),
        ("P(x) := Directs(x, c).\nP(x) open where Directs(x, c).", "E0155"),
        ("P(x) := Nobody(x).", "E0104"),
        ("P(x, d) := Age(x, a) ^ Date(r, d) ^ a > d.", "E0106"),
        ("P(x) := Surname(x, s) ^ s + 1 > 2.", "E0106"),
    ],
)
def test_what_is_refused(text: str, code: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_mln(f"{DECLARED}\n{text}")
    assert code in {diagnostic.code for diagnostic in caught.value.diagnostics}
