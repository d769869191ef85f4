"""Lazy grounding: a network without the rows of some rules, and the source of those."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from workbench.database.database import Database
from workbench.errors import Diagnostic
from workbench.grounding.column_functions import user_errors
from workbench.grounding.ground import Grounder
from workbench.grounding.lazy_rows import LazyRows, why_in_full
from workbench.grounding.refusals import check_listed
from workbench.grounding.request import GroundRequest
from workbench.grounding.result import Grounding
from workbench.language.program import Program
from workbench.progress import SILENT, Progress


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
    """Ground a program without some rules' rows, which a source finds when violated.

    `rules`: rules of the program to leave out where they can be, None for all: those that are hard
    or of given weight >= 0, without `+`, existential variables and weights from data, with at least
    two open literals in every case, not arithmetic. A note (E0313) says of each of the others why
    it is grounded in full.
    """
    request = request or GroundRequest()
    grounder = Grounder(database, database.cursor(), program, request, progress)
    clauses = grounder.open()
    wanted = {
        number for number, clause in enumerate(clauses) if rules is None or clause.rule in rules
    }
    reasons = {number: why_in_full(grounder.vocabulary, clauses[number]) for number in wanted}
    grounder.lazy = frozenset(number for number in wanted if reasons[number] is None)
    grounding = grounder.make(clauses)
    for number in grounder.lazy:
        check_listed(grounder.vocabulary, grounder.tallies[number].plan)
    notes = tuple(
        Diagnostic.note("E0313", f"rule {rule + 1} is grounded in full: {reason}")
        for rule, reason in sorted(
            {(clauses[number].rule, reason) for number, reason in reasons.items() if reason}
        )
    )
    grounding = replace(grounding, warnings=grounding.warnings + notes)
    return LazyGrounding(grounding, grounder.left())
