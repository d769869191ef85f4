"""What all verbs share: programs, engines and learners by name, JSON-ready numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import lru_cache
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.errors import InputError, UsageError
from workbench.language import (
    LANGUAGES,
    check,
    is_document,
    language_of_file,
    parse_program,
    read_program,
)
from workbench.language.program import Program
from workbench.language.psl.types import with_spelling, with_values
from workbench.language.reading import Language

if TYPE_CHECKING:
    import os

    from workbench.database import Database, Run
    from workbench.inference.accepts import Task


def as_program(rules: Program | str | os.PathLike[str]) -> Program:
    """The program of `rules`: a `Program`, the path of a rules file, or the text of a program.

    A string is a path when a file of that name exists or it has a rules file's ending and stands on
    one line; the language of a text is told by `workbench.language.language_of`.

    Raises InputError with every diagnostic of the file.
    """
    if isinstance(rules, Program):
        return rules
    if isinstance(rules, Path) or _names_a_file(str(rules)):
        path = Path(rules)
        if not path.is_file():
            raise InputError.of(
                "E0801",
                f"there is no rules file {path}",
                help="give the path of a .mln or .psl file",
            )
        program = read_program(path)
    else:
        program = parse_program(str(rules))
    errors = [diagnostic for diagnostic in check(program) if diagnostic.severity == "error"]
    if errors:
        raise InputError(tuple(errors))
    return program


def recorded_program(run: Run, text: str | None = None) -> Program:
    """The program of a run, or another text in its language, which the run knows."""
    return _parsed("psl" if run.language == "psl" else "mln", text or run.program_text)


@lru_cache(maxsize=8)
def _parsed(language: Language, text: str) -> Program:
    return LANGUAGES[language].parse(text, "the run's rules", None)


def with_types_of(database: Database, program: Program) -> Program:
    """A program of soft logic in the database's spelling, with what that knows of places that hold
    values.
    """
    if program.language != "psl":
        return program
    stored = database.predicates()
    return with_values(
        with_spelling(program, stored), {name: one.kinds for name, one in stored.items()}
    )


def _names_a_file(text: str) -> bool:
    if "\n" in text or len(text) > 4096:
        return False
    return language_of_file(text) is not None or is_document(text) or Path(text).is_file()


def task_of(program: Program, asked: Task | None) -> Task:
    """The task asked for; without one, marginals of Markov logic and the most probable state of
    soft logic.

    Raises E0414 for marginals of soft logic: the samplers know atoms of 0 and 1 only.
    """
    if program.language == "mln":
        return asked or "marginal"
    if asked == "marginal":
        raise UsageError.of(
            "E0414",
            "marginals of soft logic are not computed: its atoms have truth values between 0 and 1",
            help="leave --task marginal out for the most probable state, or write the rules in "
            "Markov logic (.mln)",
        )
    return "map"


def plainly(name: str) -> str:
    """A predicate's name without what writers differ in: case and underscores."""
    return name.casefold().replace("_", "")


def names_of(given: Sequence[str] | str | None) -> tuple[str, ...]:
    """Predicate names (or atoms, whose commas stay) from a sequence or a comma-separated string."""
    if given is None:
        return ()
    parts = _PARTS.findall(given) if isinstance(given, str) else given
    return tuple(name.strip() for name in parts if name.strip())


_PARTS = re.compile(r"""(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\([^()]*\)|[^,])+""")
"""What stands between commas; a bracket and a quoted constant keep theirs."""


def deadline_after(seconds: float | None) -> float | None:
    """The `time.monotonic()` reading `seconds` from now."""
    return None if seconds is None else monotonic() + seconds


def as_json(value: object) -> Any:
    """`value` as plain JSON: arrays as lists, NaN and infinities null, dataclasses as objects."""
    if isinstance(value, bool | str | int) or value is None:
        return value
    if isinstance(value, float | np.floating):
        number = float(value)
        return number if math.isfinite(number) else None
    if isinstance(value, np.integer):
        return int(value)
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, np.ndarray):
        return [as_json(item) for item in value.tolist()]
    if isinstance(value, Mapping):
        return {str(key): as_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [as_json(item) for item in value]
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: as_json(getattr(value, field.name)) for field in fields(value)}
    return str(value)


def as_words(value: object) -> str:
    """A setting as people write it: lists by commas, mappings by name, few digits."""
    if isinstance(value, Mapping):
        return ", ".join(
            f"{key} {as_words(item)}" for key, item in value.items() if item is not None
        )
    if isinstance(value, list | tuple):
        return ", ".join(as_words(item) for item in value)
    return f"{value:g}" if isinstance(value, float) else str(value)
