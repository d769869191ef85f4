"""`auto`: the engine that fits a network, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from workbench.arrays import Float
from workbench.inference.accepts import ALL, CONVEX, RELAXABLE, Accepts
from workbench.inference.cliques import count_cliques
from workbench.inference.cutting_plane import CuttingPlane
from workbench.inference.exact import Exact
from workbench.inference.mixed import Mixed
from workbench.inference.registry import make_engine, with_parameters
from workbench.inference.relaxed_first import RelaxedFirst
from workbench.inference.rounded import fitted
from workbench.inference.row_source import RowSource
from workbench.inference.solution import Engine, Solution, Task
from workbench.network.components import components
from workbench.network.ground_network import Domain, GroundNetwork
from workbench.network.relax import relax
from workbench.progress import Conduct

__all__ = ["Auto", "certified_growing", "choose", "engine_for"]


_NODES = 500
"""Nodes of branch and cut a component, unasked:
a limit in time would make answers depend on the machine.
"""

_ELIMINATED = 5_000
"""Entries of the largest network whose narrow components are eliminated at once: a maximum flow
over larger ones is many times as fast, and small ones need none of its kernels.
"""

_SMALL = 20_000
"""Entries of the largest network that is solved at once, by one engine with all its rows."""

_LARGE = 200_000
"""Entries of the largest network given to the integer program unasked."""


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
        return replace(solution, reason=f"auto took {engine.name}: {why}; {solution.reason}")


def engine_for(
    network: GroundNetwork, weights: Float, task: Task, name: str, parameters: Mapping[str, object]
) -> tuple[Engine, str]:
    """The engine of a name with its parameters, as it suits a network;
    for `auto` the one that fits, and why.
    """
    if name != "auto":
        return fitted(make_engine(name, task, **parameters), network), ""
    engine, why = choose(network, weights, task)
    return with_parameters(engine, parameters), why


def choose(network: GroundNetwork, weights: Float, task: Task) -> tuple[Engine, str]:
    """The engine that `auto` stands for, and why."""
    if task == "map" and network.domain is Domain.UNIT:
        from workbench.inference.convex_choice import convex_engine

        engine = convex_engine(network, weights, finish=True)
        return engine, f"{engine.name} suits this mix of linear and squared hinges"
    exact = make_engine("exact", task)
    too_wide = exact.declines(network, weights)
    if too_wide is None:
        large = task == "map" and network.A.nnz > _ELIMINATED
        narrow = "every component is narrow enough for exact inference"
        return RelaxedFirst(exact) if large else exact, narrow
    if task == "map":
        certified = _Certified()
        refusal = certified.declines(network, weights)
        if refusal is not None:
            return make_engine("maxwalksat"), f"{too_wide}; {refusal}"
        if network.A.nnz > _SMALL and _entries(network, weights) == network.A.nnz:
            by_and_by = RelaxedFirst(CuttingPlane(certified, most_rows=0.25))
            return by_and_by, f"{too_wide}; rows are added where they are violated"
        return certified.by_size(
            network, weights
        ), f"{too_wide}; the integer program gives a certificate"
    sampler = make_engine("mcsat")
    refusal = sampler.declines(network, weights)
    why = too_wide
    if refusal is not None:
        sampler, why = make_engine("gibbs"), f"{too_wide}, and {refusal}"
    return (Mixed(sampler, Exact()), why) if _some_narrow(network, weights) else (sampler, why)


def certified_growing(source: RowSource) -> Engine:
    """The engine with a proof of a network most of whose rows are left to a source.

    Rows come between atoms that are true, and the relaxation of those is whole nearly everywhere,
    so that a last integer program of more of them is affordable.
    """
    finish = _Certified(largest=5 * _LARGE)
    return CuttingPlane(RelaxedFirst(_Certified()), source, finish=finish)


def _some_narrow(network: GroundNetwork, weights: Float) -> bool:
    """Whether elimination has something to do: a narrow component of several atoms."""
    of_atom = components(network).of_atom
    several = np.bincount(of_atom)[of_atom] > 1
    return bool(np.any(Exact().narrow(network, weights) & several))


@dataclass(frozen=True)
class _Certified(Engine):
    """An integer program where that is affordable, else the relaxation, rounded and polished."""

    name: ClassVar[str] = "ilp or lp"
    task: ClassVar[Task] = "map"
    accepts: ClassVar[Accepts] = Accepts({Domain.BOOLEAN: RELAXABLE}, bound=True)

    largest: int = _LARGE

    def by_size(self, network: GroundNetwork, weights: Float) -> Engine:
        """The engine for a network of this size."""
        large = _entries(network, weights) > self.largest
        return make_engine("lp", polish=True) if large else make_engine("ilp", max_nodes=_NODES)

    def infer(
        self, network: GroundNetwork, weights: Float, conduct: Conduct, start: Float | None = None
    ) -> Solution:
        """Choose by size and solve."""
        engine = self.by_size(network, weights)
        return engine.infer(network, weights, conduct, start)


def _entries(network: GroundNetwork, weights: Float) -> int:
    """Entries of the network's rows, where pairs that form cliques are counted."""
    if network.A.nnz <= _SMALL:
        return network.A.nnz
    problem = relax(network, weights)
    counted = count_cliques(problem)
    return network.A.nnz if counted is problem else counted.A.nnz
