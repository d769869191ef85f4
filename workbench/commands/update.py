"""`update`: facts added and removed, and a recorded prediction brought up to date."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from workbench.commands.command import command, option
from workbench.commands.console import (
    end_as,
    number,
    print_json,
    print_line,
    print_table,
    print_warnings,
)
from workbench.commands.options import Json
from workbench.commands.runs import Part, Workspace
from workbench.commands.served import address_of, connected, files_of
from workbench.commands.working import shown_progress
from workbench.errors import UsageError


@command(
    "Workspaces",
    "update work.duckdb new.db --run 1",
    "update work.duckdb 'Friends(Anna, Bob)' --run 1",
    "update work.duckdb --remove old.csv --run 1 --json",
    served=True,
)
def update(
    workspace: Workspace,
    facts: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="FACTS...",
            help="Facts to add: .db, .csv, .data, ..., rows of a table, or one as text, 'P(A, B)'.",
        ),
    ] = None,
    remove: Annotated[
        list[str] | None,
        option("--remove", "Facts to remove, in the same forms; once per file or fact."),
    ] = None,
    run: Annotated[
        int, option("--run", "The prediction to bring up to date, as runs lists it.")
    ] = 0,
    correct: Annotated[
        bool, option("--correct", "Facts take the place of those that they contradict.")
    ] = False,
    world: Annotated[str | None, option("--world", "The database the facts belong to.")] = None,
    partition: Annotated[Part, option("--partition", "What the facts are for.")] = "evidence",
    rows: Annotated[int, option("--rows", "Changes to print.", min=0)] = 20,
    json: Json = False,
) -> None:
    """Add and remove facts, and bring a recorded prediction up to date; all of it or nothing.

    Only the rules that read what changed are ground again, and only what they touch is solved
    again.
    """
    address = address_of(workspace)
    if address is not None:
        summary = _at_the_server(
            address, run, facts or [], remove or [],
            correct=correct, world=world, partition=partition,
        )  # fmt: skip
    else:
        summary = _in_the_file(
            workspace, run, facts or [], remove or [],
            correct=correct, world=world, partition=partition, rows=rows, quiet=json,
        )  # fmt: skip
    if json:
        print_json(summary)
    else:
        _print(summary, rows)
    end_as(summary["status"])


def _in_the_file(
    workspace: Path,
    run: int,
    add: list[str],
    remove: list[str],
    *,
    rows: int,
    quiet: bool,
    **options: Any,
) -> dict[str, Any]:
    """The summary of an update of a workspace file."""
    from workbench.workspace import open_workspace

    if not workspace.exists():
        raise UsageError.of(
            "E0201",
            f"there is no workspace at {workspace}",
            help="infer with --workspace makes one",
        )
    with open_workspace(workspace) as opened, shown_progress(quiet=quiet) as progress:
        done = opened.update(
            run or _newest(opened.runs()), add, remove, progress=progress, **options
        )
    # Notes on how the rules are read came with the prediction.
    print_warnings([one for one in done.result.warnings if one.severity != "note"])
    return done.summary(rows)


def _at_the_server(
    address: str, run: int, add: list[str], remove: list[str], **options: Any
) -> dict[str, Any]:
    """The summary of an update that a server makes; files are sent to it."""
    from workbench.verbs.fact_changes import is_fact

    with connected(address) as remote:
        if not run:
            predictions = [
                one["id"] for one in remote.runs(most=200)["items"] if one["kind"] == "infer"
            ]
            if not predictions:
                raise _nothing_to_update()
            run = max(predictions)

        def sent(sources: list[str]) -> tuple[list[str], list[str]]:
            texts = [one for one in sources if is_fact(one)]
            return texts, [
                remote.upload(one) for one in files_of(one for one in sources if one not in texts)
            ]

        (texts, files), (gone, gone_files) = sent(add), sent(remove)
        answer: dict[str, Any] = remote.update(
            run=run, add=texts or None, remove=gone or None, files=files or None,
            remove_files=gone_files or None, confirm=True, **options,
        )  # fmt: skip
    return {name: value for name, value in answer.items() if name not in ("ok", "next")}


def _print(summary: Mapping[str, Any], rows: int) -> None:
    changes = summary["changes"][:rows]
    if changes:
        columns = [name for name in changes[0] if name != "predicate"]
        print_table("Changes", columns, [[row[name] for name in columns] for row in changes])
    for kind, link in (("merged", "of"), ("split", "into")):
        for one in summary["clusters"][kind]:
            where = f" ({one['world']})" if "world" in one else ""
            parts = ", ".join(one["clusters"])
            print_line(f"{one['predicate']}{where}: {one['cluster']} {kind} {link} {parts}")
    line = (
        f"run {summary['run']}: {summary['facts_added']:,} facts added, "
        f"{summary['facts_removed']:,} removed; "
    )
    line += f"{summary['changed']:,} atoms changed, {summary['rows_added']:,} ground rows added, "
    line += f"{summary['rows_removed']:,} removed"
    if summary["energy"] is not None:
        line += f"; energy {number(summary['energy'])}, bound {number(summary['bound']) or 'none'}"
    print_line(f"{line}; {summary['status']} in {summary['seconds']:.2f} s")


def _newest(runs: object) -> int:
    """The newest prediction, where none is named."""
    import pandas as pd

    assert isinstance(runs, pd.DataFrame)
    mine = runs[runs["kind"] == "infer"]
    if mine.empty:
        raise _nothing_to_update()
    return int(mine["id"].max())


def _nothing_to_update() -> UsageError:
    return UsageError.of(
        "E0851", "the workspace has no prediction to bring up to date", help="infer first"
    )
