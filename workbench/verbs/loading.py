"""Loading facts: files by what they are, and data frames."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from workbench.database import (
    DEFAULT_WORLD,
    Database,
    LoadReport,
    Partition,
    load_file,
    load_frame,
    load_psl_data,
    load_tables,
)
from workbench.errors import InputError, UsageError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["load"]

Split = Literal["infer", "learn"]


def load(
    database: Database,
    source: str | os.PathLike[str] | pd.DataFrame | Iterable[str | os.PathLike[str]],
    *,
    world: str | None = None,
    partition: Partition = "evidence",
    predicate: str | None = None,
    split: Split = "infer",
) -> LoadReport:
    """Load files by their endings, or a data frame; several in one transaction, all or nothing.

    Raises
    ------
    InputError
        When a file is missing, of no known kind, or at fault.
    """
    import pandas as pd

    if isinstance(source, str | os.PathLike):
        return _load_path(database, Path(source), world, partition, predicate, split)
    if isinstance(source, pd.DataFrame):
        if predicate is None:
            raise UsageError.of("E0813", "a data frame needs the name of its predicate", help="give predicate=")
        return load_frame(database, source, predicate=predicate, world=world or DEFAULT_WORLD, partition=partition)
    report = LoadReport({}, ())
    with database.transaction():
        for path in source:
            report += _load_path(database, Path(path), world, partition, predicate, split)
    return report


def _load_path(
    database: Database, path: Path, world: str | None, partition: Partition, predicate: str | None, split: Split
) -> LoadReport:
    if not path.exists():
        raise InputError.of("E0814", f"there is no file {path}")
    if predicate is not None:
        return load_tables(database, path, predicate=predicate, world=world or DEFAULT_WORLD, partition=partition)
    if path.suffix in (".json", ".yaml", ".yml", ".data"):
        return load_psl_data(database, path, split=split, world=world or DEFAULT_WORLD)
    return load_file(database, path, world=world or DEFAULT_WORLD, partition=partition)
