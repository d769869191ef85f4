"""Ground rows as records that travel between executors, and a network made of them again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
from scipy.sparse import coo_array, csr_array

from workbench.arrays import Array, Float, Int8, Int64
from workbench.network import Blocks, Domain, GroundNetwork

ROW, UNIT, BLOCK = 0, 1, 2
RECORDS = (
    "what tinyint, template int, relation tinyint, scale double, b double, atoms "
    "array<int>, values array<double>"
)
"""A network's row; a unit grounding, its values as in `UnitEntries`; or a block, kind and sum."""


ANSWERS = (
    "part int, atoms array<int>, values array<double>, energy double, bound double, hard double, "
    "status string, engine string, reason string, clash array<int>, n_rows bigint, n_units bigint"
)


TOLD = (
    "part int, atoms array<int>, values array<double>, energy double, bound double, hard double, "
    "n_rows bigint, n_units bigint"
)
"""What a block answers."""


@dataclass
class UnitEntries:
    """A `UnitSink` that keeps each: change of the count, potential at 0, scale above and below."""

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
            yield record_batch(
                UNIT,
                templates,
                np.zeros(n),
                np.ones(n),
                np.zeros(n),
                np.ones(n, int),
                atoms,
                values.ravel(),
            )


def record_batch(
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
    blocks = record_batch(
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
