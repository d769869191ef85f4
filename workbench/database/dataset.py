"""A directory of data described by `dataset.toml`: which file holds which facts, the program, the query, the folds."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

from workbench.database.alchemy import load_alchemy
from workbench.database.database import DEFAULT_WORLD, Database
from workbench.database.folds import make_world_folds
from workbench.database.ilp import load_ilp_facts
from workbench.database.ingest import LoadReport, Partition
from workbench.database.psl import PSL_SUFFIXES, load_psl_data, load_psl_table
from workbench.database.tables import load_tables, predicate_of_file
from workbench.database.text_files import display_name
from workbench.database.toml_reader import TomlReader, read_toml
from workbench.errors import InputError, UsageError
from workbench.language.ilp_reader import ILP_SUFFIXES
from workbench.language.program import Predicate

__all__ = ["DESCRIPTION", "Dataset", "FactsEntry", "load_dataset", "load_directory", "load_file", "read_dataset"]

DESCRIPTION = "dataset.toml"
DATASET_KEYS = tuple("name description program query hidden closed predicates facts folds tables predict".split())


@dataclass(frozen=True)
class FactsEntry:
    """One `[[facts]]` table: files of one kind.

    Attributes
    ----------
    file : str
        A path or pattern, relative to the dataset.
    predicate, columns, value, header
        As in `load_tables`.
    world : str
        A name; `{directory}` and `{file}` in it stand for the name of the file's directory and its stem.
    world_column : str or None
        The column of a table that names the world.
    partition : {'evidence', 'truth', 'target'}
    format : {'psl'} or None
        `psl` for tab-separated files without a header whose last column may be a truth value.
    """

    file: str
    predicate: str | None = None
    columns: tuple[str, ...] | None = None
    value: str | None = None
    header: bool = True
    world: str = DEFAULT_WORLD
    world_column: str | None = None
    partition: Partition = "evidence"
    format: str | None = None


@dataclass(frozen=True)
class Dataset:
    """What `dataset.toml` says.

    Attributes
    ----------
    directory : Path
    name, description : str
    program : Path or None
        The rules to begin with.
    query, hidden, closed : tuple of str
        Predicates, as for `infer` and `learn`.
    predicates : tuple of Predicate
        Declared here; those of the program are declared too.
    facts : tuple of FactsEntry
    folds : {'worlds'} or None
    has_tables : bool
        Whether it maps wide tables (`[[tables]]`), which `workbench.tables` reads.
    """

    directory: Path
    name: str
    description: str = ""
    program: Path | None = None
    query: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    closed: tuple[str, ...] = ()
    predicates: tuple[Predicate, ...] = ()
    facts: tuple[FactsEntry, ...] = field(default=())
    folds: str | None = None
    has_tables: bool = False


def read_dataset(source: str | os.PathLike[str]) -> Dataset:
    """Read `dataset.toml` (or the one in a directory).

    Raises
    ------
    InputError
        E0214 for a file that is no TOML, an unknown key or a value of another type; E0211 when there is none.
    """
    path = Path(source)
    if path.is_dir():
        path = path / DESCRIPTION
    content, reader = read_toml(path)
    reader.known(content, "", DATASET_KEYS)
    program = reader.text(content, "program")
    predicates = tuple(
        Predicate(predicate, reader.texts({predicate: types}, predicate) or ())
        for predicate, types in reader.table(content, "predicates").items()
    )
    folds = reader.text(content, "folds")
    if folds not in (None, "worlds"):
        raise reader.fault("folds", f'folds is {folds!r}; only "worlds" (leave one world out) is known')
    return Dataset(
        path.parent,
        reader.text(content, "name") or path.parent.name,
        reader.text(content, "description") or "",
        path.parent / program if program else None,
        reader.texts(content, "query") or (),
        reader.texts(content, "hidden") or (),
        reader.texts(content, "closed") or (),
        predicates,
        tuple(_entry(reader, table) for table in reader.tables(content, "facts")),
        folds,
        bool(reader.tables(content, "tables")),
    )


def _entry(reader: TomlReader, table: Mapping[str, Any]) -> FactsEntry:
    reader.known(table, "facts", tuple(FactsEntry.__dataclass_fields__))
    file = reader.text(table, "file")
    if file is None:
        raise reader.fault("facts", "a [[facts]] table names no file")
    partition = reader.text(table, "partition") or "evidence"
    if partition not in get_args(Partition):
        raise reader.fault(partition, f"{partition!r} is none of the partitions {', '.join(get_args(Partition))}")
    chosen: Partition = "evidence" if partition == "evidence" else "truth" if partition == "truth" else "target"
    form = reader.text(table, "format")
    if form not in (None, "psl"):
        raise reader.fault("format", f'format is {form!r}; only "psl" is known')
    header = table.get("header", True)
    if not isinstance(header, bool):
        raise reader.fault("header", "header is true or false")
    return FactsEntry(
        file,
        reader.text(table, "predicate"),
        reader.texts(table, "columns"),
        reader.text(table, "value"),
        header,
        reader.text(table, "world") or DEFAULT_WORLD,
        reader.text(table, "world_column"),
        chosen,
        form,
    )


def load_dataset(database: Database, source: str | os.PathLike[str]) -> LoadReport:
    """Load a dataset: declare its predicates and those of its program, load its facts, make its folds.

    Parameters
    ----------
    database : Database
    source : path
        A `dataset.toml`, or a directory that holds one; a directory without one is loaded by `load_directory`.
    """
    path = Path(source)
    if path.is_dir() and not (path / DESCRIPTION).exists():
        return load_directory(database, path)
    dataset = read_dataset(path)
    report = LoadReport({}, ())
    with database.transaction():
        database.declare_predicates(dataset.predicates)
        if dataset.program is not None:
            from workbench.language import read_program

            database.declare(read_program(dataset.program))
        for entry in dataset.facts:
            for file in _files(dataset, entry):
                world = entry.world.replace("{directory}", file.parent.name).replace("{file}", predicate_of_file(file))
                report += _load_entry(database, file, entry, world)
        if dataset.folds == "worlds":
            make_world_folds(database)
    return report


def _files(dataset: Dataset, entry: FactsEntry) -> list[Path]:
    files = sorted(dataset.directory.glob(entry.file))
    if not files:
        raise InputError.of("E0211", f"no file of {display_name(dataset.directory)} is called {entry.file}")
    return files


def _load_entry(database: Database, file: Path, entry: FactsEntry, world: str) -> LoadReport:
    if entry.format == "psl":
        predicate = entry.predicate or predicate_of_file(file)
        return load_psl_table(database, file, predicate=predicate, world=world, partition=entry.partition)
    if file.suffix in PSL_SUFFIXES:
        return load_psl_data(database, file, world=world)
    if _is_alchemy(file):
        return load_alchemy(database, file, world=world, partition=entry.partition)
    return load_tables(
        database,
        file,
        predicate=entry.predicate,
        columns=entry.columns,
        value=entry.value,
        header=entry.header,
        world=world,
        world_column=entry.world_column,
        partition=entry.partition,
    )


def _is_alchemy(file: Path) -> bool:
    return ".db" in (file.suffix, Path(file.stem).suffix if file.suffix == ".gz" else "")


def load_file(
    database: Database,
    source: str | os.PathLike[str],
    *,
    world: str = DEFAULT_WORLD,
    partition: Partition = "evidence",
) -> LoadReport:
    """Load whatever `source` is by its name.

    `.db` (Alchemy), CSV, TSV or Parquet (the stem is the predicate), PSL's `.data`, `.json` and `.yaml`, the facts
    and examples of ILP files (`.b`, `.f`, `.n`, `.pl`), a
    `dataset.toml`, or a directory; text files also compressed (`.gz`).
    """
    path = Path(source)
    if path.is_dir() or path.name == DESCRIPTION:
        return load_dataset(database, path)
    if path.suffix in PSL_SUFFIXES:
        return load_psl_data(database, path, world=world)
    if _is_alchemy(path):
        return load_alchemy(database, path, world=world, partition=partition)
    if path.suffix in ILP_SUFFIXES:
        return load_ilp_facts(database, path, world=world)
    return load_tables(database, path, world=world, partition=partition)


def load_directory(
    database: Database,
    source: str | os.PathLike[str],
    *,
    each_file_a_world: bool = False,
    partition: Partition = "evidence",
) -> LoadReport:
    """Load every file of facts in a directory; each subdirectory is a world of its own.

    Parameters
    ----------
    database : Database
    source : path
    each_file_a_world : bool
        Take every `.db` file directly in the directory for a world called as its stem.
    partition : {'evidence', 'truth', 'target'}
    """
    directory = Path(source)
    if not directory.is_dir():
        raise UsageError.of("E0211", f"{display_name(directory)} is no directory")
    report = LoadReport({}, ())
    with database.transaction():
        for file in sorted(directory.iterdir()):
            if file.is_dir() and any(map(_is_facts, file.iterdir())):
                for inner in sorted(filter(_is_facts, file.iterdir())):
                    report += load_file(database, inner, world=file.name, partition=partition)
            elif _is_facts(file):
                own = each_file_a_world and _is_alchemy(file)
                world = predicate_of_file(file) if own else DEFAULT_WORLD
                report += load_file(database, file, world=world, partition=partition)
    if not report.worlds:
        raise InputError.of("E0211", f"{display_name(directory)} holds no files of facts (.db, .csv, .tsv, .parquet)")
    return report


def _is_facts(file: Path) -> bool:
    suffix = Path(file.stem).suffix if file.suffix == ".gz" else file.suffix
    return file.is_file() and suffix in (".db", ".csv", ".tsv", ".parquet", *PSL_SUFFIXES)
