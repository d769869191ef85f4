"""The shapes of the answers that a server gives, for its OpenAPI description."""

from __future__ import annotations

from typing import Any, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field
from pydantic.json_schema import models_json_schema

Figure = float | None
"""A number; None where it is not to be had, or is not finite."""
Row = dict[str, Any]
"""A row of a table whose columns hang on what was asked."""
Item = TypeVar("Item")


class Shape(BaseModel):
    """Fields, and no others."""

    model_config = ConfigDict(extra="forbid")


class Some(Shape, Generic[Item]):
    """The first of a list, and how many it has."""

    count: int
    items: list[Item]


class Told(Shape):
    """A diagnostic."""

    severity: Literal["error", "warning", "note"]
    code: str
    message: str
    line: int | None = None
    column: int | None = None
    help: str | None = None


class Fault(Told):
    """A diagnostic of what is refused, with the end of its place."""

    end_line: int | None = None
    end_column: int | None = None


class Note(Told):
    """A diagnostic beside an answer, with its file."""

    file: str | None = None


class Refused(Shape):
    """What is wrong, and with which status a command would end by it."""

    ok: Literal[False]
    diagnostics: list[Fault]
    next: str
    exit_code: int | None = None


class Answer(Shape):
    """What all answers of tools have."""

    ok: Literal[True]
    next: str = Field(description="The step that is sensible now.")
    cut: str | None = Field(None, description="Said where long lists were cut.")


class Health(Shape):
    """Whether the server is up."""

    status: str
    version: str
    jobs: int
    audit: str | None = Field(None, description="Why the audit cannot be written.")


class JobState(Shape):
    """A job: its answer is the tool's, once it has ended."""

    id: int
    kind: str
    status: Literal["waiting", "running", "done", "failed", "cancelled"]
    stage: str
    share: Figure
    message: str
    answer: Row | None
    seconds: float


class JobList(Shape):
    """Jobs, newest first, without their answers."""

    jobs: list[JobState]


class Uploaded(Shape):
    """A file that may be loaded by its name now."""

    ok: Literal[True]
    file: str
    bytes: int


class RunsTaken(Shape):
    """By the number that a run had, its number here."""

    ok: Literal[True]
    runs: dict[str, int]


class AuditedCall(Shape):
    """Who did what."""

    at: str
    who: str
    what: str
    ok: bool


class Audited(Shape):
    """The last calls."""

    calls: list[AuditedCall]


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


class RunLine(Shape):
    """A recorded run."""

    id: int
    parent: int | None
    kind: str
    seconds: Figure
    status: str | None
    engine: str | None


class Runs(Answer):
    """Recorded runs, newest first."""

    count: int
    items: list[RunLine]


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


class LinkedRecord(Shape):
    """A record and its cluster."""

    source: str
    id: str
    cluster: str


class Link(Answer):
    """A linkage, and the records that are not alone."""

    status: str
    run: int
    records: int
    candidates: int
    clusters: int
    energy: Figure
    bound: Figure
    gap: Figure
    estimated_precision: Figure
    estimated_recall: Figure
    seconds: float
    fields: list[str]
    left_out: dict[str, Any]
    linked: Some[LinkedRecord]
    warnings: list[Note]


class LinkMore(Answer):
    """What further records changed; whole tables, column by column, where they were asked for."""

    status: str
    run: int
    records: int
    new: int
    known: int
    candidates: int
    share_of_pairs: float
    clusters: int
    energy: Figure
    bound: Figure
    gap: Figure
    components: int
    components_open: int
    records_clustered: int
    changed: dict[str, list[Row]]
    seconds: float
    left_out: dict[str, Any]
    diagnostics: list[Note]
    rows: Some[LinkedRecord] | None = None
    clusters_table: dict[str, list[Any]] | None = None
    pairs_table: dict[str, list[Any]] | None = None


class DeleteRun(Answer):
    """A run that is gone."""

    deleted: int


class Question(Shape):
    """A prediction to ask people about, with what is known of its things."""

    atom: str
    world: str
    shown: str
    value: Figure
    change: Figure
    known: list[str]


class Review(Answer):
    """What to ask people."""

    run: int
    without_label: int
    waiting: int
    questions: list[Question]


class PersonSaid(Answer):
    """What a person said of a prediction, or says of it no more."""

    atom: str
    world: str
    says: bool | None
    reviewer: str | None = None


class PairAsked(Shape):
    """Two records side by side, with how likely they are the same."""

    left: str
    right: str
    probability: Figure
    together: bool
    columns: dict[str, list[Any]]


class ReviewPairs(Answer):
    """Which pairs to ask people about."""

    run: int
    answered: int
    questions: list[PairAsked]


class AnswerPair(Answer):
    """A linkage after an answer."""

    moved: int
    records: int
    clusters: int
    components: int
    components_open: int
    energy: Figure
    bound: Figure


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
