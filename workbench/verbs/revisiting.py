"""The part of a workspace that takes recorded predictions up: reopened, what if, updated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from workbench.database import Partition
from workbench.progress import SILENT, Progress
from workbench.verbs.modelling import Modelling

if TYPE_CHECKING:
    import pandas as pd

    from workbench.verbs.infer import InferenceResult
    from workbench.verbs.updating.result import Update


class Revisiting(Modelling):
    """Recorded predictions, taken up again."""

    def reopen(
        self, number: int, *, fold: int | None = None, progress: Progress = SILENT
    ) -> InferenceResult:
        """An inference run, or one fold of a cross-validation, as it was: ground again, its
        recorded values put back.

        Raises
        ------
        UsageError
            When it is no inference run, or the facts have changed since.
        """
        from workbench.database import display_names
        from workbench.verbs.explaining.reopening import reopen

        result = reopen(
            self.database, number, fold=fold, last=self.last_grounding, progress=progress
        )
        return replace(result, names=display_names(self.database))

    def what_if(
        self,
        result: InferenceResult | int,
        changes: Mapping[str, bool | None] | None = None,
        *,
        weights: Mapping[str, float] | None = None,
        progress: Progress = SILENT,
    ) -> pd.DataFrame:
        """Infer again with some facts or weights changed, on a copy of the data; nothing is kept.

        Parameters
        ----------
        result : InferenceResult or int
            A recorded one, or the number of its run; or a fold of a recorded cross-validation
            (`reopen`). Of a run that `update` brought up to date, the newest update.
        changes : mapping of atom to bool or None
            Facts to take as true or false, or (None) as unknown.
        weights : mapping of rule to float
            Other weights for rules, each as `ws.models.rules(run)` writes it under `formula`.

        Returns
        -------
        DataFrame
            atom, predicate, before, after, change; the largest change first. Atoms that became
            facts have no `after`.

        Raises
        ------
        UsageError
            E0815 where the result is not recorded, E0816 where facts have changed by other means
            than `update` since, E0853 for a rule that the run does not have.
        Cancelled
            When `progress` was cancelled.
        """
        from workbench.verbs.explaining.what_if import what_if

        return what_if(
            self.database,
            result,
            changes or {},
            answers=self.last_answer,
            weights=weights,
            last=self.last_grounding,
            progress=progress,
        )

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

        See `workbench.verbs.updating.update.update`; the answer is recorded as a run whose parent
        is the one it started from.
        """
        from workbench.verbs.updating.update import update

        return update(
            self.database,
            run,
            add,
            remove,
            last=self.last_answer,
            correct=correct,
            world=world,
            partition=partition,
            progress=progress,
        )
