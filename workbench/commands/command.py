"""How commands of the command line, and their options, are declared."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, get_type_hints

import typer

from workbench.commands.served import OfFiles, Served

DATA, PREDICATES, SOLVING, OUTPUT = "Data", "Predicates", "Solving", "Output"
"""Groups of options in `--help`."""


def option(names: str, says: str, group: str | None = None, **limits: Any) -> Any:
    """An option of a command: its names, apart by spaces, its help, and its group."""
    return typer.Option(*names.split(), help=says, rich_help_panel=group, **limits)


@dataclass(frozen=True)
class Command:
    """A command of the command line: function, group in the help, and examples, one line each."""

    function: Callable[..., None]
    group: str
    lines: tuple[str, ...]
    name: str | None
    served: bool

    @property
    def called(self) -> str:
        """The name that it is called by."""
        return self.name or self.function.__name__

    def add(self, app: typer.Typer) -> None:
        """Add it to the command line."""
        shown = "\n\n".join(["Examples:", *(f"  workbench {line}" for line in self.lines)])
        cls = Served if self.served else OfFiles
        app.command(self.name, cls=cls, rich_help_panel=self.group, epilog=shown)(
            _by_options(self.function)
        )


COMMANDS: list[Command] = []
"""All commands, in the order that their modules are imported in."""


def command(
    group: str, *lines: str, name: str | None = None, served: bool = False
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Make a function a command of a group, with examples.

    A parameter that is a dataclass of options, such as `Question`, is given by them.

    Parameters
    ----------
    served : bool
        Whether it takes `--server URL` in the place of its workspace.
    """

    def noted(function: Callable[..., None]) -> Callable[..., None]:
        COMMANDS.append(Command(function, group, lines, name, served))
        return function

    return noted


def _by_options(command: Callable[..., None]) -> Callable[..., None]:
    """The command with the fields of its dataclasses in their places."""
    signature = inspect.signature(command, eval_str=True)
    groups: dict[str, Any] = {
        name: one.annotation
        for name, one in signature.parameters.items()
        if is_dataclass(one.annotation)
    }

    @functools.wraps(command)
    def called(**given: Any) -> None:
        made = {
            name: kind(**{one.name: given.pop(one.name) for one in fields(kind)})
            for name, kind in groups.items()
        }
        command(**given, **made)

    shown: list[inspect.Parameter] = []
    for name, one in signature.parameters.items():
        types = get_type_hints(groups[name], include_extras=True) if name in groups else {}
        shown += [
            one.replace(name=part.name, default=part.default, annotation=types[part.name])
            for part in (fields(groups[name]) if types else ())
        ] or [one]
    called.__signature__ = signature.replace(parameters=shown)  # type: ignore[attr-defined]
    called.__annotations__ = {one.name: one.annotation for one in shown}
    return called
