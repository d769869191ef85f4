"""What if some facts were otherwise: a recorded prediction made again, and nothing kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from workbench.arrays import Float
from workbench.database import Database, run_table, set_fact
from workbench.database.copying import copy_of
from workbench.errors import UsageError, WorkbenchError
from workbench.grounding import Grounding
from workbench.progress import SILENT, Progress
from workbench.verbs.reopening import Recorded, recorded_run
from workbench.verbs.update import tried

if TYPE_CHECKING:
    import pandas as pd

    from workbench.verbs.infer import InferenceResult

__all__ = ["what_if"]


def what_if(
    database: Database,
    result: InferenceResult,
    changes: Mapping[str, bool | None],
    *,
    progress: Progress = SILENT,
) -> pd.DataFrame:
    """Infer a recorded result again with some facts changed, and change them back; see `Workspace.what_if`.

    Only what the changes touch is ground and solved again; of a fold, and of a file that is only read, everything is,
    on a copy of the data.
    """
    if result.run_id is None:
        raise UsageError.of("E0815", "only a recorded run can be changed and run again")
    recorded = recorded_run(database, result.run_id, result.fold)
    if recorded.fold is None and not database.read_only:
        grounding, values = tried(database, result.run_id, changes, progress=progress)
    else:
        grounding, values = _on_a_copy(database, recorded, changes, progress)
    ids = recorded.located(grounding.atoms)
    both = run_table(database, result.run_id, "prediction")
    if recorded.fold is not None:
        both = both[both["fold"] == recorded.fold]
    columns = ["atom", "predicate", "value", *(["world"] if len(grounding.atoms.worlds) > 1 else [])]
    both = both[columns].rename(columns={"value": "before"})
    both["after"] = np.append(values, np.nan)[ids]
    both["change"] = both["after"] - both["before"]
    return both.sort_values("change", key=lambda column: -column.abs(), kind="stable", ignore_index=True)


def _on_a_copy(
    database: Database, recorded: Recorded, changes: Mapping[str, bool | None], progress: Progress
) -> tuple[Grounding, Float]:
    with copy_of(database) as copied:
        for atom, value in changes.items():
            set_fact(copied, atom, value)
        grounding = recorded.ground(copied)
        known = recorded.known(grounding)
        if recorded.fold is not None:
            _tell(grounding, known, changes)
        values = np.where(np.isnan(known), recorded.infer(grounding, known, progress).values, np.nan)
    return grounding, values


def _tell(grounding: Grounding, known: Float, changes: Mapping[str, bool | None]) -> None:
    """Make changed facts known to the predictor of a fold, whose grounding takes no labels."""
    for atom, value in changes.items():
        for world in grounding.atoms.worlds:
            try:
                index = grounding.atoms.find(atom, world=world)
            except WorkbenchError:
                continue
            known[index] = np.nan if value is None else float(value)
