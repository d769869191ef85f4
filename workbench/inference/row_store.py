"""Rows that a source gives once, kept for several solvers to ask one after the other."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from workbench.arrays import Bool, Float
from workbench.inference.row_source import RowSource
from workbench.network.ground_network import Rows
from workbench.network.growth import stacked, take


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
