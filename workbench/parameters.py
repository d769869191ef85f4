"""Parameters of engines, learners and searches: read as their classes declare them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import fields
from math import inf, isnan
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from workbench.errors import Diagnostic, UsageError, nearest

Count = Annotated[int, "of at least 1", lambda value: value >= 1]
"""How many of what there must be one of."""
Positive = Annotated[float, "above 0", lambda value: value > 0]
Signed = Annotated[float, "", lambda value: True]
"""A number that may be below 0: no other parameter may."""
_INFINITE = "infinite for none"
PositiveOrInfinite = Annotated[float, "above 0", lambda value: value > 0, _INFINITE]
SignedOrInfinite = Annotated[float, "", lambda value: True, _INFINITE]

_SMALLEST, _LARGEST = 1e-100, 1e100
"""Of numbers in between float64 holds the squares and what is divided by them."""

_UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
_UNITS |= {"KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40}


class _Refused(Exception):
    """The value is not of the type, or out of its range; with what to do, where more is to say."""


def read_parameters(
    cls: Any, given: Mapping[str, object], owner: str, code: str
) -> dict[str, object]:
    """The given parameters with the types that a dataclass declares for them.

    A text is read as what the declaration asks for (`"true"`, `"1e4"` for a whole number), so that
    a command line and Python mean the same; a value that is of the type already is left as it is. A
    number is at least 0 unless its declaration (`Count`, `Positive`, `Signed`) says otherwise, 0 or
    of a size that can be squared, and finite unless its declaration says so.

    Raises UsageError with the code, naming every parameter that does not exist or has a value of
    another type or range.

    Parameters
    ----------
    cls : dataclass type
        Its fields that `__init__` takes are the parameters.
    given : mapping of name to value
    owner : str
        Whose parameters they are, as messages name it.
    code : str
        Of the error.
    """
    declared = [entry.name for entry in fields(cls) if entry.init]
    types = get_type_hints(cls, include_extras=True) if given else {}
    read: dict[str, object] = {}
    problems: list[Diagnostic] = []
    for name, value in given.items():
        if name not in declared:
            close = nearest(name, declared)
            hint = f"did you mean {close}? " if close else ""
            listed = ", ".join(declared) or "none"
            message = f"{owner} has no parameter {name}"
            problems.append(Diagnostic(code, message, help=f"{hint}it has: {listed}"))
            continue
        try:
            read[name] = _read(types[name], value)
        except _Refused as refused:
            message = f"the parameter {name} of {owner} is {_wanted(types[name])}, not `{value}`"
            problems.append(Diagnostic(code, message, help=str(refused) or None))
    if problems:
        raise UsageError(problems)
    return read


def _read(declared: Any, value: object) -> object:
    origin = get_origin(declared)
    if origin in (Union, UnionType):
        return _first_that_reads(get_args(declared), value)
    if origin is Literal:
        return _one_of(get_args(declared), value)
    if origin is tuple:
        (item, *_) = get_args(declared)
        values = value if isinstance(value, tuple | list) else (value,)
        return tuple(_read(item, part) for part in values)
    if (ranged := _ranged(declared)) is not None:
        plain, _, holds, infinite = ranged
        number = _PLAIN[plain][1](value)
        if not holds(number):
            raise _Refused
        if plain is float and not (infinite and number in (inf, -inf)):
            _of_a_size(number)
        return number
    if declared in _PLAIN:
        return _PLAIN[declared][1](value)
    # An object (an engine, a mapping of options) is the class's own business; text never stands for
    # one.
    if isinstance(value, str | Real):
        raise _Refused
    return value


def _of_a_size(number: Any) -> None:
    if number and not _SMALLEST <= abs(number) <= _LARGEST:
        raise _Refused(f"give one of a size between {_SMALLEST:g} and {_LARGEST:g}")


def _ranged(declared: Any) -> tuple[Any, str, Callable[[Any], bool], bool] | None:
    """A number's plain type, its range in words, whether a number is in it, and whether it may be
    infinite; None for others."""
    if get_origin(declared) is Annotated:
        plain, words, holds, *more = get_args(declared)
        return plain, words, holds, _INFINITE in more
    return (
        (declared, "of at least 0", lambda number: number >= 0, False)
        if declared in (int, float)
        else None
    )


def _first_that_reads(types: tuple[Any, ...], value: object) -> object:
    # None first, so that the text `none` is not taken for a name; text last, since any value can be
    # shown as text.
    help = ""
    for declared in sorted(types, key=lambda kind: (kind is not NoneType, kind is str)):
        try:
            return _read(declared, value)
        except _Refused as refused:
            help = help or str(refused)
    raise _Refused(help)


def _one_of(values: tuple[object, ...], value: object) -> object:
    for allowed in values:
        if value == allowed or str(value) == str(allowed):
            return allowed
    raise _Refused


def _boolean(value: object) -> object:
    if isinstance(value, str):
        value = {"true": True, "false": False}.get(value.casefold(), value)
    if not isinstance(value, bool):
        raise _Refused
    return value


def _whole(value: object) -> object:
    number = _number(value)
    if isinstance(number, float) and not number.is_integer():
        raise _Refused
    return int(number)


def _number(value: object) -> int | float:
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            raise _Refused from None
    if isinstance(value, bool) or not isinstance(value, Real) or isnan(value):
        raise _Refused
    return int(value) if isinstance(value, Integral) else float(value)


def _text(value: object) -> object:
    if not isinstance(value, str):
        raise _Refused
    return value


def _nothing(value: object) -> object:
    if value is not None and not (isinstance(value, str) and value.casefold() == "none"):
        raise _Refused
    return None


_PLAIN: dict[Any, tuple[str, Callable[[object], object]]] = {
    bool: ("true or false", _boolean),
    int: ("a whole number", _whole),
    float: ("a number", _number),
    str: ("a name", _text),
    NoneType: ("none", _nothing),
}


def _wanted(declared: Any) -> str:
    """The type in words."""
    origin = get_origin(declared)
    if (ranged := _ranged(declared)) is not None:
        return f"{_PLAIN[ranged[0]][0]} {ranged[1]}".rstrip()
    if origin in (Union, UnionType):
        return " or ".join(_wanted(part) for part in get_args(declared))
    if origin is Literal:
        return "one of " + ", ".join(map(str, get_args(declared)))
    if origin is tuple:
        return f"a list of which each is {_wanted(get_args(declared)[0])}"
    if declared in _PLAIN:
        return _PLAIN[declared][0]
    return "an object that only Python can give"


def read_size(size: str | int) -> int:
    """Bytes of a size such as `10GB`, `512 MiB` or `1.5gb`; a number alone is bytes.

    Raises E0840 for anything else.
    """
    found = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?) *([A-Za-z]*)", str(size).strip())
    unit = _UNITS.get(found[2].upper()) if found is not None else None
    bytes_ = int(float(found[1]) * unit) if found is not None and unit is not None else 0
    if not 0 < bytes_ < 2**63:
        raise UsageError.of(
            "E0840", f"{size} is no size", help="write a number and a unit, such as 500MB or 8GiB"
        )
    return bytes_
