"""Candidates and rules in plain words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from math import ceil, floor, log10

from workbench.structure.candidates import Candidate, Onward
from workbench.structure.relational import Path
from workbench.structure.terms import Condition, Term
from workbench.study.path_words import (
    neighbours_words,
    rows_words,
    spoken,
    the,
    thing_words,
    whose,
)
from workbench.tables.names import singular_words

__all__ = ["candidate_words", "number_text", "readable_step", "reason_words", "term_words"]


AGGREGATES = {
    "variance": "variance of the",
    "mean": "mean",
    "min": "least",
    "max": "greatest",
    "sum": "total",
}
DATE_AGGREGATES = AGGREGATES | {"min": "earliest", "max": "latest"}
YEAR, MONTH = 365.25, 365.25 / 12
"""In days."""


def number_text(value: float) -> str:
    """A number as people write it: at most four digits that tell."""
    if value == int(value) and abs(value) < 1e7:
        return f"{int(value):,}"
    return f"{value:,.0f}" if abs(value) >= 1e4 else f"{value:.4g}"


def candidate_words(candidate: Candidate, *, timed: bool = False) -> str:
    """What a candidate's number is, such as `the mean amount of its
    payments in the last 90 days`.
    """
    what = "" if candidate.onward is None else _column_words(candidate.onward)
    if candidate.with_ is not None:
        return _common_words(candidate.path, what, *candidate.with_)
    if candidate.compared is not None:
        first, second = (candidate_words(one, timed=timed) for one in candidate.compared)
        if candidate.compared[0].onward is not None and candidate.compared[0].onward.kind == "date":
            return f"days from {the(second)} to {the(first)}"
        if candidate.compared[1].aggregate == "previous":
            return f"{first} less that of the one before"
        sign = {"difference": "less", "ratio": "divided by", "product": "times"}
        return f"{first} {sign[candidate.aggregate]} {the(second)}"
    rows = rows_words(candidate.path) + _among(candidate) if candidate.path.many else ""
    if candidate.label is not None and rows:
        what = f"known {what}"
        rows = rows if rows.startswith("other ") else f"other {rows}"
    when = _when(candidate)
    joined = "with" if candidate.among is None else "and"
    value = _value_words(what, candidate.onward, candidate.value)
    match candidate.aggregate:
        case "value" if timed and candidate.onward is not None and candidate.onward.kind == "date":
            return f"days since {the(whose(candidate.path) + what)}"
        case "value" if candidate.onward is not None and candidate.onward.kind == "calendar":
            name = spoken(candidate.onward.column.name)
            return f"{candidate.onward.column.part} of {the(whose(candidate.path) + name)}"
        case "value":
            return f"{whose(candidate.path)}{what}"
        case "is":
            return f"{whose(candidate.path)}{value}"
        case "count":
            return f"number of {rows}{when}"
        case "different":
            return f"number of different {what} of {rows}"
        case "share":
            return f"share of {rows} with {value}{when}"
        case "sum" if candidate.value is not None:
            return f"number of {rows} {joined} {value}{when}"
        case "mean" if candidate.onward is not None and candidate.onward.kind == "flag":
            return f"share of {rows} with {what}{when}"
        case "sum" if candidate.onward is not None and candidate.onward.kind == "flag":
            return f"number of {rows} {joined} {what}{when}"
        case "mean" | "min" | "max" | "sum" | "variance":
            names = DATE_AGGREGATES if _in_days(candidate) else AGGREGATES
            return f"{names[candidate.aggregate]} {what} of {rows}{when}"
        case "latest":
            return f"{what} of the latest of {rows}"
        case "previous":
            return f"{what} of the one before the latest of {rows}"
        case "latest_is":
            return f"{value} in the latest of {rows}"
        case "since":
            return f"time since the latest of {rows}"
        case "first":
            return f"time since the first of {rows}"
        case "labelled":
            return f"number of {_known_words(candidate)}"
    raise AssertionError(candidate.aggregate)


def _value_words(what: str, onward: Onward | None, value: str | None) -> str:
    """That a column, called so, has a value, a word, or a beginning."""
    if onward is None or value is None:
        return what
    if onward.kind == "text":
        return f"the word {value} in {what}"
    if onward.kind == "number":
        sign, number = value.split()
        passed = "of at least" if sign == ">=" else "below"
        return f"{what} {passed} {number_text(float(number))}"
    return f"{what} {'beginning with' if onward.column.beginning else '='} {value}"


def _known_words(candidate: Candidate) -> str:
    """Labels of other rows: `known yes among other loans of its member`."""
    label = "yes" if candidate.label else "no"
    return f"known {label} among {neighbours_words(candidate.path)}"


def _common_words(path: Path, column: str, with_: Path, equal: str) -> str:
    """What two ends have in common: `number of the same paper of its student
    (wrote) and its author (published)`.
    """
    there = _owned(with_, spoken(equal)) if with_.hops else f"its {spoken(equal)}"
    if with_.many:
        same = column if column == spoken(equal) else f"{column} and {spoken(equal)}"
        return f"number of the same {same} of {_end(path)} and {_end(with_)}"
    if path.many:
        return f"number of {rows_words(path)} whose {column} is {there}"
    return f"{_owned(path, column)} is {there}"


def _owned(path: Path, column: str) -> str:
    return f"the {column} of {rows_words(path)}" if path.many else f"{whose(path)}{column}"


def _end(path: Path) -> str:
    return rows_words(path) if path.many else f"its {thing_words(path.hops[-1])}"


def _among(candidate: Candidate) -> str:
    if candidate.among is None:
        return ""
    onward, value = candidate.among
    return f" with {_value_words(_column_words(onward), onward, value)}"


def _column_words(onward: Onward) -> str:
    name = spoken(onward.column.name)
    if onward.column.since:
        name = f"days from {spoken(onward.column.since)} to {name}"
    if onward.references:
        last = onward.references[-1]
        owner = " ".join(singular_words(last.table or last.column))
        return f"{owner}'{'' if owner.endswith('s') else 's'} {name}"
    return name


def _when(candidate: Candidate) -> str:
    if candidate.window is None:
        return ""
    return (
        f" in the last {candidate.window} days"
        if candidate.window > 10 or candidate.window in (1, 7)
        else f" in the last {candidate.window} years"
    )


def _in_days(candidate: Candidate) -> bool:
    """Whether a candidate's number counts days, since 1970 or since another date."""
    onward = candidate.onward
    return (
        onward is not None
        and onward.kind == "date"
        and candidate.compared is None
        and candidate.aggregate in ("value", "mean", "min", "max")
    )


def _held_words(candidate: Candidate, words: str, held: bool) -> str:
    """That what is true or false is one of both: `its town is Ulm`, `its town is not Ulm`."""
    onward = candidate.onward
    not_ = "" if held else "not "
    if candidate.aggregate == "value":
        return f"{words} is {not_}yes"
    if candidate.aggregate == "is" and onward is not None:
        what = f"{whose(candidate.path)}{spoken(onward.column.name)}"
        if onward.kind == "text":
            return f"{what} has {not_}the word {candidate.value}"
        if onward.column.beginning:
            does = "begins" if held else "does not begin"
            return f"{what} {does} with {candidate.value}"
        return f"{what} is {not_}{candidate.value}"
    return f"{not_}{words}"


def _value_text(candidate: Candidate, value: float, timed: bool) -> str:
    if _in_days(candidate) and not timed:
        return (date(1970, 1, 1) + timedelta(days=round(value))).isoformat()
    return number_text(value)


def condition_words(condition: Condition, candidate: Candidate, *, timed: bool = False) -> str:
    """A condition in words, such as `number of its companies is at least 3`."""
    if condition.test in ("missing", "known") and candidate.aggregate == "is":
        candidate = replace(candidate, aggregate="value", value=None)  # no value is, or any
    words = candidate_words(candidate, timed=timed)
    alike = candidate.with_ is not None and not candidate.path.many
    is_flag = (
        alike
        or candidate.aggregate in ("is", "latest_is")
        or (
            candidate.aggregate == "value"
            and candidate.onward is not None
            and candidate.onward.kind == "flag"
        )
    )
    if condition.test == "missing":
        return f"{words} is unknown"
    if condition.test == "known":
        return f"{words} is known"
    suffix = " (or unknown)" if condition.or_missing else ""
    if candidate.onward is not None and candidate.onward.kind == "calendar":
        return f"{words} is {_calendar_text(candidate.onward, condition)}{suffix}"
    if is_flag:
        return _held_words(candidate, words, condition.test == "at_least") + suffix
    if (
        candidate.aggregate == "labelled"
        and condition.test == "at_least"
        and condition.threshold <= 1
    ):
        return f"at least one {_known_words(candidate)}"
    if candidate.aggregate in ("count", "different", "sum", "labelled", "in_common") and (
        candidate.aggregate != "sum" or candidate.value is not None
    ):
        least = ceil(condition.threshold)
        if least <= 1 and candidate.aggregate in ("count", "sum"):
            some = "at least one" if condition.test == "at_least" else "none"
            return f"{some} of {_these(words.removeprefix('number of '))}{suffix}"
        if least <= 1 and candidate.aggregate == "labelled":
            return f"no {_known_words(candidate)}{suffix}"
        said = "at least" if condition.test == "at_least" else "below"
        return f"{words} is {said} {least:,}{suffix}"
    said = "at least" if condition.test == "at_least" else "below"
    return f"{words} is {said} {_value_text(candidate, condition.threshold, timed)}{suffix}"


WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip


def _calendar_text(onward: Onward, condition: Condition) -> str:
    """Which weekdays or months pass a threshold: `Friday or later`, `before March`, `December`."""
    names = WEEKDAYS if onward.column.part == "weekday" else MONTHS
    first = min(max(ceil(condition.threshold), 1), len(names))
    if condition.test == "at_least":
        return names[first - 1] + (" or later" if first < len(names) else "")
    return names[0] if first == 2 else f"before {names[first - 1]}"


def readable_step(term: Term, candidates: Sequence[Candidate]) -> float:
    """The power of ten, or of dates the year or the month, below the number's spread: a weight for
    so much of it has digits that people read. 1 for what is no plain number.
    """
    if term.form in ("condition", "log") or candidates[term.column].aggregate == "labelled":
        return 1.0
    if _in_days(candidates[term.column]):
        return next((days for days in (YEAR, MONTH) if term.spread >= days), 1.0)
    return 10.0 ** floor(log10(term.spread)) if not 0.1 <= term.spread < 10 else 1.0


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
        return f"each {_known_words(candidate)}"
    if term.form == "log":
        said = f"the logarithm of {the(words)}"
    else:
        said = _each(_step_words(step, in_days=_in_days(candidate)), words)
    if term.form in ("above", "below"):
        bend = term.low if term.form == "above" else term.high
        said += (
            f" {'above' if term.form == 'above' else 'up to'} {_value_text(candidate, bend, timed)}"
        )
    return f"{said}, where {tested}" if tested else said


def _each(step: str, words: str) -> str:
    """Of what a weight is for so much: `each 10 of its visits`, `each unit of the mean income`."""
    amount = "" if step == "unit" else f" {step}"
    if words.startswith("days "):
        one = step in ("unit", "day", "month", "year")
        days = f"{'day' if step == 'unit' else step} {words.removeprefix('days ')}"
        return f"each {days}" if one else f"each {step} {words}"
    if words.startswith("number of different ") and not amount:
        return f"each {words.removeprefix('number of ')}"
    if words.startswith("number of "):
        return f"each{amount} of {_these(words.removeprefix('number of '))}"
    if words.startswith(("weekday of ", "month of ")):
        within = "week" if words.startswith("weekday ") else "year"
        return f"each{amount or ' one'} that the {words} is later in the {within}"
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
        return f"{_known_words(candidate)}: {number_text(value)}"
    tested = " and ".join(
        condition_words(one, candidates[one.column], timed=timed) for one in term.conditions
    )
    said = f"{words} is {_value_text(candidate, value, timed)}"
    return f"{said}, where {tested}" if tested else said
