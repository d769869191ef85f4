"""`engines`: what can solve, by what the engines declare."""

from __future__ import annotations

from workbench.commands.command import command
from workbench.commands.console import print_json, print_line
from workbench.commands.options import Json


@command("Predicting and learning", "engines")
def engines(json: Json = False) -> None:
    """The engines as a Markdown table: what each takes, gives, needs, does, and when to take it."""
    from workbench.verbs.methods import declared_engines, engine_table

    if json:
        print_json({"engines": [dict(record) for record in declared_engines()]})
    else:
        print_line(engine_table())
