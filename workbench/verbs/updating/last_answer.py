"""The standing answer of a session's last update, held so that the next need not read it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace

from workbench.database import Database, TablePrint, read_runs
from workbench.errors import WorkbenchError
from workbench.verbs.updating.live import Asked, LiveGrounding
from workbench.verbs.updating.store import AnsweredFacts, keep


@dataclass(frozen=True)
class HeldAnswer:
    """A run's standing answer in memory.

    Attributes
    ----------
    tables : mapping of str to (int, int or None)
        The prints of the tables of the facts.
    kept : bool
        Whether the workspace has it, too, or need not.
    """

    run: int
    answer: LiveGrounding
    facts: AnsweredFacts
    tables: Mapping[str, TablePrint]
    kept: bool

    def standing(self, database: Database, asked: Asked) -> LiveGrounding:
        """The answer, over the database."""
        origin = replace(self.answer.grounding.origin, database=database)
        return replace(
            self.answer, asked=asked, grounding=replace(self.answer.grounding, origin=origin)
        )


@dataclass
class LastAnswer:
    """Holds one answer, and keeps it in the workspace when another takes its place, or at the end.

    An answer that is lost before, as in a process that is killed, is made again.
    """

    _held: HeldAnswer | None = field(default=None, repr=False)
    _commits: int = 0

    def of(self, run: int) -> HeldAnswer | None:
        """The answer of a run, where it is the one that is held."""
        return self._held if self._held is not None and self._held.run == run else None

    def tables(self, database: Database) -> Mapping[str, TablePrint]:
        """The prints of the tables of facts as the open transaction finds them; none where another
        was committed since the answer.
        """
        same = self._held is not None and self._commits == database.begun
        return self._held.tables if self._held is not None and same else {}

    def hold(self, database: Database, held: HeldAnswer, after: int, commits: int) -> None:
        """Take an answer in the place of that of run `after`; `commits` the workspace had seen."""
        if self._held is not None and self._held.run not in (held.run, after):
            self.keep(database)
        self._held, self._commits = held, commits

    def keep(self, database: Database) -> None:
        """Keep the answer in the workspace, where there is room."""
        held, self._held = self._held, None
        if held is None or held.kept or database.read_only:
            return
        with suppress(WorkbenchError):
            if any(one.id == held.run for one in read_runs(database)):
                keep(database, held.run, held.answer, held.facts)
