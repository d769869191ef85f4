"""What the verbs take beside their subject, by name and type; their functions say what it means."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, TypedDict

from workbench.errors import UsageError
from workbench.progress import LARGEST_SEED, SILENT, Conduct, Progress
from workbench.verbs.common import deadline_after

if TYPE_CHECKING:
    from workbench.inference.accepts import Task
    from workbench.network import Templates
    from workbench.study.learners import LearnerName
    from workbench.tables import TablesMapping
    from workbench.verbs.solved_model import ModelTask


class How(TypedDict, total=False):
    """How a call is carried out: the seed, the seconds that it may take, and who hears of it."""

    seed: int
    time_limit: float | None
    progress: Progress


def conduct_of(how: How) -> Conduct:
    """The conduct of work that begins now.

    Raises E0841 for a seed that is out of range, E0843 for another option.
    """
    if unknown := ", ".join(name for name in how if name not in How.__annotations__):
        raise UsageError.of("E0843", f"there is no option {unknown} here")
    seed = how.get("seed", 0)
    if not 0 <= seed <= LARGEST_SEED:
        raise UsageError.of("E0841", f"a seed is from 0 to {LARGEST_SEED}, not {seed}")
    return Conduct(seed, deadline_after(how.get("time_limit")), how.get("progress", SILENT))


class PredicateOptions(TypedDict, total=False):
    """Which predicates are asked for, and how the others are read."""

    query: Sequence[str] | str | None
    closed: Sequence[str] | str | None
    hidden: Sequence[str] | str | None
    allow_future: bool


class RequestOptions(PredicateOptions, total=False):
    """What is ground: see `workbench.grounding.GroundRequest`; worlds by name."""

    worlds: Sequence[str] | None
    templates: Templates | None
    tie: bool
    limit: int
    memory: str | int | None
    ignore_evidence_violations: bool


class InferenceOptions(RequestOptions, total=False):
    """See `workbench.verbs.modelling.Modelling.infer`."""

    engine: str
    options: Mapping[str, object] | None
    time_limit: float | None
    progress: Progress


class DocumentOptions(RequestOptions, total=False):
    """What `infer` takes beside its engine; see `workbench.verbs.documents.Documents`."""

    task: Task | None
    labels: Literal["evidence", "withheld"]
    record: bool
    on: str | None
    time_limit: float | None
    progress: Progress


class LearningOptions(RequestOptions, total=False):
    """See `workbench.verbs.learn.learn`."""

    learner: str
    options: Mapping[str, object] | None
    candidates: Mapping[str, Sequence[object]] | None
    intervals: Literal["laplace", "bootstrap"] | None
    lazy: bool
    time_limit: float | None
    progress: Progress


class CrossvalOptions(PredicateOptions, How, total=False):
    """See `workbench.verbs.crossval.crossval`; predicates as in `RequestOptions`."""

    learner: str
    learner_options: Mapping[str, object] | None
    candidates: Mapping[str, Sequence[object]] | None
    task: Task | None
    engine: str
    engine_options: Mapping[str, object] | None
    inductive: bool
    record: bool


class StructureOptions(How, total=False):
    """See `workbench.verbs.induction.induce` (with modes), `.structure.learn_rules` (without)."""

    loop: str
    weights: str
    features: str
    collect: float | None
    method: str
    worlds: Sequence[str] | None
    settings: Mapping[str, object] | None
    candidates: int
    record: bool


class StudyOptions(How, total=False):
    """See `workbench.verbs.studying.study.study`."""

    out: str | os.PathLike[str] | None
    time: str | None
    mapping: TablesMapping | str | os.PathLike[str] | None
    folds: int
    rules: int
    learner: LearnerName
    inductive: bool


class LinkOptions(How, total=False):
    """See `workbench.verbs.linking.link.link`."""

    id_column: str | None
    labels: str | os.PathLike[str] | None
    settings: str | os.PathLike[str] | None
    one_to_one: bool
    threshold: float | None


class LinkMoreOptions(How, total=False):
    """See `workbench.verbs.linking.more.link_more`."""

    id_column: str | None
    correct: bool
    remove: bool


class SolveOptions(How, total=False):
    """See `workbench.verbs.solve.solve_model`."""

    evidence: str | os.PathLike[str] | None
    task: ModelTask
    engine: str
