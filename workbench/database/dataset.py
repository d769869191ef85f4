"""A directory of data described by `dataset.toml`: files of facts, program, query, folds."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, cast, get_args

from workbench.database.database import DEFAULT_WORLD, Database
from workbench.database.folds import make_world_folds
from workbench.database.formats import FORMATS, FileFacts, format_of, load_facts
from workbench.database.ingest import LoadReport, Partition
from workbench.database.psl import Split
from workbench.database.tables import predicate_of_file
from workbench.database.text_files import display_name
from workbench.database.toml_reader import TomlReader, read_toml
from workbench.errors import InputError, UsageError
from workbench.language.declarations import Predicate

DESCRIPTION = "dataset.toml"
DATASET_KEYS = tuple(
    "name description program query hidden closed predicates facts "
    "folds tables definitions predict known".split()
)
ENTRY_KEYS = ("file", "format", *(one.name for one in fields(FileFacts) if one.name != "split"))


@dataclass(frozen=True)
class FactsEntry:
    """One `[[facts]]` table: files of one kind.

    Attributes
    ----------
    file : str
        A path or pattern, relative to the dataset.
    facts : FileFacts
        What else it says; `{directory}` and `{file}` in the world stand for the name of the file's
        directory and its stem.
    format : str or None
        A key of `FORMATS`; None where the file's name tells.
    """

    file: str
    facts: FileFacts
    format: str | None = None


@dataclass(frozen=True)
class Dataset:
    """What `dataset.toml` says.

    Attributes
    ----------
    program : Path or None
        The rules to begin with.
    query, hidden, closed : tuple of str
        Predicates, as for `infer` and `learn`.
    predicates : tuple of Predicate
        Declared here; those of the program are declared too.
    folds : {'worlds'} or None
    has_tables : bool
        Whether it maps wide tables (`[[tables]]`, `[[definitions]]`), which `workbench.tables`
        reads.
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

    Raises E0214 for a file that is no TOML, an unknown key or a value of another type; E0211 when
    there is none.
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
        raise reader.fault(
            "folds", f'folds is {folds!r}; only "worlds" (leave one world out) is known'
        )
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
        bool(reader.tables(content, "tables") or reader.tables(content, "definitions")),
    )


def _entry(reader: TomlReader, table: Mapping[str, Any]) -> FactsEntry:
    reader.known(table, "[[facts]]", ENTRY_KEYS)
    file = reader.text(table, "file")
    if file is None:
        raise reader.fault("facts", "a [[facts]] table names no file")
    partition = reader.text(table, "partition") or "evidence"
    if partition not in get_args(Partition):
        raise reader.fault(
            partition, f"{partition!r} is none of the partitions {', '.join(get_args(Partition))}"
        )
    form = reader.text(table, "format")
    loaded = [name for name, one in FORMATS.items() if one.load is not None]
    if form is not None and form not in loaded:
        raise reader.fault("format", f"format is {form!r}, and none of {', '.join(loaded)}")
    header = table.get("header", True)
    if not isinstance(header, bool):
        raise reader.fault("header", "header is true or false")
    facts = FileFacts(
        reader.text(table, "predicate"),
        reader.texts(table, "columns"),
        reader.text(table, "value"),
        header,
        reader.text(table, "world") or DEFAULT_WORLD,
        reader.text(table, "world_column"),
        cast(Partition, partition),
    )
    return FactsEntry(file, facts, form)


def load_dataset(database: Database, source: str | os.PathLike[str]) -> LoadReport:
    """Load a dataset: declare its predicates and those of its program, load its facts, make its
    folds.

    `source`: a `dataset.toml`, or a directory that holds one; a directory without one is loaded by
    `load_directory`.
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
                world = entry.facts.world.replace("{directory}", file.parent.name)
                facts = replace(entry.facts, world=world.replace("{file}", predicate_of_file(file)))
                report += load_facts(database, file, facts, form=entry.format)
        if dataset.folds == "worlds":
            make_world_folds(database)
    return report


def _files(dataset: Dataset, entry: FactsEntry) -> list[Path]:
    files = sorted(dataset.directory.glob(entry.file))
    if not files:
        raise InputError.of(
            "E0211", f"no file of {display_name(dataset.directory)} is called {entry.file}"
        )
    return files


def load_file(
    database: Database,
    source: str | os.PathLike[str],
    *,
    world: str = DEFAULT_WORLD,
    partition: Partition = "evidence",
    split: Split = "infer",
) -> LoadReport:
    """Load whatever `source` is: a `dataset.toml`, a directory, or a file of `FORMATS`."""
    path = Path(source)
    if path.is_dir() or path.name == DESCRIPTION:
        return load_dataset(database, path)
    return load_facts(database, path, FileFacts(world=world, partition=partition, split=split))


def load_directory(database: Database, source: str | os.PathLike[str]) -> LoadReport:
    """Load every file of facts in a directory; each subdirectory is a world of its own."""
    directory = Path(source)
    if not directory.is_dir():
        raise UsageError.of("E0211", f"{display_name(directory)} is no directory")
    report = LoadReport({}, ())
    with database.transaction():
        for file in sorted(directory.iterdir()):
            if file.is_dir() and any(map(_is_facts, file.iterdir())):
                for inner in sorted(filter(_is_facts, file.iterdir())):
                    report += load_file(database, inner, world=file.name)
            elif _is_facts(file):
                report += load_file(database, file)
    if not report.worlds:
        raise InputError.of(
            "E0211", f"{display_name(directory)} holds no files of facts (.db, .csv, .parquet, ...)"
        )
    return report


def _is_facts(file: Path) -> bool:
    form = format_of(file) if file.is_file() else None
    return form is not None and form.load is not None and form.in_folders
