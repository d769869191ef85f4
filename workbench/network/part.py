"""A part of a problem as a problem of its own, and the way back: rows of their own, or some
atoms at settled weights with the others as they are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Generic, TypeVar

import numpy as np
from scipy.sparse import csr_array

from workbench.arrays import Bool, Float, Int64
from workbench.network.energy import unit_offset
from workbench.network.ground_network import Blocks, GroundNetwork, Relation
from workbench.network.growth import with_template

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


class Pieces:
    """Networks over some of a network's atoms; what a piece costs is never below 0 where no row is
    of negative weight without being a clause.

    Attributes
    ----------
    weights : float64 array, shape (n_templates + 1,)
        A piece's: the unit groundings are priced once, under one more template of weight 1.
    constant : float
        What the reported energy of every state has beside its pieces'.
    """

    def __init__(self, network: GroundNetwork, weights: Float) -> None:
        self.network = network
        self.weights = np.append(weights, 1.0)
        self.gain = np.asarray(network.unit @ weights, np.float64)
        units = float(weights @ network.constant) + unit_offset(network, weights)
        self.constant = units - float(np.maximum(self.gain, 0.0).sum())
        self._place = np.full(network.n_atoms, -1, np.int32)

    def piece(self, atoms: Int64, rows: Int64, values: Float) -> Part[GroundNetwork]:
        """The network over `atoms`, ascending, their blocks, and those of these rows that they can
        violate; other atoms stay at `values`. Linear in the entries of rows and blocks.
        """
        network, n = self.network, self.network.n_templates
        self._place[atoms] = np.arange(atoms.size, dtype=np.int32)
        A, moved = self._over(network.A[rows], atoms.size, values)
        b = network.b[rows] + moved if moved.any() else np.array(network.b[rows])
        open_ = np.flatnonzero(
            (A.maximum(0).sum(axis=1) + b > 0) | (network.relation[rows] == Relation.EQUAL)
        )
        A, b, rows = csr_array(A[open_]), b[open_], rows[open_]
        members = network.blocks.members
        blocks = np.unique(members[:, atoms].tocoo().coords[0]) if members.shape[0] else atoms[:0]
        inside, taken = self._over(members[blocks], atoms.size, values)
        right = network.blocks.right[blocks] - taken.astype(np.int8)
        self._place[atoms] = -1
        bare = GroundNetwork(
            A=A,
            b=b,
            template=network.template[rows],
            scale=None if network.scale is None else network.scale[rows],
            relation=network.relation[rows],
            power=network.power,
            unit=csr_array((atoms.size, n)),
            constant=np.zeros(n),
            groundings=np.zeros((n, 3)),
            blocks=Blocks(inside, network.blocks.kind[blocks], right),
            world=network.world[atoms],
            unit_scale=np.zeros((n, 2)),
            evidence_satisfied=np.zeros((n, 2)),
            evidence_violated=np.zeros((n, 2)),
            domain=network.domain,
        )
        gain = self.gain[atoms]
        return Part(with_template(bare, gain, float(np.maximum(gain, 0.0).sum())), atoms, rows)

    def _over(self, matrix: csr_array, n: int, values: Float) -> tuple[csr_array, Float]:
        """Rows over the piece's atoms, and what the others come to in each."""
        place = self._place[matrix.indices]
        kept = place >= 0
        ends = np.concatenate([[0], np.cumsum(kept)])[matrix.indptr]
        shape = (matrix.shape[0], n)
        outside = np.where(kept, 0.0, matrix.data * values[matrix.indices])
        owner = np.repeat(np.arange(shape[0]), np.diff(matrix.indptr))
        moved = np.asarray(np.bincount(owner, outside, shape[0]), np.float64)
        return csr_array((matrix.data[kept], place[kept], ends), shape=shape), np.asarray(
            moved, float
        )
