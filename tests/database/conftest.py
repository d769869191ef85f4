"""A small program with every kind of declaration, in an open database."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from workbench.database import Database, quoted
from workbench.language.declarations import Function, Predicate, Type
from workbench.language.program import Program

PROGRAM = Program(
    "mln",
    {"person": Type("person"), "size": Type("size", ("Small", "Large"))},
    {
        "Friends": Predicate("Friends", ("person", "person")),
        "Smokes": Predicate("Smokes", ("person",)),
        "smokes": Predicate("smokes", ("person",)),
        "Rain": Predicate("Rain", ()),
        "Similar": Predicate("Similar", ("person", "person", "weight"), value_last=True),
        "Fits": Predicate("Fits", ("person", "size")),
    },
    {"MotherOf": Function("MotherOf", ("person",), "person")},
    (),
)


@pytest.fixture
def database() -> Iterator[Database]:
    with Database.open(threads=1) as opened:
        opened.declare(PROGRAM)
        yield opened


Facts = Callable[[Database, str], list[tuple[object, ...]]]


@pytest.fixture
def facts() -> Facts:
    """The readable facts of the only world, without world and partition, in order."""

    def read(database: Database, predicate: str) -> list[tuple[object, ...]]:
        view = quoted(database.predicate(predicate).view_name)
        return sorted(
            (row[1:-1] for row in database.execute(f"FROM facts.{view}").fetchall()), key=repr
        )

    return read
