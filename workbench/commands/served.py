"""`--server URL`: the commands of a workspace file, on the workspace that a server holds.

A command works on a copy of what the server has, in its own process and with its own files, and
hands the runs that it recorded back; loading and updating are done by the server. The token, where
it asks for one, is WORKBENCH_TOKEN.
"""

from __future__ import annotations

import os
import re
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from typer.core import TyperCommand

from workbench.commands.console import print_error
from workbench.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from workbench.service.client import RemoteWorkspace
    from workbench.workspace import Workspace

SOURCES = ("files", "sources", "data")
"""Parameters that name files, or databases by their address."""


class _Command(TyperCommand):
    """A command whose files have names."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Refuse an empty name, which paths take for the current folder."""
        left = super().parse_args(ctx, list(args))
        said = self.make_parser(ctx).parse_args(list(args))[0]
        for one in self.params:
            is_file = one.name in SOURCES or any(
                isinstance(value, Path) for value in _several(ctx.params.get(one.name))
            )
            if is_file and "" in _several(said.get(one.name)):
                shown = one.opts[0] if one.opts[0].startswith("-") else one.name.upper()
                raise UsageError.of(
                    "E0814",
                    f"{shown} is empty, and names no file",
                    help="is a variable of your shell empty? The current folder is written .",
                )
        return left


class Served(_Command):
    """A command that takes `--server URL` in the place of its workspace."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the address where the workspace stands."""
        address, others = _taken_out(args)
        if address is not None:
            if not re.match(r"https?://", address):
                raise UsageError.of(
                    "E0876",
                    f"{address} is no server's address",
                    help="such as http://127.0.0.1:8700",
                )
            is_argument = any(
                one.name == "workspace" and one.param_type_name == "argument" for one in self.params
            )
            others = [*([] if is_argument else ["--workspace"]), address, *others]
        return super().parse_args(ctx, others)


class OfFiles(_Command):
    """A command that asks no server: it says so where one is named."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Refuse an address."""
        if any(re.match(r"--server(=|$)", word) for word in args):
            raise UsageError.of(
                "E0885",
                f"`{self.name}` works on files, and asks no server",
                help="leave --server out; `workbench export` and `runs` bring here what a server "
                "has",
            )
        return super().parse_args(ctx, args)


def _several(value: Any) -> list[Any]:
    """What a parameter was given, once or more than once."""
    return list(value) if isinstance(value, list | tuple) else [value]


def _taken_out(args: list[str]) -> tuple[str | None, list[str]]:
    """The value of `--server`, and the other words."""
    others, address, words = [], None, iter(args)
    for word in words:
        if word == "--server":
            address = next(words, "")
        elif word.startswith("--server="):
            address = word.removeprefix("--server=")
        else:
            others.append(word)
    return address, others


def address_of(place: Path | None) -> str | None:
    """The server's address that stands for a workspace; None for a file's name."""
    # A path keeps one of the two slashes.
    found = None if place is None else re.match(r"(https?):/+(.+)", str(place))
    return f"{found[1]}://{found[2]}" if found else None


def connected(address: str) -> RemoteWorkspace:
    """The server, as whom the token in WORKBENCH_TOKEN stands for."""
    try:
        from workbench.service.client import connect
    except ImportError:
        raise UsageError.of(
            "E0865",
            "servers are reached with packages",
            help="pip install 'relational-workbench[server]'",
        ) from None
    return connect(address, token=os.environ.get("WORKBENCH_TOKEN"))


@contextmanager
def at_hand(
    place: Path | None, *, read_only: bool = False, memory_limit: str | None = None
) -> Iterator[Workspace]:
    """A workspace file, or a copy of a server's workspace whose new runs go back there."""
    from workbench.workspace import open_workspace

    address = address_of(place)
    if address is None:
        with open_workspace(place, read_only=read_only, memory_limit=memory_limit) as workspace:
            yield workspace
        return
    with connected(address) as remote:
        with remote.workspace(memory_limit=memory_limit) as workspace:
            yield workspace
        changed = ", ".join(
            f"{one} is {other}" for one, other in sorted(remote.numbers.items()) if one != other
        )
        if changed:
            print_error(f"others recorded runs meanwhile: at the server run {changed}")


def files_of(sources: Iterable[str]) -> Iterator[str]:
    """The files that are sent to a server: those named, and of folders those inside."""
    for source in sources:
        folder = Path(source)
        if folder.is_dir() and not (folder / "dataset.toml").exists():
            yield from map(str, sorted(one for one in folder.iterdir() if one.is_file()))
        else:
            yield source
