"""The smallest conflicting set of hard rows."""

from __future__ import annotations

from dataclasses import replace
from time import monotonic

import numpy as np
import pytest
from scipy.sparse import csr_array

from workbench.inference import conflict
from workbench.inference.conflict import smallest_conflict
from workbench.network import Domain, network_from_clauses
from workbench.progress import Conduct


def test_a_chain_of_implications_against_its_end() -> None:
    network = network_from_clauses(5, [(1,), (-1, 2), (-2, 3), (-3,), (4, 5), (-4, 5)], [-1] * 6)
    found = smallest_conflict(network)
    assert found is not None
    assert found.tolist() == [0, 1, 2, 3]


def test_what_propagation_finds_asks_no_linear_program_of_all_rows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of nine million hard rows that program took all memory, and the clash was never named."""
    monkeypatch.delattr(conflict, "_proven")
    chain = [(1,), *((-atom, atom + 1) for atom in range(1, 40)), (-3,), (-2, -5)]
    found = smallest_conflict(network_from_clauses(40, chain, [-1] * len(chain)))
    assert found is not None
    assert found.tolist() == [0, 1, 2, 40]


def test_a_row_that_evidence_alone_breaks_is_named() -> None:
    network = network_from_clauses(2, [(1,), (1, 2)], [-1, -1])
    without_atoms = csr_array(network.A.toarray() * [[0], [1]])
    network = replace(network, A=without_atoms.astype(network.A.dtype))
    found = smallest_conflict(network)
    assert found is not None
    assert found.tolist() == [0]


def test_consistent_rows_have_no_conflict() -> None:
    assert smallest_conflict(network_from_clauses(2, [(1, 2), (-1, 2)], [-1, -1])) is None


def test_a_conflict_of_whole_numbers_only() -> None:
    clauses = [(1, 2), (1, -2), (-1, 2), (-1, -2)]
    found = smallest_conflict(network_from_clauses(2, clauses, [-1] * 4))
    assert found is not None
    assert found.tolist() == [0, 1, 2, 3]
    soft = replace(network_from_clauses(2, clauses, [-1] * 4), domain=Domain.UNIT)
    assert smallest_conflict(soft) is None


def test_a_clash_is_searched_among_the_rows_given_and_a_passed_deadline_leaves_it_whole() -> None:
    clauses = [(1,), (-1,), (4, 5), (-4, 5), (4, -5), (-4, -5), (2, 3)]
    network = network_from_clauses(5, clauses, [-1] * 7)
    among = np.array([2, 3, 4, 5, 6])
    found = smallest_conflict(network, among=among)
    assert found is not None
    assert found.tolist() == [2, 3, 4, 5]
    hurried = smallest_conflict(network, among=among, conduct=Conduct(deadline=monotonic() - 1.0))
    assert hurried is None or set(hurried) <= set(among.tolist())
