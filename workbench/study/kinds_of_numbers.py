"""Numbers that are of another scale in rows of another kind: readings of thermometers and of clocks
in one column. Taken together they say nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

import numpy as np

from workbench.arrays import Float
from workbench.structure.candidate import Candidate, Onward
from workbench.structure.candidates import onward_columns
from workbench.structure.candidates_among import kinds_of
from workbench.structure.table_paths import Path
from workbench.study.columns import CandidateColumns

Kinds = tuple[tuple[Onward, str | None], ...]
"""The values of one category, or a flag."""
MOST_KINDS, MOST_ROWS = 20, 20_000
TOLD = 0.5
"""Of the variance of a number's ranks: what its rows' kind explains at least."""


def kinds_of_numbers(columns: CandidateColumns, path: Path) -> Mapping[Onward | None, Kinds]:
    """The kinds of the rows that a path reaches by which a number's scales are told apart, for each
    number that has several. O(n log n) of at most `MOST_ROWS` rows.
    """
    kinds: dict[Onward, Kinds] = {}
    for by, value in kinds_of(columns.schema, path, MOST_KINDS):
        if value is not None:
            kinds[by] = (*kinds.get(by, ()), (by, value))
    if not kinds:
        return {}
    numbers = [
        one
        for one in onward_columns(columns.schema, path)
        if one.kind == "number" and not (one.references or one.column.group or one.column.times)
    ]
    numbers += [Onward((), one) for one in columns.schema[path.end].behind if not one.values]
    ends = columns.reach(path)[1]
    said = columns.read.said(path.end, [*numbers, *kinds], ends[:: len(ends) // MOST_ROWS + 1])
    found: dict[Onward | None, Kinds] = {}
    for number in numbers:
        share, by = max(
            ((_explained(said[number], said[by]), by) for by in kinds), key=lambda one: one[0]
        )
        if share >= TOLD:
            found[number] = kinds[by]
    return found


def by_kind(
    candidates: Iterable[Candidate], kinds: Mapping[Onward | None, Kinds]
) -> Iterator[Candidate]:
    """The candidates, those of a number of several scales once for each kind of rows."""
    for one in candidates:
        told = kinds.get(one.onward, ())
        yield from [replace(one, among=kind) for kind in told] if told else [one]


def _explained(numbers: Float, codes: Float) -> float:
    """The share of the variance of ranks that is between kinds, less what chance would give."""
    known = ~np.isnan(numbers) & (codes >= 0)
    n, numbers = int(known.sum()), numbers[known]
    kind = np.unique(codes[known], return_inverse=True)[1]
    n_kinds = int(kind.max(initial=0)) + 1
    if n <= n_kinds or n_kinds < 2:
        return 0.0
    ordered = np.sort(numbers)
    ranks = np.searchsorted(ordered, numbers, "left") + np.searchsorted(ordered, numbers, "right")
    if (whole := ranks.var() * n) == 0:
        return 0.0
    means = np.bincount(kind, ranks) / np.bincount(kind)
    within = float(((ranks - means[kind]) ** 2).sum())
    return float(1 - within / whole * (n - 1) / (n - n_kinds))
