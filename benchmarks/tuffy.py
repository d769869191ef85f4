"""Tuffy's counts on its own UW-CSE files, worked out from our network: 4,408 atoms and 152,763
clauses.

Tuffy keeps the active part of a network (the lazy closure): from all query atoms false, an atom is
active when a ground clause can come to cost something by flips of atoms that are active already.
Inactive atoms stay false. It makes one unit clause of all that speak of one atom alone, and keeps
an existential clause that evidence satisfies.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array

from workbench.grounding import Grounding


@dataclass(frozen=True)
class TuffyCounts:
    """Tuffy's atoms and the parts of its clause count."""

    atoms: int
    rows_of_active_atoms: int
    unit_clauses: int
    satisfied_existential_clauses: int

    @property
    def clauses(self) -> int:
        return self.rows_of_active_atoms + self.unit_clauses + self.satisfied_existential_clauses


def active_atoms(grounding: Grounding) -> np.ndarray:
    """The lazy closure as a mask, shape (n_atoms,), of a network without hard rules."""
    network, weights = grounding.network, grounding.templates.weight
    # A unit clause costs while its atom is false when it wants the atom true.
    active = (network.unit.multiply(weights[None, :]) > 0).sum(axis=1) > 0
    positive = csr_array(network.A < 0, dtype=np.int32)
    negative = csr_array(network.A > 0, dtype=np.int32)
    either = positive + negative
    costs_when_false = weights[network.template] > 0
    while True:
        # With inactive atoms false: what makes a clause false is no inactive negated literal; true,
        # one or a choice.
        can_be_false = negative @ (~active).astype(np.int32) == 0
        can_be_true = (negative @ np.ones(active.size, np.int32) > 0) | (
            positive @ active.astype(np.int32) > 0
        )
        can_cost = np.where(costs_when_false, can_be_false, can_be_true)
        wider = active | (either.T @ can_cost.astype(np.int32) > 0)
        if np.array_equal(wider, active):
            return np.asarray(active)
        active = wider


def tuffy_counts(grounding: Grounding, evidence: Path) -> TuffyCounts:
    """Atoms and clauses as Tuffy counts them; `evidence` is its evidence.db."""
    network = grounding.network
    active = active_atoms(grounding)
    inactive = csr_array(network.A != 0, dtype=np.int32) @ (~active).astype(np.int32)
    facts = [
        line.strip().rstrip(")").split("(")
        for line in evidence.read_text().splitlines()
        if "(" in line
    ]
    students = {arguments for name, arguments in facts if name == "student"}
    advised = {arguments.split(",")[0] for name, arguments in facts if name == "tempAdvisedBy"}
    return TuffyCounts(
        atoms=int(active.sum()),
        rows_of_active_atoms=int((inactive == 0).sum()),
        unit_clauses=int((np.diff(network.unit.indptr)[active] > 0).sum()),
        satisfied_existential_clauses=len(students & advised),
    )
