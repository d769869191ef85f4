"""The part of a workspace that changes facts one at a time, and keeps predictions up to date with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workbench.progress import SILENT, Progress

if TYPE_CHECKING:
    from workbench.database import Database, Partition
    from workbench.verbs.update import Update

__all__ = ["DataFacts", "Living"]


@dataclass(frozen=True)
class DataFacts:
    """A workspace's facts, to be changed: each call is all or nothing, and says how many facts it changed.

    Facts are files, data frames, or texts in the form of Alchemy's `.db`, one or several.
    """

    database: Database

    def add(self, *facts: Any, world: str | None = None, partition: Partition = "evidence") -> int:
        """Add facts; those that are there change nothing.

        Raises
        ------
        InputError
            E0850 where a fact contradicts one of the same world.
        """
        return self._change(facts, (), world, partition)

    def correct(self, *facts: Any, world: str | None = None, partition: Partition = "evidence") -> int:
        """Add facts in place of those that contradict them."""
        return self._change(facts, (), world, partition, correct=True)

    def remove(self, *facts: Any, world: str | None = None, partition: Partition = "evidence") -> int:
        """Remove facts; those that are not there change nothing."""
        return self._change((), facts, world, partition)

    def _change(
        self,
        add: Sequence[Any],
        remove: Sequence[Any],
        world: str | None,
        partition: Partition,
        *,
        correct: bool = False,
    ) -> int:
        from workbench.verbs.update import changes_of

        changes = changes_of(self.database, add, remove, correct=correct, world=world, partition=partition)
        with self.database.transaction():
            added, removed = changes.apply(self.database)
        return added + removed


class Living:
    """Facts changed one at a time, and what follows from them."""

    database: Database

    @property
    def data(self) -> DataFacts:
        """The facts, to add to, correct and remove from."""
        return DataFacts(self.database)

    def update(
        self,
        run: int,
        add: Sequence[Any] = (),
        remove: Sequence[Any] = (),
        *,
        correct: bool = False,
        world: str | None = None,
        partition: Partition = "evidence",
        progress: Progress = SILENT,
    ) -> Update:
        """Change facts and bring a recorded prediction up to date with them, in one transaction.

        See `workbench.verbs.update.update`; the answer is recorded as a run whose parent is the one it started from.
        """
        from workbench.verbs.update import update

        return update(
            self.database, run, add, remove, correct=correct, world=world, partition=partition, progress=progress
        )
