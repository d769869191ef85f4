"""Rules of a few rows each, counted and read with few statements: one takes longer than they."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from workbench.grounding.backend import Batch, DuckDB
from workbench.grounding.bindings import open_bindings
from workbench.grounding.counting import Lines, Tally, lines_of
from workbench.grounding.plans import Plan, RowShape
from workbench.grounding.select import Select, Union, Value
from workbench.grounding.vocabulary import Vocabulary

FEW = 1024
"""Rows that come at once."""

TOGETHER = 50
"""Queries that one statement asks: preparing it grows more than linearly."""


class Read(Protocol):
    """What reads a query's rows from the database."""

    def __call__(self, select: Select | Union, *, few: bool) -> Iterator[Batch]: ...


def count_small(
    vocabulary: Vocabulary, plans: Mapping[int, Plan], lazy: Collection[int] = ()
) -> dict[int, Lines]:
    """Count the clauses over small relations, but those left to a row source (`lazy`)."""
    found: dict[int, Lines] = {}
    for number, plan in plans.items():
        if number in lazy or plan.counts is None:
            continue
        if open_bindings(vocabulary, plan.clause) is not None:
            continue
        rows = vocabulary.small_rows(plan.counts)
        if rows is not None:
            found[number] = list(lines_of(plan, *rows))
    return found


def rows_of(
    vocabulary: Vocabulary,
    tally: Tally,
    shape: RowShape,
    read: Read,
    ready: Mapping[int, list[Batch]],
) -> Iterable[Batch]:
    """The rows of one shape, some `ready`: those over small relations need no statement."""
    known = ready.get(id(shape.select))
    if known is None:
        known = _answered(vocabulary, tally.plan, shape)
    if known is not None:
        return known
    few = not shape.listing and int(tally.open.sum()) < FEW
    return read(shape.select, few=few)


def runs_of_few(tallies: Sequence[Tally]) -> Iterator[list[int]]:
    """Clauses in order of their templates, those that follow one another and have a few rows
    together in one list.
    """
    order = sorted(
        range(len(tallies)), key=lambda i: (int(tallies[i].templates.min(initial=2**30)), i)
    )
    run: list[int] = []
    rows = 0
    for number in order:
        tally = tallies[number]
        alone = bool(tally.plan.n_plus) or tally.plan.lines is not None
        rows += int(tally.open.sum())
        if run and (alone or rows >= FEW or len(run) == TOGETHER):
            yield run
            run, rows = [], int(tally.open.sum())
        if alone:
            yield [number]
            rows = 0
        else:
            run.append(number)
    if run:
        yield run


def _answered(vocabulary: Vocabulary, plan: Plan, shape: RowShape) -> list[Batch] | None:
    """The rows of a query over small relations, if it is one and the rows have an order of their
    own or need none.
    """
    select = shape.select
    if (
        shape.listing
        or not isinstance(select, Select)
        or not isinstance(vocabulary.backend, DuckDB)
    ):
        return None
    return vocabulary.small.answer(select) if select.order_by or plan.only_units else None


def read_together(
    vocabulary: Vocabulary, tallies: Sequence[Tally], read: Read
) -> dict[int, list[Batch]]:
    """The rows of plain queries, by the `id` of the plan's query: of those with equal columns at
    once.

    Rows of a query keep their order. Queries in an order of their own, and lists, are left out; so
    is all where threads' rows must be brought in order.
    """
    if len(tallies) == 1 or vocabulary.shared or not isinstance(vocabulary.backend, DuckDB):
        return {}
    alike: dict[tuple[str, ...], list[Select]] = {}
    found: dict[int, list[Batch]] = {}
    chosen = [one.plan for one in tallies if one.open.any() and not one.plan.n_plus]
    for plan, shape in [(one, shape) for one in chosen for shape in one.shapes(None)]:
        if not _is_plain(shape) or not isinstance(shape.select, Select):
            continue
        answered = _answered(vocabulary, plan, shape)
        if answered is not None:
            found[id(shape.select)] = answered
            continue
        names = tuple(name for name, _ in shape.select.columns)
        alike.setdefault(names, []).append(shape.select)
    for selects in alike.values():
        asked = [
            replace(one, columns=(*one.columns, ("q", Value(place))))
            for place, one in enumerate(selects)
        ]
        found |= {id(one): [] for one in selects}
        for batch in read(Union(tuple(asked)), few=True):
            of = batch.pop("q")
            for place in np.unique(of).tolist():
                rows = np.flatnonzero(of == place)
                found[id(selects[place])].append({name: batch[name][rows] for name in batch})
    return found


def _is_plain(shape: RowShape) -> bool:
    query = shape.select
    return isinstance(query, Select) and not (
        shape.listing or query.order_by or query.group_by or query.limit
    )
