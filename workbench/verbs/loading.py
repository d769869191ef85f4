"""Loading facts: files by what they are, and data frames."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast

from workbench.database import (
    DEFAULT_WORLD,
    Database,
    FileFacts,
    LoadReport,
    Partition,
    check_partition,
    load_dataset,
    load_facts,
    load_file,
    load_frame,
)
from workbench.database.psl import Split
from workbench.errors import InputError, UsageError, masked
from workbench.progress import SILENT, Progress
from workbench.tables import TablesMapping, TablesReport, form_of
from workbench.verbs.wide_tables import are_wide_tables, load_wide_tables, made_by_tables

if TYPE_CHECKING:
    import pandas as pd


def load(
    database: Database,
    source: str | os.PathLike[str] | pd.DataFrame | Iterable[str | os.PathLike[str]],
    *,
    world: str | None = None,
    partition: Partition = "evidence",
    predicate: str | None = None,
    split: Split = "infer",
    wide: bool | None = None,
    mapping: TablesMapping | str | os.PathLike[str] | None = None,
    predict: str | None = None,
    labels: Literal["evidence", "withheld"] = "withheld",
    progress: Progress = SILENT,
) -> LoadReport:
    """Load files by what they are, or a data frame; several in one transaction, all or nothing.

    Raises InputError when a file is missing, of no known kind, or at fault.

    Parameters
    ----------
    source : path, URL, data frame, or several
    world, partition, predicate, split
        As in `Workspace.load`.
    wide : bool, optional
        Whether tables are wide and mapped to predicates; None decides for each source by
        `are_wide_tables`.
    predict, progress
        As in `load_wide_tables`; with either, tables are wide.

    Returns
    -------
    LoadReport
        A TablesReport where some tables were wide.
    """
    check_partition(partition)
    if _is_frame(source):
        if predicate is None:
            raise UsageError.of(
                "E0813", "a data frame needs the name of its predicate", help="give predicate="
            )
        return load_frame(
            database,
            cast("pd.DataFrame", source),
            predicate=predicate,
            world=world or DEFAULT_WORLD,
            partition=partition,
        )
    files = cast("str | os.PathLike[str] | Iterable[str | os.PathLike[str]]", source)
    sources = [files] if isinstance(files, str | os.PathLike) else list(files)
    for one in sources:
        if form_of(one) != "postgres" and not Path(one).exists():
            raise InputError.of("E0814", f"there is no file {masked(str(one))}")
    mapped = mapping is not None or predict is not None
    may_be_wide = wide is not False and predicate is None and partition == "evidence"
    made = made_by_tables(database) if may_be_wide else ()
    tables = [
        one
        for one in sources
        if (mapped and holds_tables(one))
        or (may_be_wide and (wide or are_wide_tables(database, one, made)))
    ]
    report = LoadReport({}, ())
    with database.transaction():
        for one in sources:
            if one not in tables:
                if form_of(one) == "postgres":
                    raise InputError.of(
                        "E0211",
                        f"{masked(str(one))} is a database, and nothing says what its tables mean",
                        help="give --mapping dataset.toml, which `workbench load` prints",
                    )
                report += _load_path(database, Path(one), world, partition, predicate, split)
        for description in filter(_is_description, tables):
            report += load_dataset(database, description)
        if not tables and not mapped:
            return report
        loaded = load_wide_tables(
            database,
            tables,
            mapping=mapping,
            predict=predict,
            world=world,
            labels=labels,
            progress=progress,
        )
    both = report + loaded
    return TablesReport(both.facts, both.worlds, both.warnings, loaded.mapping)


def _is_frame(source: object) -> bool:
    """Whether it is a data frame, without importing pandas, which takes long."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(source, pandas.DataFrame)


def holds_tables(source: str | os.PathLike[str]) -> bool:
    """Whether a mapping may be of what it holds: tables, or a directory."""
    return form_of(source) is not None or Path(source).is_dir() or _is_description(source)


def _is_description(source: str | os.PathLike[str]) -> bool:
    path = Path(source)
    return path.name == "dataset.toml" or (path / "dataset.toml").is_file()


def _load_path(
    database: Database,
    path: Path,
    world: str | None,
    partition: Partition,
    predicate: str | None,
    split: Split,
) -> LoadReport:
    at = world or DEFAULT_WORLD
    if predicate is not None:
        return load_facts(
            database, path, FileFacts(predicate, world=at, partition=partition, split=split)
        )
    return load_file(database, path, world=at, partition=partition, split=split)
