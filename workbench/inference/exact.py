"""Exact marginals, MAP states and log Z of discrete networks, component by component."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
import numpy.typing as npt

from workbench.inference.solution import Solution, Status
from workbench.network.components import components
from workbench.network.energy import hard_violation, reported_energy
from workbench.network.ground_network import BlockKind, GroundNetwork, Relation
from workbench.progress import SILENT, Progress, expired

__all__ = ["Exact"]

Float = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Exact:
    """Enumeration by connected component; atoms that no row or block touches get the closed-form sigmoid.

    Parameters
    ----------
    task : {'marginal', 'map'}
    width : int
        Largest component, in atoms.
    """

    task: Literal["marginal", "map"] = "marginal"
    width: int = 20
    name: ClassVar[str] = "exact"

    def declines(self, network: GroundNetwork, weights: Float) -> str | None:
        """Too large a component."""
        size = int(np.bincount(components(network).of_atom).max(initial=0))
        return f"a component of {size} atoms is more than {self.width}" if size > self.width else None

    def solve(
        self,
        network: GroundNetwork,
        weights: Float,
        *,
        seed: int = 0,
        deadline: float | None = None,
        progress: Progress = SILENT,
        start: Float | None = None,
    ) -> Solution:
        """Marginals (with `log_z`) or a least-energy state; neither `seed` nor `start` matters."""
        parts = components(network)
        atoms, atom_starts = parts.atoms()
        rows, row_starts = parts.rows()
        blocks, block_starts = parts.blocks()
        field = network.unit @ weights
        marginal = 1.0 / (1.0 + np.exp(-field))
        state = (field > 0).astype(np.float64)
        log_z = float(np.logaddexp(0.0, field).sum() - weights @ network.constant)
        effective = network.effective_weights(weights)
        feasible = True
        for part in range(parts.n):
            own = atoms[atom_starts[part] : atom_starts[part + 1]]
            own_rows = rows[row_starts[part] : row_starts[part + 1]]
            own_blocks = blocks[block_starts[part] : block_starts[part + 1]]
            if not own_rows.size and not own_blocks.size:
                continue
            if expired(deadline):
                break
            progress.step("exact", part, parts.n)
            states = _all_states(own.size)
            cost = _costs(network, effective, field, own, own_rows, own_blocks, states)
            least = cost.min()
            if not np.isfinite(least):
                feasible = False
                break
            mass = np.exp(least - cost)
            marginal[own] = mass @ states / mass.sum()
            state[own] = states[int(cost.argmin())]
            log_z += float(np.log(mass.sum()) - least - np.logaddexp(0.0, field[own]).sum())
        if not feasible:
            return Solution(
                Status.INFEASIBLE,
                np.full(network.n_atoms, np.nan),
                np.nan,
                np.nan,
                np.inf,
                self.name,
                "hard rows clash",
            )
        if self.task == "marginal":
            return Solution(
                Status.EXACT, marginal, np.nan, np.nan, 0.0, self.name, "enumeration", diagnostics={"log_z": log_z}
            )
        reported = reported_energy(network, weights, state)
        broken = hard_violation(network, state, discrete=True)
        return Solution(Status.OPTIMAL, state, reported, reported, broken, self.name, "enumeration")


def _all_states(n: int) -> Float:
    return ((np.arange(2**n)[:, None] >> np.arange(n)) & 1).astype(np.float64)


def _costs(
    network: GroundNetwork,
    effective: Float,
    field: Float,
    own: npt.NDArray[np.int64],
    rows: npt.NDArray[np.int64],
    blocks: npt.NDArray[np.int64],
    states: Float,
) -> Float:
    cost = -(states @ field[own])
    local = network.A[rows][:, own]
    ell = states @ local.T.toarray().astype(np.float64) + network.b[rows].astype(np.float64)
    for position, row in enumerate(rows):
        value = ell[:, position]
        if network.relation[row] == Relation.HINGE:
            cost += effective[row] * np.maximum(value, 0.0) ** network.power[network.template[row]]
        elif network.relation[row] == Relation.AT_MOST:
            cost[value > 1e-9] = np.inf
        else:
            cost[np.abs(value) > 1e-9] = np.inf
    members = network.blocks.members[blocks][:, own].toarray().astype(np.float64)
    for position, block in enumerate(blocks):
        count = states @ members[position]
        right = network.blocks.right[block]
        exactly = network.blocks.kind[block] == BlockKind.EXACTLY_ONE
        cost[(count != right) if exactly else (count > right)] = np.inf
    return cost
