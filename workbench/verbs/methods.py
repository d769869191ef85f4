"""Engines and learners described from their own documentation, for people who choose among them."""

from __future__ import annotations

import inspect
import re
from dataclasses import MISSING, dataclass, fields
from typing import Any, Literal

from workbench.inference.registry import CONVEX, ENGINES, engine_class
from workbench.learning import LEARNERS

__all__ = ["Method", "Parameter", "engines", "learners"]

Language = Literal["mln", "psl"]
_SOFT = CONVEX | {"lp"}
_BOOLEAN = frozenset(ENGINES) - CONVEX


@dataclass(frozen=True)
class Parameter:
    """One parameter of a method, with its default and what its documentation says of it."""

    name: str
    default: Any
    explanation: str


@dataclass(frozen=True)
class Method:
    """An engine or learner: its name, what it does, and its parameters."""

    name: str
    summary: str
    parameters: tuple[Parameter, ...]


def engines(language: Language, task: Literal["map", "marginal"]) -> tuple[Method, ...]:
    """The engines that can do a task for a language, `auto` first."""
    found = [Method("auto", "Chooses by what the ground network is like, and says which it took and why.", ())]
    for name in ENGINES:
        if name == "auto" or name not in (_SOFT if language == "psl" else _BOOLEAN):
            continue
        cls = engine_class(name)
        both = "task" in {field.name for field in fields(cls)}
        if both or cls.task == task:
            rounds = ("rounding", "polish") if language == "psl" else ()
            found.append(_method(name, cls, hidden=("task", "solver", *rounds)))
    return tuple(found)


def learners(language: Language) -> tuple[Method, ...]:
    """The learners for a language, `auto` first."""
    found = [Method("auto", "The default learner of the language.", ())]
    for name, cls in LEARNERS.items():
        if name.startswith("hinge_") == (language == "psl"):
            found.append(_method(name, cls, hidden=()))
    return tuple(found)


def _method(name: str, cls: Any, hidden: tuple[str, ...]) -> Method:
    text = inspect.getdoc(cls) or ""
    explained = _explained(text)
    parameters = tuple(
        Parameter(field.name, field.default, explained.get(field.name, ""))
        for field in fields(cls)
        if field.init and field.name not in hidden and field.default is not MISSING
    )
    return Method(name, " ".join(text.split("\n\n", 1)[0].split()), parameters)


def _explained(text: str) -> dict[str, str]:
    """The entries of a numpydoc section `Parameters` (or `Attributes`): name to explanation."""
    section = re.search(r"(?ms)^(?:Parameters|Attributes)\n-+\n(.*?)(?=^\S[^\n]*\n-+\n|\Z)", text)
    found: dict[str, str] = {}
    if section is None:
        return found
    for entry in re.finditer(r"(?m)^(\S[^:\n]*?)(?: : [^\n]*)?\n((?:[ \t]+[^\n]*\n?|\n)*)", section[1] + "\n"):
        for name in entry[1].split(","):
            found[name.strip()] = " ".join(entry[2].split())
    return found
