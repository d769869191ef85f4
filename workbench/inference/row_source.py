"""Rows that wait outside a network until a state violates them, and those that a source gives
once, kept for several solvers to ask one after the other.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
from scipy.sparse import csr_array

from workbench.arrays import Bool, Float
from workbench.network.ground_network import GroundNetwork, Relation, Rows
from workbench.network.growth import stacked, take


class RowSource(Protocol):
    """Rows that are not in the network yet and can be asked for by the state that violates them.

    Only hard rows and rows of non-negative weight may be left to a source: what is left out costs
    nothing until it is violated, so that the partial network's energy is a lower bound.
    """

    def violated(self, values: Float) -> Rows:
        """All rows of the source that a 0/1 state violates and that no earlier call has returned.

        Parameters
        ----------
        values : float64 array, shape (n_atoms,)
        """
        ...


@dataclass
class StoredRows:
    """A source of rows that are all in memory: it saves the solver's work, not the grounding."""

    rows: Rows
    given: Bool = field(init=False)

    def __post_init__(self) -> None:
        self.given = np.zeros(self.rows.n, np.bool_)

    def violated(self, values: Float) -> Rows:
        """See `RowSource`; one sparse product."""
        found = np.flatnonzero(~self.given & (self.rows.A @ values + self.rows.b > 1e-9))
        self.given[found] = True
        return take(self.rows, found)


def set_aside(network: GroundNetwork, weights: Float) -> tuple[GroundNetwork, StoredRows]:
    """The network with the rows that have to be there from the start, and a source of the others.

    Rows of negative weight, equalities and rows that the empty state already violates stay.
    """
    effective = network.effective_weights(weights)
    unviolated = network.b.astype(np.float64) <= 0.0
    wait = (network.relation != Relation.EQUAL) & (network.hard | (effective >= 0.0)) & unviolated
    stay, later = np.flatnonzero(~wait), np.flatnonzero(wait)
    whole = Rows(network.A, network.b, network.template, network.relation, network.scale)
    kept = take(whole, stay)
    smaller = replace(
        network,
        A=kept.A,
        b=kept.b,
        template=kept.template,
        relation=kept.relation,
        scale=kept.scale,
    )
    return smaller, StoredRows(take(whole, later))


@dataclass
class RowStore:
    """A row source and all the rows that it has given so far."""

    source: RowSource
    rows: Rows | None = None

    def reader(self) -> RowReader:
        """A source of the same rows for one more solver, which gives each of them once to it."""
        return RowReader(self)

    def ask(self, values: Float) -> None:
        """Have the source add what the state violates and it has not given yet."""
        found = self.source.violated(values)
        if found.n:
            self.rows = found if self.rows is None else stacked(self.rows, found)


@dataclass
class RowReader:
    """What one solver has been given of a store."""

    store: RowStore
    given: Bool = field(default_factory=lambda: np.zeros(0, np.bool_))

    def violated(self, values: Float) -> Rows:
        """See `RowSource`."""
        self.store.ask(values)
        rows = self.store.rows
        if rows is None:
            none = np.zeros(0, np.int32)
            empty: Any = csr_array((0, values.size), dtype=np.int8)
            return Rows(empty, np.zeros(0, np.int8), none, none.astype(np.int8))
        self.given = np.concatenate([self.given, np.zeros(rows.n - self.given.size, np.bool_)])
        found = np.flatnonzero(~self.given & (rows.A @ values + rows.b > 1e-9))
        self.given[found] = True
        return take(rows, found)
