"""Data frames where files of tables are asked for."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from workbench.errors import UsageError

__all__ = ["Tables", "as_files"]

Tables = str | os.PathLike[str] | Iterable[str | os.PathLike[str]] | Mapping[str, Any]
"""A file or URL, several, or data frames by the names of their tables."""


@contextmanager
def as_files(tables: Tables) -> Iterator[Sequence[str | os.PathLike[str]]]:
    """Files as they are; of data frames one each, gone when the `with` block ends.

    Raises
    ------
    UsageError
        E0644 for what is no data frame, and where nothing is given.
    """
    if isinstance(tables, str | os.PathLike):
        yield [tables]
        return
    if not isinstance(tables, Mapping):
        yield list(tables)
        return
    if not tables:
        raise UsageError.of("E0644", "no table is given", help="give data frames by name, or files")
    with TemporaryDirectory(prefix="workbench-frames-") as directory:
        paths = []
        for name, frame in tables.items():
            if not hasattr(frame, "to_parquet"):
                fault = f"the table {name} is no data frame"
                raise UsageError.of("E0644", fault, help="give data frames by name, or files")
            path = Path(directory) / f"{name}.parquet"
            frame.to_parquet(path, index=False)
            paths.append(path)
        yield paths
