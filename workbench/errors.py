"""Diagnostics with source spans, the errors that carry them, and each failure's exit code."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from enum import IntEnum
from typing import Literal, Self

LONGEST_MESSAGE = 600
_HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Signs that steer a terminal, or turn the direction of what follows."""


class ExitCode(IntEnum):
    """What the command line's exit status says."""

    DONE = 0
    INPUT = 1
    USAGE = 2
    INTERNAL = 3
    LIMIT = 4
    INFEASIBLE = 5


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of one source file: 1-based line and column, and the end just past the last
    character.

    `source` is the file's name, or None for text given directly.
    """

    source: str | None
    line: int
    column: int
    end_line: int
    end_column: int

    def __str__(self) -> str:
        return f"{self.source or '<text>'}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One thing wrong (or worth a warning), in the user's words.

    Parameters
    ----------
    code : str
        `E0102`-style code; `workbench explain CODE` prints its page.
    message : str
        What is wrong, one sentence, no trailing full stop.
    span : Span or None
        Where.
    help : str or None
        What to do.
    line_text : str or None
        The source line that the caret is drawn under.
    subject : str or None
        The name that it is about, where others than readers go by it.
    """

    code: str
    message: str
    span: Span | None = None
    help: str | None = None
    line_text: str | None = None
    severity: Literal["error", "warning", "note"] = "error"
    subject: str | None = None

    @classmethod
    def warning(
        cls, code: str, message: str, span: Span | None = None, help: str | None = None
    ) -> Diagnostic:
        """What is worth a warning, and no error."""
        return cls(code, message, span, help, severity="warning")

    @classmethod
    def note(
        cls, code: str, message: str, span: Span | None = None, help: str | None = None
    ) -> Diagnostic:
        """What is worth a remark."""
        return cls(code, message, span, help, severity="note")

    def render(self) -> str:
        """The diagnostic as lines of plain text: headline, place, source line, caret, help."""
        lines = [f"{self.severity}[{self.code}]: {shortened(self.message)}"]
        if self.span is not None:
            lines.append(f"  --> {visible(str(self.span))}")
            if self.line_text is not None:
                number = str(self.span.line)
                # One sign each, so that the caret stands where it belongs.
                shown = _HIDDEN.sub(
                    "\N{REPLACEMENT CHARACTER}", self.line_text.rstrip("\r").replace("\t", " ")
                )
                start = self.span.column - 1
                stop = (
                    self.span.end_column - 1 if self.span.end_line == self.span.line else len(shown)
                )
                if len(shown) > 160:
                    cut = max(0, start - 60)
                    shown, start, stop = shown[cut : cut + 160], start - cut, stop - cut
                width = max(1, min(stop, len(shown)) - start)
                margin = " " * len(number)
                lines += [
                    f"{margin} |",
                    f"{number} | {shown}",
                    f"{margin} | {' ' * start}{'^' * width}",
                ]
        if self.help is not None:
            lines.append(f"  help: {visible(self.help)}")
        return "\n".join(lines)

    def as_record(self) -> dict[str, object]:
        """The diagnostic as JSON-ready fields."""
        return {
            "severity": self.severity,
            "code": self.code,
            "message": shortened(self.message),
            "file": self.span.source if self.span else None,
            "line": self.span.line if self.span else None,
            "column": self.span.column if self.span else None,
            "help": self.help,
        }


@dataclass(eq=False)
class WorkbenchError(Exception):
    """Any failure the workbench reports: one or more diagnostics and an exit code."""

    diagnostics: Sequence[Diagnostic] = field(default_factory=tuple)
    exit_code: ExitCode = ExitCode.INPUT

    def __str__(self) -> str:
        return "\n\n".join(diagnostic.render() for diagnostic in self.diagnostics)

    @classmethod
    def of(
        cls,
        code: str,
        message: str,
        *,
        span: Span | None = None,
        help: str | None = None,
        line_text: str | None = None,
    ) -> Self:
        """An error of this class with a single diagnostic."""
        return cls((Diagnostic(code, masked(message), span, help, line_text),))


MASK = "***"


def masked(text: str) -> str:
    """A text without the passwords of connection strings in it, for messages and records."""
    # A password may hold a slash, which some would write as %2F; what follows a port holds none.
    text = re.sub(r"(\w://[^\s:/@]*):(?:[^\s/]*|(?!\d+/)[^\s@]*)@", rf"\1:{MASK}@", text)
    return re.sub(r"(?i)\b(password\s*=\s*)('(?:[^'\\]|\\.)*'|\S+)", rf"\1{MASK}", text)


@dataclass(eq=False)
class InputError(WorkbenchError):
    """The user's rules or data are at fault (exit 1)."""


@dataclass(eq=False)
class UsageError(WorkbenchError):
    """The call itself is at fault: options that contradict, names that do not exist (exit 2)."""

    exit_code: ExitCode = ExitCode.USAGE


@dataclass(eq=False)
class InfeasibleError(WorkbenchError):
    """Hard rules and evidence admit no world (exit 5); diagnostics name a small conflict."""

    exit_code: ExitCode = ExitCode.INFEASIBLE


class Cancelled(Exception):
    """Raised inside long work when its `Progress` was cancelled; engines turn it into a status."""


def not_installed(code: str, what: str, packages: str, extra: str) -> WorkbenchError:
    """The error for a part of the workbench whose packages come with an extra."""
    return InputError.of(
        code,
        f"{what} needs {packages}, which is not installed",
        help=f"install it with: pip install 'relational-workbench[{extra}]' (in a checkout: "
        f"'.[{extra}]')",
    )


def visible(text: str) -> str:
    """`text` with what steers a terminal, or turns the direction of writing, as escapes."""
    return _HIDDEN.sub(lambda found: ascii(found[0])[1:-1], text)


def shortened(text: str, most: int = LONGEST_MESSAGE) -> str:
    """`text`, its middle left out beyond `most` characters: names may be megabytes long; without
    signs that steer a terminal.
    """
    text = visible(text)
    return text if len(text) <= most else f"{text[: most // 2]} ... {text[-(most // 2) :]}"


def nearest(name: str, candidates: Iterable[str]) -> str | None:
    """The candidate closest to `name` (case folded), or None when none is close."""
    by_folded = {candidate.casefold(): candidate for candidate in candidates}
    matches = get_close_matches(name.casefold(), by_folded, n=1, cutoff=0.6)
    return by_folded[matches[0]] if matches else None


def did_you_mean(name: str, candidates: Iterable[str], otherwise: str | None = None) -> str | None:
    """The help for a name that is none of the candidates: the closest, else what is given."""
    close = nearest(name, candidates)
    return f"did you mean {close}?" if close else otherwise
