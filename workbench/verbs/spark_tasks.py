"""What Spark's executors do: batches of a query to ground rows, rows to trees of atoms, parts of a
network to answers.

Rows, unit groundings and blocks travel in one form, a record each, so that a part of the network is
a set of records.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from time import monotonic, time
from typing import Any

import numpy as np
import pyarrow as pa
from scipy.sparse import coo_array, csr_array

from workbench.arrays import Array, Float, Int8, Int64
from workbench.grounding.backend import columns_of
from workbench.grounding.intake import Intake
from workbench.grounding.plans import Plan, Shape
from workbench.grounding.rows import RowSink
from workbench.grounding.space import Numbering
from workbench.inference import Solution, engine_for
from workbench.language.clauses import LinearRule
from workbench.network import Blocks, Domain, GroundNetwork
from workbench.network.components import connected

__all__ = [
    "ANSWERS",
    "BLOCK",
    "RECORDS",
    "ROW",
    "UNIT",
    "GroundTask",
    "SolveTask",
    "connect",
    "kept_records",
]

ROW, UNIT, BLOCK = 0, 1, 2

RECORDS = (
    "what tinyint, template int, relation tinyint, scale double, b double, atoms "
    "array<int>, values array<double>"
)
"""A row of the network; a unit grounding, its values what `UnitEntries` keeps; or a block,
its kind and right side.
"""

ANSWERS = (
    "part int, atoms array<int>, values array<double>, energy double, bound double, hard double, "
    "status string, "
    "engine string, reason string, clash array<int>, n_rows bigint, n_units bigint"
)


@dataclass
class UnitEntries:
    """A `UnitSink` that keeps each: change of the satisfied count, potential at 0,
    scale above and below.
    """

    atoms: list[Array] = field(default_factory=list)
    templates: list[Array] = field(default_factory=list)
    values: list[Float] = field(default_factory=list)

    def add(
        self,
        atoms: Array,
        template: int | Array,
        scale: float | Float,
        slope: float | Float,
        b: float | Float,
    ) -> None:
        """Potentials `b + slope * y >= 0`, each times its scale; numbers stand for all."""
        scale = np.broadcast_to(np.asarray(scale, np.float64), atoms.shape)
        self.atoms.append(atoms)
        self.templates.append(np.broadcast_to(np.asarray(template, np.int32), atoms.shape))
        columns = (
            -np.asarray(slope) * scale,
            np.asarray(b) * scale,
            np.maximum(scale, 0),
            np.maximum(-scale, 0),
        )
        self.values.append(np.column_stack(columns))

    def records(self) -> Iterator[pa.RecordBatch]:
        for atoms, templates, values in zip(self.atoms, self.templates, self.values):
            n = atoms.size
            yield _records(
                UNIT,
                templates,
                np.zeros(n),
                np.ones(n),
                np.zeros(n),
                np.ones(n, int),
                atoms,
                values.ravel(),
            )


def _records(
    what: int,
    template: Array,
    relation: Array,
    scale: Array,
    b: Array,
    widths: Array,
    atoms: Array,
    values: Array,
) -> pa.RecordBatch:
    """Records of one kind; each has `widths` atoms and an equal share of the values."""
    starts = np.concatenate([[0], np.cumsum(widths)]).astype(np.int32)
    each = values.size // atoms.size if atoms.size else 1
    return pa.record_batch(
        {
            "what": pa.array(np.full(widths.size, what, np.int8)),
            "template": pa.array(template.astype(np.int32)),
            "relation": pa.array(relation.astype(np.int8)),
            "scale": pa.array(scale.astype(np.float64)),
            "b": pa.array(b.astype(np.float64)),
            "atoms": pa.ListArray.from_arrays(starts, atoms.astype(np.int32)),
            "values": pa.ListArray.from_arrays(starts * np.int32(each), values.astype(np.float64)),
        }
    )


def kept_records(network: GroundNetwork) -> pa.Table:
    """The unit entries (of soft evidence) and the blocks of a network whose rows are elsewhere."""
    entries = UnitEntries()
    unit = network.unit.tocoo()
    entries.add(unit.row, unit.col, unit.data, -1.0, 1.0)
    members, n = network.blocks.members, network.blocks.n_blocks
    widths = np.diff(members.indptr)
    right = network.blocks.right
    blocks = _records(
        BLOCK,
        np.full(n, -1),
        network.blocks.kind,
        np.ones(n),
        right,
        widths,
        members.indices,
        members.data,
    )
    return pa.Table.from_batches([*entries.records(), blocks])


@dataclass(frozen=True)
class GroundTask:
    """A query's batches to records, by the code that fills a network on one machine."""

    plan: Plan
    shape: Shape
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
        yield _records(
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
    """Parts of a network to answers, by an engine; `ends` is a time of day,
    which clocks of a cluster share.
    """

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
        given = {key: value for key, value in self.options.items() if value is not None}
        solver, _ = engine_for(network, self.weights, "map", self.engine, given)
        reason = solver.declines(network, self.weights)
        if reason is not None:
            raise ValueError(f"engine {solver.name} declines this network: {reason}")
        deadline = None if self.ends is None else monotonic() + max(0.0, self.ends - time())
        return solver.solve(network, self.weights, seed=self.seed, deadline=deadline)


def network_of(records: pa.Table, power: Int8, domain: Domain) -> tuple[Int64, GroundNetwork]:
    """The network of records, and which atom each of its columns is, ascending."""
    n_templates = power.size
    known = np.unique(_flat(records, "atoms"))
    rows, units, blocks = (
        records.filter(pa.compute.equal(records.column("what"), pa.scalar(kind, pa.int8())))
        for kind in (ROW, UNIT, BLOCK)
    )
    first = np.searchsorted(
        known, [one[0] for one in rows.column("atoms").to_pylist()] or np.zeros(0, int)
    )
    rows = rows.take(np.lexsort([_column(rows, "b"), first, _column(rows, "template")]))
    scale = _column(rows, "scale")
    unit = np.reshape(_flat(units, "values"), (-1, 4))
    template = _column(units, "template")
    sums = [
        np.bincount(template, column, n_templates).astype(np.float64) for column in unit[:, 1:].T
    ]
    entries: Any = (unit[:, 0], (np.searchsorted(known, _flat(units, "atoms")), template))
    none = np.zeros((n_templates, 2))
    return known, GroundNetwork(
        A=_matrix(rows, known),
        b=_small(_column(rows, "b")),
        template=_column(rows, "template").astype(np.int32),
        scale=None if np.all(scale == 1) else scale,
        relation=_column(rows, "relation").astype(np.int8),
        power=power,
        unit=csr_array(coo_array(entries, shape=(known.size, n_templates)).tocsr()),
        constant=sums[0],
        groundings=np.zeros((n_templates, 3)),
        blocks=Blocks(
            _matrix(blocks, known).astype(np.int8),
            _column(blocks, "relation").astype(np.int8),
            _column(blocks, "b").astype(np.int8),
        ),
        world=np.zeros(known.size, np.int32),
        unit_scale=np.column_stack(sums[1:]),
        evidence_satisfied=none,
        evidence_violated=none,
        domain=domain,
    )


def _column(records: pa.Table, name: str) -> Array:
    return np.asarray(records.column(name).to_numpy())


def _flat(records: pa.Table, name: str) -> Array:
    """The values of a column of lists, one after the other."""
    return np.asarray(pa.compute.list_flatten(records.column(name)).to_numpy())


def _matrix(records: pa.Table, known: Array) -> csr_array:
    widths = np.asarray(pa.compute.list_value_length(records.column("atoms")).to_numpy())
    places = np.searchsorted(known, _flat(records, "atoms")).astype(np.int32)
    indptr = np.concatenate([[0], np.cumsum(widths)]).astype(np.int32)
    entries: Any = (_small(_flat(records, "values")), places, indptr)
    matrix = csr_array(entries, shape=(widths.size, known.size))
    matrix.sort_indices()
    return matrix


def _small(values: Array) -> Array:
    """Small integers as int8."""
    narrow = np.clip(values, -127, 127).astype(np.int8)
    return narrow if np.array_equal(narrow, values) else values
