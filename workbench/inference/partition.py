"""A convex program with its components side by side, each swept in cache, stopping alone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from workbench.arrays import Float, Int32, Int64
from workbench.network.components import connected
from workbench.network.hinge_problem import HingeProblem
from workbench.network.part import Part


class Starts(NamedTuple):
    """Where each component's atoms, rows, blocks start, and the last's end; (n_components + 1,)."""

    atom: Int64
    row: Int64
    block: Int64


@dataclass(frozen=True)
class Partition(Part[HingeProblem]):
    """A program with all sorted by connected component: a part that is the whole."""

    starts: Starts

    @property
    def n_components(self) -> int:
        return int(self.starts.atom.size - 1)

    @property
    def share(self) -> Float:
        """Each component's part of the atoms, shape (n_components,)."""
        return np.diff(self.starts.atom) / max(self.problem.n, 1)

    def reweighed(self, program: HingeProblem) -> Partition:
        """The same, of a program that differs in weights, costs and constant alone."""
        changed = replace(
            self.problem,
            weight=program.weight[self.rows],
            cost=program.cost[self.variables],
            constant=program.constant,
        )
        return replace(self, problem=changed)


def partition(program: HingeProblem) -> Partition:
    """Sort `program` by connected component; rows without atoms join the first. O(nonzeros)."""
    A, members = program.A, program.members
    of_atom = connected(program.n, A, members)
    labels = (of_atom, _of_rows(A, of_atom), _of_rows(members, of_atom))
    n_components = int(of_atom.max(initial=0)) + 1
    atoms, rows, blocks = (np.argsort(label, kind="stable") for label in labels)
    starts = (
        np.concatenate([[0], np.cumsum(np.bincount(label, minlength=n_components))])
        for label in labels
    )
    position = np.empty(program.n, np.int64)
    position[atoms] = np.arange(program.n)
    members = csr_array(members[blocks])
    A = A[rows]
    permuted = replace(
        program.take_rows(rows),
        A=csr_array((A.data, position[A.indices].astype(np.int32), A.indptr), shape=A.shape),
        cost=program.cost[atoms],
        lower=program.lower[atoms],
        upper=program.upper[atoms],
        block_start=members.indptr.astype(np.int64),
        block_member=position[members.indices],
        block_right=program.block_right[blocks],
        block_exact=program.block_exact[blocks],
    )
    return Partition(permuted, atoms, rows, Starts(*starts))


def _of_rows(matrix: csr_array, of_atom: Int32) -> Int64:
    """The component of each row's first atom; the first for a row without atoms."""
    filled = np.flatnonzero(np.diff(matrix.indptr))
    label = np.zeros(matrix.shape[0], np.int64)
    label[filled] = of_atom[matrix.indices[matrix.indptr[filled]]]
    return label
