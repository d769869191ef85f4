"""`link`: which records are of the same thing, from files, without labels or with some."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import log, log1p
from time import perf_counter

import numpy as np

from workbench.arrays import Float
from workbench.errors import Diagnostic, UsageError
from workbench.leaving import heard
from workbench.linkage.blend import Blend
from workbench.linkage.blocking import Pairs
from workbench.linkage.candidates import Candidates
from workbench.linkage.captured import captured_share
from workbench.linkage.clustering import Clustering, cluster
from workbench.linkage.estimates import best_threshold, estimate, threshold_curve
from workbench.linkage.label_evidence import LabelEvidence
from workbench.linkage.link_model import LinkModel, Scoring
from workbench.linkage.matching import Rivals, best_of_each, match_one_to_one
from workbench.linkage.repeated import repeated_within
from workbench.linkage.supervised import Supervised
from workbench.progress import SILENT, Conduct, Progress
from workbench.tables.records import Records
from workbench.verbs.common import deadline_after
from workbench.verbs.linking.expected import false_beyond, what_is_told
from workbench.verbs.linking.labels import LabelledPairs, read_labels
from workbench.verbs.linking.likeliest import likeliest
from workbench.verbs.linking.notes import (
    about_candidates,
    about_matches,
    about_surprises,
    about_time,
    about_unlikely,
    in_time,
)
from workbench.verbs.linking.reading import read_linked
from workbench.verbs.linking.repeated import about_repeated
from workbench.verbs.linking.result import LinkResult
from workbench.verbs.linking.settings import candidates_by_settings, read_by_settings

LEAST_THRESHOLD = 1e-4


@dataclass(frozen=True)
class _Scored:
    """Records with the log odds of their candidates, labels settled, and the share of matches."""

    records: Records
    candidates: Candidates
    model: Scoring
    scores: Float
    labelled: LabelledPairs
    left_out: dict[str, str]
    warnings: tuple[Diagnostic, ...]
    captured: float = 1.0
    learned: Supervised | None = None
    rivals: Rivals | None = None
    top: Float | None = None


def link(
    sources: Sequence[str | os.PathLike[str]],
    *,
    id_column: str | None = None,
    labels: str | os.PathLike[str] | None = None,
    settings: str | os.PathLike[str] | None = None,
    one_to_one: bool = False,
    threshold: float | None = None,
    time_limit: float | None = None,
    seed: int = 0,
    progress: Progress = SILENT,
) -> LinkResult:
    """Link the records of one file, or of two.

    Raises E0660 to E0669 for files, columns, ids and labels that cannot be used, E0674 to E0679 for
    settings, E0694 for a threshold; Cancelled where it is cancelled before any pair is compared;
    E0689 where the time passes before any pair is compared.

    Parameters
    ----------
    sources : sequence of paths
        One file: duplicates within it. Two: columns of one name are compared across.
    id_column : str, optional
        The column with the records' names; without it one that is called so, or the rows' numbers.
    labels : path, optional
        A table `left,right,match` of pairs that are known: 1 the same, 0 not.
    settings : path, optional
        A model that Splink trained and saved as JSON: its comparisons, blocking rules and weights
        are taken, and nothing is learned; labels settle their own pairs only.
    one_to_one : bool
        Of two files: each record is in one pair at most.
    threshold : float, optional
        The probability from which on a pair speaks for being together: higher finds fewer pairs,
        and surer ones. Labels hold whatever it is. Without it .5, or where labels taught
        probabilities that of the best F1 that is expected.
    time_limit : float, optional
        Seconds for the whole, a third of them at most for candidates: what is found, fitted,
        improved or proven by then is taken, and the result and E0690 say what was cut short. So
        it is after a cancel, once pairs are compared.
    """
    conduct = Conduct(seed, deadline_after(time_limit), progress)
    if one_to_one and len(sources) != 2:
        raise UsageError.of(
            "E0668",
            "one-to-one links two files, and one is given",
            help="leave --one-to-one out, or name two files",
        )
    if threshold is not None and not LEAST_THRESHOLD <= threshold <= 1 - LEAST_THRESHOLD:
        raise UsageError.of(
            "E0694",
            f"{threshold:g} is no threshold",
            help=f"give a probability between {LEAST_THRESHOLD:g} and {1 - LEAST_THRESHOLD:g}",
        )
    return heard(
        progress,
        lambda: _linked(sources, id_column, labels, settings, one_to_one, threshold, conduct),
    )


def _linked(
    sources: Sequence[str | os.PathLike[str]],
    id_column: str | None,
    labels: str | os.PathLike[str] | None,
    settings: str | os.PathLike[str] | None,
    one_to_one: bool,
    threshold: float | None,
    conduct: Conduct,
) -> LinkResult:
    begun = perf_counter()
    conduct.progress.step("reading", 0, None)
    if settings is not None:
        scored = _scored_by_settings(sources, settings, id_column, labels, conduct)
    else:
        scored = _scored(sources, id_column, labels, one_to_one, conduct)
    pairs, scores = scored.candidates.pairs, scored.scores
    told = what_is_told(scored.model, scored.captured)
    false = false_beyond(scored.model, scores, scored.records.source, scored.rivals)
    if threshold is None:
        threshold = _threshold_of(scored)
    cut_at = log(threshold) - log1p(-threshold)
    clustering = _clustered(scored, one_to_one, cut_at, conduct)
    ended = clustering.status in ("limit", "cancelled")
    unproven = ("clusters are not improved or proven",) if ended else ()
    cut = (
        *scored.candidates.cut,
        *(scored.model.cut if isinstance(scored.model, LinkModel) else ()),
        *unproven,
    )
    wrong = scored.model.wrong if isinstance(scored.model, LinkModel) else 0.0
    repeated = repeated_within(
        scored.records.source, scored.candidates, scored.model, clustering, scores, cut_at
    )
    return LinkResult(
        records=scored.records,
        candidates=scored.candidates,
        model=scored.model,
        scores=scores,
        clustering=clustering,
        estimates=estimate(
            clustering,
            pairs,
            scores,
            wrong=wrong,
            false=false and false(cut_at),
            repeated=None if one_to_one else repeated,
            **told,
        ),
        left_out=scored.left_out,
        labelled=scored.labelled.pairs,
        seconds=perf_counter() - begun,
        warnings=(
            *scored.warnings,
            *scored.labelled.contradictions(scored.records, one_to_one=one_to_one),
            *about_candidates(scored.candidates),
            *about_matches(scored.model),
            *about_unlikely(scored.model, scores, cut_at),
            *about_repeated(scored.records, repeated),
            *about_time(cut, conduct.stopped),
        ),
        cut=cut,
        stopped=conduct.stopped,
        one_to_one=one_to_one,
        cut_at=cut_at,
        curve=threshold_curve(scores, false=false, **told),
        learned=scored.learned,
        rivals=scored.rivals,
        top=scored.top,
    )


def _clustered(scored: _Scored, one_to_one: bool, cut_at: float, conduct: Conduct) -> Clustering:
    """Clusters by the evidence beyond the cut; their pairs have their log odds."""
    n, pairs, evidence = len(scored.records), scored.candidates.pairs, scored.scores - cut_at
    if one_to_one:
        found = match_one_to_one(n, pairs, evidence, scored.records.source)
    else:
        of_any = _of_any_pair(scored)
        found = cluster(n, pairs, evidence, lambda some: of_any(some) - cut_at, conduct=conduct)
    return replace(found, scores=found.scores + cut_at)


def _scored(
    sources: Sequence[str | os.PathLike[str]],
    id_column: str | None,
    labels: str | os.PathLike[str] | None,
    one_to_one: bool,
    conduct: Conduct,
) -> _Scored:
    """By a model that is learned from the records themselves."""
    read = read_linked(sources, id_column)
    in_time(conduct, "the files were read")
    records, labelled = read.records, _labelled(labels, read.records)
    read, compared, unlabelled = likeliest(read, labelled, conduct)
    if not conduct.over:
        compared = compared.widened(conduct.progress)
    candidates, patterns = compared.candidates, compared.patterns
    places, pairs = labelled.places(candidates, len(records)), candidates.pairs
    surprises = LabelEvidence(places, labelled.match).surprises(unlabelled.of_patterns(patterns))
    model = labelled.heard(
        unlabelled,
        lambda: compared.model(conduct, labelled.by_pattern(patterns, places)),
        patterns,
        places,
        conduct,
    )
    learned, scores = labelled.learned(
        model, model.of_patterns(patterns), pairs, places, compared.proposed, conduct.seed
    )
    rivals, top = None, None
    if one_to_one or (isinstance(model, LinkModel) and model.repeats_nothing):
        top = best_of_each(len(records), pairs, scores)
        rivals = (Rivals.of if one_to_one else Rivals.seen)(pairs, scores, top)
        scores = rivals.applied(pairs, scores, top)
    scores = labelled.applied(scores, candidates, len(records))
    return _Scored(
        records,
        candidates,
        model,
        scores,
        labelled,
        read.choice.left_out,
        (*read.warnings, *about_surprises(*surprises)),
        captured_share(
            read.choice.fields, pairs, scores, candidates.proposed, candidates.near, compared.second
        ),
        learned,
        rivals,
        top,
    )


def _threshold_of(scored: _Scored) -> float:
    """Where labels taught probabilities, the best of the pairs that no label settles; else .5."""
    if scored.learned is None or scored.learned.blend == Blend():
        return 0.5
    open_pairs = np.ones(len(scored.scores), np.bool_)
    open_pairs[scored.labelled.places(scored.candidates, len(scored.records))] = False
    return best_threshold(scored.scores[open_pairs])


def _of_any_pair(scored: _Scored) -> Callable[[Pairs], Float]:
    """Log odds of pairs that no statement found, of records that others join."""
    model, source = scored.model, scored.records.source
    if not isinstance(model, LinkModel):
        return model.scores
    unfound = model.unfound
    return lambda pairs: unfound.applied(
        model.scores(pairs), source[pairs.left] == source[pairs.right]
    )


def _scored_by_settings(
    sources: Sequence[str | os.PathLike[str]],
    settings: str | os.PathLike[str],
    id_column: str | None,
    labels: str | os.PathLike[str] | None,
    conduct: Conduct,
) -> _Scored:
    """By a model that Splink trained."""
    read = read_by_settings(sources, settings, id_column)
    in_time(conduct, "the files were read")
    labelled = _labelled(labels, read.records)
    conduct.progress.step("candidates", 0, None)
    candidates = candidates_by_settings(read).beside(labelled.pairs, len(read.records))
    in_time(conduct, "candidates were found")
    conduct.progress.step("weights", 0, None)
    scores = labelled.applied(read.scoring.scores(candidates.pairs), candidates, len(read.records))
    return _Scored(
        read.records, candidates, read.scoring, scores, labelled, read.left_out, read.warnings
    )


def _labelled(labels: str | os.PathLike[str] | None, records: Records) -> LabelledPairs:
    return read_labels(labels, records) if labels is not None else LabelledPairs.none()
