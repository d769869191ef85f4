"""A theory's own most probable state of a world without labels, against the labels."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from workbench.arrays import Float
from workbench.database import Database
from workbench.errors import WorkbenchError
from workbench.grounding import GroundRequest, ground
from workbench.inference import Status
from workbench.language import parse_mln
from workbench.progress import PLAIN, Conduct, remaining
from workbench.structure.disjunctions import Disjunction, disjunction_text
from workbench.structure.growth import ModeCheck
from workbench.verbs.infer import solve
from workbench.verbs.labelled_worlds import LabelledWorld

_SECONDS = 10.0
"""For one world's most probable state; a theory that takes longer is not one to keep."""


def mode_check(
    database: Database,
    declarations: Mapping[str, Sequence[str]],
    worlds: Sequence[LabelledWorld],
    targets: Sequence[str],
    *,
    conduct: Conduct = PLAIN,
) -> ModeCheck:
    """The check that structure learning asks for before it keeps a recursive clause
    (`growth.ModeCheck`).

    Parameters
    ----------
    declarations : mapping of predicate to types
    worlds : sequence of LabelledWorld
        In the learner's order.
    targets : sequence of str
        Predicted jointly; their labels never reach grounding.
    """
    background = worlds[0].background
    asked = {background.number[target] for target in targets}
    declared = [
        f"{name}({', '.join(types)})" if types else name for name, types in declarations.items()
    ]

    def errors(clauses: Sequence[Disjunction], by_world: Mapping[int, Float]) -> float:
        wrong = labelled = 0.0
        for world, weights in by_world.items():
            if conduct.over:
                return float("inf")
            rules = [
                f"{weight:.17g} {disjunction_text(background, clause, _first(clause, asked))}"
                for clause, weight in zip(clauses, weights.tolist())
            ]
            program = parse_mln("\n".join([*declared, *rules]))
            request = GroundRequest(
                query=tuple(targets), worlds=(worlds[world].number,), role="learn"
            )
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


def _first(clause: Disjunction, asked: Collection[int]) -> int | None:
    return next((predicate for predicate, _, _ in clause if predicate in asked), None)
