"""A mapping as `[[tables]]` of a `dataset.toml`: written with its reasons,
edited by people, read back.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

from workbench.database import DATASET_KEYS, TomlReader, read_toml
from workbench.errors import InputError, Span
from workbench.tables.facts import mapped_predicates
from workbench.tables.kinds import ColumnKind
from workbench.tables.mapping import ColumnMapping, Keep, SqlDefinition, TableMapping, TablesMapping
from workbench.tables.mapping_text import usual_blanks
from workbench.tables.names import predicate_name, singular_words, type_name, words
from workbench.tables.readings import Reading
from workbench.tables.sources import TableSource, form_of, is_url, name_of_file
from workbench.tables.values import YES_NO, Alike

_TABLE_KEYS = tuple(
    "name file more column_of_part part list_separator separator encoding header type key relation "
    "display keep blank_keys columns".split()
)
_COLUMN_KEYS = tuple(
    "kind predicate type table alike decimal unit format yes no parts missing unreadable".split()
)
_DEFINITION_KEYS = ("name", "types", "sql", "description")


def read_mapping(source: str | os.PathLike[str]) -> TablesMapping:
    """Read the `[[tables]]` of a TOML file.

    Raises E0214 for a key or value that is wrong, at its line; E0235 for a table that a reference
    names and is not there; E0242 where one predicate is given two lists of types. What definitions
    say is checked where they are used.
    """
    content, reader = read_toml(Path(source))
    reader.known(content, "", DATASET_KEYS)
    directory = Path(source).parent
    tables = tuple(_table(reader, table, directory) for table in reader.tables(content, "tables"))
    if not tables:
        raise reader.fault(
            "tables",
            "there is no [[tables]] in this file",
            "`workbench load` prints what it proposes",
        )
    given = enumerate(reader.tables(content, "definitions"))
    definitions = tuple(
        _definition(reader, said, reader.entry("definitions", number)) for number, said in given
    )
    predict, known = (reader.text(content, key) for key in ("predict", "known"))
    mapping = TablesMapping(tables, predict, definitions, known)
    _check_predicates(reader, mapping)
    return mapping


def _definition(reader: TomlReader, given: Mapping[str, Any], span: Span) -> SqlDefinition:
    reader.known(given, "[[definitions]]", _DEFINITION_KEYS)
    name, types, sql = (
        reader.text(given, "name"),
        reader.texts(given, "types"),
        reader.text(given, "sql"),
    )
    if name is None or not name.isidentifier() or not types or sql is None:
        message = "a definition has a name of letters and digits, types and sql"
        raise InputError.of(
            "E0214", message, span=span, help='such as name = "Peers", types = ["person", "person"]'
        )
    return SqlDefinition(name, types, sql, reader.text(given, "description") or "", span)


def _table(reader: TomlReader, given: Mapping[str, Any], directory: Path) -> TableMapping:
    reader.known(given, "[[tables]]", _TABLE_KEYS)
    file = reader.text(given, "file")
    name = reader.text(given, "name") or (name_of_file(file) if file else None)
    if name is None:
        raise reader.fault("tables", "a [[tables]] entry has neither name nor file")
    path = "" if file is None else _place(file, directory)
    header = given.get("header")
    if header is not None and not isinstance(header, bool):
        raise reader.fault("header", "header is true or false")
    source = TableSource(
        name,
        path,
        (form_of(path) if path else None) or "delimited",
        reader.text(given, "part"),
        reader.text(given, "separator"),
        reader.text(given, "encoding"),
        header,
        tuple(_place(other, directory) for other in _words_of(reader, given, "more")),
        reader.text(given, "column_of_part"),
        reader.text(given, "list_separator"),
    )
    columns = tuple(
        _column(reader, column, said) for column, said in reader.table(given, "columns").items()
    )
    table = TableMapping(
        source,
        reader.text(given, "type") or type_name(singular_words(name)),
        reader.text(given, "key"),
        reader.text(given, "relation"),
        _words_of(reader, given, "display"),
        columns,
        _one_of(reader, given, "keep", get_args(Keep)) or "error",  # type: ignore[arg-type]
        _one_of(reader, given, "blank_keys", ("error", "skip")) or "error",  # type: ignore[arg-type]
    )
    return _checked(reader, table)


def _place(file: str, directory: Path) -> str:
    return file if is_url(file) else os.fspath(directory / file)


def _words_of(reader: TomlReader, given: Mapping[str, Any], key: str) -> tuple[str, ...]:
    """A list of texts, or one text."""
    return (given[key],) if isinstance(given.get(key), str) else reader.texts(given, key) or ()


def _one_of(
    reader: TomlReader, given: Mapping[str, Any], key: str, choices: Sequence[str]
) -> str | None:
    chosen = reader.text(given, key)
    if chosen is not None and chosen not in choices:
        raise reader.fault(chosen, f"{key} is {chosen!r}; it can be {', '.join(choices)}")
    return chosen


def _checked(reader: TomlReader, table: TableMapping) -> TableMapping:
    """The table with its key column marked as such; keys and names must be columns of it."""
    for name in filter(None, (table.key, *table.display)):
        table.column(name)
    if table.key is not None and table.relation is not None:
        raise reader.fault(
            "relation", f"{table.name} has a key and is a relation: it can be one of them"
        )
    if table.relation is not None and len(table.references) < 2:
        raise reader.fault(
            "relation", f"{table.name} is a relation and has fewer than two references"
        )
    for column in table.columns:
        if column.kind == "reference" and column.table is None:
            raise reader.fault(column.name, f"{column.name} is a reference and names no table")
        if (column.kind == "key") != (column.name == table.key):
            raise reader.fault(
                column.name,
                f"{column.name} is {'' if column.kind == 'key' else 'not '}of kind key, and key = "
                f"{table.key}",
            )
    related = table.relation is not None
    return replace(
        table,
        columns=tuple(
            replace(column, predicate=None) if related and column.kind == "reference" else column
            for column in table.columns
        ),
    )


def _column(reader: TomlReader, name: str, given: object) -> ColumnMapping:
    if not isinstance(given, Mapping):
        raise reader.fault(name, f"a column is a table: {name} = {{ kind = ... }}")
    reader.known(given, "[tables.columns]", _COLUMN_KEYS)
    kind = _one_of(reader, given, "kind", get_args(ColumnKind))
    if kind is None:
        raise reader.fault(
            name, f"{name} has no kind", f"kinds are {', '.join(get_args(ColumnKind))}"
        )
    says = kind not in ("key", "constant", "empty", "ignore")
    return ColumnMapping(
        name,
        kind,  # type: ignore[arg-type]
        (reader.text(given, "predicate") or predicate_name(words(name))) if says else None,
        (reader.text(given, "type") or type_name(words(name))) if kind == "category" else None,
        reader.text(given, "table"),
        _reading(reader, given, kind),
        _parts(reader, given, kind),
        _one_of(reader, given, "unreadable", ("error", "blank")) or "error",  # type: ignore[arg-type]
    )


def _reading(reader: TomlReader, given: Mapping[str, Any], kind: str) -> Reading:
    missing = reader.texts(given, "missing")
    decimal = _one_of(reader, given, "decimal", (".", ",", ",.", " .", " ,", ":"))
    yes = _words_of(reader, given, "yes") or (_every(0) if kind == "yes/no" else ())
    no = _words_of(reader, given, "no") or (
        _every(1) if kind == "yes/no" and "yes" not in given else ()
    )
    return Reading(
        usual_blanks(kind, (*yes, *no)) if missing is None else missing,
        decimal or ("." if kind == "number" else None),
        reader.text(given, "format") or ("%Y-%m-%d" if kind == "date" else None),
        yes=yes,
        no=no,
        unit=reader.text(given, "unit"),
        alike=_one_of(reader, given, "alike", get_args(Alike)),  # type: ignore[arg-type]
    )


def _parts(reader: TomlReader, given: Mapping[str, Any], kind: str) -> tuple[str, ...]:
    parts = reader.texts(given, "parts") or ()
    if parts and (
        len(parts) != 3 if kind == "date" else len(parts) < 2 or kind not in ("key", "reference")
    ):
        said = (
            "parts are the columns of a date's year, month and day, or those of a key or "
            "reference of several columns"
        )
        raise reader.fault("parts", said)
    return parts


def _every(place: int) -> tuple[str, ...]:
    """All words for yes (0) or no (1)."""
    return tuple(dict.fromkeys(word for pair in YES_NO for word in pair[place]))


def _check_predicates(reader: TomlReader, mapping: TablesMapping) -> None:
    signatures: dict[str, tuple[str, ...]] = {}
    for found in mapped_predicates(mapping):
        if signatures.setdefault(found.name, found.types) != found.types:
            one, other = (", ".join(types) for types in (signatures[found.name], found.types))
            raise InputError.of(
                "E0242",
                f"{found.name} stands for columns of two kinds: {found.name}({one}) and "
                f"{found.name}({other})",
                span=reader.fault(found.name, "").diagnostics[0].span,
                help="give one of them another predicate",
            )
