"""What the options of a PSL document mean here: which are obeyed, and which have no equal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

T = TypeVar("T")

_LEARNERS: Mapping[str, tuple[str, Mapping[str, object]]] = {
    "maxlikelihoodmpe": ("hinge_perceptron", {}),
    "votedperceptron": ("hinge_perceptron", {}),
    "structuredperceptron": ("hinge_perceptron", {}),
    "maxpseudolikelihood": ("hinge_pseudolikelihood", {}),
    "maxpiecewisepseudolikelihood": ("hinge_pseudolikelihood", {}),
    "gridsearch": ("search", {"method": "grid"}),
    "randomgridsearch": ("search", {"method": "random"}),
    "guidedrandomgridsearch": ("search", {"method": "random"}),
    "continuousrandomgridsearch": ("search", {"method": "random"}),
}
_ENGINES: Mapping[str, str] = {
    "admminference": "admm",
    "admmreasoner": "admm",
    "mpeinference": "admm",
    "dualbcdinference": "bcd",
    "dualbcdreasoner": "bcd",
}
_OF_LEARNERS: Mapping[str, tuple[tuple[str, ...], str, Callable[[Any], object]]] = {
    "gradientdescent.numsteps": (("hinge_perceptron", "hinge_pseudolikelihood"), "iterations", int),
    "votedperceptron.numsteps": (("hinge_perceptron", "hinge_pseudolikelihood"), "iterations", int),
    "gradientdescent.stepsize": (("hinge_perceptron", "hinge_pseudolikelihood"), "step", float),
    "votedperceptron.stepsize": (("hinge_perceptron", "hinge_pseudolikelihood"), "step", float),
    "gridsearch.weights": (
        ("search",),
        "values",
        lambda text: tuple(map(float, str(text).split(":"))),
    ),
    "randomgridsearch.maxlocations": (("search",), "trials", int),
}
_OF_ENGINES: Mapping[str, tuple[str, str, Callable[[Any], object]]] = {
    "admmreasoner.maxiterations": ("admm", "max_iterations", int),
    "admmreasoner.stepsize": ("admm", "penalty", float),
}
_WITHOUT_EFFECT = ("runtime.db.", "runtime.log", "log4j.", "parallel.")
"""Where PSL stores its atoms, and what it logs: no part of the answer."""


@dataclass(frozen=True)
class DocumentSettings:
    """A document's options in the words of engines and learners.

    Attributes
    ----------
    learn, validation, keep_best : bool or None
        Whether the document says to learn, to judge on its validation split, to keep the weights
        that are best there; or not to. None where it says neither.
    learner, engine : str
        `auto` where the document names none.
    ignored : tuple of str
        Options without an equal, as `name = value`.
    """

    learn: bool | None = None
    validation: bool | None = None
    keep_best: bool | None = None
    learner: str = "auto"
    learner_options: Mapping[str, object] = field(default_factory=dict)
    engine: str = "auto"
    engine_options: Mapping[str, object] = field(default_factory=dict)
    seed: int | None = None
    ignored: tuple[str, ...] = ()


def document_settings(options: Mapping[str, object], default_learner: str) -> DocumentSettings:
    """The settings that options of a document ask for; `default_learner` is what `auto` means."""
    left = {str(name).casefold(): value for name, value in options.items()}
    learner, learner_options = _method(left, "runtime.learn.method", _LEARNERS, ("auto", {}))
    engine = _method(left, "runtime.inference.method", _ENGINES, "auto")
    learner_options, engine_options = dict(learner_options), dict[str, object]()
    for name, (owner, parameter, read) in _OF_ENGINES.items():
        if engine in ("auto", owner) and (value := _taken(left, name, read)) is not None:
            engine, engine_options[parameter] = owner, value
    for name, (owners, parameter, read) in _OF_LEARNERS.items():
        of = default_learner if learner == "auto" else learner
        if of in owners and (value := _taken(left, name, read)) is not None:
            learner, learner_options[parameter] = of, value
    flags = ("runtime.learn", "runtime.validation", "gradientdescent.savevalidationweights")
    learn, validation, keep_best = (_flag(left, name) for name in flags)
    seed = _taken(left, "random.seed", int)
    ignored = tuple(
        f"{name} = {value}"
        for name, value in sorted(left.items())
        if not name.startswith(_WITHOUT_EFFECT)
    )
    return DocumentSettings(
        learn,
        validation,
        keep_best,
        learner,
        learner_options,
        engine,
        engine_options,
        seed,
        ignored,
    )


def _method(left: dict[str, object], name: str, known: Mapping[str, T], otherwise: T) -> T:
    """What a method's class is called here; one without an equal stays unread."""
    method = str(left.get(name) or "").rsplit(".", 1)[-1].casefold()
    if method in known:
        left.pop(name)
    return known.get(method, otherwise)


def _taken(left: dict[str, object], name: str, read: Callable[[Any], T]) -> T | None:
    """A value of the wanted type, or None: the option then stays unread, and is said to."""
    try:
        value = read(left[name])
    except (KeyError, TypeError, ValueError):
        return None
    left.pop(name)
    return value


def _flag(left: dict[str, object], name: str) -> bool | None:
    value = str(left.get(name)).casefold()
    if value not in ("true", "false"):
        return None
    left.pop(name)
    return value == "true"
