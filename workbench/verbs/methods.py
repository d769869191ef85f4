"""Engines and learners described from their own documentation, for people who choose among them."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from typing import Any, Literal, cast

from workbench.inference.accepts import ALL, CONVEX, Accepts, Trait
from workbench.inference.registry import ENGINES, engine_class, tasks_of
from workbench.language.reading import Language
from workbench.learning import LEARNERS
from workbench.network import Domain

_LANGUAGES = {Domain.BOOLEAN: "Markov logic", Domain.UNIT: "soft logic"}


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
    found = [
        Method(
            "auto",
            "Chooses by what the ground network is like, and says which it took and why.",
            (),
        )
    ]
    domain = Domain.UNIT if language == "psl" else Domain.BOOLEAN
    for name in ENGINES:
        cls = engine_class(name)
        if name != "auto" and domain in cls.accepts.takes and task in tasks_of(name):
            rounds = ("rounding", "polish") if language == "psl" else ()
            found.append(_method(name, cls, hidden=("task", "solver", *rounds)))
    return tuple(found)


def learners(language: Language) -> tuple[Method, ...]:
    """The learners for a language, `auto` first."""
    found = [Method("auto", "The default learner of the language.", ())]
    domain = Domain.UNIT if language == "psl" else Domain.BOOLEAN
    for name, cls in LEARNERS.items():
        if domain in cls.declares.domains:
            found.append(_method(name, cls, hidden=()))
    return tuple(found)


def declared_engines() -> tuple[Mapping[str, object], ...]:
    """What every engine declares, as records; one for all names of a class."""
    names: dict[Any, list[str]] = {}
    for name in ENGINES:
        names.setdefault(engine_class(name), []).append(name)
    return tuple(_declared(cls, of_class) for cls, of_class in names.items())


def _declared(cls: Any, names: list[str]) -> Mapping[str, object]:
    accepts: Accepts = cls.accepts
    everything = {Domain.BOOLEAN: ALL, Domain.UNIT: CONVEX}
    declines = {}
    for domain, taken in accepts.takes.items():
        declined = everything[domain] - taken
        declines[_LANGUAGES[domain]] = sorted(
            declined - {Trait.CONCAVE} if Trait.SUMS in declined else declined
        )
    return {
        "names": names,
        "tasks": list(tasks_of(names[0])),
        "languages": list(declines),
        "declines": {language: traits for language, traits in declines.items() if traits},
        "unless": accepts.unless,
        "bound": accepts.bound,
        "requires": list(accepts.requires),
        "does": _summary(cls),
        "suits": accepts.suits,
    }


def engine_table() -> str:
    """`declared_engines` as a table in Markdown."""
    lines = [
        "| engine | for | declines | bound | what it does | when to take it |",
        "|---|---|---|---|---|---|",
    ]
    for one in cast(Sequence[dict[str, Any]], declared_engines()):
        names = ", ".join(f"`{name}`" for name in one["names"])
        declines = [
            ", ".join(traits) + (f" ({language})" if len(one["languages"]) > 1 else "")
            for language, traits in one["declines"].items()
        ] + ([one["unless"]] if one["unless"] else [])
        needs = f" (needs {', '.join(one['requires'])})" if one["requires"] else ""
        cells = (
            names + needs,
            f"{' and '.join(one['tasks'])}, {' and '.join(one['languages'])}",
            "; ".join(declines),
            "yes" if one["bound"] else "",
            one["does"],
            one["suits"],
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _summary(cls: Any) -> str:
    return " ".join((inspect.getdoc(cls) or "").split("\n\n", 1)[0].split())


def _method(name: str, cls: Any, hidden: tuple[str, ...]) -> Method:
    explained: dict[str, str] = {}
    for one in reversed(cls.__mro__):
        explained |= _explained(inspect.getdoc(one) or "")
    parameters = tuple(
        Parameter(field.name, field.default, explained.get(field.name, ""))
        for field in fields(cls)
        if field.init and field.name not in hidden and field.default is not MISSING
    )
    return Method(name, _summary(cls), parameters)


def _explained(text: str) -> dict[str, str]:
    """The entries of a numpydoc section `Parameters` (or `Attributes`): name to explanation."""
    section = re.search(r"(?ms)^(?:Parameters|Attributes)\n-+\n(.*?)(?=^\S[^\n]*\n-+\n|\Z)", text)
    found: dict[str, str] = {}
    if section is None:
        return found
    for entry in re.finditer(
        r"(?m)^(\S[^:\n]*?)(?: : [^\n]*)?\n((?:[ \t]+[^\n]*\n?|\n)*)", section[1] + "\n"
    ):
        for name in entry[1].split(","):
            found[name.strip()] = " ".join(entry[2].split())
    return found
