"""Which candidates each path offers: the nearest first, and of those that fit chance only what
finds room.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from workbench.progress import expired
from workbench.structure.candidate import Candidate, Onward
from workbench.structure.candidates import (
    candidates_of,
    candidates_of_calendars,
    candidates_of_rare_values,
    candidates_of_variety,
    onward_columns,
)
from workbench.structure.candidates_among import (
    candidates_among_some,
    candidates_behind,
    candidates_of_gaps,
    candidates_of_kinds_and_thresholds,
    candidates_of_sequences,
    candidates_of_thresholds,
    candidates_of_ties,
    candidates_of_two_kinds,
)
from workbench.structure.relational import Column, Schema
from workbench.structure.table_paths import Path
from workbench.study.columns import MOST_CELLS, MOST_PAIRS, CandidateColumns
from workbench.study.kinds_of_numbers import by_kind, kinds_of_numbers

WINDOWS_IN_DAYS = (1, 7, 30, 90, 365, 1095)
WINDOWS_IN_YEARS = (1, 3, 10)
MOST_WINDOWS = 3
ENOUGH = 2000
"""Columns with which, where rows are no more, nothing farther is looked at."""
FEW_PAIRS, MANY_TIMES = 1_000_000, 100
"""Where each row reaches, and is reached by, so many times others on average, they are no
neighbours: what recipes with salt are like says little of one. Few pairs are read anyway, but not
through other rows of the target's table.
"""
MOST_BEFORE = 100
"""Rows of its thing before each, on average, where it is told what came before: rules compare each
with all of these.
"""
MOST_MEETING = 100_000_000
"""Pairs of rows that are looked through for those that are at the same time."""
LEAST_ROWS, LEAST_SHARE = 5, 0.01
"""Rows, and share of all rows, that have a rare value at least, where it is looked at:
fewer fit by chance.
"""


def may_meet(columns: CandidateColumns, path: Path) -> bool:
    """Whether a path that leads to what is at the same time has not too many rows to look through
    for it.
    """
    for at, hop in enumerate(path.hops):
        if hop.meets:
            at_any_time = Path(path.start, (*path.hops[:at], replace(hop, meets=())))
            return columns.size(at_any_time) <= MOST_MEETING
    return True


def nearest_offers(
    columns: CandidateColumns, walked: Sequence[Path], most: int, deadline: float | None
) -> tuple[dict[Path, list[Candidate]], bool]:
    """The plain candidates of each path, at most so many, the nearest first: by the steps to what
    is read. And whether some found no room.

    What is farther is looked at while columns are fewer than rows, or than `ENOUGH`: a table behind
    a table has as many columns as one's own, and among more columns than rows some fit by chance.
    Where not all of one distance finds room, paths share it evenly.
    """
    chosen: dict[Path, list[Candidate]] = {}
    waiting: dict[int, dict[Path, list[Candidate]]] = {}
    width, cut = 0, False
    for distance in range(max(len(path.hops) for path in walked) + 3):
        if width >= max(ENOUGH, len(columns.rows)):
            break
        for path in walked:
            if len(path.hops) == distance and not (width and expired(deadline)):
                for one in _plain(columns, path):
                    on = len(one.onward.references) if one.onward is not None else 0
                    waiting.setdefault(distance + on, {}).setdefault(path, []).append(one)
        level = waiting.pop(distance, {})
        cut = cut or sum(map(len, level.values())) > most - width
        for path, found in _shared_evenly(level, most - width).items():
            chosen.setdefault(path, []).extend(found)
            width += len(found)
    return chosen, cut


def _shared_evenly(
    offers: Mapping[Path, list[Candidate]], room: int
) -> dict[Path, list[Candidate]]:
    """The first candidates of each path; what paths of few leave goes to the others."""
    found: dict[Path, list[Candidate]] = {}
    for place, path in enumerate(sorted(offers, key=lambda one: len(offers[one]))):
        found[path] = offers[path][: room // (len(offers) - place)]
        room -= len(found[path])
    return found


def _plain(columns: CandidateColumns, path: Path) -> list[Candidate]:
    """The candidates of a path that does not reach too many rows."""
    schema = columns.schema
    timed = columns.times is not None
    dated = _in_order_of_time(schema, path, timed)
    if not _fits(columns, path):
        return []
    windows = windows_of(columns, path)
    found = candidates_of(schema, path, timed=timed, dated=dated, windows=windows)
    return list(by_kind(found, kinds_of_numbers(columns, path)))


def _fits(columns: CandidateColumns, path: Path) -> bool:
    """Whether a path reaches any rows, and neither nearly all from everywhere nor more than can be
    read.
    """
    if not path.many:
        return True
    reached = columns.size(path)
    if reached > FEW_PAIRS and reached > MANY_TIMES * _most_rows(columns.schema, path):
        return False
    others = path.others
    if others and columns.n_neighbours(others) > MANY_TIMES * len(columns.rows):
        return False
    read = sum(1 for _ in onward_columns(columns.schema, path)) + 3
    return 0 < reached * read <= MOST_CELLS


def _most_rows(schema: Schema, path: Path) -> int:
    """The rows of the larger of both ends of what a path reaches many along."""
    anchor = path.prefix[-1].table if path.prefix else path.start
    return max(schema[anchor].rows, schema[path.end].rows)


def different_offers(columns: CandidateColumns, path: Path, room: int) -> list[Candidate]:
    """How many different things a path's rows name, at any time; none where not all find room."""
    various = candidates_of_variety(columns.schema, path)
    found = [one for one in various if one.aggregate == "different"]
    return found if 0 < len(found) <= room and _fits(columns, path) else []


def variety_offers(columns: CandidateColumns, path: Path, room: int) -> list[Candidate]:
    """Weekdays and months, or how various a path's rows are; none where not all find room."""
    schema = columns.schema
    windows = windows_of(columns, path) if len(path.suffix) == 1 else ()
    counts = columns.typical_counts(path, windows) if windows else {}
    few = tuple(one for one in windows if counts[one] * len(columns.rows) <= MOST_PAIRS / 10)
    various = candidates_of_variety(schema, path, few)
    mixed = kinds_of_numbers(columns, path)
    found = [*candidates_of_calendars(schema, path)]
    found += [one for one in various if one.aggregate != "variance" or one.onward not in mixed]
    return found if 0 < len(found) <= room and _fits(columns, path) else []


def some_rows_offers(columns: CandidateColumns, path: Path, room: int) -> list[Candidate]:
    """Numbers of those of a path's rows that are of one kind; none where not all find room."""
    timed = columns.times is not None
    dated = _in_order_of_time(columns.schema, path, timed)
    every = candidates_among_some(columns.schema, path, timed=timed, dated=dated)
    told = kinds_of_numbers(columns, path)
    found = [one for one in every if one.among not in told.get(one.onward, ())]
    return found if 0 < len(found) <= room and _fits(columns, path) else []


def behind_offers(columns: CandidateColumns, path: Path, room: int) -> list[Candidate]:
    """What more the rows behind a path's rows amount to; none where not all find room. Of a column
    that is told by kind nothing is made of all rows.
    """
    if not columns.schema[path.end].behind or not _fits(columns, path):
        return []
    told = kinds_of_numbers(columns, path)
    mixed = {_column_behind(one) for one in told} - {None}
    found = [
        one
        for one in by_kind(candidates_behind(columns.schema, path), told)
        if one.among is not None or _column_behind(one.onward) not in mixed
    ]
    return found if len(found) <= room else []


def _column_behind(onward: Onward | None) -> Column | None:
    """The column of rows behind rows that a column is worked out of."""
    of = None if onward is None else onward.column.gathered
    return None if of is None else of.column


def two_kinds_offers(columns: CandidateColumns, path: Path, room: int) -> list[Candidate]:
    """Which rows are of two kinds at once; none where not all find room."""
    found = list(candidates_of_two_kinds(columns.schema, path))
    return found if 0 < len(found) <= room and _fits(columns, path) else []


def tie_offers(columns: CandidateColumns, path: Path, room: int) -> list[Candidate]:
    """Which rows tie two things of kinds; none where not all find room."""
    found = list(candidates_of_ties(columns.schema, path))
    return found if 0 < len(found) <= room and _fits(columns, path) else []


def sequence_offers(columns: CandidateColumns, path: Path, room: int) -> list[Candidate]:
    """How long rows come after the one before; which come after which: of the first categories that
    find room.
    """
    gaps = list(candidates_of_gaps(columns.schema, path))
    found = gaps if len(gaps) <= room else []
    for of_one in candidates_of_sequences(columns.schema, path):
        if len(found) + len(of_one) <= room:
            found += of_one
    return found if found and _fits(columns, path) and _are_few_before(columns, path) else []


def _are_few_before(columns: CandidateColumns, path: Path) -> bool:
    """Whether things have several rows, and few enough to compare each with all before it."""
    _, many = np.unique(columns.reach(path)[0].anchor, return_counts=True)
    rows = many.sum()
    return bool(rows >= 2 * len(many) and (many * (many - 1)).sum() <= 2 * MOST_BEFORE * rows)


def kind_and_threshold_offers(
    columns: CandidateColumns, path: Path, room: int, *, recent: bool = False
) -> list[Candidate]:
    """Which rows, or `recent` ones, are of a kind and have a large or a small number; none where
    not all find room.
    """
    windows = windows_of(columns, path) if recent and room > 0 else (None,)
    found = list(candidates_of_kinds_and_thresholds(columns.schema, path, windows))
    return found if 0 < len(found) <= room and _fits(columns, path) else []


def threshold_offers(columns: CandidateColumns, path: Path, room: int) -> list[Candidate]:
    """How many rows have large or small numbers; none where not all find room."""
    if next(candidates_of_thresholds(columns.schema, path), None) is None:
        return []
    if not _fits(columns, path):
        return []
    found = list(candidates_of_thresholds(columns.schema, path, windows_of(columns, path)))
    return found if len(found) <= room else []


def rare_value_offers(columns: CandidateColumns, path: Path, room: int) -> list[Candidate]:
    """The rare values that find room, of rows that are not too many;
    only values that enough rows may have.
    """
    found = list(candidates_of_rare_values(columns.schema, path))
    if not found or columns.size(path) * 3 > MOST_CELLS:
        return []
    return columns.occurring(path, found, least_rows(columns))[: max(room, 0)]


def least_rows(columns: CandidateColumns) -> int:
    return max(LEAST_ROWS, int(LEAST_SHARE * len(columns.rows)))


def _in_order_of_time(schema: Schema, path: Path, timed: bool) -> bool:
    """Whether what a path reaches has times of its own, and not that of the row that reaches it."""
    walked = schema.dated_through(path.end)
    anchor = path.prefix[-1].table if path.prefix else path.start
    return walked is not None and (timed or anchor not in {reference.table for reference in walked})


def windows_of(columns: CandidateColumns, path: Path) -> tuple[int, ...]:
    """The windows that hold clearly fewer rows than all time and clearly
    more than the next smaller one; none where rows have no times of their own.

    Of target rows that are not asked at times of their own the last days on record, of rows of
    other tables that refer to them: what dates rows of one's own kind is mostly no event.
    """
    timed = columns.times is not None
    near = timed or (path.end != path.start and [hop.kind for hop in path.hops] == ["from"])
    if not near or not path.many or not _in_order_of_time(columns.schema, path, timed):
        return ()
    table = columns.schema.dating_table(path.end)
    assert table is not None
    offered = WINDOWS_IN_YEARS if table.dated_by_year else WINDOWS_IN_DAYS
    counts = columns.typical_counts(path, offered)
    kept: list[int] = []
    above = counts[None]
    for window in reversed(offered):
        if 0.02 * counts[None] < counts[window] < 0.85 * above:
            kept.append(window)
            above = counts[window]
    return tuple(reversed(kept[:MOST_WINDOWS]))
