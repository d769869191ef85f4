"""Files of truth, loaded as any facts into the partition `truth` of a workspace of their own."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from pathlib import Path

from workbench.database import (
    DEFAULT_WORLD,
    DESCRIPTION,
    Database,
    FileFacts,
    Predictions,
    chunks_of_lines,
    format_of,
    keep_truth,
    label_counts,
    load_alchemy,
    load_facts,
    load_psl_table,
    load_tables,
    predicate_of_file,
    read_dataset,
)
from workbench.errors import InputError
from workbench.language import language_of_file
from workbench.language.declarations import Predicate
from workbench.verbs.common import plainly
from workbench.verbs.loading import load


def load_truth(
    database: Database, paths: Sequence[Path], predictions: Predictions
) -> frozenset[str]:
    """Load truth by the loaders that facts have; of what else the files hold nothing stays.

    Alchemy's `.db`, a table whose file name is a predicted predicate (in PSL's form, or with a
    header), PSL's `.data`, `.json` and `.yaml`, Prolog's facts and examples, a `dataset.toml`, a
    directory. `WORLD=FILE` names the world of a file; without it, a file that is called as a
    predicted world is of that world.

    Raises E0814 for a missing file; what the loaders raise.

    Returns
    -------
    frozenset of str
        The predicates of soft logic: those whose truth PSL's data files list.
    """
    soft: set[str] = set()
    with database.transaction():
        for given in paths:
            world, path = _world_of(given, predictions.worlds or ())
            if not path.exists():
                raise InputError.of("E0814", f"there is no file {path}")
            before = set(label_counts(database))
            form = format_of(path) if path.is_file() else None
            if form is not None and form.name in ("csv", "parquet", "psl"):
                _load_table(database, path, form.name, world, predictions)
            elif form is not None and form.name == "ilp":
                _declare_all(database, predictions)
                load_facts(database, path, FileFacts(world=world, partition="truth"))
            elif (
                path.is_dir()
                or path.name == DESCRIPTION
                or (form is not None and form.name == "document")
            ):
                if path.is_dir() and not (path / DESCRIPTION).exists():
                    _declare_all(database, predictions)
                load(database, path, world=world, partition="truth")
                soft |= set(label_counts(database)) - before if _is_soft(path) else set()
            else:
                load_alchemy(database, path, world=world, partition="truth", declare=True)
        keep_truth(database)
    return frozenset(soft)


def _world_of(given: Path, worlds: Sequence[str]) -> tuple[str, Path]:
    name, mark, rest = str(given).partition("=")
    if mark and not given.exists():
        return name, Path(rest)
    stem = re.sub(r"_truth$", "", given.name.split(".")[0])
    return (stem if stem in worlds else DEFAULT_WORLD), given


def _is_soft(path: Path) -> bool:
    form = format_of(path) if path.is_file() else None
    if form is not None and form.name == "document":
        return True
    description = path / DESCRIPTION if path.is_dir() else path
    program = read_dataset(description).program if description.is_file() else None
    return program is not None and language_of_file(program) == "psl"


def _load_table(
    database: Database, path: Path, form: str, world: str, predictions: Predictions
) -> None:
    """The rows of one predicate; the predicted constants tell a header from facts."""
    name = re.sub(r"_(truth|targets?|obs)$", "", predicate_of_file(path))
    arities = predictions.arities
    predicate = next((other for other in arities if plainly(other) == plainly(name)), None)
    if predicate is None:
        database.declare_predicates([Predicate(name, ())])
        return
    arity = arities[predicate]
    _declare(database, predicate, arity)
    commas = path.name.lower().removesuffix(".gz").endswith(".csv")
    first = [] if form == "parquet" else _first_cells(path, "," if commas else "\t")
    if form == "parquet" or (form == "csv" and _names_columns(first, predicate, predictions)):
        load_tables(database, path, predicate=predicate, world=world, partition="truth")
    elif commas:
        value = f"column{arity}" if len(first) == arity + 1 else None
        load_tables(
            database,
            path,
            predicate=predicate,
            value=value,
            header=False,
            world=world,
            partition="truth",
        )
    else:
        load_psl_table(database, path, predicate=predicate, world=world, partition="truth")


def _declare_all(database: Database, predictions: Predictions) -> None:
    for name, arity in predictions.arities.items():
        _declare(database, name, arity)


def _declare(database: Database, predicate: str, arity: int) -> None:
    if predicate not in database.predicates():
        database.declare_predicates(
            [Predicate(predicate, tuple(f"{predicate}_{place}" for place in range(arity)))]
        )


def _first_cells(path: Path, delimiter: str) -> list[str]:
    for _, text in chunks_of_lines(path):
        for cells in csv.reader(text.split("\n"), delimiter=delimiter):
            if any(cell.strip() for cell in cells):
                return [cell.strip() for cell in cells]
    return []


def _names_columns(cells: Sequence[str], predicate: str, predictions: Predictions) -> bool:
    """Whether a table's first line is a header: no cell is a constant predicted at its place."""
    predicted = [arguments for name, arguments in predictions.atoms if name == predicate]
    return bool(cells) and not any(
        cell in set(column) for cell, column in zip(cells, zip(*predicted))
    )
