"""`reproduce`: the papers' tables beside ours, on the real data."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from os import times
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workbench.commands.command import command, option
from workbench.commands.console import print_error, print_json, print_line, print_table
from workbench.commands.options import Json
from workbench.commands.working import shown_progress
from workbench.errors import ExitCode, InputError, UsageError
from workbench.progress import after
from workbench.resources import require_experiments

if TYPE_CHECKING:
    from experiments import FigureDifference, ReproductionTable


@command("Start", "reproduce uw-cse --folds 1")
def reproduce(
    name: Annotated[
        str, typer.Argument(help="uw-cse, cora, webkb, citeseer, alzheimer, psl-cora, ...")
    ],
    data_dir: Annotated[Path | None, option("--data-dir", "Where the real data sets are.")] = None,
    folds: Annotated[int | None, option("--folds", "Only the first K folds.", min=1)] = None,
    system: Annotated[
        list[str] | None,
        option("--system", "Only this row, such as 'MLN(VP)'; repeatable, where rows are."),
    ] = None,
    column: Annotated[
        list[str] | None,
        option("--column", "Only this data set of several, such as amine; repeatable."),
    ] = None,
    workspace: Annotated[
        Path | None,
        option("--workspace", "Keep the table in this workspace file, for the page to show."),
    ] = None,
    time_limit: Annotated[
        float | None,
        option("--time-limit", "Stop after so many seconds, with what is measured.", min=0.0),
    ] = None,
    record: Annotated[
        Path | None,
        option("--record", "Write the figures, with commit and command, into this record (JSON)."),
    ] = None,
    against: Annotated[
        Path | None,
        option(
            "--against",
            "Compare with this record, to the third decimal; exit code 1 if any differs.",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Run a published experiment's protocol and print its table beside ours;
    Ctrl-C prints what is measured so far.
    """
    require_experiments()
    from experiments import differences, keep, read_record, recorded_table
    from experiments import reproduce as run_experiment
    from workbench.workspace import open_workspace

    if workspace is not None:
        open_workspace(workspace).close()
    if record is not None:
        read_record(record)  # what cannot be added to is told before hours of runs
    known = read_record(against) if against is not None else ()
    if against is not None and not known:
        raise UsageError.of(
            "E0906", f"there is no record {against}", help="`reproduce --record FILE` writes one"
        )
    with shown_progress() as progress:
        chosen = {"systems": system, "columns": column}
        options = {name: tuple(values) for name, values in chosen.items() if values}
        with after(time_limit, progress.cancel_event.set):
            table = run_experiment(
                name, data_dir=data_dir, folds=folds, progress=progress, **options
            )
    if workspace is not None:
        with open_workspace(workspace) as opened:
            keep(opened, table)
    if record is not None:
        _record(record, table, folds, options)
    differing, compared = differences(recorded_table(known), table) if known else ([], 0)
    if json:
        again = {"against": {"compared": compared, "differences": differing}} if known else {}
        print_json(table.as_record() | again)
    else:
        _print(table, parts=bool(options))
        _print_differences(differing)
    if not table.complete:
        raise typer.Exit(int(ExitCode.LIMIT))
    if known and json and (differing or not compared):
        raise typer.Exit(int(ExitCode.INPUT))
    if known and not json:
        _judge(len(differing), compared, against)


def _print(table: ReproductionTable, *, parts: bool) -> None:
    """The table; of a part of it only what was run."""
    shown = [row for row in table.rows if row.folds] if parts else table.rows
    print_table(
        table.title,
        ("system", "column", "metric", "published", "ours", "sd", "folds"),
        [
            (row.system, row.column, row.metric, row.published, row.ours, row.sd, row.folds)
            for row in shown
        ],
    )
    if len(shown) < len(table.rows):
        print_line(f"{len(table.rows) - len(shown)} published figures without ours are left out.")
    for note in table.notes:
        print_line(note)


def _print_differences(differing: Sequence[FigureDifference]) -> None:
    if differing:
        print_table(
            "Other than recorded",
            ("system", "column", "metric", "fold", "recorded", "again"),
            [
                (one.system, one.column, one.metric, one.fold, one.recorded, one.again)
                for one in differing
            ],
        )


def _record(
    path: Path, table: ReproductionTable, folds: int | None, parts: Mapping[str, tuple[str, ...]]
) -> None:
    """Add a run that came to its end to a record, with the command that repeats it."""
    from experiments import Measurement, add_measurement
    from workbench.inference.elsewhere import cpu_seconds

    if not table.complete:
        print_error(f"Nothing is recorded in {path}: the run was stopped before its end.")
        return
    words = ["workbench", "reproduce", table.name]
    words += [] if folds is None else ["--folds", str(folds)]
    words += [
        word
        for name, values in parts.items()
        for one in values
        for word in (f"--{name.removesuffix('s')}", one)
    ]
    spent = times()
    cpu = cpu_seconds() + spent.children_user + spent.children_system
    add_measurement(path, Measurement.of(table, shlex.join(words), cpu))


def _judge(differing: int, compared: int, path: Path | None) -> None:
    """E0905 if a figure differs from its record, or none could be compared."""
    if compared and not differing:
        print_error(f"All {compared} figures are as in {path}.")
        return
    said = (
        f"{differing} of {compared} figures differ from"
        if compared
        else "no figure of this run stands in"
    )
    raise InputError.of(
        "E0905", f"{said} {path}", help="if the change is meant, record it again: --record"
    )
