"""The ground network: energy, counts, relaxation, components, explanation."""

from workbench.network.build import blocks_from_members, network_from_clauses, network_from_rows
from workbench.network.energy import (
    energy,
    energy_offset,
    evidence_energy,
    hard_violation,
    potentials,
    reported_energy,
    satisfied_counts,
    total_scales,
)
from workbench.network.explanation import AtomExplanation, explain_atom
from workbench.network.ground_network import BlockKind, Blocks, GroundNetwork, Relation, Templates

__all__ = [
    "AtomExplanation",
    "BlockKind",
    "Blocks",
    "GroundNetwork",
    "Relation",
    "Templates",
    "blocks_from_members",
    "energy",
    "energy_offset",
    "evidence_energy",
    "explain_atom",
    "hard_violation",
    "network_from_clauses",
    "network_from_rows",
    "potentials",
    "reported_energy",
    "satisfied_counts",
    "total_scales",
]
