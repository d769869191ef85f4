"""Every reduction keeps the energies of states, and its way back is one; none is left out."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

import workbench.inference
import workbench.network
from experiments.simplify import forced_values, simplify
from tests.oracles.random_networks import random_hinge_network, random_mln, random_state
from workbench.arrays import Float
from workbench.inference.aggregation import aggregate
from workbench.inference.cliques import count_cliques
from workbench.inference.folding import fold
from workbench.inference.partition import partition
from workbench.inference.parts import restrict, split
from workbench.network import components, energy, reported_energy
from workbench.network.ground_network import Domain, GroundNetwork
from workbench.network.hinge_problem import HingeProblem
from workbench.network.layout import SQUARED, Layout, lay_out
from workbench.network.part import Part, part
from workbench.network.relax import priced, relax

GIVES = ("Layout", "HingeProblem", "Part[", "Partition")
"""What a function is declared to return that is a reduction; those of a network or a problem."""

Case = Callable[[GroundNetwork, Float, Float], float]
"""The reported energy of a state of the network, asked of the reduced problem."""


def _down(reduced: Layout | HingeProblem | Part[Any], values: Float) -> Float:
    """The state of the reduced problem, which comes back as it went."""
    lower = reduced.reduce(values)
    back = reduced.lift(lower, values) if isinstance(reduced, Part) else reduced.lift(lower)
    np.testing.assert_array_equal(back, values)
    return lower


def _priced(network: GroundNetwork, weights: Float, state: Float) -> float:
    small, prices = priced(network, weights)
    assert small.unit.nnz <= 2 * network.n_atoms
    return reported_energy(small, prices, state)


def _simplified(network: GroundNetwork, weights: Float, state: Float) -> float:
    return reported_energy(simplify(network), weights, state)


def _relaxed(network: GroundNetwork, weights: Float, state: Float) -> float:
    problem = relax(network, weights)
    return problem.energy(_down(problem, state))


def _folded(network: GroundNetwork, weights: Float, state: Float) -> float:
    problem = fold(relax(network, weights))
    return problem.energy(_down(problem, state))


def _aggregated(network: GroundNetwork, weights: Float, state: Float) -> float:
    problem = aggregate(relax(network, weights))
    return problem.energy(_down(problem, state))


def _of_cliques(network: GroundNetwork, weights: Float, state: Float) -> float:
    problem = count_cliques(relax(network, weights))
    return problem.energy(_down(problem, state))


def _partitioned(network: GroundNetwork, weights: Float, state: Float) -> float:
    program = fold(relax(network, weights))
    sorted_ = partition(program)
    return sorted_.problem.energy(_down(sorted_, program.reduce(state)))


def _restricted(network: GroundNetwork, weights: Float, state: Float) -> float:
    problem = relax(network, weights)
    x = problem.reduce(state)
    left = restrict(problem, np.arange(problem.n) % 3 == 0, x)
    return left.problem.energy(_down(left, x))


def _split(network: GroundNetwork, weights: Float, state: Float) -> float:
    problem = relax(network, weights)
    x = problem.reduce(state)
    parts = split(problem)
    bare = problem.take_rows(np.flatnonzero(np.diff(problem.A.indptr) == 0))
    of_none = bare.energy(np.zeros(problem.n))  # the constant, and rows without variables
    return of_none + sum(one.problem.energy(_down(one, x)) for one in parts)


def _parted(network: GroundNetwork, weights: Float, state: Float) -> float:
    nothing = np.zeros_like(state)
    inside = components(network).of_atom % 2 == 0
    moved = 0.0
    for one in (part(network, inside), part(network, ~inside)):
        at = (_down(one, state), one.reduce(nothing))
        moved += np.subtract(*(reported_energy(one.problem, weights, values) for values in at))
    return reported_energy(network, weights, nothing) + moved


def _laid_out(network: GroundNetwork, weights: Float, state: Float) -> float:
    layout = lay_out(network, weights)
    own = _down(layout, state)
    potential = np.maximum(layout.b + _row_sums(layout, own), 0.0)
    potential[layout.kind == SQUARED] **= 2
    soft = layout.weight @ potential - layout.field @ own + weights @ network.constant
    return float(soft) + reported_energy(network, weights, state) - energy(network, weights, state)


def _row_sums(layout: Layout, own: Float) -> Float:
    row = np.repeat(np.arange(layout.n_rows), np.diff(layout.row_ptr))
    return np.bincount(row, layout.row_coefficient * own[layout.row_atom], layout.n_rows)


ANYWHERE: dict[str, Case] = {
    "fold": _folded,
    "lay_out": _laid_out,
    "part": _parted,
    "partition": _partitioned,
    "priced": _priced,
    "relax": _relaxed,
    "restrict": _restricted,
    "split": _split,
}
AT_CORNERS: dict[str, Case] = {
    "aggregate": _aggregated,
    "count_cliques": _of_cliques,
    "simplify": _simplified,
}


def _with_units(network: GroundNetwork, rng: np.random.Generator) -> GroundNetwork:
    """With so many unit groundings that pricing them is worth it."""
    gains = rng.normal(size=network.unit.shape)
    scale = np.column_stack([np.maximum(gains, 0).sum(axis=0), np.maximum(-gains, 0).sum(axis=0)])
    constant = rng.normal(size=network.n_templates)
    return replace(network, unit=csr_array(gains), unit_scale=scale, constant=constant)


def _declared() -> Iterable[str]:
    """Public functions of both rooms that take a network or a problem and give a reduced one."""
    for room in (workbench.network, workbench.inference):
        for module in pkgutil.iter_modules(room.__path__, room.__name__ + "."):
            loaded = importlib.import_module(module.name)
            for name in (one for one in vars(loaded) if not one.startswith("_")):
                one = getattr(loaded, name)
                if inspect.isfunction(one) and one.__module__ == module.name:
                    first = next(iter(one.__annotations__.values()), "")
                    reduces = first in ("GroundNetwork", "HingeProblem")
                    if reduces and any(kind in one.__annotations__["return"] for kind in GIVES):
                        yield name


def test_no_reduction_is_left_out() -> None:
    assert {*_declared()} == {*ANYWHERE, *AT_CORNERS} - {"priced", "simplify"}


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("name", ANYWHERE | AT_CORNERS)
def test_markov_logic_keeps_its_energies(name: str, seed: int) -> None:
    network, weights = random_mln(seed, n_rows=30, hard=0.2)
    network = _with_units(network, np.random.default_rng(seed))
    forced = forced_values(network)
    for draw in range(5):
        state = random_state(network, 10 * seed + draw)
        state = np.where(np.isnan(forced), state, forced)
        found = (ANYWHERE | AT_CORNERS)[name](network, weights, state)
        assert found == pytest.approx(reported_energy(network, weights, state))


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("name", ANYWHERE)
def test_soft_logic_keeps_its_energies(name: str, seed: int) -> None:
    network, weights = random_hinge_network(seed)
    assert network.domain is Domain.UNIT
    for draw in range(5):
        state = random_state(network, 10 * seed + draw)
        found = ANYWHERE[name](network, weights, state)
        assert found == pytest.approx(reported_energy(network, weights, state))
