"""Rows of a join of relations that are arrays, by the numbers of their rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from workbench.arrays import Array, Int64
from workbench.grounding.columns_with_nulls import Column, NotInArraysError, evaluated
from workbench.grounding.select import ColumnRef, Expression
from workbench.grounding.temporary_tables import Columns


@dataclass
class JoinedRows:
    """Rows of a join: for each of its relations the numbers of the rows there; None: as they are,
    -1: none.
    """

    n_rows: int | None = None
    relations: dict[str, Columns] = field(default_factory=dict)
    places: dict[str, Int64 | None] = field(default_factory=dict)

    def begin(self, alias: str, relation: Columns) -> None:
        self.n_rows = len(next(iter(relation.values())))
        self.relations[alias], self.places[alias] = relation, None

    def keep(self, chosen: Array) -> None:
        """Keep some rows, by a mask of them or by their numbers."""
        rows = np.flatnonzero(chosen) if chosen.dtype == bool else chosen
        self.n_rows = len(rows)
        for alias, place in self.places.items():
            self.places[alias] = rows if place is None else place[rows]

    def add(self, alias: str, relation: Columns, owner: Int64, rows: Int64) -> None:
        """Join rows of another relation to the rows of these numbers."""
        if self.n_rows != len(owner) or not np.array_equal(owner, np.arange(len(owner))):
            self.keep(owner)
        self.relations[alias], self.places[alias] = relation, rows

    def keep_where(self, conditions: Sequence[Expression]) -> None:
        for condition in conditions:
            self.keep(np.broadcast_to(evaluated(condition, self.of).true, self.n_rows or 0))

    def of(self, column: ColumnRef) -> Column:
        relation = self.relations.get(column.table)
        if relation is None or column.name not in relation:
            raise NotInArraysError
        values, place = relation[column.name], self.places[column.table]
        if values.dtype.kind not in "if":
            raise NotInArraysError
        if place is None:
            return Column(values)
        there = place >= 0
        if there.all():
            return Column(values[place])
        padded = values if len(values) else np.zeros(1, values.dtype)
        return Column(padded[np.maximum(place, 0)], there)

    def values(self, expression: Expression) -> Column:
        return evaluated(expression, self.of)

    def column(self, expression: Expression) -> Array:
        """One value a row, none of them NULL."""
        return np.broadcast_to(self.values(expression).all_there, self.n_rows or 0)
