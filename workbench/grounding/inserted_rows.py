"""A long list of rows with few taken out and few put in, copied by stretches."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from workbench.arrays import Array, Bool
from workbench.database.arrow_columns import run_starts
from workbench.grounding.carried_rows import COLUMNS, CarriedRows, run_keys, stacked

Piece = tuple[int, int, int]
"""Of the rows that were there (0) or of those that come (1): from, to."""


def inserted(rows: CarriedRows, gone: Bool, coming: CarriedRows) -> CarriedRows:
    """Rows in ascending runs without some, others put at the ends of the runs that they are of.

    The same as `stacked` without those that are gone, at the cost of copying.
    """
    ordered = stacked(coming)
    pieces = list(
        _pieces(run_keys(rows.rule, rows.template), gone, run_keys(ordered.rule, ordered.template))
    )
    columns: dict[str, Any] = {
        name: _joined((getattr(rows, name), getattr(ordered, name)), pieces) for name in COLUMNS
    }
    return CarriedRows(A=_matrix((rows.A, ordered.A), pieces), **columns)


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


def _joined(sources: tuple[Array, Array], pieces: list[Piece]) -> Array:
    if not pieces:
        return sources[0][:0]
    return np.concatenate([sources[which][start:stop] for which, start, stop in pieces])


def _matrix(sources: tuple[csr_array, csr_array], pieces: list[Piece]) -> csr_array:
    widths = np.diff(sources[0].indptr), np.diff(sources[1].indptr)
    ends = np.cumsum(_joined(widths, pieces), dtype=sources[0].indptr.dtype)
    indptr = np.concatenate([np.zeros(1, ends.dtype), ends])
    bounds = tuple(one.indptr for one in sources)
    entries = [
        (which, int(bounds[which][start]), int(bounds[which][stop]))
        for which, start, stop in pieces
    ]
    data, indices = (
        _joined((getattr(sources[0], name), getattr(sources[1], name)), entries)
        for name in ("data", "indices")
    )
    return csr_array((data, indices, indptr), shape=(indptr.size - 1, sources[0].shape[1]))
