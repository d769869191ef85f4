"""The ground network: energy, counts, relaxation, components, explanation."""

from workbench.network.build import blocks_from_members, network_from_clauses, network_from_rows
from workbench.network.components import components
from workbench.network.energy import (
    distances,
    energy,
    energy_offset,
    evidence_energy,
    hard_violation,
    hard_violations,
    potentials,
    reported_energy,
)
from workbench.network.explanation import AtomExplanation, explain_atom, mean_explanation
from workbench.network.ground_network import (
    BlockKind,
    Blocks,
    Domain,
    GroundNetwork,
    Relation,
    Rows,
    Templates,
)
from workbench.network.growth import extend
from workbench.network.influence import conditional_probability, expected_change
from workbench.network.rates import Rates, observed_rates
