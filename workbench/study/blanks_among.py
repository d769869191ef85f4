"""How blanks lie among what is known: later, in whole groups, or anywhere. Rows are held out as
they lie, for scores, and what rules are chosen by, are of rows like those that are asked about.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from workbench.arrays import Float, Int64
from workbench.database.arrow_columns import numpy_column
from workbench.study.folds import Labelled
from workbench.study.prepared import Prepared
from workbench.tables import Staging, TypedTable

LATER = 0.95
"""The share of what is known that comes before the middle blank, from which on blanks are later."""
APART = 0.2
"""Blanks lie in whole groups where so small a share is known beside them of what is elsewhere."""
FEWEST = 10
"""Groups, and blanks."""
GROUPING = ("reference", "category", "text")


def labelled_rows(staging: Staging, ready: Prepared, rows: Int64) -> Labelled:
    """What is known of some rows of the target's table, and how they are to be held out."""
    labelled = Labelled(ready.kind, ready.labels[rows], max(len(ready.classes), 2))
    days = None if ready.times is None else ready.times.days
    if days is not None and are_later(days, ready.labels):
        horizon = asked_for(days, ready.labels)
        lie = " that lie later than what they were learned from"
        return replace(labelled, time=days[rows], horizon=horizon, lie=lie)
    few = np.count_nonzero(np.isnan(ready.labels)) < FEWEST
    group = None if few else parting_group(staging, ready.typed[ready.target.table.name])
    if group is not None:
        column, codes = group
        lie = f", rows with the same {column} together, as blanks lie"
        return replace(labelled, group=codes[rows], lie=lie)
    lie = "" if days is None else " drawn at random, as blanks lie among what is known"
    return replace(labelled, lie=lie)


def are_later(time: Float, labels: Float) -> bool:
    """Whether rows without a label lie later than those with one, or all rows have one.

    A stretch of time that begins where the labels end has seen none of its own, and says little of
    gaps that have known rows around them.
    """
    known = ~np.isnan(labels)
    asked = ~known & ~np.isnan(time)
    if not known.any() or not asked.any():
        return True
    return bool(np.median(time[asked]) >= np.quantile(time[known], LATER))


def asked_for(time: Float, labels: Float) -> float:
    """Up to how many days after the last that is known rows are asked about; where none is, as
    many as the last sixth of them takes.
    """
    known = ~np.isnan(labels)
    asked = time[~known & ~np.isnan(time)]
    last = float(time[known].max())
    end = float(asked.max()) if len(asked) else last
    return end - last if end > last else last - float(np.quantile(time[known], 5 / 6))


def parting_group(staging: Staging, table: TypedTable) -> tuple[str, Int64] | None:
    """The column of the target's table whose values part what is known from the blanks (visits of
    users none of whose visits is known), and its values as codes, shape (n_rows,); None where no
    column does, the one of fewest values where several do.

    Known labels of the same user's visits tell a visit, but for no such blank. Rows without a
    value stand each alone.
    """
    parting = [
        (groups, column.name)
        for column in table.mapping.columns
        if column.kind in GROUPING and column.name in table.columns
        if (groups := _groups_apart(staging, table, table.columns[column.name]))
    ]
    if not parting:
        return None
    _, name = min(parting)
    cell = table.columns[name]
    found = staging.record_batches(
        f"SELECT CASE WHEN {cell} IS NULL THEN -1 ELSE dense_rank() OVER (ORDER BY {cell}) END g_ "
        f"FROM {table.relation} ORDER BY rowid"
    ).read_all()
    codes = numpy_column(found.column("g_")).astype(np.int64)
    alone = np.flatnonzero(codes < 0)
    codes[alone] = codes.max(initial=0) + 1 + np.arange(len(alone))
    return name, codes


def _groups_apart(staging: Staging, table: TypedTable, cell: str) -> int:
    """How many values a column has, where these part the blanks from what is known; else 0."""
    # Of the others with the same value: which share is known, beside the blanks and elsewhere.
    groups, known, blanks, beside_known, beside_blanks = staging.rows(
        "SELECT count(*), coalesce(sum(k), 0), coalesce(sum(n - k), 0), "
        "coalesce(sum(k * (k - 1) / (n - 1)), 0), coalesce(sum((n - k) * k / (n - 1)), 0) "
        f"FROM (SELECT count(*) AS n, count({table.target}) AS k FROM {table.relation} "
        f"WHERE {cell} IS NOT NULL GROUP BY {cell}) WHERE n > 1"
    )[0]
    if groups < FEWEST or blanks < FEWEST or not known:
        return 0
    apart = beside_blanks / blanks <= APART * beside_known / known
    return int(groups) if apart and 2 * blanks >= _all_blanks(staging, table) else 0


def _all_blanks(staging: Staging, table: TypedTable) -> int:
    return int(staging.counts(table.relation, [f"count(*) FILTER ({table.target} IS NULL)"])[0])
