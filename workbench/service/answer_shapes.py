"""The shapes of the answers that a server gives, for its OpenAPI description."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import ConfigDict
from pydantic.json_schema import models_json_schema

from workbench.service.linkage_shapes import Link, LinkMore
from workbench.service.review_shapes import AnswerPair, PersonSaid, Review, ReviewPairs
from workbench.service.shapes import (
    Answer,
    Audited,
    DeleteRun,
    Figure,
    Health,
    JobList,
    JobState,
    Note,
    Refused,
    Row,
    Runs,
    RunsTaken,
    Shape,
    Some,
    Uploaded,
)


class ColumnLook(Shape):
    """What a column seems to be, and why."""

    column: str
    kind: str
    predicate: str | None
    why: str


class TableLook(Shape):
    """A table that was looked at."""

    table: str
    columns: list[ColumnLook]
    first_rows: list[list[Any]]


class Profile(Answer):
    """Tables that were looked at."""

    tables: list[TableLook]
    notes: list[Note]
    mapping: str | None = None


class Load(Answer):
    """What was loaded: facts by predicate."""

    facts: dict[str, int]
    new_facts: int
    worlds: list[str] | int
    asked_for: str | None
    warnings: list[Note]


class PredicateFacts(Shape):
    """A predicate, and its facts by what they are for."""

    predicate: str
    facts: dict[str, int]


class Schema(Answer):
    """What there is."""

    predicates: list[PredicateFacts]
    worlds: list[str]
    asked_for: str | None
    files: list[str]


class ProposeRules(Answer):
    """Rules with support; a search of the facts adds its figures."""

    model_config = ConfigDict(extra="allow")
    rules: list[Row]
    candidates: int | Some[Row]
    program: str


class Check(Answer):
    """Rules in which nothing is wrong."""

    language: str
    rules: int
    predicates: list[str]
    warnings: list[Note]


class RulePreview(Shape):
    """How often a rule is ground, and the first of its ground rules."""

    rule: str
    ground_rows: int | None
    open: int | None
    satisfied: int | None
    violated: int | None
    samples: list[str]


class Preview(Answer):
    """Counts of what rules ground to."""

    rules: list[RulePreview]
    atoms: int
    ground_rows: int


class Learn(Answer):
    """Learned weights, in a program and one by one."""

    status: str
    learner: str
    run: int
    atoms: int
    ground_rows: int
    seconds: float
    rules: Some[Row]
    warnings: list[Note]
    program: str


class Crossval(Answer):
    """Scores by fold; by metric their mean, standard deviation and 95 % interval."""

    status: str
    planned: int
    run: int
    folds: list[Row]
    mean: dict[str, Figure]
    sd: dict[str, Figure]
    interval: dict[str, list[Figure]]
    seconds: float
    learned: dict[str, int]
    predicted: dict[str, int]


class Prediction(Shape):
    """An atom and its probability or value; `shown` where things have names to be shown by."""

    atom: str
    value: Figure
    shown: str | None = None
    world: str | None = None


class Infer(Answer):
    """Predictions with their certificate."""

    status: str
    engine: str
    reason: str
    energy: Figure
    bound: Figure
    gap: Figure
    hard_violation: Figure
    atoms: int
    ground_rows: int
    run: int
    predictions: Some[Prediction]
    scores: dict[str, Any] | None
    warnings: list[Note]


class Reason(Shape):
    """A ground rule, and what it adds."""

    rule: str
    contribution: Figure
    definitions: list[str]
    because: str
    others: str


class Explain(Answer):
    """Why an atom has its value."""

    atom: str
    value: Figure
    sentence: str
    reasons: Some[Reason]


class Moved(Shape):
    """An atom whose value moved; None before it came, and once data decide it."""

    atom: str
    predicate: str
    before: Figure
    after: Figure
    change: Figure = None
    world: str | None = None


class WhatIf(Answer):
    """What would move, of so many atoms."""

    changed: int
    of: int
    items: list[Moved]


class Update(Answer):
    """A prediction brought up to date."""

    status: str
    run: int
    parent: int
    changed: int
    facts_added: int
    facts_removed: int
    rows_added: int
    rows_removed: int
    rules_ground: int
    atoms_solved: int
    energy: Figure
    bound: Figure
    gap: Figure
    seconds: float
    engine: str
    reason: str
    changes: list[Moved]
    clusters: dict[Literal["merged", "split"], list[Row]]


class Compare(Answer):
    """What differs between two runs."""

    settings: list[Row]
    metrics: list[Row]
    tests: list[Row]
    weights: list[Row]
    predictions: list[Row]


class Query(Answer):
    """Rows; `more` where there are others."""

    columns: list[str]
    rows: list[list[Any]]
    more: bool


class Study(Answer):
    """A study's scores beside baselines', its rules and some explanations."""

    run: int
    status: str
    sentence: str
    kind: str
    metrics: dict[str, Row]
    seconds: float
    warnings: list[Note]
    baselines: dict[str, dict[str, Figure]]
    rules: Some[Row]
    explanations: Some[Row]


ANSWERS: dict[str, type[Answer]] = {
    **{"profile": Profile, "load": Load, "schema": Schema, "propose_rules": ProposeRules},
    **{"check": Check, "preview": Preview, "learn": Learn, "crossval": Crossval, "infer": Infer},
    **{"explain": Explain, "what_if": WhatIf, "update": Update, "compare": Compare, "query": Query},
    **{"runs": Runs, "study": Study, "link": Link, "link_more": LinkMore, "delete_run": DeleteRun},
    **{"review": Review, "answer": PersonSaid, "undo_answer": PersonSaid},
    **{"review_pairs": ReviewPairs, "answer_pair": AnswerPair},
}
"""By tool the shape of its answer."""


def described_shapes() -> dict[str, Any]:
    """All shapes by name, as OpenAPI's components."""
    others = (Refused, Health, JobState, JobList, Uploaded, RunsTaken, Audited)
    models = [(model, "serialization") for model in (*others, *dict.fromkeys(ANSWERS.values()))]
    _, found = models_json_schema(models, ref_template="#/components/schemas/{model}")  # type: ignore[arg-type]
    shapes: dict[str, Any] = found["$defs"]
    return shapes
