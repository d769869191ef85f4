"""What is wrong with the arguments of a call, in its caller's words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pydantic import ValidationError

from workbench.errors import Diagnostic, UsageError

_MOST = 10
_KINDS = {
    "int": "is no whole number",
    "float": "is no number",
    "bool": "is neither true nor false",
    "string": "is no text",
    "list": "is no list",
    "tuple": "is no list",
    "dict": "is no object",
    "mapping": "is no object",
}
"""What is said of a value, by the beginning of the name of its fault."""


def unknown_argument(tool: str, known: Iterable[str], argument: str) -> UsageError:
    """E0873 for an argument that a tool does not have."""
    return UsageError.of("E0873", _no_argument(tool, argument), help=_known(tool, known))


def wrong_arguments(tool: str, known: Iterable[str], error: ValidationError) -> UsageError:
    """E0873 for each argument that a tool lacks or cannot read; what was sent is not repeated."""
    help = _known(tool, known)
    found = [_told(tool, fault) for fault in error.errors(include_input=False)[:_MOST]]
    return UsageError(tuple(Diagnostic("E0873", one, help=help) for one in dict.fromkeys(found)))


def _told(tool: str, fault: Any) -> str:
    where = ".".join(str(one)[:100] for one in fault["loc"])
    if fault["type"] == "extra_forbidden":
        return _no_argument(tool, where)
    if fault["type"] == "missing":
        return f"{tool} needs the argument {where}"
    if fault["type"] == "literal_error":
        return f"{where} is none of {fault['ctx']['expected']}"
    kind = _KINDS.get(fault["type"].partition("_")[0])
    if kind is not None:
        return f"{where} {kind}"
    return f"{where or 'arguments'}: {fault['msg']}"


def _no_argument(tool: str, argument: str) -> str:
    return f"{tool} has no argument {argument[:100]}"


def _known(tool: str, known: Iterable[str]) -> str:
    return f"{tool} has {', '.join(known) or 'no arguments'}"
