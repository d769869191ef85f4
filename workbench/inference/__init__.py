"""Engines that solve a ground network."""

from workbench.inference.choose import choose, engine_for
from workbench.inference.registry import ENGINES, has_parameter, is_sampled, make_engine
from workbench.inference.solution import Engine, Solution, Status
