"""Rules of a few rows each, read together: a statement takes longer than such rows do."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from workbench.grounding.backend import Batch
from workbench.grounding.counting import Tally
from workbench.grounding.plans import RowShape
from workbench.grounding.select import Select, Union, Value

FEW = 1024
"""Rows that come at once."""

TOGETHER = 50
"""Queries that one statement asks: preparing it grows more than linearly."""

Read = Callable[[Select | Union], Iterator[Batch]]


def has_few_rows(tally: Tally) -> bool:
    return int(tally.open.sum()) < FEW


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


def read_together(tallies: Sequence[Tally], read: Read) -> dict[int, list[Batch]]:
    """The rows of plain queries, by the `id` of the plan's query: of those with equal columns at
    once.

    Rows of a query keep their order. Queries in an order of their own, and lists, are left out.
    """
    alike: dict[tuple[str, ...], list[Select]] = {}
    chosen = (one for one in tallies if one.open.any() and not one.plan.n_plus)
    for shape in (shape for tally in chosen for shape in tally.plan.shapes(None)):
        if _is_plain(shape) and isinstance(shape.select, Select):
            names = tuple(name for name, _ in shape.select.columns)
            alike.setdefault(names, []).append(shape.select)
    found: dict[int, list[Batch]] = {}
    for selects in alike.values():
        asked = [
            replace(one, columns=(*one.columns, ("q", Value(place))))
            for place, one in enumerate(selects)
        ]
        found |= {id(one): [] for one in selects}
        for batch in read(Union(tuple(asked))):
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
