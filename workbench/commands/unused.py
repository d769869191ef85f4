"""Options that have no meaning where they were given: refused or said, never dropped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from workbench.commands.console import print_warnings
from workbench.errors import Diagnostic, UsageError


def changed(options: Any) -> dict[str, bool]:
    """Whether each of a dataclass of options, called as its fields are, is not its default."""
    return {
        f"--{one.name.replace('_', '-')}": getattr(options, one.name) != one.default
        for one in fields(options)
    }


def refuse_unused(given: Mapping[str, object], what: str, help: str) -> None:
    """Refuse options that would change the answer elsewhere.

    Raises E0614, naming all of them.

    Parameters
    ----------
    given : mapping of option to value
        What stands for nothing given (None, False, an empty list) is passed over.
    what : str
        What they are not for.
    """
    if names := _given(given):
        raise UsageError.of("E0614", f"{names} is not for {what}", help=help)


def tell_unused(given: Mapping[str, object], why: str) -> None:
    """Warn (E0842) of options that only say how: the answer is the same without them."""
    if names := _given(given):
        print_warnings([Diagnostic.warning("E0842", f"{names} has no effect here: {why}")])


def _given(given: Mapping[str, object]) -> str:
    return ", ".join(name for name, value in given.items() if value)
