"""What if facts or weights were otherwise: a recorded prediction made again, nothing kept."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import replace
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from workbench.arrays import Float
from workbench.database import Database, run_table
from workbench.database.copying import copy_of
from workbench.errors import Cancelled, UsageError, WorkbenchError, did_you_mean
from workbench.grounding import Grounding
from workbench.progress import SILENT, Progress
from workbench.verbs.explaining.reopening import Recorded, recorded_run
from workbench.verbs.updating.beginning import newest_of
from workbench.verbs.updating.update import suppose, tried
from workbench.verbs.written_rules import written_rules

if TYPE_CHECKING:
    import pandas as pd

    from workbench.verbs.infer import InferenceResult
    from workbench.verbs.last_grounding import LastGrounding
    from workbench.verbs.updating.last_answer import LastAnswer


_NAMED = "write it as its author did, on one line and without its weight"


def what_if(
    database: Database,
    result: InferenceResult | int,
    changes: Mapping[str, bool | None],
    *,
    answers: LastAnswer,
    weights: Mapping[str, float] | None = None,
    last: LastGrounding | None = None,
    progress: Progress = SILENT,
) -> pd.DataFrame:
    """Infer a recorded result again with some facts or weights changed, and change them back; see
    `Workspace.what_if`.

    Only what changed facts touch is ground and solved again; with other weights everything is
    solved, of a fold, of a run whose labels were withheld, and of a file that is only read,
    everything is ground, too (unless it is the grounding in `last`), facts changed on a copy of the
    data.
    """
    run, fold = (result, None) if isinstance(result, int) else (result.run_id, result.fold)
    if run is None:
        raise UsageError.of("E0815", "only a recorded run can be changed and run again")
    recorded = recorded_run(database, run, fold)
    if weights or recorded.withheld or database.read_only:
        now = run if fold is not None else newest_of(database, run, answers)
        recorded = recorded_run(database, now, fold)
        grounding, values = _in_full(database, recorded, changes, weights or {}, last, progress)
    else:
        recorded, grounding, values = tried(database, run, changes, answers, progress=progress)
    if progress.cancelled:  # the best so far has nothing to be compared with
        raise Cancelled("what-if")
    ids = recorded.located(grounding.atoms)
    both = run_table(database, recorded.run.id, "prediction")
    if recorded.fold is not None:
        both = both[both["fold"] == recorded.fold]
    columns = [
        "atom",
        "predicate",
        "value",
        *(["world"] if len(grounding.atoms.worlds) > 1 else []),
    ]
    both = both[columns].rename(columns={"value": "before"})
    both["after"] = np.append(values, np.nan)[ids]
    both["change"] = both["after"] - both["before"]
    return both.sort_values(
        "change", key=lambda column: -column.abs(), kind="stable", ignore_index=True
    )


def _in_full(
    database: Database,
    recorded: Recorded,
    changes: Mapping[str, bool | None],
    weights: Mapping[str, float],
    last: LastGrounding | None,
    progress: Progress,
) -> tuple[Grounding, Float]:
    with copy_of(database) if changes else nullcontext(database) as changed:
        suppose(changed, recorded.program, changes)
        grounding = reweighted(recorded.ground(changed, None if changes else last), weights)
        known = recorded.known(grounding)
        if recorded.withheld:
            _tell(grounding, known, changes)
        values = np.where(
            np.isnan(known), recorded.infer(grounding, known, progress).values, np.nan
        )
    return grounding, values


def reweighted(grounding: Grounding, weights: Mapping[str, float]) -> Grounding:
    """The grounding with other weights for some rules, each named as `ws.models.rules(run)` writes
    it.

    Raises E0853 where no rule reads so, or a weight is no finite number.
    """
    templates = grounding.templates
    changed = templates.weight.copy()
    rules = [one for one in written_rules(templates, templates.weight) if one.rule >= 0]
    named = {_bare(one.text): one for one in rules}
    for text, weight in weights.items():
        rule = named.get(_bare(text))
        if rule is None:
            known = [one.text for one in rules]
            raise UsageError.of(
                "E0853", f"the run has no rule {text}", help=did_you_mean(text, known, _NAMED)
            )
        if not isfinite(weight):
            raise UsageError.of(
                "E0853", f"{weight} is no weight", help="give a number; hard rules stay hard"
            )
        members = list(rule.templates)
        changed[members] = weight * (templates.share[members] if rule.whole else 1.0)
    return replace(grounding, templates=replace(templates, weight=changed))


def _bare(text: str) -> str:
    """A rule's name, whatever its spaces are, and whether it stands in parentheses."""
    one_line = " ".join(text.split())
    return one_line[1:-1] if (one_line[:1], one_line[-1:]) == ("(", ")") else one_line


def _tell(grounding: Grounding, known: Float, changes: Mapping[str, bool | None]) -> None:
    """Make changed facts known to a predictor whose grounding takes no labels."""
    for atom, value in changes.items():
        for world in grounding.atoms.worlds:
            try:
                index = grounding.atoms.find(atom, world=world)
            except WorkbenchError:
                continue
            known[index] = np.nan if value is None else float(value)
