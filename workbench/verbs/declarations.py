"""Predicates that rules use and do not declare, declared as the data have them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from workbench.database import Database
from workbench.errors import Diagnostic


def with_declarations(database: Database, problems: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
    """What is wrong with rules; predicates that the data have, with the line that declares them."""
    lines = [_line(database, problem) for problem in problems]
    return tuple(
        replace(problem, help=f"the data have it: write `{line}` above the rules")
        if line
        else problem
        for problem, line in zip(problems, lines)
    )


def missing_declarations(database: Database, problems: Sequence[Diagnostic]) -> tuple[str, ...]:
    """The lines that declare what rules use and the data have, each once."""
    found = (_line(database, problem) for problem in problems)
    return tuple(dict.fromkeys(line for line in found if line))


def _line(database: Database, problem: Diagnostic) -> str | None:
    stored = database.predicates().get(problem.subject or "")
    if problem.code != "E0104" or stored is None or stored.kind != "predicate":
        return None
    return f"{stored.name}({', '.join(stored.argument_types)})"
