"""Engines that solve a ground network."""

from workbench.inference.choose import choose, engine_for
from workbench.inference.registry import ENGINES, has_parameter, make_engine
from workbench.inference.solution import Engine, Solution, Status

__all__ = [
    "ENGINES",
    "Engine",
    "Solution",
    "Status",
    "choose",
    "engine_for",
    "has_parameter",
    "make_engine",
]
