"""`crossval`: how well what is learned carries over to unseen databases."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from workbench.commands.command import DATA, SOLVING, command, option
from workbench.commands.console import end_as, print_json, print_line, print_table, print_warnings
from workbench.commands.given import choices, chosen_task, opened, parameters, read_rules
from workbench.commands.learn import LearnerOptions
from workbench.commands.options import (
    FactOptions,
    Json,
    OnlyWorlds,
    QuestionOptions,
    RulesFile,
    Seed,
    TaskName,
)
from workbench.commands.unused import changed, refuse_unused
from workbench.commands.working import shown_progress


@dataclass(frozen=True)
class FoldOptions(LearnerOptions):
    """How `crossval` goes about it."""

    engine: Annotated[
        str, option("--engine -e", "Engine that predicts the test part.", SOLVING)
    ] = "auto"
    engine_settings: Annotated[
        list[str] | None,
        option("--set-engine", "A parameter of the engine, name=value; once each.", SOLVING),
    ] = None
    folds: Annotated[
        str,
        option(
            "--folds",
            "worlds: leave one out; a number: deal them into so many, or, of one world, the "
            "labelled atoms of the query predicate, kept in place of earlier folds; kept: those of "
            "the workspace.",
            DATA,
        ),
    ] = "worlds"
    fold: Annotated[
        list[str] | None, option("--fold", "Worlds to hold out together, W,W; once per fold.", DATA)
    ] = None
    inductive: Annotated[
        bool,
        option("--inductive", "Predict a fold of atoms without the labels of the others.", SOLVING),
    ] = False
    only: OnlyWorlds = None
    task: TaskName = None
    seed: Seed = 0
    time_limit: Annotated[
        float | None,
        option("--time-limit", "Seconds for each fold's learner, and its engine.", SOLVING, min=0),
    ] = None

    def of_verb(self) -> dict[str, Any]:
        """The same by the names that a workspace's verb gives them."""
        same = "learner engine inductive seed time_limit".split()
        groups = [group.split(",") for group in self.fold or ()]
        return {name: getattr(self, name) for name in same} | {
            "folds": groups or (int(self.folds) if self.folds.isdecimal() else self.folds),
            "worlds": self.only,
            "learner_options": parameters(self.settings),
            "candidates": choices(self.candidates),
            "engine_options": parameters(self.engine_settings),
            "task": chosen_task(self.task),
        }

    def refuse_beside_rules(self, question: QuestionOptions) -> None:
        """Refuse what says nothing of rules that are learned from an ILP problem."""
        given = changed(replace(question, workspace=None)) | {
            "--engine": self.engine != "auto", "--set-engine": self.engine_settings,
            "--task": self.task, "--fold": self.fold, "--only": self.only,
            "--validate": self.candidates, "--inductive": self.inductive,
        }  # fmt: skip
        how = "its files hold facts and examples; --learner, --set and --folds say how"
        refuse_unused(given, "an ILP problem", how)


@command(
    "Predicting and learning",
    "crossval rules.mln --world a.db --world b.db --world c.db --query Smokes",
    served=True,
)
def crossval(
    rules: RulesFile, question: QuestionOptions, how: FoldOptions, json: Json = False
) -> None:
    """Learn without a part of the data (a world, or a fold), predict it, score it; a row a fold.

    Of an ILP problem (Aleph's or Popper's files) rules and their weights are learned: --learner is
    none, l1, l2, elastic or group, --set takes the search's settings, loop, features and collect,
    --folds a number or kept.
    """
    from workbench.database import FORMATS, format_of

    if rules.is_dir() or format_of(rules) is FORMATS["ilp"]:
        how.refuse_beside_rules(question)
        _crossval_of_rules(rules, question, how, json=json)
        return
    program, options = read_rules(rules), how.of_verb() | question.predicates
    with opened(question, program) as workspace, shown_progress(quiet=json) as progress:
        result = workspace.crossval(program, progress=progress, **options)
    _print_folds(result.summary(), json=json)


def _crossval_of_rules(path: Path, facts: FactOptions, given: FoldOptions, *, json: bool) -> None:
    """Cross-validate rules that are learned from an ILP problem."""
    from workbench.errors import UsageError
    from workbench.language.ilp.reader import read_ilp
    from workbench.verbs.induction_crossval import crossval_induction, induction_of

    how = induction_of(given.learner, parameters(given.settings))
    problem = read_ilp(path)
    print_warnings(problem.warnings)
    dealt = "5" if given.folds == "worlds" else given.folds
    if not (dealt == "kept" or dealt.isdecimal()):
        raise UsageError.of(
            "E0806", f"there are no folds `{given.folds}`", help="choose kept, or a number"
        )
    with (
        opened(FactOptions(workspace=facts.workspace), None) as space,
        shown_progress(quiet=json) as progress,
    ):
        result = crossval_induction(
            space.database, problem, how, folds="kept" if dealt == "kept" else int(dealt),
            seed=given.seed, time_limit=given.time_limit, progress=progress,
        )  # fmt: skip
    _print_folds(result.summary(), json=json)


def _print_folds(summary: dict[str, Any], *, json: bool) -> None:
    if json:
        print_json(summary)
    else:
        _print_fold_table(summary)
    end_as(summary["status"])


def _print_fold_table(summary: Mapping[str, Any]) -> None:
    metrics = [name for name, mean in summary["mean"].items() if mean is not None]
    rows = [[fold["fold"], *(fold[name] for name in metrics)] for fold in summary["folds"]]
    rows.append(["mean", *(summary["mean"][name] for name in metrics)])
    if summary["sd"]:
        rows.append(["sd", *(summary["sd"][name] for name in metrics)])
        for end, label in enumerate(("95 % from", "95 % to")):
            rows.append(
                [label, *((summary["interval"][name] or (None, None))[end] for name in metrics)]
            )
    print_table("Each fold predicted by rules learned on the others", ["fold", *metrics], rows)
    for what in ("learned", "predicted"):
        if ends := summary.get(what):
            print_line(f"{what}: {', '.join(f'{status} {n}' for status, n in ends.items())}")
    done, planned = len(summary["folds"]), summary["planned"]
    if done < planned:
        print_line(f"{summary['status']} after {done} of {planned} folds")
