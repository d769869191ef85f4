"""Where facts come from, and diagnostics that point there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from workbench.errors import Diagnostic, Span


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
