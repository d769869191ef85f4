"""Answers of people about atoms, kept among the settings, so that copies take them along."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from workbench.database.database import Database
from workbench.database.identifiers import quoted
from workbench.language.ground_atoms import parse_atom

PREFIX = "review "


@dataclass(frozen=True)
class ReviewAnswer:
    """What one person said of one atom.

    Attributes
    ----------
    number : int
        Counted from 1.
    written : str
        When, UTC, in ISO format.
    atom : str
        `Predicate(Constant, ...)`.
    says : bool or None
        None where it was skipped.
    before : float or None
        The label that the atom had before anybody was asked; None without one.
    target : bool
        Whether it was listed as one to be predicted then, and is off the list while it has a label.
    """

    number: int
    written: str
    reviewer: str
    world: str
    atom: str
    says: bool | None
    before: float | None = None
    target: bool = False


def read_answers(database: Database) -> tuple[ReviewAnswer, ...]:
    """All answers, the oldest first."""
    rows = database.execute(
        "SELECT value FROM setting WHERE starts_with(name, $prefix) ORDER BY name",
        {"prefix": PREFIX},
    ).fetchall()
    return tuple(ReviewAnswer(**json.loads(text)) for (text,) in rows)


def keep_answer(database: Database, answer: ReviewAnswer) -> None:
    """Keep one more answer."""
    database.remember(_name(answer), json.dumps(asdict(answer), ensure_ascii=False))


def forget_answer(database: Database, answer: ReviewAnswer) -> None:
    """Take an answer back."""
    database.remember(_name(answer), None)


def known_of(database: Database, atom: str, world: str) -> dict[str, float | None]:
    """What is said of an atom, by the partition that says it."""
    name, arguments = parse_atom(atom) or (atom, ())
    predicate = database.predicate(name)
    cells = {f"a{place}": argument for place, argument in enumerate(arguments)}
    same = "".join(
        f" AND {quoted(column)}::VARCHAR = ${key}"
        for column, key in zip(predicate.argument_names, cells)
    )
    rows = database.execute(
        f"SELECT partition, value FROM facts.{quoted(predicate.view_name)} WHERE world = "
        f"$world{same}",
        {"world": world, **cells},
    )
    return dict(rows.fetchall())


def _name(answer: ReviewAnswer) -> str:
    return f"{PREFIX}{answer.number:012d}"
