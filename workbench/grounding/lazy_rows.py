"""Rows that no query makes until a state violates them, found by SQL over the true atoms."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
from scipy.sparse import csr_array

from workbench.arrays import Float
from workbench.grounding.backend import Batch, counted
from workbench.grounding.bindings import open_bindings
from workbench.grounding.counting import Tally
from workbench.grounding.intake import Intake
from workbench.grounding.planning import make_plan
from workbench.grounding.plans import Plan
from workbench.grounding.refusals import too_many
from workbench.grounding.request import GroundRequest
from workbench.grounding.roles import open_literals
from workbench.grounding.rows import RowSink
from workbench.grounding.select import Select, Union
from workbench.grounding.space import Numbering
from workbench.grounding.unification import branches
from workbench.grounding.unit_sink import UnitSink
from workbench.grounding.vocabulary import Vocabulary
from workbench.language.clauses import Clause, LinearRule
from workbench.network.ground_network import Rows
from workbench.row_keys import RowKeys

MANY = 300_000
"""Groundings of one clause from which a state is asked which of them it violates instead."""


@dataclass
class LazyRows:
    """Rows of rules left out, by the state that violates them; a source for cutting planes.

    Cost of a call: for an MLN, the joins of the left-out rules over the atoms that are true; for
    PSL, over the listed atoms. `close` drops the temporary tables.
    """

    vocabulary: Vocabulary
    numbering: Numbering
    request: GroundRequest
    batches: Callable[[Select | Union], Iterator[Batch]]
    tallies: tuple[Tally, ...]
    _given: RowKeys = field(default_factory=RowKeys, repr=False)

    def violated(self, values: Float) -> Rows:
        """All rows that `values` (float64, shape (n_atoms,)) violates and no call returned yet.

        Raises E0310 where a state violates more rows than the request's limit.
        """
        numbering, vocabulary = self.numbering, self.vocabulary
        above = np.flatnonzero(values > 1e-9)
        vocabulary.state.set(numbering.to_space(above), values[above])
        rows: list[RowSink] = []
        for tally in self.tallies:
            plan = make_plan(vocabulary, tally.plan.clause, violated=True)
            if self.request.lazy:
                self._check_number(plan)
            for shape in plan.shapes(None):
                for batch in self.batches(shape.select):
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

    def _check_number(self, plan: Plan) -> None:
        """Refuse a state that violates too many rows, which are counted: estimates are far off."""
        limit, backend = self.request.limit, self.vocabulary.backend
        if int(backend.rows(counted(plan.open_groundings, limit + 1))[1][0][0]) > limit:
            raise too_many(self.vocabulary, plan, limit)

    def _fresh(self, sinks: list[RowSink]) -> Rows:
        """The rows that were never returned before."""
        from scipy.sparse import vstack

        filled = [sink for sink in sinks if sink.n_rows]
        if not filled:
            empty: Any = csr_array((0, self.numbering.n_open), dtype=np.int8)
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
        self.vocabulary.drop()


def groundings_too_many(
    vocabulary: Vocabulary, clauses: Sequence[Clause | LinearRule]
) -> dict[int, int]:
    """How many groundings of each clause are better left to a source: very many, all open."""
    found = {}
    for number, clause in enumerate(clauses):
        bindings = open_bindings(vocabulary, clause)
        if (
            bindings is not None
            and bindings.open > MANY
            and why_in_full(vocabulary, clause) is None
        ):
            found[number] = bindings.open
    return found


def why_in_full(vocabulary: Vocabulary, clause: Clause | LinearRule) -> str | None:
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
    literals = open_literals(vocabulary.roles, clause)
    names = {one.atom.predicate for one in literals}
    if clause.multiset:
        decided = any(vocabulary.has_observed(name) for name in names)
    else:
        decided = any(vocabulary.has_known(name) or vocabulary.roles[name].listed for name in names)
    if decided:
        return "data decide some atoms of its open predicates"
    if any(sum(c != 0 for _, c in branch.terms) < 2 for branch in branches(clause, literals)):
        return "some of its groundings have a single open atom"
    return None
