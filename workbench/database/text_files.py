"""Reading text files in large pieces, with every fault of encoding named by its line;
and where facts come from, for diagnostics that point there.
"""

from __future__ import annotations

import csv
import gzip
import os
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

import numpy as np

from workbench.errors import Diagnostic, InputError, Span, WorkbenchError

CHUNK_BYTES = 32 * 1024 * 1024
LONGEST_LINE = 4 * 1024 * 1024


def display_name(path: str | os.PathLike[str]) -> str:
    """The file's name as diagnostics show it: relative to the working directory if below."""
    try:
        return str(Path(path).resolve().relative_to(Path.cwd()))
    except ValueError:
        return str(path)


def ending_of(path: Path) -> tuple[str, bool]:
    """The ending of a file's name in lower case without `.gz`, and whether it has that."""
    name = path.name.lower()
    return Path(name.removesuffix(".gz")).suffix, name.endswith(".gz")


def open_binary(path: Path) -> IO[bytes]:
    """Open a file for reading, through gzip when its name ends in `.gz`.

    Raises E0211 when the file cannot be opened.
    """
    try:
        if path.is_dir():
            raise IsADirectoryError(21, "is a directory")
        return cast(IO[bytes], gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb"))
    except OSError as error:
        raise InputError.of(
            "E0211",
            f"{display_name(path)} cannot be read: {(error.strerror or str(error)).lower()}",
        ) from None


def chunks_of_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Pieces of whole lines: the 1-based number of the first line, and the text.

    Lines end in a line feed; in a carriage return where the file begins without any line feed.

    Raises E0209 for bytes that are not UTF-8, NUL bytes, or a line longer than 4 MiB; E0211 for a
    file that cannot be read.
    """
    name = display_name(path)
    line, rest, returns = 1, b"", None
    with open_binary(path) as stream:
        while True:
            try:
                block = stream.read(CHUNK_BYTES)
            except (OSError, EOFError, zlib.error) as error:
                raise InputError.of("E0211", f"{name} cannot be read: {error}") from None
            if returns is None:
                returns = b"\r" in block and b"\n" not in block
            data = rest + (block.replace(b"\r", b"\n") if returns else block)
            if block:
                cut = data.rfind(b"\n") + 1
                data, rest = data[:cut], data[cut:]
            long_line = _longest_line(data, rest)
            if long_line is not None:
                raise _bad_bytes(
                    name, line + long_line, 1, "this line is longer than 4 MiB", "is it text?"
                )
            if data:
                yield line, _decoded(data, name, line)
                line += data.count(b"\n")
            if not block:
                return


def _longest_line(data: bytes, rest: bytes) -> int | None:
    """How many lines of a piece stand before its first line that is too long, if any is."""
    if len(data) > LONGEST_LINE:
        ends = np.flatnonzero(np.frombuffer(data, np.uint8) == ord("\n"))
        sizes = np.diff(ends, prepend=-1, append=len(data))
        if sizes.max() > LONGEST_LINE:
            return int((sizes > LONGEST_LINE).argmax())
    return data.count(b"\n") if len(rest) > LONGEST_LINE else None


def _decoded(data: bytes, name: str, first_line: int) -> str:
    if first_line == 1 and data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise _bad_bytes(name, 1, 1, "the file is UTF-16, not UTF-8")
    zero = data.find(b"\0")
    if zero >= 0:
        raise _bad_bytes(name, *_position(data, zero, first_line), "the file holds a NUL byte")
    try:
        text = data.decode("utf-8-sig" if first_line == 1 else "utf-8")
    except UnicodeDecodeError as error:
        line, column = _position(data, error.start, first_line)
        byte = data[error.start]
        raise _bad_bytes(name, line, column, f"the byte 0x{byte:02x} is not UTF-8") from None
    # The last line break of a piece would add an empty line at its end.
    return text.removesuffix("\n")


def _position(data: bytes, offset: int, first_line: int) -> tuple[int, int]:
    start = data.rfind(b"\n", 0, offset) + 1
    return first_line + data.count(b"\n", 0, offset), offset - start + 1


def _bad_bytes(
    name: str,
    line: int,
    column: int,
    message: str,
    help: str = "save the file as UTF-8 text and try again",
) -> WorkbenchError:
    span = Span(name, line, column, line, column + 1)
    return InputError.of("E0209", message, span=span, help=help)


def cells_of_line(line: str, separator: str) -> list[str]:
    """The cells of one line of a table, of any length."""
    with any_cell_size():
        return next(csv.reader([line], delimiter=separator), [])


@contextmanager
def any_cell_size() -> Iterator[None]:
    """Let `csv` read cells beyond 131,072 characters, up to the longest line read."""
    before = csv.field_size_limit(16 * LONGEST_LINE)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def line_reader(path: Path) -> Callable[[int], str | None]:
    """A function that finds the text of one line again, for a diagnostic."""

    def read(wanted: int) -> str | None:
        for first_line, text in chunks_of_lines(path):
            lines = text.split("\n")
            if wanted < first_line + len(lines):
                return lines[wanted - first_line].rstrip("\r")
        return None

    return read


@dataclass(frozen=True)
class FactSource:
    """Where staged lines came from, for diagnostics.

    Parameters
    ----------
    name : str or None
        File name; None for data frames.
    line_text : callable
        The text of a 1-based line, or None when it is not to be had.
    """

    name: str | None
    line_text: Callable[[int], str | None] = lambda line: None

    def diagnostic(
        self,
        code: str,
        message: str,
        line: int | None,
        *,
        needle: str | None = None,
        help: str | None = None,
    ) -> Diagnostic:
        """A diagnostic at a line, with the caret under `needle` where the line holds it."""
        if line is None:
            return Diagnostic(
                code, message, Span(self.name, 1, 1, 1, 1) if self.name else None, help
            )
        text = self.line_text(line)
        start = text.find(needle) if text is not None and needle else -1
        width = len(needle or "") if start >= 0 else len(text or " ")
        start = max(start, 0)
        return Diagnostic(
            code, message, Span(self.name, line, start + 1, line, start + 1 + width), help, text
        )
