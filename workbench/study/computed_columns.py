"""What is worked out of a table's columns row by row: weekdays, months and hours of dates, days
from one date to another, and thresholds that part some numbers from most.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations, islice

from workbench.structure.relational import Column, Gathered, Reference, Table
from workbench.tables import Staging, TypedTable
from workbench.tables.names import words

MOSTLY, ENDED = 0.9, 0.1
"""Of rows that last, how many have begun at a known time, and ended later, at least."""
A_YEAR = 330
"""Days that dates span at least where their months are looked at."""
DAYS_OF_MONTH = 10
"""On which dates fall at least where their weekdays are looked at: that of a year's first day says
which year it is.
"""
HOURS_OF_DAY = 4
"""In which dates fall at least where these are looked at."""
WEEKEND = (">= 6",)
TIMES_OF_DAY = ("< 6", "< 9", ">= 18", ">= 22")
"""What parts many rows by when they were."""
FEW_VALUES = 8
"""Of so many different numbers at most each is a threshold."""
SHARES = (0.1, 0.25, 0.75, 0.9)
"""Of the rows, that have a number up to a threshold."""
MOST_DATES = 4
MOST_NUMBERS = 4
"""Columns of rows that share two things of which the mean is taken."""
MOST_PRODUCTS = 2
OF_EACH = frozenset(
    "price cost costs rate fee wage tariff preis kosten satz lohn gebuehr tarif".split()
)
"""Words for what one costs, which is multiplied by how many there are."""
PARTS_OF_ONE = frozenset(
    "share shares percent percentage pct weight stake fraction proportion portion quota anteil "
    "prozent gewicht quote".split()
)
"""Words for how much of a thing each of its rows is, which what that refers to counts by."""
MOST_SHARED = 3
"""Pairs of things that rows of a table share."""
APART = 1.2
"""Rows of a group of rows that share two things, on average, and such groups of one thing, at
least.
"""
MOST_MET = 100
"""Rows that each row shares two things with, on average, at most."""


def calendar_columns(staging: Staging, typed: TypedTable, column: str) -> Iterator[Column]:
    """The weekday of a date, its month where dates span a year, its hour where they have hours."""
    name = typed.columns[column]
    ((days, of_month, hours),) = staging.rows(
        f"SELECT (epoch(max({name})) - epoch(min({name}))) / 86400.0, count(DISTINCT day({name})), "
        f"count(DISTINCT hour({name})) FROM {typed.relation}"
    )
    if int(str(of_month)) >= DAYS_OF_MONTH:
        yield Column(column, "calendar", WEEKEND, part="weekday")
    if days is not None and float(str(days)) >= A_YEAR:
        yield Column(column, "calendar", part="month")
    if int(str(hours)) >= HOURS_OF_DAY:
        yield Column(column, "calendar", TIMES_OF_DAY, part="hour")


def number_column(staging: Staging, typed: TypedTable, column: str) -> Column:
    """A number with its thresholds."""
    cuts = _thresholds(staging, typed, f"CAST({typed.columns[column]} AS DOUBLE)")
    return Column(column, "number", cuts)


def holds_years(
    staging: Staging, typed: TypedTable, column: str, *, filled_at_least: float = MOSTLY
) -> bool:
    """Whether a column holds whole numbers that may be years, mostly filled."""
    name = typed.columns[column]
    row = staging.rows(
        f"SELECT min({name}), max({name}), count({name}), count(*), bool_and({name} = "
        f"floor({name})) FROM {typed.relation}"
    )[0]
    low, high, filled, rows, whole = row
    return bool(
        low is not None and float(str(low)) >= 1000 and float(str(high)) <= 2200 and whole
        and int(str(filled)) >= filled_at_least * int(str(rows))
    )  # fmt: skip


def durations(staging: Staging, typed: TypedTable, table: Table) -> Iterator[Column]:
    """The days from each date of a row to each other, the one that is mostly earlier first."""
    dates = [column.name for column in table.columns if column.kind == "date"][:MOST_DATES]
    for pair in combinations(dates, 2):
        one, other = (f"epoch({typed.columns[name]})" for name in pair)
        ((less, more),) = staging.rows(
            f"SELECT count(*) FILTER ({one} < {other}), count(*) FILTER ({one} > {other}) "
            f"FROM {typed.relation}"
        )
        n_less, n_more = int(str(less)), int(str(more))
        if n_less + n_more:
            since, name = pair if n_less >= n_more else pair[::-1]
            days = f"(epoch({typed.columns[name]}) - epoch({typed.columns[since]})) / 86400.0"
            yield Column(name, "number", _thresholds(staging, typed, days), since=since)


def lasting(staging: Staging, typed: TypedTable, table: Table) -> tuple[str, ...]:
    """The two dates, or years, of when a table's rows begin and end: the first hardly ever later,
    and mostly known; empty where there are no such.
    """
    dates = [column.name for column in table.columns if column.kind == "date"][:MOST_DATES]
    years = [
        column.name
        for column in table.columns
        if column.kind == "number"
        and not column.since
        and holds_years(staging, typed, column.name, filled_at_least=ENDED)
    ][:MOST_DATES]
    for pair in (*combinations(dates, 2), *combinations(years, 2)):
        for begins, ends in (pair, pair[::-1]):
            one, other = typed.columns[begins], typed.columns[ends]
            ((known, earlier, later),) = staging.rows(
                f"SELECT count({one}), count_if({one} < {other}), count_if({one} > {other}) "
                f"FROM {typed.relation}"
            )
            begun = int(str(known)) >= MOSTLY * typed.rows
            in_order = int(str(later)) <= typed.rows / 100
            if begun and in_order and int(str(earlier)) >= ENDED * typed.rows:
                return begins, ends
    return ()


def positive_numbers(staging: Staging, typed: TypedTable, table: Table) -> list[Column]:
    """The columns of numbers above 0, of different ones."""
    numbers = [one for one in table.columns if one.kind == "number" and not one.since]
    if not numbers:
        return []
    names = [typed.columns[one.name] for one in numbers]
    (found,) = staging.rows(
        f"SELECT {', '.join(f'min({name}) > 0 AND max({name}) > min({name})' for name in names)} "
        f"FROM {typed.relation}"
    )
    return [one for one, positive in zip(numbers, found) if positive]


def product_columns(
    tables: Mapping[str, Table], table: Table, positive: Mapping[str, list[Column]]
) -> Iterator[Column]:
    """The positive numbers of rows times what one costs, of their own or of what they refer to; and
    what they refer to by how much of a thing they are: an owner's rating times its percent.
    """
    ways: list[tuple[tuple[Reference, ...], list[Column]]] = [((), positive[table.name])]
    ways += [
        ((one,), positive.get(one.table or "", []))
        for one in table.references
        if one.table != table.name
    ]
    found = (
        Column(one.name, "number", times=other.name, way=way)
        for way, others in ways
        for other in others
        for one in positive[table.name]
        if _is_price(other) and not _is_price(one)
    )
    yield from islice(found, MOST_PRODUCTS)
    weighed = (
        Column(one.name, "number", times=other.name, way=(reference,))
        for reference in table.references
        if reference.table not in (None, table.name)
        for other in _plain_numbers(tables[reference.table or ""])
        for one in _plain_numbers(table)
        if PARTS_OF_ONE.intersection(words(one.name)) and not _is_price(other)
    )
    yield from islice(weighed, MOST_PRODUCTS)


def _plain_numbers(table: Table) -> list[Column]:
    return [one for one in table.columns if one.kind == "number" and not one.since]


def _is_price(column: Column) -> bool:
    return bool(OF_EACH.intersection(words(column.name)))


def shared_columns(
    staging: Staging, typed: Mapping[str, TypedTable], table: Table
) -> Iterator[Column]:
    """What the rows amount to that share two things with each row, a thing and another or a
    category: the bids of one bidder in one auction, the marks of a pupil in one subject.
    """
    if table.of or table.relates:
        return
    said = table.name.replace("_", " ")
    pairs = (
        (one, also)
        for one, also in _two_shared(table)
        if _are_groups(staging, typed[table.name], one, also)
    )
    for one, also in islice(pairs, MOST_SHARED):
        rows = f"{said} with the same {one.replace('_', ' ')} and {also.replace('_', ' ')}"
        yield _gathered(f"number of {rows}", Gathered(table.name, one, also=also))
        numbers = [c for c in table.columns if c.kind in ("number", "flag") and not c.since]
        for column in islice(numbers, MOST_NUMBERS):
            of = column.name.replace("_", " ")
            told = (
                f"mean {of} of {rows}" if column.kind == "number" else f"share of {rows} with {of}"
            )
            yield _gathered(told, Gathered(table.name, one, (), column, also))


def usual_columns(table: Table) -> Iterator[Column]:
    """Of each number of a row the mean of all rows that have the same value of a category, which no
    tie and no table stands for: the usual amount of claims for the same service.
    """
    if table.of or table.relates:
        return
    tied = {one.column for one in table.references}
    said = table.name.replace("_", " ")
    kinds = (
        one
        for one in table.columns
        if one.kind == "category" and not one.beginning and one.name not in tied
    )
    for kind in islice(kinds, MOST_SHARED):
        numbers = [one for one in table.columns if one.kind == "number" and not one.since]
        for column in islice(numbers, MOST_NUMBERS):
            told = f"mean {column.name} of all {said} with the same {kind.name}".replace("_", " ")
            of = Gathered(table.name, kind.name, (), column, mean=True, alike=True)
            yield _gathered(told, of)


def _two_shared(table: Table) -> Iterator[tuple[str, str]]:
    """Pairs of what a row names: two things, or a thing and a category."""
    things = [one.column for one in table.references if one.table is not None]
    yield from combinations(things, 2)
    for column in table.columns:
        if column.kind == "category" and column.name not in things and not column.beginning:
            yield from ((one, column.name) for one in things)


def _are_groups(staging: Staging, typed: TypedTable, one: str, also: str) -> bool:
    """Whether rows that share both are several, and clearly fewer than those that share one; and
    not so many that reading them with each other is too much.
    """
    first, second = typed.columns[one], typed.columns[also]
    ((rows, pairs, squares, ones, others),) = (
        tuple(float(str(number or 0)) for number in row)
        for row in staging.rows(
            f"SELECT sum(n), count(*), sum(n * n), count(DISTINCT a), count(DISTINCT b) FROM "
            f"(SELECT {first} AS a, {second} AS b, count(*) AS n FROM {typed.relation} WHERE "
            f"{first} IS NOT NULL AND {second} IS NOT NULL GROUP BY 1, 2)"
        )
    )
    apart = pairs >= APART * ones and pairs >= APART * others
    return apart and rows >= APART * pairs and squares <= MOST_MET * rows


def _gathered(said: str, of: Gathered) -> Column:
    return Column(said, "number", gathered=of)


def _thresholds(staging: Staging, typed: TypedTable, number: str) -> tuple[str, ...]:
    """Those of a number that rows have different ones of."""
    ((found, different),) = staging.rows(
        f"SELECT quantile_disc(x, {list(SHARES)}), approx_count_distinct(x) "
        f"FROM (SELECT {number} AS x FROM {typed.relation})"
    )
    if not isinstance(found, list) or int(str(different)) < 2:
        return ()
    if int(str(different)) <= FEW_VALUES:
        rows = staging.rows(
            f"SELECT DISTINCT {number} AS x FROM {typed.relation} WHERE x IS NOT NULL ORDER BY x"
        )
        return tuple(f">= {float(str(value)):.12g}" for (value,) in rows[1:])
    low, lower, upper, high = (f"{float(value):.3g}" for value in found)
    return tuple(dict.fromkeys((f"< {low}", f"< {lower}", f">= {upper}", f">= {high}")))
