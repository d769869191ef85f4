"""A network a run of rows at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from scipy.sparse import csr_array

from workbench.mapped import ROWS_AT_ONCE
from workbench.network.ground_network import GroundNetwork


def row_runs(
    network: GroundNetwork, most: int = ROWS_AT_ONCE
) -> Iterator[tuple[slice, GroundNetwork]]:
    """The network a run of rows at a time, each a network over all atoms; entries are views.

    What is computed run by run needs memory for a run. A network of few rows comes as it is.
    """
    if network.n_rows <= most:
        yield slice(0, network.n_rows), network
        return
    A = network.A
    for first in range(0, network.n_rows, most):
        rows = slice(first, min(first + most, network.n_rows))
        yield (
            rows,
            replace(
                network,
                A=_rows_of(A, rows),
                b=network.b[rows],
                template=network.template[rows],
                relation=network.relation[rows],
                scale=None if network.scale is None else network.scale[rows],
            ),
        )


def _rows_of(A: csr_array, rows: slice) -> csr_array:
    """A run of rows; made without SciPy's constructor, which would copy."""
    entries = slice(int(A.indptr[rows.start]), int(A.indptr[rows.stop]))
    run = csr_array((rows.stop - rows.start, A.shape[1]), dtype=A.dtype)
    run.data, run.indices = A.data[entries], A.indices[entries]
    run.indptr = A.indptr[rows.start : rows.stop + 1] - A.indptr[rows.start]
    run.has_sorted_indices = run.has_canonical_format = True
    return run
