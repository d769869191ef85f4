"""What columns that are worked out row by row say, as literals."""

from __future__ import annotations

from workbench.structure.relational import Column
from workbench.study.literals import Literals
from workbench.study.place_definitions import at
from workbench.study.shared_definitions import gathered_number
from workbench.study.statements import Row


def worked_out(
    walks: Literals, table: str, row: Row, column: Column, variable: str
) -> tuple[list[str], str]:
    """Literals that bind what a number is worked out of, and how it is."""
    later, earlier = f"{variable}u", f"{variable}w"
    if column.gathered is not None:
        return [f"{gathered_number(walks, table, column)}({row[0]}, {later})"], later
    if column.apart is not None:
        return _apart(walks, table, row, column, variable)
    literals = [walks.says(table, row, column.name, later)]
    if column.since:
        literals.append(walks.says(table, row, column.since, earlier))
        return literals, f"days({later}, {earlier})"
    if column.times:
        step, owner, end = walks.along(table, row, column.way, f"{variable}v")
        literals += [*step, walks.says(owner, end, column.times, earlier)]
        return literals, f"({later} * {earlier})"
    return literals, f"{column.part}({later})" if column.part else later


def _apart(
    walks: Literals, table: str, row: Row, column: Column, variable: str
) -> tuple[list[str], str]:
    """Literals that bind two places, and the distance of these."""
    of = column.apart
    assert of is not None
    literals, named = list[str](), list[str]()
    for way, place, letter in ((of.way, of.here, "a"), (of.way_there, of.there, "c")):
        step, owner, end = walks.along(table, row, way, f"{variable}{letter}")
        letters = (f"{variable}{letter}x", f"{variable}{letter}y")
        literals += [*step, *at(walks, owner, end, place, letters)]
        named += letters
    return literals, f"{of.here.distance}({', '.join(named)})"


def compared(walks: Literals, table: str, row: Row, column: Column, variable: str) -> list[str]:
    """Literals that bind what two columns say, then the test of these."""
    said, one = walks.column(table, row, column.name, f"{variable}u")
    step, owner, end = walks.along(table, row, column.way, f"{variable}v")
    more, other = walks.column(owner, end, column.against, f"{variable}w")
    return [*said, *step, *more, f"{one} {column.operator} {other}"]
