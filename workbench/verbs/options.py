"""What the verbs take beside their subject, by name and type; the functions behind them say what each means."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypedDict

from workbench.progress import Progress

if TYPE_CHECKING:
    from workbench.inference.accepts import Task
    from workbench.network import Templates
    from workbench.study.learners import LearnerName
    from workbench.tables import TablesMapping
    from workbench.verbs.solve import ModelTask

__all__ = ["CrossvalOptions", "LinkOptions", "RequestOptions", "SolveOptions", "StructureOptions", "StudyOptions"]


class RequestOptions(TypedDict, total=False):
    """What is ground: see `workbench.grounding.GroundRequest`; worlds by name."""

    query: Sequence[str] | str | None
    closed: Sequence[str] | str | None
    hidden: Sequence[str] | str | None
    worlds: Sequence[str] | None
    templates: Templates | None
    tie: bool
    limit: int
    memory: str | int | None
    ignore_evidence_violations: bool
    allow_future: bool


class CrossvalOptions(TypedDict, total=False):
    """See `workbench.verbs.crossval.crossval`; predicates as in `RequestOptions`."""

    query: Sequence[str] | str | None
    closed: Sequence[str] | str | None
    hidden: Sequence[str] | str | None
    allow_future: bool
    learner: str
    learner_options: Mapping[str, object] | None
    candidates: Mapping[str, Sequence[object]] | None
    task: Task | None
    engine: str
    engine_options: Mapping[str, object] | None
    inductive: bool
    seed: int
    time_limit: float | None
    progress: Progress
    record: bool


class StructureOptions(TypedDict, total=False):
    """See `workbench.verbs.induction.induce` (with modes) and `workbench.verbs.structure.learn_rules` (without)."""

    loop: str
    weights: str
    features: str
    collect: float | None
    method: str
    worlds: Sequence[str] | None
    settings: Mapping[str, object] | None
    candidates: int
    seed: int
    time_limit: float | None
    progress: Progress
    record: bool


class StudyOptions(TypedDict, total=False):
    """See `workbench.verbs.study.study`."""

    out: str | os.PathLike[str] | None
    time: str | None
    mapping: TablesMapping | str | os.PathLike[str] | None
    folds: int
    rules: int
    learner: LearnerName
    inductive: bool
    seed: int
    time_limit: float | None
    progress: Progress


class LinkOptions(TypedDict, total=False):
    """See `workbench.verbs.link.link`."""

    id_column: str | None
    labels: str | os.PathLike[str] | None
    settings: str | os.PathLike[str] | None
    one_to_one: bool
    time_limit: float | None
    seed: int
    progress: Progress


class SolveOptions(TypedDict, total=False):
    """See `workbench.verbs.solve.solve_model`."""

    evidence: str | os.PathLike[str] | None
    task: ModelTask
    engine: str
    seed: int
    time_limit: float | None
    progress: Progress
