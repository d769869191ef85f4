"""What Spark's executors do: batches of a query to ground rows, rows to trees of atoms, parts of a
network to answers.

Rows, unit groundings and blocks travel in one form, a record each, so that a part of the network is
a set of records.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from time import monotonic, time
from typing import Any

import numpy as np
import pyarrow as pa
from scipy.sparse import csr_array

from workbench.arrays import Float, Int8
from workbench.grounding.backend import columns_of
from workbench.grounding.intake import Intake
from workbench.grounding.plans import Plan, RowShape
from workbench.grounding.rows import RowSink
from workbench.grounding.space import Numbering
from workbench.inference import Engine, Solution, engine_for, has_parameter
from workbench.inference.consensus import BlockAnswer, BlockQuestion, solve_block
from workbench.language.clauses import LinearRule
from workbench.network import Domain, GroundNetwork
from workbench.network.components import connected
from workbench.verbs.spark.records import ROW, UnitEntries, network_of, record_batch

FINE = 1e-5
"""Relative gap of a block's own solutions."""


@dataclass(frozen=True)
class GroundTask:
    """A query's batches to records, by the code that fills a network on one machine."""

    plan: Plan
    shape: RowShape
    template: int
    numbering: Numbering

    def run(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        filled = (columns_of(batch) for batch in batches if batch.num_rows)
        if self.shape.lines is not None:
            yield from self._of_lines(list(filled))
            return
        for columns in filled:
            size = len(next(iter(columns.values())))
            entries = (
                len(columns["literals"].values)
                if self.shape.listing
                else size * len(self.shape.coefficients)
            )
            intake = self._intake(size, entries)
            intake.take(self.plan, self.shape, columns, self.template)
            yield from _taken(intake)

    def _of_lines(self, batches: list[dict[str, Any]]) -> Iterator[pa.RecordBatch]:
        """Whole groundings of an arithmetic rule: a partition has all lines of each of its own."""
        assert self.shape.lines is not None
        assert isinstance(self.plan.clause, LinearRule)
        lines = sum(batch["atom"].size for batch in batches)
        if lines:
            intake = self._intake(lines, lines)
            intake.take_lines(self.plan.clause, self.shape.lines, batches, self.template)
            yield from _taken(intake)

    def _intake(self, rows: int, entries: int) -> Intake:
        sink = RowSink(
            self.numbering.n_open, rows, entries, integral=False, integral_constants=False
        )
        return Intake(self.numbering, sink, UnitEntries())  # type: ignore[arg-type]


def _taken(intake: Intake) -> Iterator[pa.RecordBatch]:
    rows = intake.rows
    n = rows.n_rows
    if n:
        scale = np.ones(n) if rows.scale is None else rows.scale[:n]
        widths = np.diff(rows.indptr[: n + 1])
        atoms, values = rows.indices[: rows.n_entries], rows.data[: rows.n_entries]
        yield record_batch(
            ROW, rows.template[:n], rows.relation[:n], scale, rows.b[:n], widths, atoms, values
        )
    yield from intake.units.records()  # type: ignore[attr-defined]


def connect(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Lists of atoms that belong together to pairs `[atom, least atom of its tree]`: a forest of
    the partition.

    At most one pair an atom, whatever the number of rows; forests of forests are one round each.
    """
    lists = [batch.column(0) for batch in batches if batch.num_rows]
    if not lists:
        return
    flat = np.concatenate([one.flatten().to_numpy(zero_copy_only=False) for one in lists])
    widths = np.concatenate([one.value_lengths().to_numpy(zero_copy_only=False) for one in lists])
    known, place = np.unique(flat, return_inverse=True)
    indptr = np.concatenate([[0], np.cumsum(widths)])
    ones: Any = (np.ones(flat.size, np.int8), place.reshape(-1), indptr)
    label = connected(known.size, csr_array(ones, shape=(widths.size, known.size)))
    least = known[np.unique(label, return_index=True)[1]][label]
    pairs = np.column_stack([known, least])[known != least].astype(np.int32)
    starts = np.arange(0, pairs.size + 1, 2, dtype=np.int32)
    yield pa.record_batch({"atoms": pa.ListArray.from_arrays(starts, pairs.ravel())})


@dataclass(frozen=True)
class SolveTask:
    """Parts of a network to answers; `ends` is a time of day, which clocks of a cluster share."""

    weights: Float
    power: Int8
    domain: Domain
    engine: str
    options: Mapping[str, object]
    seed: int
    ends: float | None

    def run(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Batches in order of `part`, one answer a part."""
        waiting: list[pa.RecordBatch] = []
        for batch in batches:
            part = batch.column("part").to_numpy()
            cuts = [0, *(np.flatnonzero(np.diff(part)) + 1).tolist(), part.size]
            for first, last in pairwise(cuts):
                piece = batch.slice(first, last - first)
                if waiting and piece.column("part")[0] != waiting[-1].column("part")[0]:
                    yield self._answer(pa.Table.from_batches(waiting))
                    waiting = []
                if piece.num_rows:
                    waiting.append(piece)
        if waiting:
            yield self._answer(pa.Table.from_batches(waiting))

    def _answer(self, records: pa.Table) -> pa.RecordBatch:
        atoms, network = network_of(records, self.power, self.domain)
        solution = self._solved(network)
        conflict = np.zeros(0, np.int64) if solution.conflict is None else solution.conflict
        clash = np.unique(network.A[conflict].indices) if conflict.size else conflict
        columns = {
            "part": pa.array([records.column("part")[0].as_py()], pa.int32()),
            "atoms": pa.array([atoms.astype(np.int32)], pa.list_(pa.int32())),
            "values": pa.array([solution.values], pa.list_(pa.float64())),
            "energy": pa.array([float(solution.energy)]),
            "bound": pa.array([float(solution.bound)]),
            "hard": pa.array([float(solution.hard_violation)]),
            "status": pa.array([str(solution.status)]),
            "engine": pa.array([solution.engine]),
            "reason": pa.array([solution.reason]),
            "clash": pa.array([atoms[clash].astype(np.int32)], pa.list_(pa.int32())),
            "n_rows": pa.array([network.n_rows], pa.int64()),
            "n_units": pa.array([network.unit.nnz], pa.int64()),
        }
        return pa.record_batch(columns)

    def _solved(self, network: GroundNetwork) -> Solution:
        solver = self.engine_of(network, self.weights)
        reason = solver.declines(network, self.weights)
        if reason is not None:
            raise ValueError(f"engine {solver.name} declines this network: {reason}")
        return solver.solve(network, self.weights, seed=self.seed, deadline=self.deadline)

    @property
    def deadline(self) -> float | None:
        """By this machine's clock."""
        return None if self.ends is None else monotonic() + max(0.0, self.ends - time())

    def engine_of(self, network: GroundNetwork, weights: Float, **more: object) -> Engine:
        """The engine for a network, with what was given and, where it is not, `more`."""
        given = {key: value for key, value in self.options.items() if value is not None}
        known = {key: value for key, value in more.items() if has_parameter(self.engine, key)}
        return engine_for(network, weights, "map", self.engine, {**known, **given})[0]


@dataclass(frozen=True)
class BlockTask(SolveTask):
    """Blocks of a component: of each its atoms, or, where something is asked, what it answers."""

    asked: Mapping[int, BlockQuestion] | None = None
    penalty: float = 0.0

    def _answer(self, records: pa.Table) -> pa.RecordBatch:
        part = records.column("part")[0].as_py()
        atoms, network = network_of(records, self.power, self.domain)
        told = BlockAnswer(np.zeros(0), 0.0, 0.0, 0.0)
        if self.asked is not None:
            asked, penalty = self.asked[part], self.penalty
            told = solve_block(network, self.weights, self._finely, asked, penalty, self.deadline)
        columns = {
            "part": pa.array([part], pa.int32()),
            "atoms": pa.array([atoms.astype(np.int32)], pa.list_(pa.int32())),
            "values": pa.array([told.values], pa.list_(pa.float64())),
            "energy": pa.array([float(told.energy)]),
            "bound": pa.array([float(told.bound)]),
            "hard": pa.array([float(told.violation)]),
            "n_rows": pa.array([network.n_rows], pa.int64()),
            "n_units": pa.array([network.unit.nnz], pa.int64()),
        }
        return pa.record_batch(columns)

    def _finely(self, network: GroundNetwork, weights: Float) -> Engine:
        return self.engine_of(network, weights, tolerance=FINE)
