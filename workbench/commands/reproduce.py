"""`reproduce`: the papers' tables beside ours, on the real data."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Timer
from typing import Annotated

import typer

from workbench.commands.console import print_json, print_line, print_table, shown_progress
from workbench.commands.options import Json, examples
from workbench.errors import ExitCode
from workbench.progress import Progress

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command(rich_help_panel="Start", epilog=examples("reproduce uw-cse --folds 1"))(reproduce)


def reproduce(
    name: Annotated[str, typer.Argument(help="uw-cse, cora, webkb, citeseer, alzheimer, psl-cora, ...")],
    data_dir: Annotated[Path | None, typer.Option("--data-dir", help="Where the real data sets are.")] = None,
    folds: Annotated[int | None, typer.Option("--folds", help="Only the first K folds.", min=1)] = None,
    system: Annotated[
        list[str] | None, typer.Option("--system", help="Only this row, such as 'MLN(VP)'; repeatable, where rows are.")
    ] = None,
    column: Annotated[
        list[str] | None, typer.Option("--column", help="Only this data set of several, such as amine; repeatable.")
    ] = None,
    workspace: Annotated[
        Path | None, typer.Option("--workspace", help="Keep the table in this workspace file, for the page to show.")
    ] = None,
    time_limit: Annotated[
        float | None, typer.Option("--time-limit", help="Stop after so many seconds, with what is measured.", min=0.0)
    ] = None,
    json: Json = False,
) -> None:
    """Run a published experiment's protocol and print its table beside ours; Ctrl-C prints what is measured so far."""
    from workbench.experiments import keep
    from workbench.experiments import reproduce as run_experiment
    from workbench.workspace import open_workspace

    if workspace is not None:
        open_workspace(workspace).close()
    with shown_progress() as progress:
        chosen = {"systems": system, "columns": column}
        options = {name: tuple(values) for name, values in chosen.items() if values}
        with _stopped_after(time_limit, progress):
            table = run_experiment(name, data_dir=data_dir, folds=folds, progress=progress, **options)
    if workspace is not None:
        with open_workspace(workspace) as opened:
            keep(opened, table)
    if json:
        print_json(table.as_record())
    else:
        shown = [row for row in table.rows if row.folds] if options else table.rows
        print_table(
            table.title,
            ("system", "column", "metric", "published", "ours", "sd", "folds"),
            [(row.system, row.column, row.metric, row.published, row.ours, row.sd, row.folds) for row in shown],
        )
        if len(shown) < len(table.rows):
            print_line(f"{len(table.rows) - len(shown)} published figures without ours are left out.")
        for note in table.notes:
            print_line(note)
    if not table.complete:
        raise typer.Exit(int(ExitCode.LIMIT))


@contextmanager
def _stopped_after(seconds: float | None, progress: Progress) -> Iterator[None]:
    """Cancel `progress` when the time is up."""
    if seconds is None:
        yield
        return
    timer = Timer(seconds, progress.cancel_event.set)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
