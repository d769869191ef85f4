"""The form every reproduced table has: one row a figure, published beside ours, and by fold."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, product
from math import isnan
from typing import Any

from workbench.evaluation import summary
from workbench.verbs.common import as_json

Figure = tuple[str, str, str]
"""System, column, metric."""


@dataclass(frozen=True)
class FoldScore:
    """One metric of one system on one fold."""

    system: str
    column: str
    metric: str
    fold: str
    value: float


@dataclass(frozen=True)
class Row:
    """One figure of the table.

    Attributes
    ----------
    system : str
        As in the paper, `MLN(VP)`.
    column : str
        A data set, a field, or `average`.
    ours : float or None
        Mean over folds; None where only the published figure stands.
    sd : float or None
        Standard deviation over folds (n - 1).
    """

    system: str
    column: str
    metric: str
    published: float | None
    ours: float | None
    sd: float | None
    folds: int


@dataclass(frozen=True)
class ReproductionTable:
    """A published table and ours.

    Attributes
    ----------
    name : str
        What `reproduce` was called with.
    title : str
        The paper and its table.
    notes : tuple of str
        Where data or protocol differ from the paper, and settings that were chosen, in words.
    seconds : mapping of str to float
        By system: on the wall in the tables of Markov logic, of the processor in those of soft
        logic.
    complete : bool
        False where the experiment was stopped before its end.
    """

    name: str
    title: str
    rows: tuple[Row, ...]
    folds_detail: tuple[FoldScore, ...] = ()
    notes: tuple[str, ...] = ()
    seconds: Mapping[str, float] = field(default_factory=dict)
    complete: bool = True

    def as_record(self) -> dict[str, object]:
        """The table as JSON-ready fields; figures that are not defined are null."""
        record: dict[str, object] = as_json(self)
        return record

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> ReproductionTable:
        """The table that `as_record` made the fields of."""
        rows = tuple(Row(**row) for row in record["rows"])
        details = tuple(
            FoldScore(**{**score, "value": math.nan if score["value"] is None else score["value"]})
            for score in record["folds_detail"]
        )
        return cls(
            **{**record, "rows": rows, "folds_detail": details, "notes": tuple(record["notes"])}
        )

    def measured(self) -> frozenset[tuple[str, str]]:
        """Every (system, column) that has a figure of ours."""
        return frozenset((row.system, row.column) for row in self.rows if row.ours is not None)

    def over(self, before: ReproductionTable) -> ReproductionTable:
        """This table, with what `before` has of systems and columns that were not run again."""
        run = self.measured()
        older = {
            (row.system, row.column, row.metric): row
            for row in before.rows
            if row.ours is not None and (row.system, row.column) not in run
        }
        rows = [older.pop((row.system, row.column, row.metric), row) for row in self.rows]
        details = [
            score for score in before.folds_detail if (score.system, score.column) not in run
        ]
        return replace(
            self,
            rows=(*rows, *older.values()),
            folds_detail=(*details, *self.folds_detail),
            notes=tuple(dict.fromkeys((*before.notes, *self.notes))),
            seconds={**before.seconds, **self.seconds},
        )

    def find(self, system: str, column: str, metric: str) -> Row:
        """The row of a figure; KeyError when the table has none."""
        for row in self.rows:
            if (row.system, row.column, row.metric) == (system, column, metric):
                return row
        raise KeyError((system, column, metric))


def published_figures(
    columns: Sequence[str], metrics: Sequence[str], values: Mapping[str, Sequence[float]]
) -> dict[Figure, float]:
    """A paper's figures by (system, column, metric), from each system's values, metrics running
    fastest.

    What the paper does not give (NaN) is left out.
    """
    places = list(product(columns, metrics))
    return {
        (system, *place): float(value)
        for system, row in values.items()
        for place, value in zip(places, row, strict=True)
        if not isnan(value)
    }


def rows_from_folds(
    scores: Sequence[FoldScore], published: Mapping[Figure, float | None]
) -> tuple[Row, ...]:
    """A row for every published figure in order, then one for each other that was measured."""
    keyed = sorted(scores, key=_key)
    ours = {
        key: summary([score.value for score in group]) for key, group in groupby(keyed, key=_key)
    }
    further = dict.fromkeys(_key(score) for score in scores if _key(score) not in published)
    rows = []
    for key in (*published, *further):
        measured = ours.get(key)
        defined = measured is not None and measured.folds > 0
        rows.append(
            Row(
                *key,
                published=published.get(key),
                ours=measured.mean if measured and defined else None,
                sd=measured.sd if measured and measured.folds > 1 else None,
                folds=measured.folds if measured else 0,
            )
        )
    return tuple(rows)


def _key(score: FoldScore) -> Figure:
    return score.system, score.column, score.metric
