"""What an update did, and which answers it moved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.verbs.common import as_json
from workbench.verbs.explaining.reopening import Recorded
from workbench.verbs.infer import InferenceResult
from workbench.verbs.updating.live import LiveGrounding
from workbench.verbs.updating.renewal import Renewal

if TYPE_CHECKING:
    import pandas as pd

MOVED = 1e-9
"""A value that moves by less has not changed."""


@dataclass(frozen=True)
class Update:
    """What an update did.

    Attributes
    ----------
    result : InferenceResult
        The answer as it is now; `result.run_id` is the run it was recorded as, `parent` the one it
        started from.
    rows_added, rows_removed : int
        Rows of the ground network.
    rules_ground, atoms_solved : int
        How much was done again.
    moved : mapping of str to list
        Columns atom, predicate, before, after (and world, where there are several): the atoms asked
        about whose value moved, those that came (no `before`), and those that data decide now (no
        `after`); the largest change first.
    clusters : mapping of {'merged', 'split'} to list of mapping
        The groups of things that changed, of predicates that a hard rule makes transitive; see
        `workbench.verbs.updating.groups.group_changes`.
    """

    result: InferenceResult
    parent: int
    facts_added: int
    facts_removed: int
    rows_added: int
    rows_removed: int
    rules_ground: int
    atoms_solved: int
    moved: Mapping[str, Sequence[Any]]
    clusters: Mapping[str, Sequence[Mapping[str, Any]]]
    seconds: float

    @cached_property
    def changes(self) -> pd.DataFrame:
        """`moved` as a data frame."""
        import pandas as pd

        return pd.DataFrame(dict(self.moved))

    def summary(self, most: int = 20) -> dict[str, Any]:
        """JSON-ready figures, with at most so many of the changes."""
        solution = self.result.solution
        rows = zip(*(column[:most] for column in self.moved.values()))
        return {
            "status": str(solution.status),
            "run": self.result.run_id,
            "parent": self.parent,
            "changed": len(self.moved["atom"]),
            "facts_added": self.facts_added,
            "facts_removed": self.facts_removed,
            "rows_added": self.rows_added,
            "rows_removed": self.rows_removed,
            "rules_ground": self.rules_ground,
            "atoms_solved": self.atoms_solved,
            "energy": as_json(solution.energy),
            "bound": as_json(solution.bound),
            "gap": as_json(solution.gap),
            "seconds": round(self.seconds, 6),
            "engine": solution.engine,
            "reason": solution.reason,
            "changes": as_json([dict(zip(self.moved, row)) for row in rows]),
            "clusters": {kind: list(found[:most]) for kind, found in self.clusters.items()},
        }


def changes_of_answer(
    recorded: Recorded, standing: LiveGrounding | None, renewal: Renewal, result: InferenceResult
) -> dict[str, list[Any]]:
    """The atoms asked about whose value moved, came or went, by key; as columns."""
    atoms, values = result.grounding.atoms, result.values
    old = standing.values if standing is not None else np.full(atoms.n_atoms, np.nan)
    gone: list[tuple[Any, ...]] = []
    if standing is None:
        at = recorded.located(atoms)
        old[at[at >= 0]] = recorded.values[at >= 0]
    elif not renewal.same_atoms:
        place, old = renewal.place, np.full(atoms.n_atoms, np.nan)
        old[place[place >= 0]] = standing.values[place >= 0]
        table = replace(standing.grounding.atoms, names_of=atoms.names_of)
        lost = np.flatnonzero((place < 0) & ~table.is_hidden)
        for text, number in zip(table.names(lost), lost.tolist()):
            predicate = table.predicates[table.predicate[number]]
            value, world = float(standing.values[number]), table.worlds[int(table.world[number])]
            gone.append((text, predicate, value, np.nan, world))
    moved = np.flatnonzero(values != old)
    moved = moved[result.is_query[moved] & ~(np.abs(values[moved] - old[moved]) <= MOVED)]
    order = moved[
        np.argsort(-np.nan_to_num(np.abs(values[moved] - old[moved]), nan=2.0), kind="stable")
    ]
    predicates = (atoms.predicates[number] for number in atoms.predicate[order])
    rows = zip(
        atoms.names(order),
        predicates,
        old[order].tolist(),
        values[order].tolist(),
        atoms.world_names(order),
    )
    both = [*rows, *gone]
    names = ("atom", "predicate", "before", "after", "world")[: 5 if len(atoms.worlds) > 1 else 4]
    return {name: [row[place] for row in both] for place, name in enumerate(names)}
