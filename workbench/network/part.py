"""A part of a problem as a problem of its own, and the way back."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Generic, TypeVar

import numpy as np
from scipy.sparse import csr_array

from workbench.arrays import Bool, Float, Int64
from workbench.network.ground_network import Blocks, GroundNetwork

Problem = TypeVar("Problem")


@dataclass(frozen=True)
class Part(Generic[Problem]):
    """A problem over some of another's variables.

    Attributes
    ----------
    variables, rows : int64 arrays
        The whole problem's number of each variable (of a network: atom) and of each soft (of a
        network: any) row.
    """

    problem: Problem
    variables: Int64
    rows: Int64

    def lift(self, values: Float, onto: Float | None = None) -> Float:
        """`onto`, the whole's values, with this part's in their places; None where it has all."""
        whole = np.empty(values.size) if onto is None else onto.copy()
        whole[self.variables] = values
        return whole

    def reduce(self, values: Float) -> Float:
        """This part's of the whole problem's values."""
        return values[self.variables]


def part(network: GroundNetwork, inside: Bool) -> Part[GroundNetwork]:
    """The rows and blocks over the atoms `inside`, which nothing joins to others; for marginals.

    Sums over groundings that a network keeps by template stay the whole network's, so that energies
    are not the part's. Linear in the stored entries.

    Parameters
    ----------
    inside : bool array, shape (n_atoms,)
    """
    atoms = np.flatnonzero(inside)
    rows = np.flatnonzero(_touches(network.A, inside))
    blocks = np.flatnonzero(_touches(network.blocks.members, inside))
    smaller = replace(
        network.take_rows(rows),
        A=csr_array(network.A[rows][:, atoms]),
        unit=csr_array(network.unit[atoms]),
        blocks=Blocks(
            csr_array(network.blocks.members[blocks][:, atoms]),
            network.blocks.kind[blocks],
            network.blocks.right[blocks],
        ),
        world=network.world[atoms],
    )
    return Part(smaller, atoms, rows)


def _touches(matrix: csr_array, inside: Bool) -> Bool:
    """Whether each row's first atom is inside; what has no atom is in every part."""
    filled = np.diff(matrix.indptr) > 0
    touches = np.ones(matrix.shape[0], np.bool_)
    touches[filled] = inside[matrix.indices[matrix.indptr[:-1][filled]]]
    return touches
