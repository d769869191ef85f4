"""`learn` and `crossval`: weights from labels, and how well they carry over to unseen databases."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, cast

from workbench.commands.command import DATA, OUTPUT, SOLVING, command, option
from workbench.commands.console import (
    check_output,
    end_as,
    print_json,
    print_line,
    print_table,
    print_warnings,
    written,
)
from workbench.commands.given import choices, chosen_task, opened, parameters, read_rules
from workbench.commands.options import (
    FactOptions,
    Json,
    Limit,
    Memory,
    OnlyWorlds,
    QuestionOptions,
    RulesFile,
    Seed,
    TaskName,
    TimeLimit,
)
from workbench.commands.unused import refuse_unused
from workbench.commands.working import shown_progress

__all__ = ["crossval", "learn"]

LearnerName = Annotated[
    str, option("--learner -l", "auto, voted_perceptron, pseudo_likelihood, ...", SOLVING)
]
LearnerSettings = Annotated[
    list[str] | None,
    option("--set", "A parameter of the learner, name=value; once per parameter.", SOLVING),
]
Candidates = Annotated[
    list[str] | None,
    option(
        "--validate",
        "Choose a parameter on the last training world: name=value,value; repeatable.",
        SOLVING,
    ),
]


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
    learner: LearnerName = "auto",
    settings: LearnerSettings = None,
    candidates: Candidates = None,
    intervals: Annotated[
        str | None,
        option("--intervals", "laplace or bootstrap: an interval beside each weight.", SOLVING),
    ] = None,
    only: OnlyWorlds = None,
    tie: Annotated[
        bool, option("--tie", "One weight per formula instead of one per clause.", SOLVING)
    ] = False,
    lazy: Annotated[
        bool,
        option(
            "--lazy", "max_margin: ground hard rules only where a state violates them.", SOLVING
        ),
    ] = False,
    limit: Limit = 50_000_000,
    memory: Memory = None,
    seed: Seed = 0,
    time_limit: TimeLimit = None,
    out: Annotated[Path | None, option("--out -o", "Write the learned program.", OUTPUT)] = None,
    json: Json = False,
) -> None:
    """Learn the rules' weights from data in which the query predicates are labelled."""
    from workbench.language import is_document
    from workbench.verbs.psl_documents.course import plan_of

    check_output(out, question.files)
    program, options, validation = read_rules(rules), parameters(settings), None
    if is_document(rules):
        plan = plan_of(rules)
        print_warnings(plan.warnings())
        seed = seed or plan.learning.seed or 0
        if learner in ("auto", plan.learning.learner):
            learner, options = plan.learning.learner, {**plan.learning.learner_options, **options}
        validation = rules if plan.validates and plan.keeps_best else None
    with (
        opened(question, program, learning=True, memory=memory) as open_workspace,
        shown_progress(quiet=json) as progress,
    ):
        result = open_workspace.learn(
            program,
            learner=learner,
            options=options,
            candidates=choices(candidates),
            intervals=cast(Any, intervals),
            validation=validation,
            lazy=lazy,
            worlds=only,
            seed=seed,
            time_limit=time_limit,
            progress=progress,
            **question.predicates,
            tie=tie,
            limit=limit,
            memory=memory,
        )
    print_warnings(result.warnings)
    written(out, result.save)
    if json:
        print_json(result.summary())
    else:
        columns = [
            "weight",
            *(("low", "high") if intervals else ()),
            "initial",
            "text",
            "open",
            *RATES,
        ]
        rows = [[row.get(name) for name in columns] for row in result.rules()]
        titles = {"initial": "before", "text": "rule", "open": "open groundings", **RATES}
        print_table("Weights", [titles.get(name, name) for name in columns], rows[:60])
        if len(rows) > 60:
            print_line(f"... {len(rows) - 60:,} more; --out FILE writes them all")
        if result.intervals is not None:
            of = f" of {result.intervals.resampled}" if result.intervals.resampled else ""
            print_line(f"intervals: {result.intervals.level:.0%}, {result.intervals.method}{of}")
        print_line(f"{result.learned.status} by {result.learned.learner} in {result.seconds:.2f} s")
    end_as(result.learned.status)


@command(
    "Predicting and learning",
    "crossval rules.mln --world a.db --world b.db --world c.db --query Smokes",
    served=True,
)
def crossval(
    rules: RulesFile,
    question: QuestionOptions,
    learner: LearnerName = "auto",
    settings: LearnerSettings = None,
    engine: Annotated[
        str, option("--engine -e", "Engine that predicts the test part.", SOLVING)
    ] = "auto",
    engine_settings: Annotated[
        list[str] | None,
        option("--set-engine", "A parameter of the engine, name=value; once each.", SOLVING),
    ] = None,
    folds: Annotated[
        str,
        option(
            "--folds",
            "worlds: leave one out; a number: deal them into so many; "
            "kept: those of the workspace.",
            DATA,
        ),
    ] = "worlds",
    fold: Annotated[
        list[str] | None, option("--fold", "Worlds to hold out together, W,W; once per fold.", DATA)
    ] = None,
    candidates: Candidates = None,
    inductive: Annotated[
        bool,
        option("--inductive", "Predict a fold of atoms without the labels of the others.", SOLVING),
    ] = False,
    only: OnlyWorlds = None,
    task: TaskName = None,
    seed: Seed = 0,
    time_limit: Annotated[
        float | None,
        option("--time-limit", "Seconds for each fold's learner, and its engine.", SOLVING, min=0),
    ] = None,
    json: Json = False,
) -> None:
    """Learn without a part of the data (a world, or a fold), predict it, score it; a row a fold.

    Of an ILP problem (Aleph's or Popper's files) rules and their weights are learned: --learner is
    none, l1, l2, elastic or group, --set takes the search's settings, loop, features and collect,
    --folds a number or kept.
    """
    from workbench.database import FORMATS, format_of

    if rules.is_dir() or format_of(rules) is FORMATS["ilp"]:
        asked = question.predicates
        given = {
            "--data": question.data, "--mapping": question.mapping, "--world": question.world,
            **{f"--{name.replace('_', '-')}": value for name, value in asked.items()},
            "--engine": engine != "auto", "--set-engine": engine_settings, "--task": task,
            "--fold": fold, "--only": only, "--validate": candidates, "--inductive": inductive,
        }  # fmt: skip
        how = "its files hold facts and examples; --learner, --set and --folds say how"
        refuse_unused(given, "an ILP problem", how)
        _crossval_of_rules(
            rules, question, learner, parameters(settings), folds, seed, time_limit, json
        )
        return
    groups = [group.split(",") for group in fold or ()]
    program = read_rules(rules)
    with opened(question, program) as open_workspace, shown_progress(quiet=json) as progress:
        result = open_workspace.crossval(
            program,
            inductive=inductive,
            folds=cast(Any, groups or (int(folds) if folds.isdecimal() else folds)),
            worlds=only,
            learner=learner,
            learner_options=parameters(settings),
            candidates=choices(candidates),
            engine=engine,
            engine_options=parameters(engine_settings),
            task=chosen_task(task),
            seed=seed,
            time_limit=time_limit,
            progress=progress,
            **question.predicates,
        )
    _print_folds(result.summary(), json=json)


def _crossval_of_rules(
    path: Path,
    facts: FactOptions,
    learner: str,
    options: Mapping[str, object],
    folds: str,
    seed: int,
    time_limit: float | None,
    json: bool,
) -> None:
    """Cross-validate rules that are learned from an ILP problem."""
    from workbench.errors import UsageError
    from workbench.language.ilp.reader import read_ilp
    from workbench.verbs.induction_crossval import crossval_induction, induction_of

    how = induction_of(learner, options)
    problem = read_ilp(path)
    print_warnings(problem.warnings)
    dealt = 5 if folds == "worlds" else folds
    if not (dealt == "kept" or str(dealt).isdecimal()):
        raise UsageError.of(
            "E0806", f"there are no folds `{folds}`", help="choose kept, or a number"
        )
    with (
        opened(FactOptions(workspace=facts.workspace), None) as space,
        shown_progress(quiet=json) as progress,
    ):
        result = crossval_induction(
            space.database, problem, how, folds="kept" if dealt == "kept" else int(dealt),
            seed=seed, time_limit=time_limit, progress=progress,
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
