"""What an update starts from: the newest answer to the facts of now, kept or made again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from workbench.arrays import Bool, Float
from workbench.database import (
    Database,
    FactRows,
    FactSum,
    TablePrint,
    fact_print,
    fact_sums,
    hash_of,
    read_run,
    table_prints,
)
from workbench.grounding import Grounding
from workbench.inference import Status
from workbench.progress import Progress
from workbench.verbs.explaining.reopening import Recorded, facts_have_changed, recorded_run
from workbench.verbs.updating.last_answer import HeldAnswer, LastAnswer
from workbench.verbs.updating.live import Asked, Known, LiveGrounding, standing
from workbench.verbs.updating.renewal import Renewal, renewed
from workbench.verbs.updating.store import AnsweredFacts, Kept, descendants, kept


@dataclass(frozen=True)
class Beginning:
    """What an update starts from.

    Attributes
    ----------
    standing : LiveGrounding or None
        None where facts changed since the run was recorded: it is answered in full.
    known : AnsweredFacts
        That the answer belongs to.
    tables : mapping of str to (int, int or None)
        The prints of their tables.
    kept : bool
        Whether the workspace has the answer, and need not ground again for it.
    """

    recorded: Recorded
    standing: LiveGrounding | None
    known: AnsweredFacts
    tables: Mapping[str, TablePrint]
    kept: bool = False

    @property
    def run(self) -> int:
        return self.recorded.run.id

    def sums(self, database: Database, by: Mapping[str, FactSum]) -> Mapping[str, FactSum]:
        """The sums of facts now that those of some predicates changed."""
        return {
            name: self.known.sums.get(name, FactSum()).changed(by.get(name, FactSum()))
            for name in database.predicates()
        }

    def moved(self, renewal: Renewal) -> Bool | None:
        """The atoms whose value is another, where they are known to be those of before."""
        if self.standing is None or not renewal.same_atoms:
            return None
        return np.asarray(self.standing.values != renewal.standing.values)

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


def beginning_of(database: Database, run: int, last: LastAnswer, progress: Progress) -> Beginning:
    """The newest update of a run that fits the facts of now: held, kept, or ground again."""
    view = database.within()
    tables = last.tables(database) or table_prints(view)
    number, found, facts = _newest(view, run, last, fact_print(view, tables))
    recorded = recorded_run(view, run if number is None else number)
    if number is None:
        return Beginning(recorded, None, facts, tables)
    asked = _asked(view, recorded)
    if found is not None:
        return Beginning(recorded, found.standing(view, asked), facts, tables, kept=True)
    again = standing(view, asked, known=_known(recorded), progress=progress)
    return Beginning(recorded, again, facts, tables)


def newest_of(database: Database, run: int, last: LastAnswer) -> int:
    """The newest update of a run, or the run itself, that the facts of now belong to.

    Raises E0816 where they have changed by other means.
    """
    number, *_ = _newest(database, run, last, fact_print(database))
    if number is None:
        raise facts_have_changed(run)
    return number


def _newest(
    database: Database, run: int, last: LastAnswer, now: str
) -> tuple[int | None, HeldAnswer | Kept | None, AnsweredFacts]:
    """The newest update of a run that facts of such a print belong to (None where there is none),
    the standing answer that there is of it, and the facts.
    """
    sums = None
    for number in descendants(database, run):
        found = last.of(number) or kept(database, number)
        if found is not None and found.facts.print == now:
            return number, found, found.facts
        sums = sums or fact_sums(database)
        if read_run(database, number).data_hash == hash_of(database, sums):
            return number, None, AnsweredFacts(now, sums)
    return None, None, AnsweredFacts(now, sums or fact_sums(database))


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
