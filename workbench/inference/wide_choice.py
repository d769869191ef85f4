"""Which engine finds a most probable state where elimination is too wide."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from workbench.arrays import Float
from workbench.inference.accepts import RELAXABLE, Accepts, Task
from workbench.inference.cliques import count_cliques
from workbench.inference.cutting_plane import CuttingPlane
from workbench.inference.registry import make_engine
from workbench.inference.relaxed_first import RelaxedFirst
from workbench.inference.row_source import RowSource
from workbench.inference.solution import Engine, Solution
from workbench.network.ground_network import Domain, GroundNetwork
from workbench.network.relax import relax
from workbench.progress import Conduct

_NODES = 500
"""Nodes of branch and cut a component: by time, answers would depend on the machine."""

_SMALL = 20_000
"""Entries of the largest network that is solved at once, by one engine with all its rows."""

_LARGE = 200_000
"""Entries of the largest network given to the integer program unasked."""


def wide_engine(network: GroundNetwork, weights: Float) -> tuple[Engine, str]:
    """The engine, with a proof where one is affordable, and why."""
    certified = _Certified()
    refusal = certified.declines(network, weights)
    if refusal is not None:
        return make_engine("maxwalksat"), refusal
    if network.A.nnz > _SMALL and _entries(network, weights) == network.A.nnz:
        by_and_by = RelaxedFirst(CuttingPlane(certified, most_rows=0.25))
        return by_and_by, "rows are added where they are violated"
    return certified.by_size(network, weights), "the integer program gives a certificate"


def certified_growing(source: RowSource) -> Engine:
    """The engine with a proof of a network most of whose rows are left to a source.

    Rows come between atoms that are true, and the relaxation of those is whole nearly everywhere,
    so that a last integer program of more of them is affordable.
    """
    finish = _Certified(largest=5 * _LARGE)
    return CuttingPlane(RelaxedFirst(_Certified()), source, finish=finish)


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
