"""What an engine takes and gives, as data: chooser, documents and tests read the declaration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

import numpy as np

from workbench.arrays import Float
from workbench.network.ground_network import Domain, GroundNetwork
from workbench.network.runs import row_runs

Task = Literal["map", "marginal"]


class Trait(StrEnum):
    """What some row or block of a network is, in words that follow "it has"."""

    LINEAR = "linear potentials"
    SQUARED = "squared potentials"
    SUMS = "soft rows that are no clauses"
    HARD_SUMS = "hard rows that are no clauses"
    NEGATIVE = "clauses of negative weight"
    CONCAVE = "rows of negative weight that are no clauses"
    BLOCKS = "blocks of exclusive atoms"


ALL = frozenset(Trait)
CONVEX = ALL - {Trait.NEGATIVE, Trait.CONCAVE}
CLAUSES = ALL - {Trait.SUMS, Trait.HARD_SUMS, Trait.CONCAVE}
RELAXABLE = frozenset((Trait.LINEAR, Trait.HARD_SUMS, Trait.NEGATIVE, Trait.BLOCKS))
"""What the linear relaxation of 0/1 states holds."""


@dataclass(frozen=True)
class Accepts:
    """An engine's declaration.

    Attributes
    ----------
    takes : mapping of Domain to set of Trait
        Networks of the domain are taken whose traits are all among these.
    bound : bool
        Whether answers carry a proven bound on the least energy.
    requires : tuple of str
        Packages, as they are imported, that the workbench itself does not need.
    extra : str
        The extra of the workbench that installs them.
    unless : str
        What else it declines, in words; its `declines` says when.
    suits : str
        When to take it, in words.
    """

    takes: Mapping[Domain, frozenset[Trait]]
    bound: bool = False
    requires: tuple[str, ...] = ()
    extra: str = ""
    unless: str = ""
    suits: str = field(default="", kw_only=True)

    def why_not(self, network: GroundNetwork, weights: Float) -> str | None:
        """Why a network is not taken at these weights, in words, or None. Linear in its entries."""
        taken = self.takes.get(network.domain)
        if taken is None:
            return OTHER_STATES[network.domain]
        refused = traits_of(network, weights) - taken if taken != ALL else ()
        return f"it has {' and '.join(sorted(refused))}" if refused else None


def traits_of(network: GroundNetwork, weights: Float) -> frozenset[Trait]:
    """What a network's rows and blocks are; rows of weight 0 count for nothing."""
    found = frozenset[Trait]().union(
        *(_traits_of_rows(run, weights) for _, run in row_runs(network))
    )
    return found | {Trait.BLOCKS} if network.blocks.n_blocks else found


def _traits_of_rows(network: GroundNetwork, weights: Float) -> frozenset[Trait]:
    effective = network.effective_weights(weights)
    soft = effective != 0.0
    squared = np.zeros(network.n_rows, np.bool_)
    squared[soft] = network.power[network.template[soft]] == 2
    clausal, negative = network.clausal, effective < 0.0
    found = {
        Trait.LINEAR: soft & ~squared,
        Trait.SQUARED: squared,
        Trait.SUMS: soft & ~clausal,
        Trait.HARD_SUMS: network.hard & ~clausal,
        Trait.NEGATIVE: negative & clausal,
        Trait.CONCAVE: negative & ~clausal,
    }
    return frozenset(trait for trait, rows in found.items() if rows.any())


OTHER_STATES = {
    Domain.BOOLEAN: "it takes truth values between 0 and 1, and the atoms of Markov logic are "
    "true or false",
    Domain.UNIT: "it searches states of true and false, and soft logic has truth values between "
    "them",
}
