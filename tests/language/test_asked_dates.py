"""Atoms that are asked at a date: what is printed, and which rules could see later facts."""

from __future__ import annotations

import pytest

from workbench.language import clausal_form, format_program, parse_mln
from workbench.language.later_facts import later_facts

DECLARED = """
Starts(driver, date)
Crash(driver, date)
Held(race, date)
Won(driver, race)
Driver(driver)
Dnf(driver, date)
Dnf(d, t) open where Starts(d, t).
"""
SAFE = (
    "1 Dnf(d, t)",
    "1 Dnf(d, t) ^ Dnf(e, t) => d = e",
    "1 Dnf(d, t) ^ month(t) = 2",
    "1 Driver(d) => Dnf(d, t)",
    "1 Crash(d, s) ^ s < t => Dnf(d, t)",
    "1 Crash(d, s) ^ t >= s => Dnf(d, t)",
    "1 Crash(d, t) => Dnf(d, t)",
    "1 Crash(d, s) ^ Crash(d, u) ^ s < u ^ u < t => Dnf(d, t)",
    "1 Crash(d, s) ^ s <= t - 30 => Dnf(d, t)",
    "1 Won(d, r) ^ Held(r, s) ^ s < t => Dnf(d, t)",
    "Wins(d, t, n) := Starts(d, t) ^ n = count(r: Won(d, r) ^ Held(r, s) ^ s < t).\n1 Wins(d, t, "
    "n) => Dnf(d, t)",
    "Born(d) := Driver(d).\n1 Born(d) => Dnf(d, t)",
)
UNSAFE = {
    "1 Crash(d, s) => Dnf(d, t)": "nothing says that s, a date of Crash",
    "1 Crash(d, s) ^ s > t - 20 => Dnf(d, t)": "nothing says that s, a date of Crash",
    "1 Crash(d, s) ^ s <= t + 1 => Dnf(d, t)": "nothing says that s, a date of Crash",
    "1 Crash(d, s) ^ s <= t - -1 => Dnf(d, t)": "nothing says that s, a date of Crash",
    "1 !Crash(d, s) ^ Starts(d, s) => Dnf(d, t)": "nothing says that s, a date of",
    '1 Crash(d, "2020-01-01") => Dnf(d, t)': "a date of Crash",
    "1 Won(d, r) => Dnf(d, t)": "Won tells of r, dated by Held, and no date is compared",
    "1 Dnf(d, s) ^ s < t => Dnf(d, t)": "what is true of Dnf at one date tells of another",
    "Wins(d, n) := n = count(r: Won(d, r)).\n1 Wins(d, n) => Dnf(d, t)": "Wins is made of what is "
    "not",
    "Wins(d, t, n) := Starts(d, t) ^ n = count(r: Won(d, r) ^ Held(r, s)).\n1 Wins(d, t, n) => "
    "Dnf(d, t)": "s, a date",
    "Past(d, s) := Crash(d, s).\n1 Past(d, s) => Dnf(d, t)": "nothing says that s, a date of Past",
    "Old(d) := Crash(d, s) ^ s < $now.\n1 Old(d) => Dnf(d, t)": "Old is made of what is not",
}


def reasons(rules: str, closed: tuple[str, ...] = ()) -> list[str]:
    program = parse_mln(DECLARED + rules)
    return [one.message for one in later_facts(program, clausal_form(program), closed)]


@pytest.mark.parametrize("rules", SAFE)
def test_rules_that_see_nothing_later(rules: str) -> None:
    assert reasons(rules) == []


@pytest.mark.parametrize("rules", UNSAFE)
def test_rules_that_could_see_later_facts_are_named(rules: str) -> None:
    assert UNSAFE[rules] in " ".join(reasons(rules))
    assert reasons(rules, closed=("Dnf",)) == []


def test_it_is_printed_as_it_was_written() -> None:
    text = DECLARED.lstrip() + "1 Crash(d, s) ^ s < t => Dnf(d, t)\n"
    printed = format_program(parse_mln(text))
    assert [line for line in printed.splitlines() if line] == text.splitlines()
    assert format_program(parse_mln(printed)) == printed
