"""Source texts: reading them from disk, spans in them, and the diagnostics collected about them."""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

from workbench.errors import Diagnostic, InputError, Span

MOST_ERRORS = 200
LONGEST_MESSAGE = 400
UNPRINTABLE = re.compile(r"[^\t\x20-\x7e\xa0-\U0010ffff]")


class Positioned(Protocol):
    """What a Lark token offers about its place."""

    line: int | None
    column: int | None
    end_line: int | None
    end_column: int | None


@dataclass(frozen=True)
class SourceText:
    """One source text: `name` is the user's path, or None for text given directly."""

    name: str | None
    text: str

    def span(self, first: Positioned, last: Positioned | None = None) -> Span:
        """From the start of `first` to the end of `last` (or of `first`)."""
        end = last or first
        return Span(
            self.name, first.line or 1, first.column or 1, end.end_line or 1, end.end_column or 1
        )


@dataclass
class Diagnostics:
    """The diagnostics of one reading, each with the source line it points into."""

    texts: Mapping[str | None, str]
    found: list[Diagnostic] = field(default_factory=list)
    _lines: dict[str | None, list[str]] = field(default_factory=dict)

    def add(
        self,
        code: str,
        message: str,
        span: Span | None = None,
        help: str | None = None,
        severity: Literal["error", "warning", "note"] = "error",
        subject: str | None = None,
    ) -> None:
        if len(message) > LONGEST_MESSAGE:
            message = f"{message[: LONGEST_MESSAGE // 2]} ... {message[-LONGEST_MESSAGE // 2 :]}"
        if len(self.found) < MOST_ERRORS:
            line = self.line(span)
            self.found.append(Diagnostic(code, message, span, help, line, severity, subject))

    def add_problems(self, problems: Iterable[Diagnostic], span: Span | None) -> None:
        """What is wrong with types; `span` is the statement's, for what has no place of its own."""
        for one in problems:
            self.add(one.code, one.message, one.span or span, one.help, subject=one.subject)

    def line(self, span: Span | None) -> str | None:
        """The text of the line that `span` starts in."""
        if span is None or span.source not in self.texts:
            return None
        if span.source not in self._lines:
            self._lines[span.source] = self.texts[span.source].split("\n")
        lines = self._lines[span.source]
        line = lines[span.line - 1].rstrip("\r") if span.line <= len(lines) else ""
        return line if line.isprintable() else UNPRINTABLE.sub("\ufffd", line)

    @property
    def has_errors(self) -> bool:
        return any(diagnostic.severity == "error" for diagnostic in self.found)

    def sorted(self) -> tuple[Diagnostic, ...]:
        """All diagnostics: errors first within a place, in the order of the text."""

        def place(diagnostic: Diagnostic) -> tuple[str, int, int]:
            span = diagnostic.span
            return (span.source or "", span.line, span.column) if span else ("", 0, 0)

        return tuple(sorted(dict.fromkeys(self.found), key=place))

    def raise_errors(self) -> None:
        """Raise all that was found if any of it is an error."""
        if self.has_errors:
            raise InputError(self.sorted())


def read_text(path: Path, code: str = "E0101") -> str:
    """A file's text in UTF-8: no byte-order mark, line ends `\n`, `.gz` unpacked.

    Raises InputError with that code when the file is missing, is a directory, or is not UTF-8.
    """
    try:
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    except (OSError, EOFError, zlib.error) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise InputError.of(code, f"cannot read {path}: {reason}") from error
    return decoded(data, str(path), code)


def decoded(data: bytes, name: str, code: str = "E0101") -> str:
    """The text of bytes in UTF-8, as `read_text` gives it; `name` is what errors call them.

    Raises InputError with that code when they are not UTF-8.
    """
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError.of(code, f"{name} is in UTF-16", help="save it as UTF-8")
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - (data.rfind(b"\n", 0, error.start) + 1) + 1
        raise InputError.of(
            code,
            f"{name} is not UTF-8: the byte 0x{data[error.start]:02x} is none of its characters",
            span=Span(name, line, column, line, column + 1),
            help="save it as UTF-8 (for example with `iconv -f latin1 -t utf-8`)",
        ) from error
