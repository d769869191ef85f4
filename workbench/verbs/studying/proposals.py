"""The rules that a study would end with, without its folds: what looks worth a rule, at once."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic

from workbench.progress import SILENT, Conduct, Progress
from workbench.study.blanks_among import labelled_rows
from workbench.study.explaining import studied_rules
from workbench.study.fitting import candidates_for, labelled_sample
from workbench.study.prepared import prepared
from workbench.study.program import program_text
from workbench.study.result import StudiedRule
from workbench.study.run import Settings, Studied, fitted_rules
from workbench.tables import find_sources, stage
from workbench.verbs.common import deadline_after


@dataclass(frozen=True)
class ProposedRules:
    """Rules about one column of tables, the weightiest first; and as a program over the predicates
    that loading these tables makes.
    """

    rules: tuple[StudiedRule, ...]
    program: str
    candidates: int


def proposed_rules(
    sources: Sequence[str | os.PathLike[str]],
    predict: str,
    *,
    rules: int = 20,
    time_limit: float | None = None,
    progress: Progress = SILENT,
) -> ProposedRules:
    """Choose rules from the candidates of a study, by all labels.

    Parameters
    ----------
    sources, predict, time_limit
        As `study` takes them; two thirds of the time are for looking for candidates.

    Raises
    ------
    What `study` raises of tables and labels.
    """
    deadline, settings = deadline_after(time_limit), Settings(rules=rules)
    until = None if deadline is None else deadline - (deadline - monotonic()) / 3
    progress.step("tables", 0.0)
    with stage(find_sources(sources), lists_apart=True, parts_together=True) as staging:
        ready = prepared(staging, predict, time=None, mapping=None)
        rows = labelled_sample(ready.labels, 0)
        matrix = candidates_for(
            staging, ready, rows, collective=True, deadline=until, progress=progress
        )
        conduct = Conduct(deadline=deadline, progress=progress)
        target = labelled_rows(staging, ready, rows)
        model = fitted_rules(matrix, target, settings, conduct)
        studied = Studied(target.kind, target.labels, target.n_classes, model)
        return ProposedRules(
            studied_rules(ready, model, matrix, studied, timed=False),
            program_text(ready, model, matrix.candidates),
            len(matrix.candidates),
        )
