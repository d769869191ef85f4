"""What an update starts from: the newest answer that the facts of now belong to,
as it was kept or made again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from workbench.arrays import Float
from workbench.database import Database, FactRows, FactSum, fact_print, fact_sums, hash_of, read_run
from workbench.grounding import Grounding
from workbench.inference import Status
from workbench.progress import Progress
from workbench.verbs.live import LiveGrounding, Renewal, renewed, standing
from workbench.verbs.live_asked import Asked, Known
from workbench.verbs.live_store import Facts, descendants, kept
from workbench.verbs.reopening import Recorded, recorded_run

__all__ = ["Beginning", "beginning_of"]


@dataclass(frozen=True)
class Beginning:
    """What an update starts from.

    Attributes
    ----------
    standing : LiveGrounding or None
        None where facts changed since the run was recorded: it is answered in full.
    sums : mapping of str to FactSum
        Of the facts of each predicate.
    """

    recorded: Recorded
    standing: LiveGrounding | None
    sums: Mapping[str, FactSum]

    @property
    def run(self) -> int:
        return self.recorded.run.id

    def facts(self, database: Database, by: Mapping[str, FactSum]) -> Facts:
        """What the facts are now that they changed."""
        sums = {
            name: self.sums.get(name, FactSum()).changed(by.get(name, FactSum()))
            for name in database.predicates()
        }
        return Facts(fact_print(database), sums)

    def renewed(
        self, database: Database, changed: Mapping[str, FactRows | None], progress: Progress
    ) -> Renewal:
        view = database.within()
        if self.standing is not None:
            if not changed:
                return Renewal(self.standing, np.arange(self.standing.values.size), 0, 0, 0, 0)
            return renewed(view, self.standing, changed, progress=progress)
        now = standing(view, _asked(view, self.recorded), progress=progress)
        rows = now.grounding.network.n_rows
        return Renewal(
            now, np.zeros(0, np.int64), now.values.size, rows, 0, len(now.asked.program.rules)
        )


def beginning_of(database: Database, run: int, progress: Progress) -> Beginning:
    """The newest update of a run that the facts of now belong to,
    as it was kept or ground again.
    """
    view = database.within()
    now, sums = fact_print(view), None
    for number in descendants(view, run):
        stored = kept(view, number)
        if stored is not None and stored.facts.print == now:
            sums = stored.facts.sums
        else:
            sums = sums or fact_sums(view)
            if read_run(view, number).data_hash != hash_of(view, sums):
                continue
        recorded = recorded_run(view, number)
        asked = _asked(view, recorded)
        if stored is not None:
            return Beginning(recorded, stored.standing(view, asked), sums)
        return Beginning(
            recorded, standing(view, asked, known=_known(recorded), progress=progress), sums
        )
    return Beginning(recorded_run(view, run), None, sums or fact_sums(view))


def _asked(database: Database, recorded: Recorded) -> Asked:
    return Asked(
        recorded.program,
        recorded.request(database),
        recorded.task,
        recorded.engine,
        recorded.options,
        recorded.run.seed or 0,
        recorded.run.parameters.get("time_limit"),
    )


def _known(recorded: Recorded) -> Known:
    """What the run says of its own answer."""

    def values(grounding: Grounding) -> Float:
        found = np.full(grounding.atoms.n_atoms, np.nan)
        at = recorded.located(grounding.atoms)
        found[at[at >= 0]] = recorded.values[at >= 0]
        return found

    figures = recorded.run.parameters.get("figures") or {}
    energy, bound = figures.get("energy"), figures.get("bound")
    slack = 0.0 if recorded.task == "marginal" else np.inf
    if energy is not None and bound is not None:
        slack = max(0.0, energy - bound)
    return Known(values, slack, Status(recorded.run.status), recorded.run.engine or "")
