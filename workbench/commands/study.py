"""`study`: one line from tables to a scored, explained model."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workbench.commands.command import DATA, OUTPUT, SOLVING, command, option
from workbench.commands.console import (
    end_as,
    print_json,
    print_line,
    print_table,
    print_warnings,
    writing,
)
from workbench.commands.options import Json, RunsFile, Seed, WholeTimeLimit
from workbench.commands.served import at_hand
from workbench.commands.working import shown_progress

if TYPE_CHECKING:
    from workbench.study.result import StudyResult


@dataclass(frozen=True)
class StudyArguments:
    """How a study goes about it, by the names that a workspace's verb gives it."""

    time: Annotated[
        str | None, option("--time", "TABLE.DATECOLUMN: each row is asked at its own date.", DATA)
    ] = None
    mapping: Annotated[
        Path | None, option("--mapping", "What the columns mean, as load prints it.", DATA)
    ] = None
    folds: Annotated[int, option("--folds", "Held-out parts of the labels.", SOLVING)] = 5
    rules: Annotated[int, option("--rules", "Rules, at most.", SOLVING)] = 30
    learner: Annotated[str, option("--learner", "rules or boosted_trees.", SOLVING)] = "rules"
    inductive: Annotated[
        bool, option("--inductive", "Held-out rows see no label of others.", SOLVING)
    ] = False
    seed: Seed = 0
    time_limit: WholeTimeLimit = None


@command(
    "Start",
    "study people.csv directors.csv --predict people.is_fraud --out study/",
    "study shop.sqlite --predict orders.late --time orders.placed --out late/ --learner "
    "boosted_trees",
    served=True,
)
def study(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILES...", help="Tables: CSV, Parquet, Excel, JSON lines, databases."
        ),
    ],
    predict: Annotated[
        str, option("--predict", "TABLE.COLUMN or TABLE.COLUMN=VALUE; its blanks are asked.")
    ],
    out: Annotated[Path, option("--out -o", "Directory for the report.", OUTPUT)],
    how: StudyArguments,
    workspace: RunsFile = None,
    json: Json = False,
) -> None:
    """Learn, score and explain a model of one column, from tables as they are."""
    from workbench.study.report import write_study

    with writing(out):
        out.mkdir(parents=True, exist_ok=True)
    with at_hand(workspace) as opened, shown_progress(quiet=json) as progress:
        recorded = workspace is not None
        result = opened.study(
            files, predict, record=recorded, out=out, progress=progress, **vars(how)
        )
    print_warnings(result.warnings)
    with writing(out):
        write_study(result, out)
    if json:
        print_json(result.as_record())
    else:
        _print(result, out)
    end_as(result.status)


def _print(result: StudyResult, out: Path) -> None:
    print_line(result.sentence)
    metrics = list(
        dict.fromkeys(
            name
            for name in ("AUC-ROC", "AUC-PR", "F1", "accuracy", "MAE", "RMSE", "R2")
            if name in result.metrics
        )
    )
    systems = {result.learner: result.metrics, **result.baselines}
    print_table(
        f"Scores on {result.folds} held-out folds",
        ("", *metrics),
        [
            (name, *(found[metric]["mean"] if metric in found else None for metric in metrics))
            for name, found in systems.items()
        ],
    )
    print_table(
        "Rules",
        ("rule", "rows", "with", "without"),
        [
            (rule.words, rule.support, rule.rate_with, rule.rate_without)
            for rule in result.rules[:30]
        ],
    )
    if len(result.rules) > 30:
        print_line(f"... {len(result.rules) - 30:,} more in {out / 'report.html'}")
    for line in result.commands:
        print_line(line)
    print_line(
        f"{result.status} in {result.seconds:.1f} s: {out / 'report.html'}, predictions.csv, "
        "program.mln"
    )
