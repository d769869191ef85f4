"""The first few rows that a rule would ground to, in logic syntax."""

from __future__ import annotations

import numpy as np

from workbench.grounding.atom_keys import names_in_space
from workbench.grounding.dialect import render
from workbench.grounding.ground import Grounder
from workbench.grounding.plans import RowShape
from workbench.grounding.rows import RowSink
from workbench.grounding.select import Call, ColumnRef, Expression, Select, Source, Star
from workbench.grounding.vocabulary import Vocabulary

MOST_LITERALS = 8
"""Literals of a sample clause that are shown."""


def linear_samples(grounder: Grounder, sink: RowSink, relation: str, count: int) -> list[str]:
    """The first few rows of an arithmetic rule."""
    shown = []
    for row in range(min(count, sink.n_rows)):
        entries = slice(int(sink.indptr[row]), int(sink.indptr[row + 1]))
        ids = grounder.numbering.to_space(sink.indices[entries].astype(np.int64))
        names = names_in_space(grounder.vocabulary, ids)
        parts = " ".join(
            f"{value:+g} {name}" for value, name in zip(sink.data[entries].tolist(), names)
        )
        shown.append(f"{parts.lstrip('+')} {relation} {-sink.b[row]:g}")
    return shown


def clause_samples(grounder: Grounder, shape: RowShape, count: int) -> list[str]:
    """The first few rows in logic syntax."""
    some_open: tuple[Expression, ...] = ()
    if shape.folded:
        columns = tuple(ColumnRef("r", f"l{i}") for i in range(len(shape.coefficients)))
        some_open = (Call("greatest", columns) >= 0,)
    sample = Select((("everything", Star()),), (Source(shape.select, "r"),), some_open, limit=count)
    sql = render(sample).replace("* AS everything", "*", 1)
    cursor = grounder.connection.execute(sql)
    names = [column[0] for column in cursor.description or ()]
    return [_clause(grounder.vocabulary, shape, dict(zip(names, row))) for row in cursor.fetchall()]


def _clause(vocabulary: Vocabulary, shape: RowShape, row: dict[str, object]) -> str:
    if shape.listing:
        keys = np.array(row["literals"], np.int64)
        ids, negated = keys >> 1, (keys & 1).tolist()
    else:
        pairs = [(row[f"l{i}"], c > 0) for i, c in enumerate(shape.coefficients)]
        pairs = [
            (identity, sign)
            for identity, sign in pairs
            if isinstance(identity, int) and identity >= 0
        ]
        ids = np.array([identity for identity, _ in pairs], np.int64)
        negated = [sign for _, sign in pairs]
    names = names_in_space(vocabulary, ids[:MOST_LITERALS])
    shown = " v ".join(f"{'!' if sign else ''}{name}" for sign, name in zip(negated, names))
    return shown if ids.size <= MOST_LITERALS else f"{shown} v ... ({ids.size} literals)"
