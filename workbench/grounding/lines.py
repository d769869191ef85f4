"""Lines of an arithmetic rule's groundings, in order, to rows of any widths."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from workbench.arrays import Array
from workbench.grounding.plans import TOLERANCE, LineForm


@dataclass(frozen=True)
class LinearRows:
    """Rows compressed: `indptr` (n + 1,), ascending `atoms` with `values`, constants `b` (n,)."""

    indptr: Array
    atoms: Array
    values: Array
    b: Array


def whole_groundings(
    batches: Iterable[dict[str, Array]], n_keys: int
) -> Iterator[tuple[dict[str, Array], Array]]:
    """Batches cut where a grounding ends, each with the places where its groundings start."""
    rest: dict[str, Array] | None = None
    for batch in batches:
        if rest is not None:
            batch = {name: np.concatenate([rest[name], column]) for name, column in batch.items()}
        starts = _starts(batch, n_keys)
        last = int(starts[-1])
        rest = {name: column[last:] for name, column in batch.items()}
        if last:
            yield {name: column[:last] for name, column in batch.items()}, starts[:-1]
    if rest is not None:
        yield rest, np.zeros(1, np.int64)


def _starts(batch: dict[str, Array], n_keys: int) -> Array:
    changed = np.zeros(batch["atom"].size, bool)
    changed[0] = True
    for number in range(n_keys):
        key = batch[f"k{number}"]
        changed[1:] |= key[1:] != key[:-1]
    return np.flatnonzero(changed)


def rows_of_lines(batch: dict[str, Array], starts: Array, form: LineForm) -> LinearRows:
    """Rows of groundings with an open atom that divide by nothing zero and can be violated."""
    atoms, values = batch["atom"], batch["coefficient"]
    is_entry = (atoms >= 0) & (values != 0)
    b = np.add.reduceat(batch["b"], starts) + form.constant
    width = np.add.reduceat(is_entry, starts, dtype=np.int64)
    keep = (width > 0) & (np.add.reduceat(batch["undefined"], starts) == 0)
    if form.relation == "<=":
        most = np.add.reduceat(np.where(is_entry, np.maximum(values, 0.0), 0.0), starts)
        keep &= b + most > TOLERANCE
    chosen = is_entry & np.repeat(keep, np.diff(starts, append=atoms.size))
    indptr = np.concatenate([[0], np.cumsum(width[keep])])
    return LinearRows(indptr, atoms[chosen], values[chosen], b[keep])
