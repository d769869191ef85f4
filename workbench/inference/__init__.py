"""Engines that solve a ground network."""

from workbench.inference.choose import choose
from workbench.inference.registry import CONVEX, ENGINES, make_engine
from workbench.inference.solution import Engine, Solution, Status

__all__ = ["CONVEX", "ENGINES", "Engine", "Solution", "Status", "choose", "make_engine"]
