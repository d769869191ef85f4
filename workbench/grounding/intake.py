"""Batches of a query's columns to rows and unit groundings, whatever their shape."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from workbench.arrays import Array
from workbench.grounding.atom_index import ABSENT
from workbench.grounding.backend import Batch
from workbench.grounding.plans import TOLERANCE, LineForm, Plan, RowShape
from workbench.grounding.rows import RowSink
from workbench.grounding.space import Numbering
from workbench.grounding.unit_sink import UnitSink
from workbench.language.clauses import LinearRule
from workbench.network.ground_network import Relation


@dataclass
class Intake:
    """Where batches go: rows of the matrix, and groundings with one open atom."""

    numbering: Numbering
    rows: RowSink
    units: UnitSink

    def take(self, plan: Plan, shape: RowShape, batch: Batch, template: int) -> int:
        """Put one batch of a shape's rows where it belongs."""
        template = batch.get("template", template)
        scale = batch["s"] * plan.scale if "s" in batch else plan.scale
        if shape.listing:
            return self._take_lists(plan, batch, template, scale)
        columns = [batch[f"l{i}"] for i in range(len(shape.coefficients))]
        columns = [self.numbering.to_open(column) for column in columns]
        b = batch.get("b")
        if not shape.folded:
            return self._put(plan, shape, columns, shape.coefficients, b, template, scale)
        pattern = np.zeros(columns[0].size, np.int64)
        for place, column in enumerate(columns):
            pattern |= (column >= 0).astype(np.int64) << place
        units = 0
        for code in np.unique(pattern).tolist():
            if not code:
                continue
            rows = np.flatnonzero(pattern == code)
            places = [i for i in range(len(columns)) if code >> i & 1]
            units += self._put(
                plan,
                shape,
                [columns[i][rows] for i in places],
                [shape.coefficients[i] for i in places],
                None if b is None else b[rows],
                _at(template, rows),
                _at(scale, rows),
            )
        return units

    def _put(
        self,
        plan: Plan,
        shape: RowShape,
        columns: list[Array],
        coefficients: Sequence[float],
        b: Any,
        template: Any,
        scale: Any,
    ) -> int:
        """Rows over these columns of open atoms; the number of those that are unit groundings."""
        clause = plan.clause
        if b is None:
            b = shape.constant
            if b is None:
                b = 1 - sum(coefficient > 0 for coefficient in coefficients)
        if len(columns) == 1 and not clause.hard and clause.power == 1:
            slope = coefficients[0]
            affine = np.broadcast_to(
                (np.asarray(b) >= 0) & (np.asarray(b) + slope >= 0), columns[0].shape
            )
            if affine.all():
                self.units.add(columns[0], template, scale, float(slope), b)
                return int(columns[0].size)
            part, rest = np.flatnonzero(affine), np.flatnonzero(~affine)
            self.units.add(
                columns[0][part], _at(template, part), _at(scale, part), float(slope), _at(b, part)
            )
            self.rows.add_clauses(
                [columns[0][rest]],
                coefficients,
                _at(b, rest),
                _at(template, rest),
                _at(scale, rest),
                Relation.HINGE,
            )
            return int(part.size)
        relation = Relation.AT_MOST if clause.hard else Relation.HINGE
        self.rows.add_clauses(
            columns, coefficients, b, template, 1.0 if clause.hard else scale, relation
        )
        return 0

    def _take_lists(
        self, plan: Plan, batch: Batch, template: int | Array, scale: float | Array
    ) -> int:
        """Rows of any width, as sorted lists of `2 * atom + negated`."""
        lists = batch["literals"]
        offsets = lists.offsets.to_numpy()
        keys = lists.values.to_numpy()[offsets[0] : offsets[-1]]
        offsets = (offsets - offsets[0]).astype(np.int64)
        widths = np.diff(offsets)
        owner = np.repeat(np.arange(widths.size), widths)
        keep = widths > 0
        atoms = self.numbering.to_open(keys >> 1)
        signs = ((keys & 1) << 1) - 1
        b = 1 - np.bincount(owner, keys & 1, minlength=widths.size)
        single = (
            keep & (widths == 1)
            if not plan.clause.hard and plan.clause.power == 1
            else np.zeros(keep.size, bool)
        )
        rows = np.flatnonzero(single)
        first = offsets[:-1][rows]
        self.units.add(
            atoms[first],
            _at(template, rows),
            _at(scale, rows),
            signs[first].astype(float),
            b[rows].astype(float),
        )
        rest = keep & ~single
        chosen = rest[owner]
        indptr = np.concatenate([[0], np.cumsum(widths[rest])])
        relation = Relation.AT_MOST if plan.clause.hard else Relation.HINGE
        rows_left = np.flatnonzero(rest)
        self.rows.add_rows(
            indptr,
            atoms[chosen],
            signs[chosen].astype(np.int8),
            b[rest],
            _at(template, rows_left),
            1.0 if plan.clause.hard else _at(scale, rows_left),
            relation,
        )
        return int(rows.size)

    def take_lines(
        self, rule: LinearRule, form: LineForm, batches: Iterable[Batch], template: int
    ) -> int:
        """Put the rows of an arithmetic rule where they belong; the number of unit groundings."""
        first_row, units = self.rows.n_rows, 0
        for lines, starts in whole_groundings(batches, form.n_keys):
            units += self._take_linear(rule, rows_of_lines(lines, starts, form), template)
        if form.merged and self.rows.n_rows > first_row:
            self.rows.merge_equal(first_row)
        return units

    def _take_linear(self, rule: LinearRule, rows: LinearRows, template: int) -> int:
        first, widths = rows.indptr[:-1], np.diff(rows.indptr)
        affine = np.zeros(widths.size, bool)
        if not rule.hard and rule.power == 1:
            affine = (widths == 1) & (rows.b >= 0) & (rows.b + rows.values[first] >= 0)
        units, rest = np.flatnonzero(affine), np.flatnonzero(~affine)
        self.units.add(
            rows.atoms[first[units]], template, 1.0, rows.values[first[units]], rows.b[units]
        )
        chosen = np.repeat(~affine, widths)
        relation = Relation.HINGE
        if rule.hard:
            relation = Relation.EQUAL if rule.relation == "=" else Relation.AT_MOST
        self.rows.add_rows(
            np.concatenate([[0], np.cumsum(widths[rest])]),
            rows.atoms[chosen],
            rows.values[chosen],
            rows.b[rest],
            template,
            1.0,
            relation,
        )
        return int(units.size)


def groundings(shape: RowShape, batch: Batch) -> int:
    """How many groundings the rows of a batch stand for; 0 where one needs an unlisted atom."""
    ids = () if shape.listing else (batch[f"l{i}"] for i in range(len(shape.coefficients)))
    if any(bool((column == ABSENT).any()) for column in ids):
        return 0
    rows = next(iter(batch.values()))
    return int(batch["s"].sum()) if "s" in batch else len(rows)


def _at(value: Any, rows: Array) -> Any:
    """The chosen entries of an array; a number stays."""
    return value if np.isscalar(value) else value[rows]


@dataclass(frozen=True)
class LinearRows:
    """Rows compressed: `indptr` (n + 1,), ascending `atoms` with `values`, constants `b` (n,)."""

    indptr: Array
    atoms: Array
    values: Array
    b: Array


def whole_groundings(
    batches: Iterable[dict[str, Array]], n_keys: int
) -> Iterator[tuple[dict[str, Array], Array]]:
    """Batches cut where a grounding ends, each with the places where its groundings start."""
    rest: dict[str, Array] | None = None
    for batch in batches:
        if rest is not None:
            batch = {name: np.concatenate([rest[name], column]) for name, column in batch.items()}
        starts = _starts(batch, n_keys)
        last = int(starts[-1])
        rest = {name: column[last:] for name, column in batch.items()}
        if last:
            yield {name: column[:last] for name, column in batch.items()}, starts[:-1]
    if rest is not None:
        yield rest, np.zeros(1, np.int64)


def _starts(batch: dict[str, Array], n_keys: int) -> Array:
    changed = np.zeros(batch["atom"].size, bool)
    changed[0] = True
    for number in range(n_keys):
        key = batch[f"k{number}"]
        changed[1:] |= key[1:] != key[:-1]
    return np.flatnonzero(changed)


def rows_of_lines(batch: dict[str, Array], starts: Array, form: LineForm) -> LinearRows:
    """Rows of groundings with an open atom that divide by nothing zero and can be violated."""
    atoms, values = batch["atom"], batch["coefficient"]
    is_entry = (atoms >= 0) & (values != 0)
    b = np.add.reduceat(batch["b"], starts) + form.constant
    width = np.add.reduceat(is_entry, starts, dtype=np.int64)
    keep = (width > 0) & (np.add.reduceat(batch["undefined"], starts) == 0)
    if form.relation == "<=":
        most = np.add.reduceat(np.where(is_entry, np.maximum(values, 0.0), 0.0), starts)
        keep &= b + most > TOLERANCE
    chosen = is_entry & np.repeat(keep, np.diff(starts, append=atoms.size))
    indptr = np.concatenate([[0], np.cumsum(width[keep])])
    return LinearRows(indptr, atoms[chosen], values[chosen], b[keep])
