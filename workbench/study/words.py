"""Candidates in plain words: what each number of a row is."""

from __future__ import annotations

import numpy as np

from workbench.language.number_scale import NumberScale
from workbench.structure.candidate import Candidate, Onward
from workbench.structure.relational import ENDS, Reference
from workbench.structure.table_paths import Hop, Path
from workbench.study.path_words import (
    as_role,
    neighbours_words,
    possessive,
    referred,
    rows_words,
    spoken,
    spoken_column,
    the,
    thing_at,
    whose,
)
from workbench.tables.names import singular_words

AGGREGATES = {
    "variance": "variance of the",
    "mean": "mean",
    "min": "least",
    "max": "greatest",
    "sum": "total",
}
MOST_NAMED = 5
"""Words of a list that are named."""
YEARS = range(1500, 2100)
DATE_AGGREGATES = AGGREGATES | {"min": "earliest", "max": "latest"}


def number_text(value: float) -> str:
    """A number as people write it: at most four digits that tell; what may be a year as one."""
    if value == int(value) and abs(value) < 1e7:
        return f"{int(value)}" if value in YEARS else f"{int(value):,}"
    return f"{value:,.0f}" if abs(value) >= 1e4 else f"{value:.4g}"


def weight_text(weight: float) -> str:
    """A weight, or what a rule adds, with its sign: three digits that tell, or whole thousands."""
    return f"{weight:+,.0f}" if abs(weight) >= 1e3 else f"{weight:+.3g}"


def added_text(adds: float, scale: NumberScale) -> str:
    """What a rule adds; where that is to a logarithm, what it does to the number, in per cent."""
    if not scale.is_logarithm:
        return weight_text(adds)
    of = " (of the number plus 1)" if scale is NumberScale.NONNEGATIVE else ""
    return f"{weight_text(100 * float(np.expm1(adds)))} %{of}"


def candidate_words(candidate: Candidate, *, timed: bool = False) -> str:
    """What a candidate's number is, such as `the mean amount of its
    payments in the last 90 days`.
    """
    what = "" if candidate.onward is None else _column_words(candidate.onward)
    if candidate.with_ is not None:
        return _common_words(candidate.path, what, *candidate.with_)
    if candidate.compared is not None:
        return _compared_words(candidate, *candidate.compared, timed=timed)
    rows = rows_words(candidate.path) + _among(candidate) if candidate.path.many else ""
    if timed and candidate.of_earlier and candidate.label is None:
        rows = f"earlier {rows.removeprefix('other ')}"
    if candidate.label is not None and rows:
        rows = f"{'earlier' if timed else 'other'} {rows.removeprefix('other ')}"
        if timed:
            return _earlier_words(candidate, what, rows)
        what = f"known {what}"
    if candidate.listed is not None:
        return _listed_words(candidate, what, rows)
    if candidate.aggregate in ("value", "is"):
        return _own_words(candidate, what, timed=timed)
    return _aggregate_words(candidate, what, rows, timed=timed)


def _compared_words(candidate: Candidate, one: Candidate, other: Candidate, *, timed: bool) -> str:
    """A number set against another one."""
    first, second = (candidate_words(side, timed=timed) for side in (one, other))
    if one.onward is not None and one.onward.kind == "date":
        return f"days from {the(second)} to {the(first)}"
    if other.aggregate == "previous":
        return f"{first} less that of the one before"
    sign = {"difference": "less", "ratio": "divided by", "product": "times"}
    return f"{first} {sign[candidate.aggregate]} {the(second)}"


def _own_words(candidate: Candidate, what: str, *, timed: bool) -> str:
    """The value of one row."""
    onward, owner = candidate.onward, whose(candidate.path)
    if candidate.aggregate == "is":
        return f"{owner}{value_words(what, onward, candidate.value)}"
    if timed and onward is not None and onward.kind == "date":
        return f"days since {the(owner + what)}"
    if onward is not None and onward.kind == "calendar":
        return f"{onward.column.part} of {the(owner + spoken(onward.column.name))}"
    return f"{owner}{what}"


def _listed_words(candidate: Candidate, what: str, rows: str) -> str:
    """How many words of a list there are, such as `number of the 23 words broken, refund, slow, ...
    in its note`, or rows of its values: `number of its visits with code among the 40 I10, ...`.
    """
    assert candidate.listed is not None
    assert candidate.onward is not None
    words = candidate.listed.words
    named = ", ".join(map(candidate.onward.column.shown, words[:MOST_NAMED]))
    if not candidate.of_text:
        of = f"the {len(words)} {named}, ..." if len(words) > MOST_NAMED else named
        return f"number of {rows} with {what} among {of}"
    named = f"{len(words)} words {named}, ..." if len(words) > MOST_NAMED else f"words {named}"
    where = f"{what} of {rows}" if candidate.path.many else f"{whose(candidate.path)}{what}"
    return f"number of the {named} in {where}"


def _aggregate_words(candidate: Candidate, what: str, rows: str, *, timed: bool) -> str:
    """A number about several rows."""
    when = _when(candidate, timed=timed)
    joined = "with" if candidate.among is None or _after(candidate) else "and"
    value = value_words(what, candidate.onward, candidate.value) + _after(candidate)
    flag = candidate.onward is not None and candidate.onward.kind == "flag"
    match candidate.aggregate:
        case "count":
            return f"number of {rows}{when}"
        case "different":
            return f"number of different {what} of {rows}{when}"
        case "share":
            return f"share of {rows} with {value}{when}"
        case "sum" if candidate.value is not None:
            return f"number of {rows} {joined} {value}{when}"
        case "mean" if flag:
            return f"share of {rows} with {what}{when}"
        case "sum" if flag:
            return f"number of {rows} {joined} {what}{when}"
        case "mean" | "min" | "max" | "sum" | "variance":
            names = DATE_AGGREGATES if in_days(candidate) else AGGREGATES
            return f"{names[candidate.aggregate]} {what} of {rows}{when}"
        case "latest":
            return f"{what} of the latest of {rows}"
        case "previous":
            return f"{what} of the one before the latest of {rows}"
        case "latest_is":
            return f"{value} in the latest of {rows}"
        case "since" | "first":
            end = "latest" if candidate.aggregate == "since" else "first"
            return f"{candidate.value or 'days'} since the {end} of {rows}"
        case "interval":
            return f"mean {candidate.value or 'days'} from one to the next of {rows}"
        case "labelled":
            return f"number of {known_words(candidate)}"
    raise AssertionError(candidate.aggregate)


def _earlier_words(candidate: Candidate, what: str, rows: str) -> str:
    """What is known of the target of earlier rows, of all or of the latest."""
    onward = candidate.onward
    assert onward is not None
    if onward.kind == "number":
        of = f"the latest of {rows} where it is known"
        mean = f"mean known {what} of {rows}{_when(candidate, timed=True)}"
        return mean if candidate.aggregate == "mean" else f"{what} of {of}"
    value = value_words(what, onward, candidate.value)
    when = _when(candidate, timed=True)
    if candidate.turned:
        one, other = map(spoken, candidate.path.hops[-1].roles)
        rows = rows.removesuffix(as_role(candidate.path.hops[-1]))
        own = f"{what} as {one} or no {what} as {other}"
        if candidate.aggregate == "latest":
            return f"{own} in the latest of {rows} where it is known"
        return f"share of {rows} with known {own}{when}"
    if candidate.aggregate == "sum":
        said = value if candidate.value or candidate.label else f"no {value}"
        return f"number of {rows} with known {said}{when}"
    if candidate.aggregate in ("latest", "latest_is"):
        return f"{value} in the latest of {rows} where it is known"
    return f"share of {rows} with known {value}{when}"


def value_words(what: str, onward: Onward | None, value: str | None) -> str:
    """That a column, called so, has a value, a word, or a beginning."""
    if onward is None or value is None:
        return what
    if onward.kind == "text":
        return f"the word {value} in {what}"
    if onward.kind == "calendar":
        sign, number = value.split()
        hour = f"{number}:00 or later" if sign == ">=" else f"before {number}:00"
        return f"{what} at the weekend" if onward.column.part == "weekday" else f"{what} {hour}"
    if onward.kind == "number":
        sign, number = value.split()
        passed = "of at least" if sign == ">=" else "below"
        return f"{what} {passed} {number_text(float(number))}"
    if onward.column.ends:
        return f"{what} {' and '.join(value.split(ENDS))} at its ends"
    is_so = "beginning with" if onward.column.beginning else "="
    return f"{what} {is_so} {onward.column.shown(value)}"


def known_words(candidate: Candidate) -> str:
    """Labels of other rows: `known yes among other loans of its member`."""
    label = "yes" if candidate.label else "no"
    return f"known {label} among {neighbours_words(candidate.path)}"


def _common_words(path: Path, column: str, with_: Path, equal: str) -> str:
    """What two ends have in common: `number of the same paper of its student
    (wrote) and its author (published)`.
    """
    if path.hops and path.hops[0].kind == "from":
        return _ring_words(path, column, with_, spoken(equal))
    there = _owned(with_, spoken(equal)) if with_.hops else f"its {spoken(equal)}"
    if with_.many:
        same = column if column == spoken(equal) else f"{column} and {spoken(equal)}"
        return f"number of the same {same} of {_end(path)} and {_end(with_)}"
    if path.many and path.end == path.start and not with_.hops:
        return f"number of {rows_words(path)} with the same {column}, itself among them"
    if path.many:
        return f"number of {rows_words(path)} whose {column} is {there}"
    return f"{_owned(path, column)} is {there}"


def _ring_words(path: Path, column: str, with_: Path, equal: str) -> str:
    """The things that two ways lead to: `number of the users that are both its followed's followed
    and its follower (through follows)`.
    """
    ends = []
    for way, last in ((path, column), (with_, equal)):
        between = [possessive(spoken(hop.column)) for hop in way.hops if hop.kind == "to"]
        ends.append(" ".join(("its", *between, last)))
    through = dict.fromkeys(spoken(way.hops[0].table) for way in (path, with_))
    return (
        f"number of the {spoken(path.start)} that are both {' and '.join(ends)} "
        f"(through {' and '.join(through)})"
    )


def _owned(path: Path, column: str) -> str:
    return f"the {column} of {rows_words(path)}" if path.many else f"{whose(path)}{column}"


def _end(path: Path) -> str:
    return rows_words(path) if path.many else f"its {thing_at(path)}"


def _among(candidate: Candidate) -> str:
    if candidate.among is None or _after(candidate):
        return ""
    onward, value = candidate.among
    return f" with {value_words(_column_words(onward), onward, value)}"


def _after(candidate: Candidate) -> str:
    """After what rows come that are counted: ` right after one with event = alarm`."""
    after = None if candidate.among is None else candidate.among[0].column.after
    if after is None or candidate.onward is None:
        return ""
    said = value_words(_column_words(candidate.onward), candidate.onward, after.value)
    return f"{' right' if after.directly else ', some time'} after one with {said}"


def _column_words(onward: Onward) -> str:
    name = spoken_column(onward.column)
    if onward.column.since:
        name = f"days from {spoken(onward.column.since)} to {name}"
    if onward.references:
        *before, last = onward.references
        owners = [_as_role(one) for one in before if one.is_role]
        named = " ".join(singular_words(last.table or last.column))
        owners.append(_as_role(last) if last.is_role else named)
        return " ".join((*map(possessive, owners), name))
    return name


def _as_role(reference: Reference) -> str:
    return referred(Hop("to", reference.column, reference.table or ""))


def _when(candidate: Candidate, *, timed: bool) -> str:
    if candidate.window is None:
        return ""
    unit = "days" if candidate.window > 10 or candidate.window in (1, 7) else "years"
    return f" in the last {candidate.window} {unit}{'' if timed else ' on record'}"


def in_days(candidate: Candidate) -> bool:
    """Whether a candidate's number counts days, since 1970 or since another date."""
    onward = candidate.onward
    return (
        onward is not None
        and onward.kind == "date"
        and candidate.compared is None
        and candidate.aggregate in ("value", "mean", "min", "max")
    )
