"""Intervals for the weights of a recorded learning run, found after the fact."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import numpy as np

from workbench.arrays import Float
from workbench.database import Database, Run, run_table
from workbench.errors import UsageError
from workbench.grounding import ground
from workbench.learning import weight_intervals
from workbench.progress import SILENT, Progress
from workbench.verbs.common import as_program, deadline_after
from workbench.verbs.learn import by_world, example_of
from workbench.verbs.runs import recorded_request

__all__ = ["intervals_of_run"]


def intervals_of_run(
    database: Database,
    run: Run,
    *,
    method: str,
    resamples: int,
    time_limit: float | None = None,
    progress: Progress = SILENT,
) -> tuple[Float, Float]:
    """Ground a recorded learning run's program again; low and high end of an interval for each of its weights.

    Raises
    ------
    UsageError
        E0511 as `weight_intervals`, or where the program does not ground to the recorded weights any more.
    """
    settings = run.parameters
    program = as_program(run.program_text)
    database.declare(program)
    request = recorded_request(database, run, role="learn", worlds=settings.get("worlds"))
    grounding = ground(database, program, request, progress=progress)
    weights = run_table(database, run.id, "weight")["weight"].to_numpy(np.float64)
    templates = grounding.templates
    if templates.n_templates != weights.size:
        raise UsageError.of("E0511", f"run {run.id} cannot be grounded again to its {weights.size:,} weights")
    fixed = run_table(database, run.id, "weight")["fixed"].to_numpy(np.bool_)
    templates = replace(templates, weight=weights, fixed=fixed)
    parts = [example_of(grounding)]
    if method == "bootstrap":
        parts = [example_of(part) for part in by_world(database, program, request, templates)]
    found = weight_intervals(
        parts,
        templates,
        weights,
        method=cast(Any, method),
        prior_sd=float((settings.get("options") or {}).get("prior_sd", 2.0)),
        resamples=resamples,
        seed=run.seed or 0,
        deadline=deadline_after(time_limit),
        progress=progress,
    )
    return found.low, found.high
