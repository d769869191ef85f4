"""Functions of the user's: called by name in rules, on columns of values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.errors import InputError
from workbench.language.builtin import DEGREES, FUNCTIONS, VALUE_FUNCTIONS
from workbench.language.values import VALUE_TYPES, ValueKind


@dataclass(frozen=True)
class UserFunction:
    """A function of numbers, dates and texts that gives a number for each row.

    Attributes
    ----------
    function : callable
        Takes one Arrow array an argument, and gives as many numbers as they have rows; NaN where
        there is none.
    """

    name: str
    arguments: tuple[ValueKind, ...]
    function: Callable[..., Any]


_REGISTERED: dict[str, UserFunction] = {}


def register_function(
    name: str, function: Callable[..., Any], arguments: Sequence[str], *, degree: bool = False
) -> None:
    """Let this process's rules call a Python function by name, instead of any before.

    Parameters
    ----------
    name : str
        Letters, digits and `_`, beginning with a small letter; no name of a function that there is.
    function : callable
        Called on columns, not rows: a `pyarrow.Array` for each argument, without blanks. It returns
        a number for each row (NumPy, Arrow, list); NaN removes the grounding. It may be called from
        several threads, one at a time.
    arguments : sequence of {'number', 'date', 'text'}
    degree : bool
        Its values are from 0 to 1: in soft logic it may stand like an atom.

    Raises
    ------
    InputError
        E0161 for a name or an argument that cannot be.
    """
    if not (name.isidentifier() and name.isascii() and name[0].islower()) or name in (
        "v",
        "forall",
        "exist",
        "exists",
    ):
        raise InputError.of(
            "E0161",
            f"{name!r} is no name of a function",
            help="begin it with a small letter: near_by",
        )
    if name in FUNCTIONS and name not in _REGISTERED:
        raise InputError.of(
            "E0161", f"there is a function {name} already", help="choose another name"
        )
    wrong = [one for one in arguments if one not in VALUE_TYPES]
    if wrong or not arguments:
        what = f"{wrong[0]!r} is no type of a value" if wrong else f"{name} has no argument"
        raise InputError.of("E0161", what, help=f"the types are {', '.join(VALUE_TYPES)}")
    _REGISTERED[name] = UserFunction(name, tuple(map(ValueKind, arguments)), function)
    VALUE_FUNCTIONS[name] = FUNCTIONS[name] = len(arguments)
    DEGREES.discard(name)
    if degree:
        DEGREES.add(name)


def user_function(name: str) -> UserFunction | None:
    """The registered function of a name."""
    return _REGISTERED.get(name)


def registered_functions() -> Mapping[str, UserFunction]:
    """The functions registered by now, by name."""
    return dict(_REGISTERED)
