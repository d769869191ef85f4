"""Lazy grounding: rows asked for by the state that violates them, found by SQL over the true atoms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from workbench.database.database import Database
from workbench.grounding.counting import Tally, check_listed, make_plan
from workbench.grounding.ground import Grounder, one_thread
from workbench.grounding.intake import Intake
from workbench.grounding.request import Grounding, GroundRequest
from workbench.grounding.rows import RowSink, UnitSink
from workbench.grounding.unification import branches
from workbench.language.program import Clause, LinearRule, Program
from workbench.progress import SILENT, Progress

__all__ = ["FoundRows", "LazyGrounding", "LazyRows", "ground_lazily"]

Float = npt.NDArray[np.float64]


@dataclass(frozen=True)
class FoundRows:
    """Rows to add to a network: the columns of a `GroundNetwork` of the same names."""

    A: csr_array
    b: npt.NDArray[np.generic]
    template: npt.NDArray[np.int32]
    relation: npt.NDArray[np.int8]
    scale: Float | None = None

    @property
    def n(self) -> int:
        return int(self.A.shape[0])


@dataclass
class LazyRows:
    """Rows of the rules left out, by the state that violates them; a row source for cutting-plane inference.

    Cost of a call: for an MLN, the joins of the left-out rules over the atoms that are true; for PSL, over the listed
    atoms. `close` drops the temporary tables.
    """

    grounder: Grounder
    tallies: tuple[Tally, ...]
    _given: set[bytes] = field(default_factory=set, repr=False)

    def violated(self, values: Float) -> FoundRows:
        """All rows that `values` (float64, shape (n_atoms,)) violates and that no earlier call has returned."""
        grounder = self.grounder
        atoms, vocabulary = grounder.atoms, grounder.vocabulary
        with one_thread(grounder.database, grounder.connection):
            above = np.flatnonzero(values > 1e-9)
            vocabulary.state.set(atoms.ids_in_space(above), values[above])
            rows: list[RowSink] = []
            for tally in self.tallies:
                plan = make_plan(vocabulary, tally.plan.clause, grounder.request, violated=True)
                for shape in plan.shapes(None):
                    for batch in grounder.batches(shape.select):
                        size = len(next(iter(batch.values())))
                        sink = RowSink(atoms.n_atoms, size, size * plan.width, plan.integral, plan.integral_constants)
                        Intake(atoms, sink, UnitSink(atoms.n_atoms, 0)).take(
                            plan, shape, batch, int(tally.templates[0])
                        )
                        rows.append(sink)
        return self._fresh(rows)

    def _fresh(self, sinks: list[RowSink]) -> FoundRows:
        """The rows that were never returned before."""
        parts: list[tuple[csr_array, RowSink, npt.NDArray[np.int64]]] = []
        for sink in sinks:
            matrix = sink.matrix()
            fresh = []
            for row in range(sink.n_rows):
                entries = slice(sink.indptr[row], sink.indptr[row + 1])
                key = b"|".join(
                    (
                        sink.template[row].tobytes(),
                        np.float64(sink.b[row]).tobytes(),
                        sink.indices[entries].astype(np.int64).tobytes(),
                        sink.data[entries].astype(np.float64).tobytes(),
                    )
                )
                if key not in self._given:
                    self._given.add(key)
                    fresh.append(row)
            if fresh:
                parts.append((matrix, sink, np.array(fresh, np.int64)))
        if not parts:
            empty: Any = csr_array((0, self.grounder.atoms.n_atoms), dtype=np.int8)
            none = np.zeros(0, np.int32)
            return FoundRows(empty, np.zeros(0, np.int8), none, none.astype(np.int8))
        from scipy.sparse import vstack

        scales = [np.ones(rows.size) if sink.scale is None else sink.scale[rows] for _, sink, rows in parts]
        stacked = cast(Any, csr_array(vstack([matrix[rows] for matrix, _, rows in parts], format="csr")))
        return FoundRows(
            stacked,
            np.concatenate([sink.b[rows] for _, sink, rows in parts]),
            np.concatenate([sink.template[rows] for _, sink, rows in parts]),
            np.concatenate([sink.relation[rows] for _, sink, rows in parts]),
            np.concatenate(scales),
        )

    def close(self) -> None:
        """Drop the temporary tables."""
        self.grounder.vocabulary.drop()


@dataclass(frozen=True)
class LazyGrounding:
    """The rows that must be there from the start, and the source of the others."""

    grounding: Grounding
    source: LazyRows


def ground_lazily(
    database: Database,
    program: Program,
    request: GroundRequest | None = None,
    *,
    rules: Sequence[int] | None = None,
    progress: Progress = SILENT,
) -> LazyGrounding:
    """Ground a program without the rows of some rules, which a row source finds when a state violates them.

    Parameters
    ----------
    rules : sequence of int or None
        Rules of the program to leave out where they can be; None for every rule that can: hard or of given weight
        >= 0, without `+` and existential variables, with at least two open literals in every case, not arithmetic.
        Rules whose weight is negative, or not known yet, are grounded in full, for what they cost is not violation.
    """
    request = request or GroundRequest()
    with one_thread(database) as connection:
        grounder = Grounder(database, connection, program, request, progress)
        clauses = grounder.open()
        grounder.lazy = frozenset(
            number
            for number, clause in enumerate(clauses)
            if (rules is None or clause.rule in rules) and _can_wait(grounder, clause)
        )
        grounding = grounder.make(clauses)
        for number in grounder.lazy:
            check_listed(grounder.vocabulary, grounder.tallies[number].plan)
        left = tuple(tally for number, tally in enumerate(grounder.tallies) if number in grounder.lazy)
    return LazyGrounding(grounding, LazyRows(grounder, left))


def _can_wait(grounder: Grounder, clause: Clause | LinearRule) -> bool:
    if isinstance(clause, LinearRule) or clause.plus or clause.existential or clause.weight_variable:
        return False
    if not clause.hard and (clause.weight is None or clause.weight < 0):
        return False
    roles = grounder.vocabulary.roles
    literals = tuple(literal for literal in clause.literals if roles[literal.atom.predicate].open)
    if any(grounder.vocabulary.has_known(literal.atom.predicate) for literal in literals):
        return False
    if not clause.multiset and any(roles[literal.atom.predicate].listed for literal in literals):
        return False
    if clause.multiset and any(grounder.vocabulary.has_observed(one.atom.predicate) for one in literals):
        return False
    return all(sum(c != 0 for _, c in branch.terms) > 1 for branch in branches(literals, multiset=clause.multiset))
