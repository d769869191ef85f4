"""How sure the parts of a standing answer are: status, and how far bound is from energy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.arrays import Float, Int32, Int64
from workbench.inference import Status

_ORDER = ("exact", "optimal", "converged", "feasible", "limit", "cancelled")
"""Statuses, the surest first: an answer in parts is as sure as its least sure part."""
PROVEN = _ORDER.index("converged")


def sureness(status: Status) -> int:
    """The place of a status among all, the surest first."""
    return _ORDER.index(str(status))


@dataclass(frozen=True)
class Shares:
    """Which atoms were solved together, how sure that is, and how far its bound stayed below its
    energy.

    Least energies add up over parts that no row joins, so a bound of the whole is its energy less
    the parts' slack. Of a part, some of whose atoms have been solved again since, the rest keeps
    the whole slack: what the others have at least is no more than the energy they had.

    Attributes
    ----------
    of_atom : int32 array, shape (n_atoms,)
    slack : float64 array, shape (n,)
    status : int32 array, shape (n,)
        Places in the order of statuses.
    """

    of_atom: Int32
    slack: Float
    status: Int32

    def with_part(self, atoms: Int64, slack: float, status: Status) -> Shares:
        """The shares after some atoms were solved together; shares without atoms go."""
        of_atom = self.of_atom.copy()
        of_atom[atoms] = self.slack.size
        statuses = np.append(self.status, np.int32(sureness(status)))
        return Shares(of_atom, np.append(self.slack, slack), statuses).without_empty()

    def without_empty(self) -> Shares:
        """Without shares that no atom has any more."""
        if not self.of_atom.size:
            return self
        there = np.bincount(self.of_atom, minlength=self.slack.size) > 0
        if there.all():
            return self
        place = np.cumsum(there, dtype=np.int32) - np.int32(1)
        return Shares(place[self.of_atom], self.slack[there], self.status[there])

    @property
    def worst(self) -> Status:
        return Status(_ORDER[int(self.status.max(initial=0))])
