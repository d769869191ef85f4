"""The forms of evidence: how a file's is told, how its facts are loaded, how tables are written."""

from __future__ import annotations

import os
from codecs import BOM_UTF8
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from workbench.database.alchemy import load_alchemy
from workbench.database.database import DEFAULT_WORLD, Database
from workbench.database.ilp import load_ilp_facts
from workbench.database.ingest import LoadReport, Partition
from workbench.database.psl import Split, load_psl_data, load_psl_table
from workbench.database.table_files import PARQUET_SUFFIXES, TEXT_SUFFIXES
from workbench.database.tables import load_tables, predicate_of_file
from workbench.database.text_files import display_name, ending_of, open_binary
from workbench.errors import InputError, UsageError
from workbench.language.ilp.reader import ILP_SUFFIXES
from workbench.language.reading import DOCUMENT_SUFFIXES

if TYPE_CHECKING:
    import pandas as pd

HEAD = 16
"""Bytes at the beginning of a file by which forms of one ending are told apart."""


@dataclass(frozen=True)
class FileFacts:
    """What is said of the facts of a file, beside the file itself.

    Attributes
    ----------
    predicate, columns, value, header, world_column
        As in `load_tables`; the predicate is the file's name where it is not given.
    partition : {'evidence', 'truth', 'target'}
    split : {'infer', 'learn', 'validation'}
        Which of the lists of files a PSL document may hold.
    """

    predicate: str | None = None
    columns: tuple[str, ...] | None = None
    value: str | None = None
    header: bool = True
    world: str = DEFAULT_WORLD
    world_column: str | None = None
    partition: Partition = "evidence"
    split: Split = "infer"


@dataclass(frozen=True)
class EvidenceFormat:
    """One form of evidence.

    Attributes
    ----------
    name : str
        As `format` in `dataset.toml` says it.
    suffixes : tuple of str
        Endings of its files, in lower case; text may be compressed (`.gz`) beside.
    load : callable or None
        `(database, path, **said) -> LoadReport`; None where its tables say of themselves what they
        mean (`wide`).
    takes : frozenset of str
        What may be said of its facts (fields of `FileFacts`), and is handed to `load` by name.
    wide : str or None
        The form of its tables where they are read as wide ones.
    sniff : callable or None
        Whether a file of such an ending that begins with these bytes is of this form; None where
        the ending tells.
    write : callable or None
        Writes a data frame: `(frame, path)`.
    packed : bool
        Whether it may be compressed.
    in_folders : bool
        Whether loading a folder takes such files for facts.
    """

    name: str
    suffixes: tuple[str, ...]
    load: Callable[..., LoadReport] | None = None
    takes: frozenset[str] = frozenset()
    wide: str | None = None
    sniff: Callable[[bytes], bool] | None = None
    write: Callable[[pd.DataFrame, Path], None] | None = None
    packed: bool = True
    in_folders: bool = True


def _tab_separated(
    database: Database, path: Path, *, predicate: str | None, header: bool, **placed: Any
) -> LoadReport:
    """PSL's tables, which have no header whatever is said."""
    named = predicate or predicate_of_file(path)
    return load_psl_table(database, path, predicate=named, **placed)


def _write_csv(frame: pd.DataFrame, path: Path) -> None:
    frame.to_csv(path, index=False, sep="\t" if ending_of(path)[0] in (".tsv", ".tab") else ",")


def _write_parquet(frame: pd.DataFrame, path: Path) -> None:
    frame.to_parquet(path, index=False)


PLACED = frozenset(("world", "partition"))
NAMED = PLACED | {"predicate"}
COLUMNS = NAMED | {"columns", "value", "header", "world_column"}

FORMATS: Mapping[str, EvidenceFormat] = {
    form.name: form
    for form in (
        EvidenceFormat("sqlite", (".sqlite", ".sqlite3", ".db", ".db3"), wide="sqlite",
                       sniff=lambda head: head.startswith(b"SQLite format 3"), packed=False),
        EvidenceFormat("duckdb", (".duckdb", ".ddb", ".db"), wide="duckdb",
                       sniff=lambda head: head[8:12] == b"DUCK", packed=False),
        EvidenceFormat("alchemy", (".db",), load_alchemy, PLACED),
        EvidenceFormat("csv", TEXT_SUFFIXES, load_tables, COLUMNS, wide="delimited",
                       write=_write_csv),
        EvidenceFormat("parquet", PARQUET_SUFFIXES, load_tables, COLUMNS, wide="parquet",
                       write=_write_parquet, packed=False),
        EvidenceFormat("psl", (".txt",), _tab_separated, NAMED | {"header"}, wide="delimited",
                       in_folders=False),
        EvidenceFormat("json", (".json",), wide="json",
                       sniff=lambda head: head.removeprefix(BOM_UTF8).lstrip().startswith(b"[")),
        EvidenceFormat("document", DOCUMENT_SUFFIXES, load_psl_data, frozenset(("world", "split"))),
        EvidenceFormat("ilp", ILP_SUFFIXES, load_ilp_facts, PLACED, packed=False, in_folders=False),
        EvidenceFormat("json lines", (".jsonl", ".ndjson"), wide="json"),
        EvidenceFormat("excel", (".xlsx", ".xlsm"), wide="excel", packed=False),
    )
}  # fmt: skip
"""By name; where several have an ending, the first whose `sniff` knows the file, or has none."""


def format_of(source: str | os.PathLike[str]) -> EvidenceFormat | None:
    """The form of a file, by its ending and, where several share that, its first bytes; or None."""
    path = Path(source)
    ending, packed = ending_of(path)
    head: bytes | None = None
    for form in FORMATS.values():
        if ending not in form.suffixes or (packed and not form.packed):
            continue
        if form.sniff is None:
            return form
        if head is None:
            head = _head(path)
        if form.sniff(head):
            return form
    return None


def _head(path: Path) -> bytes:
    if not path.is_file():
        return b""
    with open_binary(path) as stream:
        return stream.read(HEAD)


def endings(kind: Literal["facts", "columns", "wide"]) -> tuple[str, ...]:
    """The endings of files of facts, of tables with columns among them, or of wide tables."""
    chosen = {
        "facts": [form for form in FORMATS.values() if form.load],
        "columns": [form for form in FORMATS.values() if "columns" in form.takes],
        "wide": [form for form in FORMATS.values() if form.wide],
    }[kind]
    return tuple(dict.fromkeys(suffix for form in chosen for suffix in form.suffixes))


def load_facts(
    database: Database,
    source: str | os.PathLike[str],
    facts: FileFacts | None = None,
    *,
    form: str | None = None,
) -> LoadReport:
    """Load a file of facts of declared predicates.

    `form`: a key of `FORMATS` in place of what the file's name tells.

    Raises E0211 for a file of no known form; what its loader raises; E0249 for what its form has no
    place for, such as columns of a file of atoms.
    """
    path, facts = Path(source), facts or FileFacts()
    chosen = format_of(path) if form is None else FORMATS[form]
    if chosen is None or chosen.load is None:
        raise InputError.of(
            "E0211",
            f"{display_name(path)} is no file of facts",
            help=f"their endings are {', '.join(endings('facts'))}; facts in Alchemy's form end "
            "in .db",
        )
    usual = FileFacts()
    for one in fields(FileFacts):
        given = getattr(facts, one.name)
        if given != getattr(usual, one.name) and one.name not in chosen.takes | {
            "partition",
            "split",
        }:
            raise UsageError.of(
                "E0249",
                f"{display_name(path)} is read in the form "
                f"{chosen.name}, which has no `{one.name}`",
                help=f"it takes {', '.join(sorted(chosen.takes))}; name another `format`, or "
                "leave it out",
            )
    said = {name: getattr(facts, name) for name in chosen.takes}
    return chosen.load(database, path, **said)


def write_table(frame: pd.DataFrame, path: Path, *, texts: tuple[str, ...] = ()) -> None:
    """Write a data frame in the form that the file's ending names; CSV for an ending of no form.

    `texts`: columns that stay text whatever they hold.
    """
    form = format_of(path)
    kept: dict[Any, Any] = dict.fromkeys(texts, "string")
    write = _write_csv if form is None or form.write is None else form.write
    write(frame.astype(kept), path)
