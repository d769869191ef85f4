"""Variables by the types that they share: cells that are given types, and joined."""

from __future__ import annotations

from dataclasses import dataclass, field

from workbench.errors import Diagnostic, Span
from workbench.language.asked_dates import ASKED_DATE

ANY = "?"
"""The type of what nothing is known about, so that no second message is given."""
ASKED = {ASKED_DATE, "date"}
"""What an asked atom's date is: a date where the rule does more with it than ask."""


@dataclass
class Cell:
    """A set of variables known to share a type."""

    name: str
    span: Span | None
    type_name: str | None = None
    where: str = ""
    parent: Cell | None = None

    def root(self) -> Cell:
        """The cell that stands for all that are known to share its type."""
        cell = self
        while cell.parent is not None:
            cell = cell.parent
        return cell


@dataclass
class TypeCells:
    """The cells of a formula's variables, and the clashes of types found on the way."""

    problems: list[Diagnostic]
    cells: list[Cell] = field(default_factory=list)

    def variable(self, name: str, span: Span | None, environment: dict[str, int]) -> Cell:
        """The cell of a variable, met for the first time or not."""
        if name not in environment:
            environment[name] = len(self.cells)
            self.cells.append(Cell(name, span))
        return self.cells[environment[name]]

    def assign(self, cell: Cell, type_name: str, where: str, span: Span | None) -> None:
        """Give a cell a type, for what stands in `where`."""
        root = cell.root()
        if root.type_name is None or root.type_name == ANY:
            root.type_name, root.where = type_name, where
        elif {root.type_name, type_name} == ASKED:
            root.type_name = "date"
        elif root.type_name != type_name:
            self._clash(cell, root, type_name, where, span)

    def unify(self, left: Cell, right: Cell, span: Span | None) -> None:
        """Let two cells be one."""
        one, other = left.root(), right.root()
        if one is other:
            return
        names = {one.type_name, other.type_name} - {None, ANY}
        if names == ASKED:
            one.type_name = other.type_name = "date"
        elif len(names) == 2:
            self._clash(left, one, str(other.type_name), other.where, span)
            return
        if one.type_name is None or one.type_name == ANY:
            one, other = other, one
        other.parent = one

    def _clash(self, cell: Cell, root: Cell, type_name: str, where: str, span: Span | None) -> None:
        message = (
            f"{cell.name} is used with two types: {root.type_name} ({root.where}) and "
            f"{type_name} ({where})"
        )
        help = "use two variables, or give both arguments one type in their declarations"
        self.problems.append(Diagnostic("E0106", message, span, help))


def dated(cell: Cell | None) -> Cell | None:
    """The cell; that of an asked date, which is compared or computed with here, is of a date."""
    if cell is not None and cell.root().type_name == ASKED_DATE:
        cell.root().type_name = "date"
    return cell
