"""Engines that solve a ground network."""

from workbench.inference.choose import choose
from workbench.inference.registry import BOOLEAN, CONVEX, ENGINES, has_parameter, make_engine, with_parameters
from workbench.inference.solution import Engine, Solution, Status

__all__ = [
    "BOOLEAN",
    "CONVEX",
    "ENGINES",
    "Engine",
    "Solution",
    "Status",
    "choose",
    "has_parameter",
    "make_engine",
    "with_parameters",
]
