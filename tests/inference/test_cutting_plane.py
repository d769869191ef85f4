"""Cutting-plane inference: the same answers as on the whole network, from fewer rows."""

from __future__ import annotations

import numpy as np
import pytest

from tests.oracles.enumeration import enumerate_states
from tests.oracles.random_networks import random_mln
from workbench.database import Database, load_alchemy_text
from workbench.errors import WorkbenchError
from workbench.grounding import GroundRequest, ground, ground_lazily
from workbench.inference.cutting_plane import CuttingPlane
from workbench.inference.integer_program import IntegerProgram
from workbench.inference.row_source import StoredRows, set_aside
from workbench.inference.solution import Status
from workbench.language import parse_mln
from workbench.network import Rows
from workbench.network.build import network_from_clauses
from workbench.network.energy import energy_offset, reported_energy


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("inner", ["ilp", "lp", "maxwalksat"])
def test_the_answer_is_one_of_the_whole_network(seed: int, inner: str) -> None:
    network, weights = random_mln(seed, hard=0.3, satisfiable=seed % 4 > 0)
    listing = enumerate_states(network, weights)
    solution = CuttingPlane(inner).solve(network, weights)
    if not listing.feasible:
        assert solution.status != Status.OPTIMAL
        return
    least = listing.least_energy + energy_offset(network, weights)
    assert solution.bound <= least + 1e-6
    if solution.hard_violation == 0:
        assert solution.energy == pytest.approx(reported_energy(network, weights, solution.values))
    if inner == "ilp":
        assert solution.status == Status.OPTIMAL
        assert solution.energy == pytest.approx(least, abs=1e-6)


def test_transitivity_is_added_only_where_it_is_violated() -> None:
    n = 12
    pair = {(i, j): i * n + j for i in range(n) for j in range(n) if i != j}
    index = {atom: k for k, atom in enumerate(pair.values())}
    evidence = [[index[pair[i, i + 1]] + 1] for i in range(3)]
    doubt = [[-index[atom] - 1] for atom in pair.values()]
    base = network_from_clauses(
        len(pair), evidence + doubt, [0] * len(evidence) + [1] * len(doubt), n_templates=2
    )
    triples = [
        [-index[pair[i, j]] - 1, -index[pair[j, k]] - 1, index[pair[i, k]] + 1]
        for i in range(n)
        for j in range(n)
        for k in range(n)
        if len({i, j, k}) == 3
    ]
    full = network_from_clauses(len(pair), triples, [-1] * len(triples), n_templates=2)
    source = StoredRows(Rows(full.A, full.b, full.template, full.relation))
    weights = np.array([5.0, 1.0])
    solution = CuttingPlane(source=source).solve(base, weights)
    assert solution.status == Status.OPTIMAL
    assert solution.values.sum() == 6
    assert 0 < int(str(solution.diagnostics["rows_added"])) < 40


def test_a_source_of_negative_weight_is_refused() -> None:
    base = network_from_clauses(2, [[1], [2]], [0, 0], n_templates=2)
    other = network_from_clauses(2, [[-1, -2]], [1], n_templates=2)
    source = StoredRows(Rows(other.A, other.b, other.template, other.relation))
    with pytest.raises(WorkbenchError, match="negative weight"):
        CuttingPlane(source=source).solve(base, np.array([1.0, -1.0]))


def test_setting_rows_aside_keeps_them_all() -> None:
    network, weights = random_mln(7)
    smaller, source = set_aside(network, weights)
    assert smaller.n_rows + source.rows.n == network.n_rows


def test_a_rule_grounded_lazily_in_sql_gives_the_optimum_of_the_whole() -> None:
    program = parse_mln(
        "Near(p, p)\nSame(p, p)\n2 !Near(x, y) v Same(x, y)\n-1 Same(x, y)\n!Same(x, y) v "
        "!Same(y, z) v Same(x, z).\n"
    )
    pairs = np.random.default_rng(0).integers(0, 10, (12, 2))
    facts = sorted({f"Near(P{a}, P{b})" for a, b in pairs})
    request = GroundRequest(query=("Same",))
    with Database.open() as database:
        database.declare(program)
        load_alchemy_text(database, "\n".join(facts))
        full = ground(database, program, request)
        lazy = ground_lazily(database, program, request)
        whole = IntegerProgram().solve(full.network, full.templates.weight)
        part = CuttingPlane(source=lazy.source).solve(
            lazy.grounding.network, lazy.grounding.templates.weight
        )
    assert whole.status == part.status == Status.OPTIMAL
    assert part.energy == pytest.approx(whole.energy)
    assert int(str(part.diagnostics["rows"])) < full.network.n_rows / 5


def test_a_conflict_is_named_by_the_rows_of_the_whole() -> None:
    network = network_from_clauses(4, [[3, 4], [-1, 2], [-2], [1], [-2, 3]], [0, -1, -1, -1, -1])
    solution = CuttingPlane().solve(network, np.ones(1))
    assert solution.status == Status.INFEASIBLE
    assert solution.conflict is not None
    assert solution.conflict.tolist() == [1, 2, 3]
