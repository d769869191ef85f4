"""Arrays in files without a name, for what memory would not hold."""

from __future__ import annotations

import mmap
import shutil
import tempfile
from typing import Any

import numpy as np

from workbench.arrays import Array

ROWS_AT_ONCE = 2**21
"""Rows of a pass's step: some tens of megabytes."""

A_ROW, AN_ENTRY, AN_ATOM = 80, 80, 100
"""Bytes of the network and of the solvers' copies of it:
measured on soft logic of a million rows, rounded up.
"""


def network_bytes(rows: Any, entries: Any, atoms: Any) -> Any:
    """Bytes that a ground network takes while it is solved in memory; of several, arrays."""
    return A_ROW * rows + AN_ENTRY * entries + AN_ATOM * atoms


def mapped(count: int, dtype: Any) -> Array:
    """An array of zeros in a file of the folder for temporary files (`TMPDIR`), gone when the array
    is.

    What is not written costs neither disk nor memory; what is written, the system moves out of
    memory as it needs to.
    """
    if not count:
        return np.zeros(0, dtype)
    with tempfile.TemporaryFile() as file:
        return np.memmap(file, dtype, "w+", shape=(count,))


def release(*arrays: Array) -> None:
    """Take the pages of mapped arrays, or views of them, out of memory; others stay."""
    for array in arrays:
        owner: Any = array
        while owner is not None and not isinstance(owner, mmap.mmap):
            owner = getattr(owner, "base", None)
        if owner is not None and hasattr(mmap, "MADV_DONTNEED"):
            owner.madvise(mmap.MADV_DONTNEED)


def free_bytes() -> tuple[int, str]:
    """The room that is left where mapped arrays lie, and where that is."""
    folder = tempfile.gettempdir()
    return shutil.disk_usage(folder).free, folder
