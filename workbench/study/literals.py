"""What definitions are made of, for whoever writes some."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from workbench.structure.candidate import Onward
from workbench.structure.relational import Reference
from workbench.structure.table_paths import Hop
from workbench.study.statements import Row, Statements
from workbench.tables import TableMapping


class Literals(Protocol):
    """What definitions are made of: literals over the columns of tables."""

    statements: Statements

    def row(self, table: str, variable: str) -> Row: ...
    def place(self, table: str, column: str) -> int | None: ...
    def says(self, table: str, row: Row, column: str, value: str | None) -> str: ...
    def label(self, row: Row, value: str | None) -> tuple[str, str]: ...
    def mapped(self, table: str) -> TableMapping: ...
    def forward(
        self, table: str, row: Row, reference: Reference, variable: str
    ) -> tuple[list[str], Row]: ...
    def along(
        self, table: str, row: Row, references: Sequence[Reference], letter: str
    ) -> tuple[list[str], str, Row]: ...
    def hop(self, table: str, row: Row, hop: Hop, variable: str) -> tuple[list[str], Row]: ...
    def column(self, table: str, row: Row, column: str, variable: str) -> tuple[list[str], str]: ...
    def onward(
        self, table: str, row: Row, onward: Onward, value: str | None
    ) -> tuple[list[str], str]: ...
