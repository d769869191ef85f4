"""Lazy grounding: rows asked for by the state that violates them, found by SQL over true atoms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

import numpy as np
from scipy.sparse import csr_array

from workbench.arrays import Float
from workbench.database.database import Database
from workbench.errors import Diagnostic
from workbench.grounding.column_functions import user_errors
from workbench.grounding.counting import Tally
from workbench.grounding.ground import Grounder
from workbench.grounding.intake import Intake
from workbench.grounding.planning import make_plan
from workbench.grounding.refusals import check_listed
from workbench.grounding.request import GroundRequest
from workbench.grounding.result import Grounding
from workbench.grounding.row_keys import RowKeys
from workbench.grounding.rows import RowSink
from workbench.grounding.unification import branches
from workbench.grounding.unit_sink import UnitSink
from workbench.language.clauses import Clause, LinearRule
from workbench.language.program import Program
from workbench.network.ground_network import Rows
from workbench.progress import SILENT, Progress

__all__ = ["LazyGrounding", "LazyRows", "ground_lazily"]


@dataclass
class LazyRows:
    """Rows of the rules left out, by the state that violates them; a row source for cutting-plane
    inference.

    Cost of a call: for an MLN, the joins of the left-out rules over the atoms that are true; for
    PSL, over the listed atoms. `close` drops the temporary tables.
    """

    grounder: Grounder
    tallies: tuple[Tally, ...]
    _given: RowKeys = field(default_factory=RowKeys, repr=False)

    def violated(self, values: Float) -> Rows:
        """All rows that `values` (float64, shape (n_atoms,)) violates and no call returned yet."""
        grounder = self.grounder
        numbering, vocabulary = grounder.numbering, grounder.vocabulary
        above = np.flatnonzero(values > 1e-9)
        vocabulary.state.set(numbering.to_space(above), values[above])
        rows: list[RowSink] = []
        for tally in self.tallies:
            plan = make_plan(vocabulary, tally.plan.clause, grounder.request, violated=True)
            for shape in plan.shapes(None):
                for batch in grounder.batches(shape.select):
                    size = len(next(iter(batch.values())))
                    width = size * plan.width
                    sink = RowSink(
                        numbering.n_open, size, width, plan.integral, plan.integral_constants
                    )
                    Intake(numbering, sink, UnitSink(numbering.n_open, 0)).take(
                        plan, shape, batch, int(tally.templates[0])
                    )
                    rows.append(sink)
        return self._fresh(rows)

    def _fresh(self, sinks: list[RowSink]) -> Rows:
        """The rows that were never returned before."""
        from scipy.sparse import vstack

        filled = [sink for sink in sinks if sink.n_rows]
        if not filled:
            empty: Any = csr_array((0, self.grounder.numbering.n_open), dtype=np.int8)
            none = np.zeros(0, np.int32)
            return Rows(empty, np.zeros(0, np.int8), none, none.astype(np.int8))
        fresh = self._given.add(np.concatenate([sink.keys() for sink in filled]))
        matrix = cast(Any, csr_array(vstack([sink.matrix() for sink in filled], format="csr")))
        scales = [
            np.ones(sink.n_rows) if sink.scale is None else sink.scale[: sink.n_rows]
            for sink in filled
        ]
        return Rows(
            matrix[np.flatnonzero(fresh)],
            np.concatenate([sink.b[: sink.n_rows] for sink in filled])[fresh],
            np.concatenate([sink.template[: sink.n_rows] for sink in filled])[fresh],
            np.concatenate([sink.relation[: sink.n_rows] for sink in filled])[fresh],
            np.concatenate(scales)[fresh],
        )

    def close(self) -> None:
        """Drop the temporary tables."""
        self.grounder.vocabulary.drop()


@dataclass(frozen=True)
class LazyGrounding:
    """The rows that must be there from the start, and the source of the others."""

    grounding: Grounding
    source: LazyRows


@user_errors()
def ground_lazily(
    database: Database,
    program: Program,
    request: GroundRequest | None = None,
    *,
    rules: Sequence[int] | None = None,
    progress: Progress = SILENT,
) -> LazyGrounding:
    """Ground a program without the rows of some rules, which a row source finds when a state
    violates them.

    Parameters
    ----------
    rules : sequence of int or None
        Rules of the program to leave out where they can be, None for all: those that are hard or of
        given weight >= 0, without `+`, existential variables and weights from data, with at least
        two open literals in every case, not arithmetic. A note (E0313) says of each of the others
        why it is grounded in full.
    """
    request = request or GroundRequest()
    grounder = Grounder(database, database.cursor(), program, request, progress)
    clauses = grounder.open()
    wanted = {
        number for number, clause in enumerate(clauses) if rules is None or clause.rule in rules
    }
    reasons = {number: _why_in_full(grounder, clauses[number]) for number in wanted}
    grounder.lazy = frozenset(number for number in wanted if reasons[number] is None)
    grounding = grounder.make(clauses)
    for number in grounder.lazy:
        check_listed(grounder.vocabulary, grounder.tallies[number].plan)
    left = tuple(tally for number, tally in enumerate(grounder.tallies) if number in grounder.lazy)
    notes = tuple(
        Diagnostic("E0313", f"rule {rule + 1} is grounded in full: {reason}", severity="note")
        for rule, reason in sorted(
            {(clauses[number].rule, reason) for number, reason in reasons.items() if reason}
        )
    )
    grounding = replace(grounding, warnings=grounding.warnings + notes)
    return LazyGrounding(grounding, LazyRows(grounder, left))


def _why_in_full(grounder: Grounder, clause: Clause | LinearRule) -> str | None:
    """Why a clause cannot be left to a row source; None when it can."""
    if isinstance(clause, LinearRule):
        return "it is arithmetic, and its sums are made of all atoms, violated or not"
    if clause.plus:
        return "it has +, and its templates are numbered by their groundings"
    if clause.existential:
        return "it has existential variables, so one row holds every atom of a domain"
    if clause.weight_variable:
        return "its weights come from data"
    if not clause.hard and (clause.grounding_weight is None or clause.grounding_weight < 0):
        return "its weight is negative or to be learned, so satisfied groundings matter, too"
    vocabulary = grounder.vocabulary
    literals = tuple(one for one in clause.literals if vocabulary.roles[one.atom.predicate].open)
    names = {one.atom.predicate for one in literals}
    if clause.multiset:
        decided = any(vocabulary.has_observed(name) for name in names)
    else:
        decided = any(vocabulary.has_known(name) or vocabulary.roles[name].listed for name in names)
    if decided:
        return "data decide some atoms of its open predicates"
    if any(
        sum(c != 0 for _, c in branch.terms) < 2
        for branch in branches(literals, multiset=clause.multiset)
    ):
        return "some of its groundings have a single open atom"
    return None
