"""Comparisons: how far two numbers of a kind are apart, as a pay from its department's mean."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import combinations

from workbench.structure.candidate import Candidate, Onward
from workbench.structure.relational import Schema
from workbench.structure.table_paths import Path

MOST_OF_A_KIND = 5
"""Numbers of one kind that are compared, those of the shortest paths."""
MOST_MEANS = 6
"""Further means that a row's own number is held against: those of its team, its town."""
MOST_OWN = 6
"""Numbers of a row's own that are divided by each other."""
MOST_DATES = 8
MOST_TIMES = 12
"""Numbers of other rows that each of a row's own is multiplied or divided by."""


def comparisons(
    candidates: Sequence[Candidate], positive: Collection[Candidate], *, timed: bool
) -> Iterator[Candidate]:
    """What two of the candidates say beside each other, those of short paths first.

    Numbers of one column, on two paths, of a row, of several on average or of the latest: their
    difference and, of those that are `positive`, their ratio. The row's own positive numbers: their
    ratio, and that to a number of what it refers to; the difference to one that is called alike.
    Dates: the days between the row's own and others.
    """
    plain = _plain(candidates)
    numbers = [one for one in plain if one.onward is not None and one.onward.kind == "number"]
    of_column: dict[tuple[str, str, str], list[Candidate]] = {}
    for one in numbers:
        if one.aggregate in ("value", "mean", "latest"):
            of_column.setdefault(_column(one), []).append(one)
    for alike in of_column.values():
        for first, second in _pairs(alike):
            yield _compared("difference", first, second)
            if first in positive and second in positive:
                yield _compared("ratio", first, second)
    own = [one for one in numbers if not one.path.hops and one in positive]
    near = [one for one in numbers if one.path.hops and not one.path.many and one in positive]
    for first in own if len(own) <= MOST_OWN else ():
        unlike = [one for one in near if _column(one) != _column(first)]
        for second in (*own[own.index(first) + 1 :], *unlike[:MOST_TIMES]):
            yield _compared("ratio", first, second)
    yield from _alike(numbers)
    if not timed:
        dates = [
            one
            for one in plain
            if one.onward is not None and one.onward.kind == "date" and _single(one)
        ]
        for first, second in combinations(dates[:MOST_DATES], 2):
            if not first.path.many:
                yield _compared("difference", first, second)


def against_usual(
    schema: Schema, start: str, positive: Collection[Candidate]
) -> Iterator[Candidate]:
    """The row's own numbers less what is usual for its kind, and divided by it."""
    path = Path(start)
    for column in schema[start].usual:
        of = column.gathered
        assert of is not None
        assert of.column is not None
        own = Candidate(path, "value", Onward((), of.column))
        usual = Candidate(path, "value", Onward((), column))
        yield _compared("difference", own, usual)
        if own in positive:
            yield _compared("ratio", own, usual)


def _pairs(alike: Sequence[Candidate]) -> list[tuple[Candidate, Candidate]]:
    """Which two numbers of a column are compared: the row's own and others, or the means of rows
    that are alike in one thing, and any two of the first.
    """
    first, further = alike[:MOST_OF_A_KIND], alike[MOST_OF_A_KIND:]
    if alike[0].path.hops:
        return list(combinations(first, 2))
    means = [
        one
        for one in further
        if one.aggregate == "mean" and not any(hop.other for hop in one.path.hops)
    ]
    beside = [*first[1:], *means[:MOST_MEANS]]
    return [*((alike[0], one) for one in beside), *combinations(first[1:], 2)]


def products(
    candidates: Sequence[Candidate], positive: Collection[Candidate]
) -> Iterator[Candidate]:
    """The row's own positive numbers, times another, or one of what it refers to."""
    numbers = [
        one
        for one in _plain(candidates)
        if one in positive and one.onward and one.onward.kind == "number"
    ]
    own = [one for one in numbers if not one.path.hops]
    others = [one for one in numbers if one.path.hops and one.aggregate in ("value", "mean")]
    for first in own if len(own) <= MOST_OWN else ():
        for second in (*own[own.index(first) + 1 :], *others[:MOST_TIMES]):
            yield _compared("product", first, second)


def shares_of_totals(
    candidates: Sequence[Candidate], positive: Collection[Candidate]
) -> Iterator[Candidate]:
    """Totals of the row's own rows of one kind, as a share of the total of all of them; the most
    rows that share another thing, too, as a share of all of them: of bids, one bidder's; how many
    different things they name, and how many of these lead back, for each of them.
    """
    near = [one for one in candidates if len(one.path.hops) == 1]
    for one in near:
        named = one.aggregate == "different" and one.window is None
        if named or (
            one.aggregate == "in_common" and one.path.many and one.with_ and one.with_[0].many
        ):
            yield _compared("ratio", one, Candidate(one.path, "count"))
    for one in near:
        of = one.onward.column.gathered if one.onward and one.onward.column.group else None
        if of is not None and of.column is None and one.aggregate == "max":
            yield _compared("ratio", one, Candidate(one.path, "count"))
    totals = {(one.path, one.onward): one for one in _plain(near) if one.aggregate == "sum"}
    for one in near:
        whole = (
            totals.get((one.path, one.onward))
            if one.among is not None and one.aggregate == "sum"
            else None
        )
        if whole is not None and one in positive and whole in positive:
            yield _compared("ratio", one, whole)


def changes(
    candidates: Sequence[Candidate], positive: Collection[Candidate]
) -> Iterator[Candidate]:
    """The way a number goes: the latest less that before it, or one kind's less the mean, and the
    last days' mean less that of all time, or divided by it; how many of all rows are of the last
    days.
    """
    for one in candidates:
        if one.aggregate == "latest" and one.among is None and one.label is None:
            yield _compared("difference", one, replace(one, aggregate="previous"))
    means = {
        replace(one, aggregate="latest"): one
        for one in candidates
        if one.among is not None and one.aggregate == "mean"
    }
    for one in candidates:
        if one in means:
            yield _compared("difference", one, means[one])
    every = set(candidates)
    for one in candidates:
        always = replace(one, window=None)
        if one.window is None or one.label is not None or always not in every:
            continue
        if one.aggregate == "mean" and one.onward and one.onward.kind == "number":
            yield _compared("difference", one, always)
            if one in positive and always in positive:
                yield _compared("ratio", one, always)
        if one.aggregate == "count":
            yield _compared("ratio", one, always)


def _plain(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Those that speak of all rows, at any time, and not of the target."""
    return [
        one
        for one in candidates
        if one.window is None and one.among is None and one.label is None and one.onward is not None
    ]


def _compared(aggregate: str, first: Candidate, second: Candidate) -> Candidate:
    longer = max(first.path, second.path, key=lambda path: len(path.hops))
    return Candidate(longer, aggregate, compared=(first, second))  # type: ignore[arg-type]


def _alike(numbers: Sequence[Candidate]) -> Iterator[Candidate]:
    """The row's own numbers less those of what it refers to that share a word with them: a size
    and its customer's usual size.
    """
    own = [one for one in numbers if not one.path.hops]
    near = [one for one in numbers if one.path.hops and not one.path.many]
    for first in own if len(own) <= MOST_OWN else ():
        for second in near:
            if _column(first) != _column(second) and _words(first) & _words(second):
                yield _compared("difference", first, second)


def _words(one: Candidate) -> frozenset[str]:
    """The words of the name of the column that a candidate reads."""
    assert one.onward is not None
    return frozenset(re.findall(r"[^\W\d_]{2,}", one.onward.column.name.casefold()))


def _single(one: Candidate) -> bool:
    return one.aggregate in ("value", "min", "max")


def _column(one: Candidate) -> tuple[str, str, str]:
    """The table and the names of the columns that a candidate reads."""
    assert one.onward is not None
    references = one.onward.references
    path: Path = one.path
    table = references[-1].table or "" if references else path.end
    return table, one.onward.column.name, one.onward.column.since
