"""Where tables are: files and databases named by the user, taken apart into single tables."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, cast

from workbench.database import (
    DESCRIPTION,
    database_tables,
    display_name,
    format_of,
    is_workspace,
    open_binary,
)
from workbench.errors import InputError, Span, masked
from workbench.tables.part_names import table_and_part
from workbench.tables.sheets import sheet_names

Form = Literal["delimited", "parquet", "json", "excel", "sqlite", "duckdb", "postgres"]

_MANY = ("excel", "sqlite", "duckdb", "postgres")


@dataclass(frozen=True)
class TableSource:
    """One table, not read yet.

    Attributes
    ----------
    name : str
        The table's name: the file's without its ending, the sheet's, or the table's in its
        database.
    path : str
        The file or the URL of the database.
    part : str or None
        The sheet, the table of a database, or the column of lists in a file; sheets whose names
        follow a pattern (`*`, `Sales *`).
    separator, encoding : str or None
        Of a text file; None where they are to be found out.
    header : bool or None
        Whether the first line names the columns; None where that is to be found out.
    more : tuple of str
        Further files or databases that hold rows of this table.
    column_of_part : str or None
        The column that says which of the files a row is of, by their names.
    list_separator : str or None
        What separates the elements of a list, where the lists of `part` are texts.
    """

    name: str
    path: str
    form: Form
    part: str | None = None
    separator: str | None = None
    encoding: str | None = None
    header: bool | None = None
    more: tuple[str, ...] = ()
    column_of_part: str | None = None
    list_separator: str | None = None

    @property
    def shown(self) -> str:
        """The source as diagnostics name it; a database's password is left out."""
        place = masked(self.path) if self.form == "postgres" else display_name(self.path)
        whole = place if self.part is None else f"{place}:{self.part}"
        files = f"{len(self.more)} more file{'' if len(self.more) == 1 else 's'}"
        return f"{whole} and {files}" if self.more else whole

    @property
    def is_list(self) -> bool:
        """Whether it is a column of lists of another table's file."""
        return self.part is not None and self.form not in _MANY

    @property
    def of_sheets(self) -> bool:
        """Whether it is several sheets of a workbook; the name of none holds a star."""
        return self.form == "excel" and "*" in (self.part or "")

    def moved(self, place_of: Callable[[str], str]) -> TableSource:
        """The table where its files lie now."""
        more = tuple(map(place_of, self.more))
        return replace(self, path=place_of(self.path), more=more)


_DATABASES = ("sqlite", "duckdb", "postgres")


def is_url(source: str | os.PathLike[str]) -> bool:
    """Whether a source is a PostgreSQL database by URL or by `dbname=`, not a file."""
    text = os.fspath(source)
    return text.startswith(("postgres://", "postgresql://")) or "dbname=" in text


def is_table_file(path: Path) -> bool:
    """Whether a file holds tables, by its ending; of databases by its first bytes."""
    return path.is_file() and _form_of_file(path) is not None


def form_of(source: str | os.PathLike[str]) -> Form | None:
    """What a source is; None for anything else than tables."""
    return "postgres" if is_url(source) else _form_of_file(Path(source))


def _form_of_file(path: Path) -> Form | None:
    form = format_of(path)
    return None if form is None else cast("Form | None", form.wide)


def name_of_file(source: str | os.PathLike[str]) -> str:
    """What a table is called by its file: the file's name without its ending."""
    name = Path(source).name
    packed = len(name) - len(".gz") * name.lower().endswith(".gz")
    return Path(name[:packed]).stem


def find_sources(given: Iterable[str | os.PathLike[str]]) -> tuple[TableSource, ...]:
    """The tables of files, databases and directories of such, in the order given.

    Raises E0211 for a file that is not there, E0230 for one that holds no tables, E0231 for two
    files of one name.
    """
    found: list[TableSource] = []
    for source in given:
        path = Path(source)
        if not is_url(source) and path.is_dir():
            inside = _tables_below(path)
            if not inside:
                raise _no_tables(display_name(path), "holds no files of tables")
            found += inside
        else:
            found += _tables_of(os.fspath(source))
    found = _schemas_apart(_sheets_apart(found))
    _check_names(found)
    return tuple(found)


def _sheets_apart(found: Sequence[TableSource]) -> list[TableSource]:
    """Sheets of one name in several workbooks are called by both."""
    books: dict[str, set[str]] = {}
    for one in found:
        books.setdefault(one.name.casefold(), set()).add(one.path)
    return [
        replace(one, name=f"{_book(one)}/{one.name}")
        if one.form == "excel" and len(books[one.name.casefold()]) > 1
        else one
        for one in found
    ]


def _schemas_apart(found: Sequence[TableSource]) -> list[TableSource]:
    """Tables of one name in several schemas or databases are called by these, too."""
    places: dict[str, list[str]] = {}
    for one in found:
        places.setdefault(one.name.casefold(), []).append(_schema(one))
    return [
        replace(one, name=f"{_schema(one)}/{one.name}")
        if all(of := places[one.name.casefold()]) and 1 < len(of) == len(set(of))
        else one
        for one in found
    ]


def _schema(table: TableSource) -> str:
    """The schema of a table, or what its database is called; empty for other tables."""
    if table.form not in _DATABASES:
        return ""
    schema = (table.part or "").rpartition(".")[0]
    return schema or ("public" if table.form == "postgres" else name_of_file(table.path))


def _book(sheet: TableSource) -> str:
    """A workbook, by the part that its name ends in where it has one."""
    name = name_of_file(sheet.path)
    return table_and_part(name)[1] or name


def files_of_tables(directory: Path) -> list[Path]:
    """The files of tables in a directory, then those of the directories in it; without hidden ones,
    and those that a dataset.toml describes.
    """
    files, folders = [], []
    for path in sorted(directory.iterdir()):
        if path.name.startswith("."):
            continue
        if path.is_dir():
            folders.append(path)
        # A .txt in a directory is more often a text about the tables than one of them.
        elif is_table_file(path) and path.suffix.lower() != ".txt" and not _is_workspace(path):
            files.append(path)
    for folder in folders:
        files += [] if (folder / DESCRIPTION).is_file() else files_of_tables(folder)
    return files


def _tables_below(directory: Path) -> list[TableSource]:
    """The tables of a directory; those of one name in several folders are called by both."""
    found = [
        (file, table)
        for file in files_of_tables(directory)
        for table in _tables_of(os.fspath(file))
    ]
    folders: dict[str, set[Path]] = {}
    for file, table in found:
        folders.setdefault(table.name.casefold(), set()).add(file.parent)
    return [
        table
        if file.parent == directory or len(folders[table.name.casefold()]) == 1
        else replace(table, name=f"{file.parent.relative_to(directory).as_posix()}/{table.name}")
        for file, table in found
    ]


def more_of(table: TableSource) -> tuple[TableSource, ...]:
    """The tables in which further rows of a table are: by its name, or alone in their file.

    Raises InputError as `find_sources`; E0230 where a file holds no such table.
    """
    found: list[TableSource] = []
    for path in table.more:
        if table.of_sheets:
            found.append(replace(table, path=path, more=()))
            continue
        inside = _tables_of(path)
        named = [one for one in inside if one.name == table.name] or [
            one for one in inside if len(inside) == 1 or table_and_part(one.name)[0] == table.name
        ]
        if len(named) != 1:
            raise _no_tables(display_name(path), f"holds no table {table.name}")
        found += named
    return tuple(found)


def _tables_of(source: str) -> Sequence[TableSource]:
    form = form_of(source)
    if form != "postgres":
        open_binary(Path(source)).close()
    if form is None:
        raise _no_tables(display_name(source), "is no file of tables")
    if form == "duckdb" and is_workspace(Path(source)):
        raise _no_tables(display_name(source), "is a workspace, whose facts are no tables")
    stem = name_of_file(source)
    if form == "excel":
        sheets = sheet_names(Path(source))
        return [
            TableSource(stem if len(sheets) == 1 else name, source, form, name) for name in sheets
        ]
    if form in _DATABASES:
        return [
            TableSource(name.rsplit(".", 1)[-1], source, form, name)
            for name in database_tables(source, form)
        ]
    return [TableSource(stem, source, form)]


def _is_workspace(path: Path) -> bool:
    return form_of(path) == "duckdb" and is_workspace(path)


def _no_tables(name: str, what: str) -> InputError:
    error = InputError.of(
        "E0230",
        f"{name} {what}",
        help="tables are .csv, .tsv, .txt, .parquet, .jsonl, .xlsx, SQLite and DuckDB files, and "
        "postgresql://...",
    )
    assert isinstance(error, InputError)
    return error


def _check_names(found: Sequence[TableSource]) -> None:
    first: dict[str, TableSource] = {}
    for source in found:
        other = first.setdefault(source.name.casefold(), source)
        if other is not source:
            raise InputError.of(
                "E0231",
                f"two tables are called {source.name}: {other.shown} and {source.shown}",
                span=Span(source.shown, 1, 1, 1, 1),
                help="give it once"
                if other.shown == source.shown
                else "rename one of them, or give "
                "the folder that holds both: then they are called by their folders, too",
            )
