"""The exception by which a grammar's builder refuses a statement."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.errors import Span

LARGEST_WEIGHT = 1e100
"""Squares and sums of weights must stay finite numbers."""


@dataclass
class Refused(Exception):
    """A statement that the grammar allows and its meaning does not."""

    code: str
    message: str
    span: Span | None = None
    help: str | None = None


def finite_weight(text: str, span: Span | None) -> float:
    """The number that a weight's text stands for.

    Raises E0132 when it is so large that sums of it would overflow.
    """
    value = float(text)
    if not abs(value) <= LARGEST_WEIGHT:
        raise Refused(
            "E0132",
            f"the weight {text} is too large",
            span,
            "a full stop after a formula makes it hard",
        )
    return value


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
