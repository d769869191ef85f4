"""A clause's ground rules as its query shows them: whom they are about, their open literals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from workbench.arrays import Array, Float, Int32, Int64
from workbench.grounding.space import Numbering
from workbench.language.clauses import Clause
from workbench.language.values import value_text


@dataclass
class Found:
    """A clause's ground rules; where there is no open literal `atoms` is -1, `coefficients` 0."""

    clause: Clause
    bindings: list[Array]
    values: list[Array]
    atoms: Int64
    coefficients: Float
    constant: Float
    scale: Float
    template: Int32 = field(default_factory=lambda: np.zeros(0, np.int32))


def found_in_columns(
    clause: Clause,
    columns: Mapping[str, Any],
    numbering: Numbering,
    *,
    signs: Sequence[int],
    constant: float | None,
    scale: float,
) -> Found:
    """What a case with a column for each open literal found; `constant` where rows have no `b`."""
    ids = [numbering.to_open(columns[f"l{i}"]) for i in range(len(signs))]
    atoms = np.stack(ids, axis=1).astype(np.int64)
    atoms[atoms < 0] = -1
    coefficients = np.where(atoms >= 0, np.array(signs, np.float64), 0.0)
    if "b" in columns:
        b = np.asarray(columns["b"], np.float64)
    elif constant is not None:
        b = np.full(len(atoms), constant)
    else:
        b = 1.0 - (coefficients > 0).sum(axis=1)
    return _sorted(clause, columns, atoms, coefficients, b, scale)


def found_in_lists(
    clause: Clause, columns: Mapping[str, Any], numbering: Numbering, scale: float
) -> Found:
    """What a case has found whose rows list their open literals."""
    width = max(map(len, columns["literals"]))
    keys = np.array(
        [[*keys, *[-1] * (width - len(keys))] for keys in columns["literals"]], np.int64
    )
    atoms = np.where(keys >= 0, numbering.to_open(np.maximum(keys, 0) >> 1), -1)
    coefficients = np.where(atoms >= 0, (keys & 1) * 2.0 - 1.0, 0.0)
    return _sorted(
        clause, columns, atoms, coefficients, 1.0 - (coefficients > 0).sum(axis=1), scale
    )


def _sorted(
    clause: Clause,
    columns: Mapping[str, Any],
    atoms: Int64,
    coefficients: Float,
    b: Float,
    scale: float,
) -> Found:
    order = np.argsort(atoms, axis=1, kind="stable")
    return Found(
        clause,
        [_readable(columns[f"t{i}"], name, clause) for i, name in enumerate(universal(clause))],
        [np.asarray(columns[f"e{i}"], np.float64) for i in range(len(clause.literals))]
        if "e0" in columns
        else [],
        np.take_along_axis(atoms, order, axis=1),
        np.take_along_axis(coefficients, order, axis=1),
        b,
        scale * np.asarray(columns["s"], np.float64)
        if "s" in columns
        else np.full(len(atoms), scale),
    )


def universal(clause: Clause) -> tuple[str, ...]:
    """The variables that tell the groundings of a clause apart: of constants, then of values."""
    return tuple(
        name
        for name, _ in (*clause.variable_types, *clause.values)
        if name not in clause.existential
    )


def _readable(column: Array, name: str, clause: Clause) -> Array:
    """A column of constants' ids as it is; one of values as texts."""
    if name not in dict(clause.values):
        return column
    values = (
        column.astype("datetime64[us]").tolist() if column.dtype.kind == "M" else column.tolist()
    )
    return np.array([value_text(value) for value in values], np.str_)
