"""`mcp`: a workspace as tools of the Model Context Protocol, over standard input and output."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from workbench.commands.command import command, option
from workbench.errors import UsageError


def allowed_folders(folders: list[Path] | None) -> tuple[Path, ...]:
    """The folders named, and the bundled examples where none is."""
    from workbench.resources import shipped

    missing = [folder for folder in folders or () if not folder.is_dir()]
    if missing:
        raise UsageError.of(
            "E0860", f"there is no folder {missing[0]}", help="name a folder that exists"
        )
    return tuple(folder.resolve() for folder in folders or [shipped("data")])


@command("Workspaces", "mcp work.duckdb --data-dir tables")
def mcp(
    workspace: Annotated[
        Path | None,
        typer.Argument(
            metavar="[WORKSPACE]", help="A workspace file (DuckDB); in memory when absent."
        ),
    ] = None,
    data_dir: Annotated[
        list[Path] | None,
        option(
            "--data-dir", "Files of this folder may be loaded; once per folder. None: the examples."
        ),
    ] = None,
) -> None:
    """Serve a workspace to assistants (Model Context Protocol) over standard input and output."""
    try:
        from workbench.service.assistants import current_progress, run_stdio
    except ImportError:
        raise UsageError.of(
            "E0865",
            "the assistants' door needs the package mcp",
            help="pip install 'relational-workbench[mcp]'",
        ) from None
    from workbench.service.folders import Folders
    from workbench.service.toolbox import Toolbox
    from workbench.workspace import open_workspace

    with open_workspace(workspace) as opened:
        run_stdio(Toolbox(opened, Folders(allowed_folders(data_dir)), current_progress))
