"""The engines by name, imported when asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from importlib import import_module
from importlib.util import find_spec
from typing import Any, cast

from workbench.errors import UsageError, nearest, not_installed
from workbench.inference.accepts import Task
from workbench.inference.solution import Engine, MetaEngine
from workbench.parameters import read_parameters

ENGINES: dict[str, tuple[str, str, dict[str, object]]] = {
    "auto": ("choose", "Auto", {}),
    "exact": ("exact", "Exact", {}),
    "maxwalksat": ("maxwalksat", "MaxWalkSAT", {}),
    "mcsat": ("mcsat", "MCSAT", {}),
    "gibbs": ("gibbs", "Gibbs", {}),
    "bp": ("belief_propagation", "BeliefPropagation", {}),
    "ilp": ("integer_program", "IntegerProgram", {}),
    "rc2": ("maxsat", "MaxSat", {}),
    "messages": ("message_passing", "MessagePassing", {}),
    "toulbar2": ("toulbar2", "Toulbar2", {}),
    "lp": ("lp", "LinearRelaxation", {}),
    "cpi": ("cutting_plane", "CuttingPlane", {}),
    "admm": ("admm", "ADMM", {}),
    "pdhg": ("pdhg", "PDHG", {}),
    "streamed": ("streamed", "Streamed", {}),
    "bcd": ("block_coordinate", "BlockCoordinateDescent", {}),
    "cvxpy": ("cvxpy_engine", "ConvexSolver", {}),
    "ecos": ("cvxpy_engine", "ConvexSolver", {"solver": "ecos"}),
    "clarabel": ("cvxpy_engine", "ConvexSolver", {"solver": "clarabel"}),
    "highs": ("cvxpy_engine", "ConvexSolver", {"solver": "highs"}),
    "osqp": ("cvxpy_engine", "ConvexSolver", {"solver": "osqp"}),
    "scs": ("cvxpy_engine", "ConvexSolver", {"solver": "scs"}),
}
"""Name to module of this room, class, and the parameters that the name stands for."""


def engine_class(name: str) -> Any:
    """The class behind a name; E0411 for an unknown engine."""
    if name not in ENGINES:
        close = nearest(name, ENGINES)
        hint = f"did you mean {close}? " if close else ""
        raise UsageError.of(
            "E0411",
            f"there is no engine {name}",
            help=f"{hint}the engines are {', '.join(ENGINES)}",
        )
    module, cls, _ = ENGINES[name]
    return getattr(import_module(f"workbench.inference.{module}"), cls)


def make_engine(name: str, task: Task | None = None, **parameters: object) -> Engine:
    """An engine by name with its parameters; engines that can do both tasks are told which.

    Raises E0411 for an unknown engine, E0412 for a parameter it does not have or a value of another
    type, E0413 for a task it cannot do; E0402 where a package that it needs is not installed.
    """
    cls = engine_class(name)
    missing = [package for package in cls.accepts.requires if find_spec(package) is None]
    if missing:
        packages = ", ".join(_DISTRIBUTIONS.get(one, one) for one in missing)
        raise not_installed("E0402", f"engine {name}", packages, cls.accepts.extra)
    given = ENGINES[name][2] | read_parameters(cls, parameters, f"engine {name}", "E0412")
    if task is not None and "task" in _parameters(name):
        given["task"] = task
    engine: Engine = cls(**given)
    if task is not None and engine.task != task:
        fitting = [other for other in ENGINES if task in tasks_of(other)]
        raise UsageError.of(
            "E0413",
            f"engine {name} does not compute {_TASKS[task]}",
            help=f"try one of: {', '.join(fitting)}",
        )
    return engine


def tasks_of(name: str) -> tuple[Task, ...]:
    """What an engine computes: both tasks where the task is a parameter."""
    cls = engine_class(name)
    return ("map", "marginal") if "task" in _parameters(name) else (cls.task,)


def has_parameter(name: str, parameter: str) -> bool:
    """Whether an engine has a parameter; `auto` hands its own to the engine that it takes.

    Raises E0411 for an unknown engine.
    """
    return name == "auto" or parameter in _parameters(name)


def is_sampled(answered_by: str | None) -> bool:
    """Whether an answer, by one engine or several (`exact+mcsat`), was sampled."""
    names = (answered_by or "").split("+")
    return any("samples" in _parameters(name) for name in names if name in ENGINES)


def with_parameters(engine: Engine, parameters: Mapping[str, object]) -> Engine:
    """The engine that `auto` took, with the parameters given: `samples` only where it samples.

    Raises E0412 for any other parameter that it does not have.
    """
    if isinstance(engine, MetaEngine):
        return replace(engine, engine=with_parameters(engine.engine, parameters))
    settings = cast(Any, engine)  # a frozen dataclass, which a protocol cannot say
    known = [field.name for field in fields(settings)]
    for name in parameters:
        if name not in known and name != "samples":
            raise UsageError.of(
                "E0412",
                f"auto took engine {engine.name}, which has no parameter {name}",
                help=f"name the engine with --engine; {engine.name} has: "
                f"{', '.join(known) or 'none'}",
            )
    given = {name: value for name, value in parameters.items() if name in known}
    read = read_parameters(type(engine), given, f"engine {engine.name}", "E0412")
    chosen: Engine = replace(settings, **cast(Any, read))
    return chosen


_DISTRIBUTIONS = {"pysat": "python-sat"}
"""What a package is installed as, where that is another name than it is imported by."""

_TASKS = {"map": "the most probable state", "marginal": "marginal probabilities"}


def _parameters(name: str) -> list[str]:
    return [field.name for field in fields(engine_class(name))]
