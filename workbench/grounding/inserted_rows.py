"""A long list of rows with few taken out and few put in, copied by stretches,
as after an update.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from workbench.arrays import Array, Bool, Int32
from workbench.database.arrow_columns import run_starts
from workbench.grounding.carried_rows import CarriedRows
from workbench.grounding.chosen_rows import ChosenRows

__all__ = ["inserted"]

Piece = tuple[int, int, int]
"""Of the rows that were there (0) or of those that come (1): from, to."""


def inserted(rows: CarriedRows, gone: Bool, coming: CarriedRows) -> CarriedRows:
    """Rows in runs of ascending templates without some, others put at the ends of their templates'
    runs.

    The same as `stacked` without those that are gone, at the cost of copying.
    """
    ordered = _in_runs(coming)
    pieces = list(_pieces(rows.template, gone, ordered.template))
    names = ("b", "rule", "template", "scale", "relation")
    columns: dict[str, Any] = {
        name: _joined((getattr(rows, name), getattr(ordered, name)), pieces) for name in names
    }
    return CarriedRows(A=_matrix((rows.A, ordered.A), pieces), **columns)


def _in_runs(rows: CarriedRows) -> CarriedRows:
    order = ChosenRows.of(np.argsort(rows.template, kind="stable"))
    names = ("b", "rule", "template", "scale", "relation")
    columns: dict[str, Any] = {name: order.of_column(getattr(rows, name)) for name in names}
    return CarriedRows(A=order.rows_of(rows.A), **columns)


def _pieces(template: Int32, gone: Bool, coming: Int32) -> Iterator[Piece]:
    starts, first = run_starts(template), run_starts(coming)
    after = np.searchsorted(template[starts], coming[first], side="right")
    places = np.append(starts, template.size)[after]
    put: dict[int, list[Piece]] = {}
    for place, start, stop in zip(places.tolist(), first, [*first[1:], coming.size]):
        put.setdefault(place, []).append((1, int(start), int(stop)))
    changes = np.flatnonzero(gone[1:] != gone[:-1]) + 1
    cuts = np.unique(np.concatenate([[0, template.size], changes, places])).tolist()
    for start, stop in pairwise(cuts):
        yield from put.get(start, ())
        if not gone[start]:
            yield 0, start, stop
    yield from put.get(template.size, ())


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
