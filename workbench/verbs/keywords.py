"""Keywords of the facade's verbs: one that a verb does not have is refused, never dropped."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from functools import cache, wraps
from inspect import Parameter, signature
from typing import Any, TypeVar

from workbench.errors import Diagnostic, UsageError, nearest
from workbench.verbs import options

Facade = TypeVar("Facade")


def strict(facade: type[Facade]) -> type[Facade]:
    """A class whose public methods refuse keywords that their signatures do not name (E0843)."""
    for owner in reversed(facade.__mro__):
        for name, method in vars(owner).items():
            if callable(method) and not name.startswith("_") and not isinstance(method, type):
                setattr(facade, name, _refusing(name, method))
    return facade


def _refusing(verb: str, method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def call(*subject: Any, **given: Any) -> Any:
        refuse_unknown(verb, method, given)
        return method(*subject, **given)

    return call


def refuse_unknown(what: str, function: Callable[..., Any], given: Iterable[str]) -> None:
    """Refuse keywords that a function does not have.

    Raises E0843, naming each with the nearest that there is, or the engine or learner whose
    parameter it is.

    Parameters
    ----------
    what : str
        The function, as messages name it.
    """
    known = keywords_of(function)
    if unknown := [name for name in given if name not in known]:
        raise UsageError(
            tuple(
                Diagnostic("E0843", f"{what} has no option {name}", help=_instead(name, known))
                for name in unknown
            )
        )


@cache
def keywords_of(function: Callable[..., Any]) -> tuple[str, ...]:
    """What a function takes by name beside its subject, with the options that it unpacks."""
    names: list[str] = []
    for one in list(signature(function).parameters.values())[1:]:
        if one.kind is Parameter.VAR_KEYWORD:
            declared = str(one.annotation).removeprefix("Unpack[").removesuffix("]")
            names += getattr(options, declared).__annotations__
        elif one.kind in (Parameter.KEYWORD_ONLY, Parameter.POSITIONAL_OR_KEYWORD):
            names.append(one.name)
    return tuple(names)


def _instead(name: str, known: tuple[str, ...]) -> str:
    for option, classes in _parameters(known).items():
        owners = [
            owner for owner, cls in classes.items() if name in (one.name for one in fields(cls))
        ]
        if owners:
            return f"it is a parameter of {', '.join(owners)}: give {option}={{'{name}': ...}}"
    close = nearest(name, known)
    return (f"did you mean {close}? " if close else "") + f"it has: {', '.join(known)}"


def _parameters(known: tuple[str, ...]) -> Mapping[str, Mapping[str, Any]]:
    """The options of a verb that hold parameters, with the classes that declare these."""
    from workbench.inference.registry import ENGINES, engine_class
    from workbench.learning import LEARNERS

    engines = {name: engine_class(name) for name in ENGINES if not ENGINES[name][2]}
    beside = {
        "engine_options": engines,
        "learner_options": LEARNERS,
        "options": LEARNERS if "learner" in known else engines,
    }
    return {option: classes for option, classes in beside.items() if option in known}
