"""`auto`: the engine that fits a network, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, cast, get_args

import numpy as np

from workbench.arrays import Float
from workbench.errors import UsageError
from workbench.inference.accepts import ALL, CONVEX, Accepts, Task
from workbench.inference.exact import Exact
from workbench.inference.registry import make_engine, with_parameters
from workbench.inference.solution import Engine, Solution
from workbench.network.components import components
from workbench.network.ground_network import Domain, GroundNetwork
from workbench.progress import Conduct

_ELIMINATED = 5_000
"""Entries of the largest network whose narrow components are eliminated at once: a maximum flow
over larger ones is many times as fast, and small ones need none of its kernels.
"""
_PROGRAMMED = 20
"""Induced width up to which a likeliest state is eliminated; wider ones are integer programs."""
_TOGETHER = {"map": 2.0**30, "marginal": 2.0**28}
"""Table entries, of all wide components, that are eliminated: some seconds."""
_AT_ONCE = 2.0**22
"""Table entries that are eliminated in no time, where messages between tables might be faster."""
_FEW = 1_000
"""Entries of the largest network whose elimination is never long."""
_NARROW = "every component is narrow enough for exact inference"


@dataclass(frozen=True)
class Auto(Engine):
    """Take the first engine that fits, and say which and why in the answer's `reason`."""

    name: ClassVar[str] = "auto"
    accepts: ClassVar[Accepts] = Accepts(
        {Domain.BOOLEAN: ALL, Domain.UNIT: CONVEX}, bound=True, suits="unless you know better"
    )
    task: Task = "marginal"

    def infer(
        self, network: GroundNetwork, weights: Float, conduct: Conduct, start: Float | None = None
    ) -> Solution:
        """Choose and solve."""
        engine, why = choose(network, weights, self.task)
        solution = engine.infer(network, weights, conduct, start)
        return replace(solution, reason=f"auto took {solution.engine}: {why}; {solution.reason}")


def engine_for(
    network: GroundNetwork, weights: Float, task: Task, name: str, parameters: Mapping[str, object]
) -> tuple[Engine, str]:
    """The named engine as it suits a network; for `auto` the one that fits, and why.

    Raises E0810 for another task.
    """
    if task not in get_args(Task):
        raise UsageError.of(
            "E0810", f"there is no task {task}", help="the tasks are map and marginal"
        )
    if name != "auto":
        from workbench.inference.rounded import fitted

        return fitted(make_engine(name, task, **parameters), network), ""
    engine, why = choose(network, weights, task)
    return with_parameters(engine, parameters), why


def choose(network: GroundNetwork, weights: Float, task: Task) -> tuple[Engine, str]:
    """The engine that `auto` stands for, and why."""
    if task == "map" and network.domain is Domain.UNIT:
        from workbench.inference.convex_choice import convex_engine

        convex = convex_engine(network, weights, finish=True)
        return convex, f"{convex.name} suits this mix of linear and squared hinges"
    exact = Exact(task, together=_TOGETHER[task])
    if task == "map":
        return _state_engine(network, weights, replace(exact, width=_PROGRAMMED))
    too_wide = exact.declines(network, weights)
    if too_wide is None:
        return exact, _NARROW
    sampler = make_engine("mcsat")
    refusal = sampler.declines(network, weights)
    why = too_wide
    if refusal is not None:
        sampler, why = make_engine("gibbs"), f"{too_wide}, and {refusal}"
    if not _some_narrow(exact, network, weights):
        return sampler, why
    from workbench.inference.mixed import Mixed

    return Mixed(sampler, exact), why


def _state_engine(network: GroundNetwork, weights: Float, exact: Exact) -> tuple[Engine, str]:
    """The engine of a most probable state, and why."""
    too_wide = exact.declines(network, weights)
    engine, why = cast(Engine, exact), _NARROW
    if too_wide is not None:
        from workbench.inference.wide_choice import wide_engine

        engine, why = wide_engine(network, weights)
        why = f"{too_wide}; {why}"
    elif network.A.nnz > _ELIMINATED:
        from workbench.inference.relaxed_first import RelaxedFirst

        engine = RelaxedFirst(exact)
    if too_wide is not None or network.A.nnz > _FEW:
        from workbench.inference.tables_first import TablesFirst, is_tabular

        at_once = replace(exact, together=_AT_ONCE)
        if is_tabular(network, weights) and at_once.declines(network, weights) is not None:
            return TablesFirst(engine), f"{why}; tables of several rows are asked first"
    return engine, why


def _some_narrow(exact: Exact, network: GroundNetwork, weights: Float) -> bool:
    """Whether elimination has something to do: a narrow component of several atoms."""
    of_atom = components(network).of_atom
    several = np.bincount(of_atom)[of_atom] > 1
    return bool(np.any(exact.narrow(network, weights) & several))
