"""`learn`: weights from labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from workbench.commands.command import OUTPUT, SOLVING, command, option
from workbench.commands.console import (
    check_output,
    end_as,
    print_json,
    print_line,
    print_table,
    print_warnings,
    written,
)
from workbench.commands.given import choices, opened, parameters, read_rules
from workbench.commands.options import (
    Json,
    Limit,
    Memory,
    OnlyWorlds,
    QuestionOptions,
    RulesFile,
    Seed,
    TimeLimit,
)
from workbench.commands.working import shown_progress

if TYPE_CHECKING:
    from workbench.verbs.learning_result import LearningResult


@dataclass(frozen=True)
class LearnerOptions:
    """Which learner, with what parameters."""

    learner: Annotated[
        str, option("--learner -l", "auto, voted_perceptron, pseudo_likelihood, ...", SOLVING)
    ] = "auto"
    settings: Annotated[
        list[str] | None,
        option("--set", "A parameter of the learner, name=value; once per parameter.", SOLVING),
    ] = None
    candidates: Annotated[
        list[str] | None,
        option(
            "--validate",
            "Choose a parameter on the last training world: name=value,value; repeatable.",
            SOLVING,
        ),
    ] = None


@dataclass(frozen=True)
class LearnArguments(LearnerOptions):
    """How `learn` goes about it."""

    intervals: Annotated[
        str | None,
        option("--intervals", "laplace or bootstrap: an interval beside each weight.", SOLVING),
    ] = None
    only: OnlyWorlds = None
    tie: Annotated[
        bool, option("--tie", "One weight per formula instead of one per clause.", SOLVING)
    ] = False
    lazy: Annotated[
        bool,
        option(
            "--lazy", "max_margin: ground hard rules only where a state violates them.", SOLVING
        ),
    ] = False
    limit: Limit = 50_000_000
    memory: Memory = None
    seed: Seed = 0
    time_limit: TimeLimit = None

    def of_verb(self) -> dict[str, Any]:
        """The same by the names that a workspace's verb gives them."""
        same = "learner intervals tie lazy limit memory seed time_limit".split()
        return {name: getattr(self, name) for name in same} | {
            "options": parameters(self.settings),
            "candidates": choices(self.candidates),
            "worlds": self.only,
        }


# What the labels say beside a weight: how often the head is true where the body is, and elsewhere.
RATES = {
    "support": "atoms with the body",
    "rate": "true of them",
    "rate_of_others": "true of others",
}


@command(
    "Predicting and learning",
    "learn rules.mln --data train.db --query Smokes --out learned.mln",
    "learn rules.mln --world a.db --world b.db -q Smokes --learner voted_perceptron",
    "learn model.psl --data model.data --out learned.psl",
    served=True,
)
def learn(
    rules: RulesFile,
    question: QuestionOptions,
    learning: LearnArguments,
    out: Annotated[Path | None, option("--out -o", "Write the learned program.", OUTPUT)] = None,
    json: Json = False,
) -> None:
    """Learn the rules' weights from data in which the query predicates are labelled."""
    from workbench.language import is_document

    check_output(out, [rules, *question.files])
    program, how = read_rules(rules), learning.of_verb() | question.predicates
    if is_document(rules):
        how |= _of_document(rules, how)
    with (
        opened(question, program, learning=True, memory=learning.memory) as workspace,
        shown_progress(quiet=json) as progress,
    ):
        result = workspace.learn(program, progress=progress, **how)
    print_warnings(result.warnings)
    written(out, result.save)
    if json:
        print_json(result.summary())
    else:
        _print_weights(result)
    end_as(result.learned.status)


def _of_document(rules: Path, how: Mapping[str, Any]) -> dict[str, Any]:
    """What a PSL document says of learning, where the command does not."""
    from workbench.verbs.psl_documents.course import plan_of

    plan = plan_of(rules)
    print_warnings(plan.warnings())
    said: dict[str, Any] = {"seed": how["seed"] or plan.learning.seed or 0}
    if how["learner"] in ("auto", plan.learning.learner):
        said["learner"] = plan.learning.learner
        said["options"] = {**plan.learning.learner_options, **how["options"]}
    return said | {"validation": rules if plan.validates and plan.keeps_best else None}


def _print_weights(result: LearningResult) -> None:
    ends = () if result.intervals is None else ("low", "high")
    columns = ["weight", *ends, "initial", "text", "open", *RATES]
    rows = [[row.get(name) for name in columns] for row in result.rules()]
    titles = {"initial": "before", "text": "rule", "open": "open groundings", **RATES}
    shown = [titles.get(name, name) for name in columns]
    print_table("Weights", shown, rows, rest="--out FILE writes them all")
    if result.intervals is not None:
        of = f" of {result.intervals.resampled}" if result.intervals.resampled else ""
        print_line(f"intervals: {result.intervals.level:.0%}, {result.intervals.method}{of}")
    print_line(f"{result.learned.status} by {result.learned.learner} in {result.seconds:.2f} s")
