"""Counts for generative pseudo-likelihood: one predicate open at a time, the others known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from workbench.database import Database
from workbench.grounding import GroundRequest, ground
from workbench.language.definitions import condition_atoms
from workbench.language.program import Program
from workbench.learning.flip_counts import FlipCounts, compressed, flip_counts, together
from workbench.network import Templates
from workbench.progress import SILENT, Progress


@dataclass(frozen=True)
class DatabaseFlipCounts:
    """The flip counts of every predicate's atoms, taken from the database: a `FlipCountSource`.

    With all predicates but one taken as evidence, the joins of SQL leave only the groundings that
    the training state of the others does not satisfy, and one atom's share of them is what flipping
    it changes.

    Parameters
    ----------
    worlds : sequence of int or str, or None
        The training worlds; None for all.
    tie : bool
        Whether the templates are those of formulas, not of clauses.
    """

    database: Database
    program: Program
    templates: Templates
    worlds: Sequence[int | str] | None = None
    progress: Progress = SILENT
    tie: bool = False

    def flip_counts(self) -> Sequence[FlipCounts]:
        """One `FlipCounts` a predicate, equal atoms merged. One grounding a predicate."""
        return [compressed(part) for part in self._parts()]

    def total(self) -> FlipCounts:
        """All predicates' counts as one, equal atoms merged."""
        return compressed(together(self._parts()))

    def _parts(self) -> list[FlipCounts]:
        predicates = _uncertain(self.program)
        parts = []
        for number, predicate in enumerate(predicates):
            self.progress.step("counting", number, len(predicates), predicate)
            request = GroundRequest(
                query=(predicate,),
                closed=tuple(name for name in self.program.predicates if name != predicate),
                role="learn",
                worlds=self.worlds,
                templates=self.templates,
                tie=self.tie,
            )
            grounding = ground(self.database, self.program, request)
            truth = np.nan_to_num(grounding.truth, nan=0.0)
            parts.append(flip_counts(grounding.network, truth))
        return parts


def _uncertain(program: Program) -> list[str]:
    """The predicates whose atoms are chance: without values, and neither defined nor read by a
    definition or scope, which are made of what is known.
    """
    read = {atom.predicate for one in program.statements for atom in condition_atoms(one.body)}
    return [
        name
        for name, declared in program.predicates.items()
        if not (declared.has_values or name in program.defined or name in read)
    ]
