"""A component of Markov logic that memory would not hold: searched a block of atoms at a time,
the others as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from workbench.arrays import Bool, Float, Int64
from workbench.inference.choose import engine_for
from workbench.inference.relaxation import rank
from workbench.inference.solution import Solution, Status
from workbench.inference.streamed import Streamed
from workbench.mapped import ROWS_AT_ONCE, network_bytes
from workbench.network.bins import release_rows
from workbench.network.ground_network import Domain, GroundNetwork
from workbench.network.part import Pieces
from workbench.progress import Conduct

SWEEPS = 4
"""Times that all blocks are gone through at most; every other time they are cut elsewhere."""


def relaxation(network: GroundNetwork, weights: Float, memory: int, conduct: Conduct) -> Solution:
    """A point of [0, 1] and a bound on every 0/1 state's reported energy, by passes over the rows.

    Rows of negative weight, which cost something only where they hold, are left out of both.
    """
    return Streamed(memory=memory).infer(replace(network, domain=Domain.UNIT), weights, conduct)


@dataclass(frozen=True)
class Blockwise:
    """Block-coordinate descent over 0/1 states.

    Parameters
    ----------
    engine, parameters
        What solves a block, given the atoms outside.
    most : int
        Bytes that a block's network may take.
    """

    pieces: Pieces
    engine: str
    parameters: Mapping[str, object]
    most: int

    def improve(self, values: Float, atoms: Int64, rows: Int64, conduct: Conduct) -> int:
        """Change `values` at the atoms of one component, whose rows these are, for the better;
        the number of blocks.
        """
        ends = np.cumsum(self._bytes(atoms, rows))
        n_blocks = int(ends[-1] // self.most) + 1
        for sweep in range(SWEEPS):
            shift = 0.5 * (sweep % 2)
            block = np.minimum(ends * n_blocks / ends[-1] + shift, n_blocks + shift).astype(int)
            improved = False
            for number in range(int(block[-1]) + 1):
                if conduct.over:
                    return n_blocks
                done, total = sweep * n_blocks + number, SWEEPS * n_blocks
                conduct.progress.report("blocks", done, total, f"{n_blocks} blocks")
                inside = atoms[block == number]
                within = conduct.within(1 / (total - done + 1))
                if inside.size:
                    improved |= self._solve(values, inside, rows, within)
            if not improved:
                break
        return n_blocks

    def _solve(self, values: Float, inside: Int64, rows: Int64, conduct: Conduct) -> bool:
        """Solve one block; whether that changed it for the better."""
        chosen = np.zeros(values.size, np.bool_)
        chosen[inside] = True
        near = [part[touch] for part, _, touch in self._touching(rows, chosen)]
        piece, weights = (
            self.pieces.piece(inside, np.concatenate(near), values),
            self.pieces.weights,
        )
        release_rows(self.pieces.network)
        solver, _ = engine_for(piece.problem, weights, "map", self.engine, self.parameters)
        before = piece.reduce(values)
        found = solver.solve(
            piece.problem, weights, seed=conduct.seed, deadline=conduct.deadline,
            progress=conduct.progress, start=before,
        )  # fmt: skip
        if found.status is Status.INFEASIBLE:
            return False
        if not rank(piece.problem, weights, found.values) < rank(piece.problem, weights, before):
            return False
        values[inside] = found.values
        return True

    def _bytes(self, atoms: Int64, rows: Int64) -> Int64:
        """Of each atom, what it and its rows take in a block: at most, as rows are shared."""
        every = np.ones(self.pieces.network.n_atoms, np.bool_)
        degree = np.zeros(every.size, np.int64)
        for _, entries, _ in self._touching(rows, every):
            degree += np.bincount(entries, minlength=degree.size)
        return np.asarray(network_bytes(degree[atoms], degree[atoms], 1), np.int64)

    def _touching(self, rows: Int64, chosen: Bool) -> Iterator[tuple[Int64, Int64, Bool]]:
        """Runs of the rows, the atoms of their entries, and whether each has a chosen one."""
        network = self.pieces.network
        for first in range(0, rows.size, ROWS_AT_ONCE):
            part = rows[first : first + ROWS_AT_ONCE]
            run = network.A[part]
            touches = np.logical_or.reduceat(chosen[run.indices], run.indptr[:-1])
            yield part, run.indices.astype(np.int64), touches
            release_rows(network)
