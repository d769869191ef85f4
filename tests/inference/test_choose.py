"""Which engine `auto` takes for MAP, and that its certificate holds."""

from __future__ import annotations

import numpy as np

from workbench.arrays import Float
from workbench.inference import choose, make_engine
from workbench.inference.solution import Status
from workbench.network import GroundNetwork, network_from_clauses


def network_of(n_atoms: int, clauses: list[list[int]], units: Float) -> tuple[GroundNetwork, Float]:
    """Clauses of weight 1.5 and one of five unit weights an atom."""
    kinds = 1 + np.random.default_rng(1).integers(0, 5, n_atoms)
    template = np.concatenate([np.zeros(len(clauses), np.int64), kinds])
    network = network_from_clauses(
        n_atoms, clauses + [[a + 1] for a in range(n_atoms)], template, n_templates=6
    )
    return network, np.concatenate([[1.5], units])


def exclusions() -> tuple[GroundNetwork, Float]:
    """Two sevens that exclude each other, 230 times, and 2,000 pairs between:
    few true atoms violate few rows.
    """
    atoms = np.arange(3220).reshape(230, 14) + 1
    clauses = [
        [-int(row[j]), -int(row[k])] for row in atoms for j in range(7) for k in range(7, 14)
    ]
    pairs = np.random.default_rng(2).integers(1, atoms.size + 1, (2000, 2))
    clauses += [[-int(a), -int(b)] for a, b in pairs if a != b]
    return network_of(atoms.size, clauses, np.array([-2.0, -1.5, -1.0, -0.8, 0.4]))


def attractions() -> tuple[GroundNetwork, Float]:
    """12,000 implications between random pairs of atoms that units pull apart:
    any state violates many.
    """
    pairs = np.random.default_rng(0).integers(1, 3001, (12_000, 2))
    clauses = [[-int(a), int(b)] for a, b in pairs if a != b]
    return network_of(3000, clauses, np.array([-4.0, 4.0, -3.0, 3.0, 2.0]))


def test_a_part_of_the_rows_is_solved_where_few_are_violated() -> None:
    network, weights = exclusions()
    engine, why = choose(network, weights, "map")
    assert engine.name == "cpi", why
    found = engine.solve(network, weights)
    assert found.engine == "cpi"
    assert found.diagnostics["rows"] < network.n_rows / 4
    assert found.status == Status.OPTIMAL
    assert make_engine("maxwalksat").solve(network, weights).energy >= found.energy - 1e-6


def test_the_whole_is_relaxed_first_where_that_settles_it() -> None:
    """Friends who are alike, 9,000 pairs of 6,000: rounds of violated rows would find what one
    maximum flow does.
    """
    pairs = np.random.default_rng(3).integers(1, 6001, (9000, 2)).tolist()
    clauses = [clause for a, b in pairs if a != b for clause in ([-a, b], [a, -b])]
    network, weights = network_of(6000, clauses, np.array([-0.5, -0.4, -0.6, -0.3, 3.0]))
    engine, why = choose(network, weights, "map")
    assert engine.name == "cpi", why
    found = engine.solve(network, weights)
    assert found.engine == "lp"
    assert "relaxed first" in found.reason
    assert found.status == Status.OPTIMAL
    assert abs(found.energy - make_engine("ilp").solve(network, weights).energy) < 1e-6


def test_the_whole_is_solved_where_many_are() -> None:
    network, weights = attractions()
    engine, why = choose(network, weights, "map")
    assert engine.name == "cpi", why
    found = engine.solve(network, weights)
    assert found.engine == "ilp", found.reason
    assert "too many rows" in found.reason
    whole = make_engine("ilp").solve(network, weights)
    assert found.status == whole.status == Status.OPTIMAL
    assert abs(found.energy - whole.energy) < 1e-6


def test_pairs_that_form_cliques_are_counted_and_proven() -> None:
    """Of 60 rivals as few as possible, 40 times over:
    the pairs' own relaxation leaves every atom at 1/2.
    """
    atoms = np.arange(2400).reshape(40, 60) + 1
    clauses = [[-int(row[j]), -int(row[k])] for row in atoms for j in range(60) for k in range(j)]
    network, weights = network_of(atoms.size, clauses, np.array([3.0, 9.0, 1.2, 4.0, 14.0]))
    engine, why = choose(network, weights, "map")
    found = engine.solve(network, weights)
    assert engine.name == "ilp", why
    assert found.status == Status.OPTIMAL, found.reason
    assert make_engine("lp", solver="flow").solve(network, weights).bound < 0.9 * found.bound
