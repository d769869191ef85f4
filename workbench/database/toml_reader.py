"""TOML files with complaints at the key's line."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from workbench.database.text_files import chunks_of_lines, display_name
from workbench.errors import InputError, Span, WorkbenchError, did_you_mean


def read_toml(path: Path) -> tuple[dict[str, Any], TomlReader]:
    """The content of a TOML file, and the reader that takes its keys apart.

    Raises E0214 for a file that is no TOML, E0211 when there is none.
    """
    name = display_name(path)
    text = "".join(f"{piece}\n" for _, piece in chunks_of_lines(path)).replace("\r\n", "\n")
    try:
        return tomllib.loads(text), TomlReader(name, text)
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"\(at line (\d+), column (\d+)\)", str(error))
        line, column = (int(place[1]), int(place[2])) if place else (1, 1)
        message = re.sub(r" \(at .*\)", "", str(error))
        raise InputError.of(
            "E0214",
            f"this is no TOML: {message.lower()}",
            span=Span(name, line, column, line, column + 1),
        ) from None


class TomlReader:
    """Typed access to parsed TOML, with complaints at the key's line."""

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.lines = text.split("\n")

    def fault(self, key: str, message: str, help: str | None = None) -> WorkbenchError:
        as_key = rf"(?<![\w-]){re.escape(key)}(?=[\"']?\s*[=\].])"
        found = (
            (line, one.start() + 1)
            for pattern in (as_key, re.escape(key))
            for line, text in enumerate(self.lines, 1)
            if (one := re.search(pattern, text))
        )
        line, column = next(found, (1, 1))
        return InputError.of(
            "E0214",
            message,
            span=Span(self.name, line, column, line, column + len(key)),
            line_text=self.lines[line - 1],
            help=help,
        )

    def entry(self, key: str, number: int) -> Span:
        """The place of the entry of that number of `[[key]]`, counted from 0."""
        lines = [
            place
            for place, text in enumerate(self.lines, 1)
            if re.match(rf"\s*\[\[\s*{key}\s*\]\]", text)
        ]
        line = lines[number] if number < len(lines) else 1
        return Span(self.name, line, 1, line, len(self.lines[line - 1]) + 1)

    def known(self, table: Mapping[str, Any], where: str, keys: tuple[str, ...]) -> None:
        for key in table:
            if key not in keys:
                place = f" of {where}" if where else ""
                cure = did_you_mean(key, keys, f"the keys are {', '.join(keys)}")
                raise self.fault(key, f"{key} is no key{place}", cure)

    def text(self, table: Mapping[str, Any], key: str) -> str | None:
        value = table.get(key)
        if value is not None and not isinstance(value, str):
            raise self.fault(key, f"{key} is a text in quotation marks")
        return value

    def texts(self, table: Mapping[str, Any], key: str) -> tuple[str, ...] | None:
        value = table.get(key)
        if value is None:
            return None
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self.fault(key, f"{key} is a list of texts in quotation marks")
        return tuple(value)

    def table(self, table: Mapping[str, Any], key: str) -> Mapping[str, Any]:
        value = table.get(key, {})
        if not isinstance(value, Mapping):
            raise self.fault(key, f"{key} is a table: write [{key}]")
        return value

    def tables(self, table: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
        value = table.get(key, [])
        if not isinstance(value, list) or not all(isinstance(item, Mapping) for item in value):
            raise self.fault(key, f"{key} is a list of tables: write [[{key}]]")
        return value
