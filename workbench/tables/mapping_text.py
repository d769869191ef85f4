"""A mapping as `[[tables]]` of a TOML file, with the reason for each column beside it."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection
from pathlib import Path
from typing import Any

from workbench.errors import masked
from workbench.tables.mapping import ColumnMapping, TableMapping, TablesMapping
from workbench.tables.sources import is_url
from workbench.tables.values import BLANKS, MORE_BLANKS, YES_NO

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def format_mapping(mapping: TablesMapping, directory: str | os.PathLike[str] | None = None) -> str:
    """A mapping as TOML, a line a column, with the reason behind it.

    `directory`: files below it are written relative to it, as `read_mapping` reads them; None for
    the working directory. Of the addresses of databases passwords are left out: give those again
    with the address.
    """
    lines = ["# Tables and what their columns mean. Edit, and load again with --mapping."]
    if mapping.predict is not None:
        lines.append(f"predict = {_toml(mapping.predict)}")
    if mapping.known is not None:
        lines.append(f"known = {_toml(mapping.known)}  # its known labels, for rules of other rows")
    for table in mapping.tables:
        lines += [
            "",
            "[[tables]]",
            *_table_lines(table, Path(directory or ".")),
            "",
            "[tables.columns]",
        ]
        entries = [
            (_key(column.name), _column_entry(column), _remark(column)) for column in table.columns
        ]
        names = max((len(name) for name, _, _ in entries), default=0)
        width = min(max((len(entry) for _, entry, _ in entries), default=0), 60)
        lines += [
            f"{name:{names}} = {entry:{width}}  # {remark}".rstrip(" #")
            for name, entry, remark in entries
        ]
    for one in mapping.definitions:
        said = {
            "name": one.name,
            "description": one.description or None,
            "types": list(one.types),
            "sql": one.sql,
        }
        lines += ["", "[[definitions]]"]
        lines += [
            f"{name} = {_written(value)}" for name, value in said.items() if value is not None
        ]
    return "\n".join(lines) + "\n"


def _table_lines(table: TableMapping, directory: Path) -> list[str]:
    source = table.source
    said: dict[str, Any] = {
        "name": table.name,
        "file": _relative(source.path, directory),
        "part": source.part,
        "list_separator": source.list_separator,
        "more": [_relative(path, directory) for path in source.more] or None,
        "column_of_part": source.column_of_part,
    }
    if source.form == "delimited":
        said["separator"] = source.separator
        said["encoding"] = None if source.encoding == "utf-8" else source.encoding
        said["header"] = False if source.header is False else None
    said |= {
        "type": None if table.relation else table.type,
        "key": table.key,
        "relation": table.relation,
    }
    said["display"] = list(table.display) or None
    said["keep"] = table.keep
    said["blank_keys"] = None if table.blank_keys == "error" else table.blank_keys
    remark = {
        "column_of_part": "  # says which of the files a row is of, by their names",
        "keep": '  # of rows that contradict each other: "error", "first" or "last"',
    }
    if table.key is None and table.relation is None:
        remark["type"] = "  # without a key: the things are the rows, called by their number"
    count = f"  # {table.rows:,} row{'' if table.rows == 1 else 's'}"
    return [
        f"{name} = {_toml(value)}{count if name == 'name' else remark.get(name, '')}"
        for name, value in said.items()
        if value is not None
    ]


def _relative(path: str, directory: Path) -> str:
    if is_url(path):
        return masked(path)
    try:
        return Path(path).resolve().relative_to(directory.resolve()).as_posix()
    except ValueError:
        return Path(path).resolve().as_posix()


def _column_entry(column: ColumnMapping) -> str:
    reading = column.reading
    said: dict[str, Any] = {"kind": column.kind, "predicate": column.predicate, "type": column.type}
    said |= {"table": column.table, "alike": reading.alike}
    if column.kind == "number" and reading.decimal not in (None, "."):
        said["decimal"] = reading.decimal
    said["unit"] = reading.unit if column.kind == "number" else None
    if column.kind == "date" and not column.parts:
        said["format"] = reading.format
    if column.kind == "yes/no" and (reading.yes, reading.no) not in YES_NO:
        said |= {"yes": list(reading.yes), "no": list(reading.no)}
    said["parts"] = list(column.parts) or None
    usual = usual_blanks(column.kind, (*reading.yes, *reading.no))
    said["missing"] = None if reading.blanks == usual else list(reading.blanks)
    said["unreadable"] = None if column.unreadable == "error" else column.unreadable
    written = [f"{name} = {_toml(value)}" for name, value in said.items() if value is not None]
    return f"{{ {', '.join(written)} }}"


def _remark(column: ColumnMapping) -> str:
    blank = f"{column.missing:,} blank" if column.missing else ""
    return re.sub(r"\s+", " ", "; ".join(filter(None, (column.reason, blank))))


def usual_blanks(kind: str, words: Collection[str] = ()) -> tuple[str, ...]:
    """What means that nothing is known in a column of a kind, but for its words for yes and no,
    the empty one too.
    """
    usual = BLANKS + MORE_BLANKS if kind in ("number", "date", "yes/no") else BLANKS
    return tuple(word for word in usual if word not in words)


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _toml(name)


def _toml(value: object) -> str:
    """A value as TOML; its basic strings are JSON's, but for DEL."""
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")


def _written(value: object) -> str:
    """A value as TOML, a text of several lines as it stands where TOML can hold it so."""
    if not isinstance(value, str) or "\n" not in value:
        return _toml(value)
    plain = value.replace("\n", "").replace("\t", "").isprintable() and "'''" not in value + "'"
    return f"'''\n{value}'''" if plain else _toml(value)
