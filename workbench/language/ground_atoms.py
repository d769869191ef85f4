"""Ground atoms as text, `Predicate(Constant, ...)`: written for people and files, and read back."""

from __future__ import annotations

import re
from collections.abc import Iterable

from workbench.language.printing import ESCAPES, quote_constant

AtomKey = tuple[str, tuple[str, ...]]
"""A predicate and its constants."""

_ATOM = re.compile(r"\s*([^\W\d]\w*)\s*(?:\((.*)\))?\s*\.?\s*", re.DOTALL)
_ARGUMENT = re.compile(
    r"""\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([^,"'()]+?))\s*(?:,|$)""", re.DOTALL
)
_ESCAPED = {written[1]: chr(code) for code, written in ESCAPES.items()}


def atom_text(predicate: str, arguments: Iterable[str]) -> str:
    """`Predicate(Constant, ...)`; a bare name when there is no argument."""
    shown = ", ".join(map(quote_constant, arguments))
    return f"{predicate}({shown})" if shown else predicate


def parse_atom(text: str) -> AtomKey | None:
    """Predicate and constants of a ground atom's text, unescaped; None when it is no atom."""
    match = _ATOM.fullmatch(text)
    if match is None:
        return None
    arguments = _arguments(match[2] or "")
    return None if arguments is None else (match[1], tuple(name for name, _ in arguments))


def parse_pattern(text: str) -> tuple[str, tuple[tuple[str, bool], ...]] | None:
    """A predicate and its arguments, each with whether it is a variable: bare, small first."""
    match = _ATOM.fullmatch(text)
    arguments = None if match is None else _arguments(match[2] or "")
    if match is None or arguments is None:
        return None
    return match[1], tuple((name, not quoted and name[:1].islower()) for name, quoted in arguments)


def _arguments(inner: str) -> list[tuple[str, bool]] | None:
    """Constants between an atom's brackets, and whether each was quoted; None if unreadable."""
    found = []
    position = 0
    while position < len(inner) and inner.strip():
        argument = _ARGUMENT.match(inner, position)
        if argument is None:
            return None
        quoted = argument[1] if argument[1] is not None else argument[2]
        name = (
            argument[3] if quoted is None else re.sub(r"\\(.)", _unescaped, quoted, flags=re.DOTALL)
        )
        found.append((name, quoted is not None))
        position = argument.end()
    return found


def _unescaped(escape: re.Match[str]) -> str:
    return _ESCAPED.get(escape[1], escape[1])
