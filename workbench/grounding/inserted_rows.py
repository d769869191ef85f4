"""A long list of rows with few taken out and few put in, copied by stretches."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from workbench.arrays import Array, Bool
from workbench.database.arrow_columns import run_starts
from workbench.grounding.carried_rows import COLUMNS, CarriedRows, run_keys, stacked
from workbench.grounding.chosen_rows import Piece, copied, copied_rows


def inserted(rows: CarriedRows, gone: Bool, coming: CarriedRows) -> CarriedRows:
    """Rows in ascending runs without some, others put at the ends of the runs that they are of.

    The same as `stacked` without those that are gone, at the cost of copying.
    """
    ordered = stacked(coming)
    pieces = list(
        _pieces(run_keys(rows.rule, rows.template), gone, run_keys(ordered.rule, ordered.template))
    )
    columns: dict[str, Any] = {
        name: copied((getattr(rows, name), getattr(ordered, name)), pieces) for name in COLUMNS
    }
    return CarriedRows(A=copied_rows((rows.A, ordered.A), pieces), **columns)


def _pieces(keys: Array, gone: Bool, coming: Array) -> Iterator[Piece]:
    starts, first = run_starts(keys), run_starts(coming)
    after = np.searchsorted(keys[starts], coming[first], side="right")
    places = np.append(starts, keys.size)[after]
    put: dict[int, list[Piece]] = {}
    for place, start, stop in zip(places.tolist(), first, [*first[1:], coming.size]):
        put.setdefault(place, []).append((1, int(start), int(stop)))
    changes = np.flatnonzero(gone[1:] != gone[:-1]) + 1
    cuts = np.unique(np.concatenate([[0, keys.size], changes, places])).tolist()
    for start, stop in pairwise(cuts):
        yield from put.get(start, ())
        if not gone[start]:
            yield 0, start, stop
    yield from put.get(keys.size, ())
