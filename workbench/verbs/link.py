"""`link`: which records are of the same thing, from files, without labels or with some."""

from __future__ import annotations

import os
from collections.abc import Sequence
from time import perf_counter

from workbench.errors import Diagnostic, UsageError
from workbench.linkage.blocking import LARGEST_BLOCK
from workbench.linkage.clustering import Clustering, cluster
from workbench.linkage.comparison import make_comparison
from workbench.linkage.estimates import estimate
from workbench.linkage.linker import Candidates, compare_candidates, find_candidates, learn
from workbench.linkage.matching import match_one_to_one
from workbench.progress import SILENT, Progress
from workbench.verbs.common import deadline_after
from workbench.verbs.link_labels import LabelledPairs, read_labels
from workbench.verbs.link_reading import read_linked
from workbench.verbs.link_result import LinkResult

__all__ = ["link"]


def link(
    sources: Sequence[str | os.PathLike[str]],
    *,
    id_column: str | None = None,
    labels: str | os.PathLike[str] | None = None,
    one_to_one: bool = False,
    time_limit: float | None = None,
    seed: int = 0,
    progress: Progress = SILENT,
) -> LinkResult:
    """Link the records of one file, or of two.

    Parameters
    ----------
    sources : sequence of paths
        One file: duplicates within it. Two: columns of one name are compared across.
    id_column : str, optional
        The column with the records' names; without it one that is called so, or the rows' numbers.
    labels : path, optional
        A table `left,right,match` of pairs that are known: 1 the same, 0 not.
    one_to_one : bool
        Of two files: each record is in one pair at most.
    time_limit : float, optional
        Seconds; clusters that are not improved or proven by then stay as they are, and the status says so.

    Raises
    ------
    InputError, UsageError
        E0660 to E0669 for files, columns, ids and labels that cannot be used.
    """
    begun, deadline = perf_counter(), deadline_after(time_limit)
    if one_to_one and len(sources) != 2:
        raise UsageError.of(
            "E0668", "one-to-one links two files, and one is given", help="leave --one-to-one out, or name two files"
        )
    progress.step("reading", 0, None)
    read = read_linked(sources, id_column)
    records, fields = read.records, read.choice.fields
    second = records.source if len(records.sources) == 2 else None
    labelled = read_labels(labels, records) if labels is not None else LabelledPairs.none()
    progress.step("candidates", 0, None)
    candidates = find_candidates(fields, second)
    candidates = candidates.beside(labelled.pairs, len(records))
    comparisons = [make_comparison(field) for field in fields]
    _, patterns = compare_candidates(comparisons, candidates)
    known = labelled.by_pattern(candidates, patterns, len(records))
    model = learn(comparisons, candidates, patterns, second, seed=seed, known=known, progress=progress)
    scores = model.tree.scores(patterns.levels)[patterns.of_pair]
    scores = labelled.rescored(scores, model, candidates, len(records), seed)
    scores = labelled.applied(scores, candidates, len(records))
    clustering: Clustering
    if one_to_one:
        assert second is not None
        clustering = match_one_to_one(len(records), candidates.pairs, scores, second)
    else:
        clustering = cluster(len(records), candidates.pairs, scores, model.scores, deadline=deadline, progress=progress)
    return LinkResult(
        records=records,
        candidates=candidates,
        model=model,
        scores=scores,
        clustering=clustering,
        estimates=estimate(clustering, candidates.pairs, scores),
        left_out=read.choice.left_out,
        labels=len(labelled.match),
        seconds=perf_counter() - begun,
        warnings=(
            *read.warnings,
            *labelled.contradictions(records, one_to_one=one_to_one),
            *_about_candidates(candidates),
        ),
    )


def _about_candidates(candidates: Candidates) -> list[Diagnostic]:
    """Blocks that were left out, and no pair to compare at all."""
    found = []
    cut = [one for one in candidates.statements if one.cut]
    if cut:
        worst = max(cut, key=lambda one: one.cut[0])
        found.append(
            Diagnostic(
                "E0670",
                f"{worst.cut[0]:,} records share one value of {worst.words.removeprefix('same ')}: blocks of more than "
                f"{LARGEST_BLOCK:,} are not compared by that statement ({sum(len(one.cut) for one in cut):,} blocks)",
                help="such a value may mean that nothing is known: blank it, or add a column that tells records apart",
                severity="warning",
            )
        )
    if not len(candidates.pairs):
        found.append(
            Diagnostic(
                "E0661",
                "no two records share a value that could make them candidates: each stays by itself",
                help="is a column missing that the same things share, at least in part?",
                severity="warning",
            )
        )
    return found
