"""Rules in plain words: conditions, terms with what their weight is for, and reasons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from math import ceil, floor, log10

from workbench.structure.candidate import Candidate, Onward
from workbench.structure.terms import Condition, Term
from workbench.study.path_words import spoken, the, whose
from workbench.study.words import candidate_words, in_days, known_words, number_text

YEAR, MONTH = 365.25, 365.25 / 12
"""In days."""


def _held_words(candidate: Candidate, words: str, held: bool) -> str:
    """That what is true or false is one of both: `its town is Ulm`, `its town is not Ulm`."""
    onward = candidate.onward
    not_ = "" if held else "not "
    if candidate.aggregate == "value":
        return f"{words} is {not_}yes"
    if candidate.aggregate == "is" and onward is not None and candidate.value is not None:
        what = f"{whose(candidate.path)}{spoken(onward.column.name)}"
        if onward.kind == "text":
            return f"{what} has {not_}the word {candidate.value}"
        if onward.column.beginning:
            does = "begins" if held else "does not begin"
            return f"{what} {does} with {candidate.value}"
        return f"{what} is {not_}{onward.column.shown(candidate.value)}"
    return f"{not_}{words}"


def _value_text(candidate: Candidate, value: float, timed: bool) -> str:
    if in_days(candidate) and not timed:
        return (date(1970, 1, 1) + timedelta(days=round(value))).isoformat()
    return number_text(value)


def condition_words(condition: Condition, candidate: Candidate, *, timed: bool = False) -> str:
    """A condition in words, such as `number of its companies is at least 3`."""
    if condition.test in ("missing", "known") and candidate.aggregate == "is":
        candidate = replace(candidate, aggregate="value", value=None)  # no value is, or any
    words = candidate_words(candidate, timed=timed)
    if condition.test == "missing":
        return f"{words} is unknown"
    if condition.test == "known":
        return f"{words} is known"
    suffix = " (or unknown)" if condition.or_missing else ""
    calendar = candidate.onward is not None and candidate.onward.kind == "calendar"
    if calendar and candidate.aggregate == "value":
        assert candidate.onward is not None
        return f"{words} is {_calendar_text(candidate.onward, condition)}{suffix}"
    at_least = condition.test == "at_least"
    if _is_flag(candidate):
        return _held_words(candidate, words, at_least) + suffix
    if candidate.aggregate == "labelled" and at_least and condition.threshold <= 1:
        return f"at least one {known_words(candidate)}"
    counts = ("count", "different", "labelled", "in_common")
    if candidate.aggregate in counts or (
        candidate.aggregate == "sum" and candidate.value is not None
    ):
        return _count_words(candidate, words, ceil(condition.threshold), at_least) + suffix
    said = "at least" if at_least else "below"
    return f"{words} is {said} {_value_text(candidate, condition.threshold, timed)}{suffix}"


def _is_flag(candidate: Candidate) -> bool:
    """Whether a candidate holds or does not."""
    alike = candidate.with_ is not None and not candidate.path.many
    onward = candidate.onward
    own = candidate.aggregate == "value" and onward is not None and onward.kind == "flag"
    return alike or own or candidate.aggregate in ("is", "latest_is")


def _count_words(candidate: Candidate, words: str, least: int, at_least: bool) -> str:
    if least <= 1 and candidate.aggregate in ("count", "sum"):
        some = "at least one" if at_least else "none"
        return f"{some} of {_these(words.removeprefix('number of '))}"
    if least <= 1 and candidate.aggregate == "labelled":
        return f"no {known_words(candidate)}"
    return f"{words} is {'at least' if at_least else 'below'} {least:,}"


WITHIN = {"weekday": "week", "month": "year", "hour": "day"}
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip


def _calendar_text(onward: Onward, condition: Condition) -> str:
    """Which weekdays, months or hours pass a threshold: `Friday or later`, `before March`,
    `December`, `before 6:00`.
    """
    if onward.column.part == "hour":
        first = ceil(condition.threshold)
        return f"{first}:00 or later" if condition.test == "at_least" else f"before {first}:00"
    names = WEEKDAYS if onward.column.part == "weekday" else MONTHS
    first = min(max(ceil(condition.threshold), 1), len(names))
    if condition.test == "at_least":
        return names[first - 1] + (" or later" if first < len(names) else "")
    return names[0] if first == 2 else f"before {names[first - 1]}"


def readable_step(term: Term, candidates: Sequence[Candidate]) -> float:
    """The power of ten, or of dates the year or the month, below the number's spread: a weight for
    so much of it has digits that people read. 1 for what is no plain number.
    """
    counted_whole = candidates[term.column].aggregate in ("labelled", "latest_is")
    if term.form in ("condition", "log") or counted_whole:
        return 1.0
    if _is_share(candidates[term.column]):
        return TENTH
    if in_days(candidates[term.column]):
        return next((days for days in (YEAR, MONTH) if term.spread >= days), 1.0)
    step = 10.0 ** floor(log10(term.spread)) if not 0.1 <= term.spread < 10 else 1.0
    counts = candidate_words(candidates[term.column]).startswith("number of ")
    return max(step, 1.0) if counts else step


TENTH = 0.1
"""The step of shares."""


def _is_share(candidate: Candidate) -> bool:
    onward = candidate.onward
    of_flags = candidate.aggregate == "mean" and onward is not None and onward.kind == "flag"
    return candidate.aggregate == "share" or of_flags


def term_words(
    term: Term, candidates: Sequence[Candidate], *, timed: bool = False, step: float = 1.0
) -> str:
    """What a term says, without its weight, which is for `step` of its number."""
    tested = " and ".join(
        condition_words(one, candidates[one.column], timed=timed) for one in term.conditions
    )
    if term.form == "condition":
        return tested
    candidate = candidates[term.column]
    words = candidate_words(candidate, timed=timed)
    if candidate.aggregate == "labelled":
        return f"each {known_words(candidate)}"
    if candidate.aggregate == "latest_is":  # 1 or 0, between them of several at one time
        said = words
    elif term.form == "log":
        said = f"the logarithm of {the(words)}"
    elif _is_share(candidate):
        rows = _these(words.removeprefix("share of "))
        said = f"each 10 % more of {rows}" if step == TENTH else the(words)
    else:
        said = _each(_step_words(step, in_days=in_days(candidate)), words)
    if term.form in ("above", "below"):
        bend = term.low if term.form == "above" else term.high
        said += (
            f" {'above' if term.form == 'above' else 'up to'} {_value_text(candidate, bend, timed)}"
        )
    return f"{said}, where {tested}" if tested else said


def _each(step: str, words: str) -> str:
    """Of what a weight is for so much: `each 10 of its visits`, `each unit of the mean income`."""
    amount = "" if step == "unit" else f" {step}"
    if words.startswith(("days ", "years ")):
        unit, said = words.split(" ", 1)
        one = step in ("unit", "day", "month", "year")
        return (
            f"each {unit[:-1] if step == 'unit' else step} {said}"
            if one
            else f"each {step} {words}"
        )
    if words.startswith("number of different ") and not amount:
        return f"each {words.removeprefix('number of ')}"
    if words.startswith("number of "):
        return f"each{amount} of {_these(words.removeprefix('number of '))}"
    part = words.partition(" of ")[0]
    if part in WITHIN:
        return f"each{amount or ' one'} that the {words} is later in the {WITHIN[part]}"
    if step in ("day", "month", "year"):
        return f"each {step} that {the(words)} is later"
    return f"each {step} of {the(words)}"


def _these(rows: str) -> str:
    """Rows, as some of them are taken: `its loans`, `the loans of its member`."""
    return rows if rows.startswith(("its ", "the ")) else f"the {rows}"


def _step_words(step: float, *, in_days: bool) -> str:
    if in_days:
        return {YEAR: "year", MONTH: "month"}.get(step, "day")
    return "unit" if step == 1.0 else number_text(step)


def reason_words(
    term: Term, candidates: Sequence[Candidate], value: float, *, timed: bool = False
) -> str:
    """What a term says of one row, whose value of the term's candidate is given;
    a condition's is not looked at.
    """
    if term.form == "condition":
        return term_words(term, candidates, timed=timed)
    candidate = candidates[term.column]
    words = candidate_words(candidate, timed=timed)
    if candidate.aggregate == "labelled":
        return f"{known_words(candidate)}: {number_text(value)}"
    tested = " and ".join(
        condition_words(one, candidates[one.column], timed=timed) for one in term.conditions
    )
    said = f"{words} is {_value_text(candidate, value, timed)}"
    return f"{said}, where {tested}" if tested else said
