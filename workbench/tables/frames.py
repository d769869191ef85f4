"""Data frames where files of tables are asked for."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from workbench.errors import UsageError

Tables = str | os.PathLike[str] | Iterable[str | os.PathLike[str]] | Mapping[str, Any]
"""A file or URL, several, or data frames by the names of their tables."""


@contextmanager
def as_files(tables: Tables) -> Iterator[Sequence[str | os.PathLike[str]]]:
    """Files as they are; of data frames one each, gone when the `with` block ends.

    Raises E0644 for what is no data frame, and where nothing is given.
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
            paths.append(_written(Path(directory), str(name), frame))
        yield paths


def _written(directory: Path, name: str, frame: Any) -> Path:
    """A frame as a file called as its table; what its cells hold of several types as texts."""
    if not hasattr(frame, "to_parquet") or Path(name).name != name:
        fault = f"the table {name} is no data frame, or no table is called so"
        raise UsageError.of("E0644", fault, help="give data frames by name, or files")
    mixed = {column: "string" for column, kind in frame.dtypes.items() if kind.kind == "O"}
    path = directory / f"{name}.parquet"
    try:
        frame.astype(mixed).to_parquet(path, index=False)
    except (ValueError, TypeError) as error:  # Arrow's are among them
        said = f"the data frame {name} cannot be read: {str(error).splitlines()[0]}"
        raise UsageError.of("E0644", said, help="name each column once") from None
    return path
