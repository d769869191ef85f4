"""A convex program with its connected components side by side, so that each is swept in cache and stops on its own."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csr_array

from workbench.arrays import Float, Int64
from workbench.inference.convex_program import ConvexProgram
from workbench.network.compiled import compiled

__all__ = ["Layout", "lay_out"]


@dataclass(frozen=True)
class Layout:
    """`problem` with atoms, rows and blocks sorted by connected component.

    Attributes
    ----------
    problem : ConvexProgram
        The permuted problem.
    atom_order, row_order, block_order : int64 arrays
        Position in the original problem of each permuted atom, row, block.
    atom_start, row_start, block_start : int64 arrays, shape (n_components + 1,)
        Component c holds atoms `atom_start[c]` to `atom_start[c + 1]`, and so on.
    """

    problem: ConvexProgram
    atom_order: Int64
    row_order: Int64
    block_order: Int64
    atom_start: Int64
    row_start: Int64
    block_start: Int64

    @property
    def n_components(self) -> int:
        return int(self.atom_start.size - 1)

    def original_atoms(self, x: Float) -> Float:
        """Values by permuted atom back in the original order."""
        back = np.empty_like(x)
        back[self.atom_order] = x
        return back

    def original_rows(self, multipliers: Float) -> Float:
        """Values by permuted row back in the original order."""
        back = np.empty_like(multipliers)
        back[self.row_order] = multipliers
        return back


def lay_out(problem: ConvexProgram) -> Layout:
    """Sort `problem` by connected component; rows without atoms join the first. O(nonzeros)."""
    indptr, indices = problem.A.indptr.astype(np.int64), problem.A.indices.astype(np.int64)
    label = _component_labels(problem.n, indptr, indices, problem.block_start, problem.block_member)
    n_components = int(label.max(initial=0)) + 1
    row_label = np.zeros(problem.n_rows, np.int64)
    filled = np.flatnonzero(np.diff(indptr))
    row_label[filled] = label[indices[indptr[filled]]]
    block_label = label[problem.block_member[problem.block_start[:-1]]] if problem.n_blocks else np.zeros(0, np.int64)
    atom_order, row_order, block_order = (np.argsort(k, kind="stable") for k in (label, row_label, block_label))
    starts = [
        np.concatenate([[0], np.cumsum(np.bincount(labels, minlength=n_components))]).astype(np.int64)
        for labels in (label, row_label, block_label)
    ]
    position = np.empty(problem.n, np.int64)
    position[atom_order] = np.arange(problem.n)
    rows = problem.A[row_order]
    members = csr_array(
        (np.ones(problem.block_member.size), problem.block_member, problem.block_start),
        shape=(problem.n_blocks, problem.n),
    )[block_order]
    permuted = replace(
        problem,
        A=csr_array((rows.data, position[rows.indices].astype(np.int32), rows.indptr), shape=rows.shape),
        b=problem.b[row_order],
        weight=problem.weight[row_order],
        kind=problem.kind[row_order],
        cost=problem.cost[atom_order],
        lower=problem.lower[atom_order],
        upper=problem.upper[atom_order],
        block_start=members.indptr.astype(np.int64),
        block_member=position[members.indices],
        block_right=problem.block_right[block_order],
        block_exact=problem.block_exact[block_order],
    )
    return Layout(permuted, atom_order, row_order, block_order, *starts)


@compiled
def _component_labels(n: int, indptr: Int64, indices: Int64, block_start: Int64, block_member: Int64) -> Int64:
    """The component of each atom, numbered by their first atoms: union-find with path halving."""
    parent = np.arange(n)
    for group in range(indptr.size + block_start.size - 2):
        if group < indptr.size - 1:
            start, end, members = indptr[group], indptr[group + 1], indices
        else:
            k = group - (indptr.size - 1)
            start, end, members = block_start[k], block_start[k + 1], block_member
        for p in range(start + 1, end):
            one, other = members[p - 1], members[p]
            while parent[one] != one:
                parent[one] = parent[parent[one]]
                one = parent[one]
            while parent[other] != other:
                parent[other] = parent[parent[other]]
                other = parent[other]
            if one < other:
                parent[other] = one
            else:
                parent[one] = other
    label = np.empty(n, np.int64)
    count = 0
    for i in range(n):
        root = i
        while parent[root] != root:
            parent[root] = parent[parent[root]]
            root = parent[root]
        if root == i:
            label[i] = count
            count += 1
        else:
            label[i] = label[root]
    return label
