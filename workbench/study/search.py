"""The search for candidates: every path from the target's table, what is nearer first."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.progress import SILENT, Progress, expired
from workbench.structure.candidate import Candidate
from workbench.structure.candidates import candidates_of_words, listed_of
from workbench.structure.common import candidates_in_common
from workbench.structure.comparisons import (
    against_usual,
    changes,
    comparisons,
    products,
    shares_of_totals,
)
from workbench.structure.path_search import group_paths, paths, sibling_paths
from workbench.structure.relational import Column
from workbench.structure.table_paths import Path
from workbench.study.columns import CandidateColumns
from workbench.study.gathered import FEW, GatheredCandidates, by_path
from workbench.study.matrix import CandidateMatrix
from workbench.study.offers import (
    behind_offers,
    different_offers,
    kind_and_threshold_offers,
    least_rows,
    may_meet,
    nearest_offers,
    rare_value_offers,
    sequence_offers,
    some_rows_offers,
    threshold_offers,
    tie_offers,
    two_kinds_offers,
    variety_offers,
    windows_of,
)
from workbench.study.schema import SHARED_BY_AT_MOST

MOST_COLUMNS = 6000
LARGE = 25
"""Rows of a group on average, beyond which the share of its known labels is read, too."""
LARGEST = 900_000_000
"""Cells of the matrix, at most (float32)."""


def candidate_matrix(
    columns: CandidateColumns,
    start: str,
    *,
    labels: Sequence[int] = (),
    known: Column | None = None,
    numeric: bool = False,
    listed: Sequence[int | None] = (),
    deadline: float | None = None,
    progress: Progress = SILENT,
) -> CandidateMatrix:
    """Walk every path from the target table and fill its candidates' columns.

    What is nearer comes first; a path that reaches more rows than fit is left out. Columns without
    two different values are dropped. Then come how various rows are, comparisons, numbers of some
    of a path's rows, rare values and words (the commonest first), and only while there are more
    rows than columns: among more columns some fit by chance. Comparisons of a row with itself and
    with what it refers to, and words of its own texts, few for its rows, come anyway.

    Parameters
    ----------
    labels : sequence of int
        Labels that are counted among the rows of the target's own table that a path reaches; empty
        for none.
    known : Column or None
        The target, where what is known of it is read of those rows in other ways.
    numeric : bool
        Whether a number is predicted: products are tried, too.
    listed : sequence of int or None
        The labels for and against which words are listed; None where a number is predicted.
    """
    made = GatheredCandidates(columns, min(MOST_COLUMNS, LARGEST // max(len(columns.rows), 1)))
    timed = columns.times is not None
    schema = columns.schema
    walked = [one for one in paths(schema, start, timed=timed) if may_meet(columns, one)]
    offered, no_room = nearest_offers(columns, walked, made.most, deadline)
    few = least_rows(columns)
    near: dict[Path, list[Candidate]] = {}
    near_sums: dict[Path, int] = {}
    for number, path in enumerate(walked):
        progress.step("candidates", number, len(walked), f"{made.width:,} columns")
        if made.width and expired(deadline):
            made.cut = "time"
        if not made.open:
            break
        made.add(path, offered.get(path, []))
        made.add(path, tie_offers(columns, path, made.few_of_rows), least=few)
        if path.hops == path.suffix and len(path.hops) == 1:
            near[path] = different_offers(columns, path, made.few_of_rows)
            made.add(path, near[path])
            room = made.few_of_rows - sum(near_sums.values())
            if sums := some_rows_offers(columns, path, room):
                made.add(path, sums)
                near_sums[path] = len(sums)
        if path.hops and path.end == start:
            _add_of_labels(made, path, labels, known)
    for path in sibling_paths(schema, start):
        made.stop_at(deadline)
        if made.open:
            _add_of_labels(made, path, labels, known)
    for path in group_paths(schema, start):
        made.stop_at(deadline)
        if made.open and known is not None:
            made.add_known_of_group(path, known)
    for path, found in by_path(candidates_in_common(schema, start, timed=timed)):
        made.stop_at(deadline)
        if made.open:
            made.add(path, [one for one in found if columns.readable(one)])
    for path in walked:
        made.stop_at(deadline)
        if made.open:
            various = variety_offers(columns, path, made.room)
            made.add(path, [one for one in various if one not in near.get(path, ())])
    made.stop_at(deadline)
    if made.open:
        positive = made.positive()
        made.add_each(comparisons(made.kept, positive, timed=timed))
        made.add_each(against_usual(schema, start, positive))
    for path in walked:
        made.stop_at(deadline)
        if made.open:
            if path not in near_sums:
                made.add(path, some_rows_offers(columns, path, made.spare))
            made.add(path, behind_offers(columns, path, made.spare))
            made.add(path, two_kinds_offers(columns, path, made.spare), least=few)
            made.add(path, sequence_offers(columns, path, made.spare), least=few)
    made.stop_at(deadline)
    if made.open:
        positive = made.positive()
        made.add_each(shares_of_totals(made.kept, positive))
        made.add_each(changes(made.kept, positive))
    for path in walked:
        made.stop_at(deadline)
        if made.open:
            made.add(path, threshold_offers(columns, path, made.spare), least=few)
            made.add(path, kind_and_threshold_offers(columns, path, made.spare), least=few)
    if made.open and numeric:
        made.add_each(products(made.kept, made.positive()))
    for path in walked:
        made.stop_at(deadline)
        if made.open:
            made.add(path, rare_value_offers(columns, path, made.room), least=few)
    for path in walked:
        made.stop_at(deadline)
        if made.open:
            room = max(made.room, 0 if path.hops else made.few_of_rows)
            made.add(path, list(candidates_of_words(schema, path))[:room], least=few)
    for path in walked:
        for text in listed_of(schema, path) if listed else ():
            made.stop_at(deadline)
            if made.open:
                made.add_lists(path, text, listed)
    for path in walked:
        made.stop_at(deadline)
        if made.open and timed:
            recent = kind_and_threshold_offers(columns, path, min(made.spare, FEW), recent=True)
            made.add(path, recent, least=few)
    columns.forget()
    whole = made.open and not no_room
    return CandidateMatrix(
        tuple(made.kept), made.X, made.neighbours, "" if whole else made.cut or "size", made.around,
        made.texts,
    )  # fmt: skip


def _add_of_labels(
    made: GatheredCandidates, path: Path, labels: Sequence[int], known: Column | None
) -> None:
    """What is known of the rows that a path reaches: where all are predicted together each of them,
    but of large groups their share.
    """
    columns = made.columns
    if not labels:
        if known is not None:
            made.add_known(path, known, windows_of(columns, path))
        return
    others = columns.n_neighbours(path) / max(columns.schema[path.start].rows, 1)
    if path.is_group and others > LARGE and known is not None:
        made.add_known_of_group(path, known)
    # Ties of one role and of the other say what those of both do.
    if path.hops[-1].kind not in ("either", "tied") and not (
        path.is_group and others > SHARED_BY_AT_MOST
    ):
        made.add_labels(path, labels)
