"""The exception by which a grammar's builder refuses a statement."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.errors import Span

__all__ = ["Refused", "unquoted"]


@dataclass
class Refused(Exception):
    """A statement that the grammar allows and its meaning does not."""

    code: str
    message: str
    span: Span | None = None
    help: str | None = None


def unquoted(text: str) -> str:
    """The name inside quotes, backslash escapes resolved."""
    inner = text[1:-1]
    if "\\" not in inner:
        return inner
    parts: list[str] = []
    characters = iter(inner)
    for character in characters:
        if character == "\\":
            follower = next(characters, "\\")
            parts.append({"n": "\n", "t": "\t", "r": "\r"}.get(follower, follower))
        else:
            parts.append(character)
    return "".join(parts)
