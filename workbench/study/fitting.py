"""Candidates of rows, a model of all labels,
and what the model says of rows of other tables of the same shape.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from workbench.arrays import Float, Int64
from workbench.errors import InputError
from workbench.progress import SILENT, Progress
from workbench.structure.candidate import Candidate
from workbench.structure.relational import Column, Schema
from workbench.study.anchors import TargetTimes
from workbench.study.around import around
from workbench.study.columns import CandidateColumns
from workbench.study.gathered import neighbour_pairs
from workbench.study.learners import FittedRules
from workbench.study.matrix import CandidateMatrix, columns_of
from workbench.study.prepared import AskedRows, Prepared, asked_rows, mapping_onto
from workbench.study.search import candidate_matrix
from workbench.tables import Staging, TablesMapping, ask_where_absent, target_of, type_tables

MOST_ROWS = 50_000
"""Labelled rows that candidates and weights are chosen on; more are thinned at random."""


def labelled_sample(labels: Float, seed: int) -> Int64:
    """The rows with a label, or so many of them as are learned from."""
    rows = np.flatnonzero(~np.isnan(labels))
    if len(rows) <= MOST_ROWS:
        return rows
    return np.sort(np.random.default_rng(seed).permutation(rows)[:MOST_ROWS])


def candidates_for(
    staging: Staging,
    ready: Prepared,
    rows: Int64,
    *,
    collective: bool,
    deadline: float | None = None,
    progress: Progress = SILENT,
) -> CandidateMatrix:
    """The candidates of some rows; `collective` ones with what is known of the target of others,
    where rows have times of earlier ones.

    Raises E0631 where nothing differs from row to row.
    """
    times = ready.times
    if times is not None:
        times = TargetTimes(times.days[rows], times.years[rows])
    columns = CandidateColumns(staging, ready.schema, ready.typed, ready.rows[rows], times)
    together = collective and times is None and ready.kind == "yes/no"
    matrix = candidate_matrix(
        columns, ready.target.table.name, labels=(1, 0) if together else (),
        known=_target_column(ready) if collective else None,
        numeric=ready.kind == "number", listed=_listed(ready), deadline=deadline,
        progress=progress,
    ).with_lists(ready.labels[rows])  # fmt: skip
    if not matrix.candidates:
        raise InputError.of(
            "E0631",
            f"nothing that is known of {ready.target.table.name} differs from row to row, "
            "so no rule can be learned",
            help="give more columns or tables, or map columns that were left out",
        )
    return matrix


def _listed(ready: Prepared) -> Sequence[int | None]:
    """The labels for and against which words speak: of two, one says all."""
    if ready.kind == "number":
        return (None,)
    return range(len(ready.classes)) if len(ready.classes) > 2 else (1,)


def _target_column(ready: Prepared) -> Column:
    """What is predicted, as a column of other rows."""
    kinds: dict[str, Literal["number", "category", "flag"]] = {"yes/no": "flag"}
    kinds |= {"number": "number", "category": "category"}
    value = "" if ready.target.value is None else f" = {ready.target.value}"
    return Column(ready.target.column.name + value, kinds[ready.kind], ready.classes)


def filled(
    columns: CandidateColumns, candidates: Sequence[Candidate], used: Collection[int], labels: Float
) -> Float:
    """The columns of the candidates in use, shape (n_rows, n_candidates), all others 0.

    `labels`, shape (n_rows,), are what may be seen of the rows: those of neighbours are counted.
    """
    chosen = sorted(used)
    # Pages of columns that nothing reads are never touched, and take no memory.
    X = np.zeros((len(columns.rows), len(candidates)), order="F")
    X[:, chosen] = columns_of(columns, [candidates[at] for at in chosen])
    for place in chosen:
        candidate = candidates[place]
        if candidate.label is None:
            continue
        if candidate.aggregate != "labelled":
            windows = (candidate.window,) if candidate.window else ()
            X[:, place] = around(columns, candidate.path, windows).told(candidate, labels)
        else:
            source, target = neighbour_pairs(columns, candidate.path)
            hits = labels[target] == candidate.label
            X[:, place] = np.bincount(source[hits], minlength=len(labels))
    return X


@dataclass(frozen=True)
class RelationalModel:
    """A fitted model, and what it needs to be asked about other tables of the same shape.

    Attributes
    ----------
    schema : Schema
        Of the tables it was fitted to.
    classes : tuple of str
        Of a category.
    """

    mapping: TablesMapping
    schema: Schema
    classes: tuple[str, ...]
    time_column: str | None
    candidates: tuple[Candidate, ...]
    rules: FittedRules

    def predict(self, staging: Staging) -> tuple[AskedRows, Float]:
        """The rows of the target's table, and what is predicted of each;
        known labels are evidence for other rows.
        """
        mapping = mapping_onto(staging, self.mapping)
        target = target_of(mapping)
        assert target is not None
        ask_where_absent(staging, target)
        typed = dict(type_tables(staging, mapping))
        asked = asked_rows(
            staging, typed[target.table.name], target, self.classes, self.time_column
        )
        columns = CandidateColumns(staging, self.schema, typed, asked.rows, asked.times)
        return asked, self.rules.predict(
            filled(columns, self.candidates, self.rules.columns, asked.labels)
        )
