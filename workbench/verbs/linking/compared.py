"""Pairs of records that may match, compared field by field, and what is learned from them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from workbench.arrays import Bool, Float, Int32
from workbench.linkage.candidates import Candidates, compare_candidates, find_candidates
from workbench.linkage.comparison import FieldComparison, make_comparison
from workbench.linkage.link_model import LinkModel
from workbench.linkage.linker import learn
from workbench.linkage.mixture import Patterns
from workbench.progress import Conduct, Progress
from workbench.verbs.linking.labels import LabelledPairs
from workbench.verbs.linking.notes import in_time
from workbench.verbs.linking.reading import LinkedRecords

FOR_CANDIDATES = 1 / 3
"""Of the time left once the files are read."""


@dataclass(frozen=True)
class Compared:
    """Candidates with the levels at which their fields agree; `second` of two files; `proposed`,
    which labelled pairs are among them without their label.
    """

    candidates: Candidates
    comparisons: list[FieldComparison]
    patterns: Patterns
    second: Int32 | None
    proposed: Bool

    def model(self, conduct: Conduct, known: tuple[Float, Float] | None = None) -> LinkModel:
        """What is learned from these, and from labelled matches and non-matches by pattern."""
        return learn(
            self.comparisons,
            self.candidates,
            self.patterns,
            self.second,
            known=known,
            conduct=conduct,
        )

    def widened(self, progress: Progress) -> Compared:
        """With what looser statements find, for weights that are known."""
        n = len(self.comparisons[0].field.codes)
        candidates = self.candidates.widened(self.second, n)
        if len(candidates.pairs) == len(self.candidates.pairs):
            return self
        patterns = compare_candidates(self.comparisons, candidates, progress)
        return replace(self, candidates=candidates, patterns=patterns)


def compare(read: LinkedRecords, labelled: LabelledPairs, conduct: Conduct) -> Compared:
    """Pairs of records that may match, and the labelled ones, field by field."""
    records, fields = read.records, read.choice.fields
    second = records.source if len(records.sources) == 2 else None
    conduct.progress.step("candidates", 0, None)
    of_candidates = conduct.within(FOR_CANDIDATES)
    found = find_candidates(fields, second, conduct=of_candidates)
    candidates = found.beside(labelled.pairs, len(records))
    proposed = np.isin(labelled.pairs.keys(len(records)), found.pairs.keys(len(records)))
    if not len(candidates.pairs):
        in_time(of_candidates, "candidates were found")
    comparisons = [make_comparison(field) for field in fields]
    patterns = compare_candidates(comparisons, candidates, conduct.progress)
    in_time(conduct, "pairs were compared")
    return Compared(candidates, comparisons, patterns, second, proposed)
