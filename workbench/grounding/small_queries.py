"""Queries over relations of few rows, answered from arrays.

To prepare a statement over seven small relations takes milliseconds, to look 1,200 rows up in six
arrays a tenth of one; a program of learned rules asks a thousand such. Answered here is what the
database answers in one way only: rows in an order of their own or in any, counts, and sums of whole
numbers. All else is left to it, joins that multiply rows among them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np

from workbench.arrays import Array, Bool, Int64
from workbench.grounding.columns_with_nulls import NotInArraysError, evaluated
from workbench.grounding.joined_rows import JoinedRows
from workbench.grounding.key_index import KeyIndex
from workbench.grounding.select import (
    Call,
    ColumnRef,
    Expression,
    Operation,
    Select,
    Source,
    Star,
    Union,
    Value,
    tables_of,
)
from workbench.grounding.temporary_tables import Columns, TemporaryTables

MOST_ROWS = 100_000
"""Of a relation, and of a join."""

MOST_ADDED = 10_000
"""Rows that a join may add to those that it is given: the database multiplies rows faster."""

EXACT = 2.0**53
"""Whole numbers below this add up to the same in any order."""


def is_small(rows: int) -> bool:
    return rows <= MOST_ROWS


@dataclass
class SmallQueries:
    """The queries of one grounding over its temporary tables, read once each."""

    tables: TemporaryTables
    _indexes: dict[tuple[str, tuple[str, ...]], KeyIndex] = field(default_factory=dict)

    def columns(self, table: str) -> Columns | None:
        """The columns of a small table."""
        return self.tables.arrays(table, MOST_ROWS)

    def answer(self, query: Select | Union | None) -> list[Columns] | None:
        """The columns of a query, or of each part of a union; None where the database is to say."""
        selects = query.selects if isinstance(query, Union) else (query,)
        try:
            return [self._select(one) for one in selects if one is not None]
        except NotInArraysError:
            return None

    def rows(self, query: Select | Union) -> tuple[list[str], list[tuple[Any, ...]]] | None:
        """The columns' names and all rows, as a backend gives them."""
        found = self.answer(query)
        if found is None:
            return None
        rows = (zip(*(column.tolist() for column in part.values())) for part in found)
        return list(found[0]), list(chain.from_iterable(rows))

    def _select(self, select: Select) -> Columns:
        if select.having or select.limit is not None or not select.sources:
            raise NotInArraysError
        joined = self._joined(select)
        if select.group_by or any(_adds_up(value) for _, value in select.columns):
            return _ordered(select, _grouped(select, joined))
        if select.order_by:
            raise NotInArraysError
        columns = {name: joined.column(value) for name, value in select.columns}
        return _distinct(columns) if select.distinct else columns

    def _joined(self, select: Select) -> JoinedRows:
        joined = JoinedRows()
        waiting = [(one, tables_of(one)) for one in select.where]
        for source in select.sources:
            relation = self._relation(source)
            if joined.n_rows is None:
                if source.on or source.kind != "inner":
                    raise NotInArraysError
                joined.begin(source.alias, relation)
            else:
                self._join(joined, source, relation)
            known = joined.relations.keys()
            joined.keep_where([one for one, tables in waiting if tables <= known])
            waiting = [(one, tables) for one, tables in waiting if not tables <= known]
        if waiting:
            raise NotInArraysError
        return joined

    def _relation(self, source: Source) -> Columns:
        if isinstance(source.relation, str):
            found = self.columns(source.relation)
            if found is None:
                raise NotInArraysError
            return found
        parts = self.answer(source.relation)
        if parts is None:
            raise NotInArraysError
        return {name: np.concatenate([one[name] for one in parts]) for name in parts[0]}

    def _join(self, joined: JoinedRows, source: Source, relation: Columns) -> None:
        names, values = _keys(source)
        index = self._index(source, relation, names)
        keys = [joined.values(value) for value in values]
        codes = np.broadcast_to(index.codes(keys), joined.n_rows or 0)
        if source.kind in ("anti", "semi"):
            met = index.counts(codes) > 0
            joined.keep(met if source.kind == "semi" else ~met)
            return
        owner, rows = index.matches(codes, MOST_ADDED, outer=source.kind == "left")
        joined.add(source.alias, relation, owner, rows)

    def _index(self, source: Source, relation: Columns, names: tuple[str, ...]) -> KeyIndex:
        """The rows of a relation by the values of some columns, made once for each table."""
        if not all(name in relation for name in names):
            raise NotInArraysError
        if not isinstance(source.relation, str):
            return KeyIndex.of([relation[name] for name in names])
        key = (source.relation, names)
        found = self._indexes.get(key)
        if found is None or not found.reads(relation[name] for name in names):
            found = self._indexes[key] = KeyIndex.of([relation[name] for name in names])
        return found


def _keys(source: Source) -> tuple[tuple[str, ...], list[Expression]]:
    """The columns of a relation that a join is by, and what they must equal."""
    names, values = [], []
    for condition in source.on:
        match condition:
            case Operation("=", (ColumnRef(alias, name), value)) if alias == source.alias:
                pass
            case Operation("=", (value, ColumnRef(alias, name))) if alias == source.alias:
                pass
            case _:
                raise NotInArraysError
        if source.alias in tables_of(value):
            raise NotInArraysError
        names.append(name)
        values.append(value)
    if not names:
        raise NotInArraysError
    return tuple(names), values


def _adds_up(expression: Expression) -> bool:
    return isinstance(expression, Call) and (
        expression.function in ("count", "sum") or any(map(_adds_up, expression.arguments))
    )


def _distinct(columns: Columns) -> Columns:
    """Each row once, in ascending order."""
    order, new = _runs(list(columns.values()))
    return {name: column[order[new]] for name, column in columns.items()}


def _runs(keys: Sequence[Array]) -> tuple[Int64, Bool]:
    """Rows in ascending order of some keys, and where in it others begin than those before."""
    order = np.lexsort(keys[::-1])
    new = np.zeros(len(order), bool)
    new[:1] = True
    for key in keys:
        new[1:] |= key[order][1:] != key[order][:-1]
    return order, new


def _grouped(select: Select, joined: JoinedRows) -> Columns:
    """A row for each group, of those that there are; without keys one of all rows."""
    keys = [joined.column(one) for one in select.group_by]
    n_rows = joined.n_rows or 0
    if keys:
        order, new = _runs(keys)
        group = np.empty(n_rows, np.int64)
        group[order] = np.cumsum(new) - 1
        groups = _Groups(joined, int(new.sum()), group, order[new])
    else:
        groups = _Groups(joined, 1, np.zeros(n_rows, np.int64), None)
    return {name: groups.column(value) for name, value in select.columns}


@dataclass
class _Groups:
    """Rows in groups: the group of each row, and a row of each group."""

    joined: JoinedRows
    n_groups: int
    of_row: Int64
    a_row: Int64 | None

    def column(self, expression: Expression) -> Array:
        match expression:
            case Call("count", (Star(),), (), only):
                return self._counts(only)
            case Call("sum", (value,), _, only):
                return self._sums(value, only)
            case Call("cast DOUBLE", (inner,)) if _adds_up(inner):
                return self.column(inner).astype(np.float64)
            case Value():
                constant = evaluated(expression, self.joined.of).all_there
                return np.broadcast_to(constant, self.n_groups)
        if self.a_row is None or _adds_up(expression):
            raise NotInArraysError
        return self.joined.column(expression)[self.a_row]

    def _chosen(self, only: Expression | None) -> Array | None:
        if only is None:
            return None
        return np.broadcast_to(self.joined.values(only).true, len(self.of_row))

    def _counts(self, only: Expression | None) -> Array:
        chosen = self._chosen(only)
        rows = self.of_row if chosen is None else self.of_row[chosen]
        return np.bincount(rows, minlength=self.n_groups)

    def _sums(self, value: Expression, only: Expression | None) -> Array:
        """Sums of whole numbers; a sum of no rows is NULL, which is left to the database."""
        counts = self._counts(only)
        values = self.joined.column(value)
        if not counts.all() or values.dtype.kind != "f":
            raise NotInArraysError
        if np.any(values != np.rint(values)) or np.abs(values).sum() >= EXACT:
            raise NotInArraysError
        chosen = self._chosen(only)
        weights = values if chosen is None else np.where(chosen, values, 0.0)
        return np.bincount(self.of_row, weights, minlength=self.n_groups)


def _ordered(select: Select, answer: Columns) -> Columns:
    """Groups in the order that a query asks for, if any; each must have a place of its own."""
    if not select.order_by:
        return answer
    if not all(isinstance(one, ColumnRef) and not one.table for one in select.order_by):
        raise NotInArraysError
    keys = [answer[one.name] for one in select.order_by if isinstance(one, ColumnRef)]
    order = np.lexsort(keys[::-1])
    return {name: column[order] for name, column in answer.items()}
