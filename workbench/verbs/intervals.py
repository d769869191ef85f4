"""Intervals for the weights of a recorded learning run, found after the fact."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Unpack, cast

import numpy as np

from workbench.arrays import Float
from workbench.database import Database, Run, run_table
from workbench.errors import UsageError
from workbench.grounding import ground
from workbench.learning import weight_intervals
from workbench.progress import SILENT
from workbench.verbs.common import recorded_program
from workbench.verbs.explaining.reopening import recorded_request
from workbench.verbs.learn import by_world, example_of
from workbench.verbs.options import How, conduct_of


def intervals_of_run(
    database: Database, run: Run, *, method: str, resamples: int, **how: Unpack[How]
) -> tuple[Float, Float]:
    """Ground a recorded learning run's program again; low and high end of an interval for each of
    its weights.

    Raises E0511 as `weight_intervals`, or where the program does not ground to the recorded weights
    any more.
    """
    settings = run.parameters
    program = recorded_program(run)
    database.declare(program)
    request = recorded_request(database, run, role="learn", worlds=settings.get("worlds"))
    grounding = ground(database, program, request, progress=how.get("progress", SILENT))
    weights = run_table(database, run.id, "weight")["weight"].to_numpy(np.float64)
    templates = grounding.templates
    if templates.n_templates != weights.size:
        raise UsageError.of(
            "E0511", f"run {run.id} cannot be grounded again to its {weights.size:,} weights"
        )
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
        conduct=conduct_of({**how, "seed": run.seed or 0}),
    )
    return found.low, found.high
