"""`update`: facts added and removed, and a recorded prediction brought up to date."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from workbench.commands.console import number, print_json, print_line, print_table, print_warnings, shown_progress
from workbench.commands.options import Json, examples
from workbench.commands.runs import Part, Workspace
from workbench.errors import ExitCode, UsageError

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command(
        rich_help_panel="Workspaces",
        epilog=examples(
            "update work.duckdb new.db --run 1",
            "update work.duckdb 'Friends(Anna, Bob)' --run 1",
            "update work.duckdb --remove old.csv --run 1 --json",
        ),
    )(update)


def update(
    workspace: Workspace,
    facts: Annotated[
        list[str] | None,
        typer.Argument(metavar="FACTS...", help="Facts to add: .db, .csv, .data, ..., or one as text, 'P(A, B)'."),
    ] = None,
    remove: Annotated[
        list[str] | None, typer.Option("--remove", help="Facts to remove, in the same forms; once per file or fact.")
    ] = None,
    run: Annotated[int, typer.Option("--run", help="The prediction to bring up to date, as runs lists it.")] = 0,
    correct: Annotated[
        bool, typer.Option("--correct", help="Facts take the place of those that they contradict.")
    ] = False,
    world: Annotated[str | None, typer.Option("--world", help="The database the facts belong to.")] = None,
    partition: Annotated[Part, typer.Option("--partition", help="What the facts are for.")] = "evidence",
    rows: Annotated[int, typer.Option("--rows", help="Changes to print.", min=0)] = 20,
    json: Json = False,
) -> None:
    """Add and remove facts, and bring a recorded prediction up to date; all of it or nothing.

    Only the rules that read what changed are ground again, and only what they touch is solved again.
    """
    from workbench.workspace import open_workspace

    if not Path(workspace).exists():
        raise UsageError.of("E0201", f"there is no workspace at {workspace}", help="infer with --workspace makes one")
    with open_workspace(workspace) as opened, shown_progress(quiet=json) as progress:
        done = opened.update(
            run or _newest(opened.runs()),
            facts or (),
            remove or (),
            correct=correct,
            world=world,
            partition=partition,
            progress=progress,
        )
    print_warnings(done.result.warnings)
    summary = done.summary(rows)
    if json:
        print_json(summary)
    else:
        if rows and summary["changed"]:
            columns = [name for name in done.changes.columns if name != "predicate"]
            print_table("Changes", columns, done.changes[columns].head(rows).itertuples(index=False))
        line = f"run {summary['run']}: {done.facts_added:,} facts added, {done.facts_removed:,} removed; "
        line += f"{summary['changed']:,} atoms changed, {done.rows_added:,} ground rows added, "
        line += f"{done.rows_removed:,} removed"
        if summary["energy"] is not None:
            line += f"; energy {number(summary['energy'])}, bound {number(summary['bound']) or 'none'}"
        print_line(f"{line}; {summary['status']} in {done.seconds:.2f} s")
    if summary["status"] in ("limit", "cancelled"):
        raise typer.Exit(int(ExitCode.LIMIT))


def _newest(runs: object) -> int:
    """The newest prediction, where none is named."""
    import pandas as pd

    assert isinstance(runs, pd.DataFrame)
    mine = runs[runs["kind"] == "infer"]
    if mine.empty:
        raise UsageError.of("E0851", "the workspace has no prediction to bring up to date", help="infer first")
    return int(mine["id"].max())
