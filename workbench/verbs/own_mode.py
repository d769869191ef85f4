"""A theory's own most probable state of a world without labels, against the labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from workbench.arrays import Float
from workbench.database import Database
from workbench.errors import WorkbenchError
from workbench.grounding import GroundRequest, ground
from workbench.inference import Status
from workbench.language import parse_mln
from workbench.progress import PLAIN, Conduct, remaining
from workbench.structure.background import Background
from workbench.structure.disjunctions import Disjunction, disjunction_text
from workbench.structure.growth import ModeCheck
from workbench.verbs.infer import solve

_SECONDS = 10.0
"""For one world's most probable state; a theory that takes longer is not one to keep."""


def mode_check(
    database: Database,
    backgrounds: Sequence[Background],
    worlds: Sequence[int],
    targets: Sequence[str],
    *,
    conduct: Conduct = PLAIN,
) -> ModeCheck:
    """The check that structure learning asks for before it keeps a recursive clause
    (`growth.ModeCheck`).

    Parameters
    ----------
    backgrounds, worlds : sequences
        The facts and the id of each world, in the learner's order.
    targets : sequence of str
        Predicted jointly; their labels never reach grounding.
    """
    background = backgrounds[0]
    declarations = [
        f"{name}({', '.join(types)})" if types else name
        for name, types in zip(background.predicates, background.argument_types)
    ]

    def errors(clauses: Sequence[Disjunction], by_world: Mapping[int, Float]) -> float:
        wrong = labelled = 0.0
        for world, weights in by_world.items():
            if conduct.over:
                return float("inf")
            rules = [
                f"{weight:.17g} {disjunction_text(background, clause)}"
                for clause, weight in zip(clauses, weights.tolist())
            ]
            program = parse_mln("\n".join([*declarations, *rules]))
            request = GroundRequest(query=tuple(targets), worlds=(worlds[world],), role="learn")
            limit = min(_SECONDS, max(remaining(conduct.deadline), 0.0))
            try:
                grounding = ground(database, program, request, progress=conduct.progress)
                weight, progress = grounding.templates.weight, conduct.progress
                found = solve(
                    grounding, weight, "map", "auto", {}, time_limit=limit, progress=progress
                )
            except WorkbenchError:
                return float("inf")
            if found.status not in (Status.OPTIMAL, Status.FEASIBLE):
                return float("inf")
            truth = grounding.truth
            known = ~np.isnan(truth)
            wrong += float(np.count_nonzero((found.values[known] >= 0.5) != (truth[known] == 1)))
            labelled += float(np.count_nonzero(known))
        return wrong / max(labelled, 1.0)

    return errors
