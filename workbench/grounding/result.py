"""What grounding gives back."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.arrays import Float
from workbench.database.database import Database
from workbench.errors import Diagnostic
from workbench.grounding.atoms import AtomTable
from workbench.grounding.lazy_rows import LazyRows
from workbench.grounding.space import Numbering
from workbench.grounding.vocabulary import Vocabulary
from workbench.network.ground_network import GroundNetwork, Templates


@dataclass(frozen=True)
class RuleCount:
    """What one rule of the program became.

    Attributes
    ----------
    rule : int
        Its number in the program.
    ground_rows : int
        Rows of the network (merged).
    unit_groundings : int
        Groundings with one open atom that went into `unit`.
    open, satisfied, violated : int
        Groundings with an open atom, satisfied by evidence alone, violated by evidence alone
        (before merging).
    """

    rule: int
    text: str
    clauses: int
    templates: int
    ground_rows: int
    unit_groundings: int
    open: int
    satisfied: int
    violated: int


@dataclass(frozen=True)
class Origin:
    """What a grounding was read from: to ask the database again, for an explanation.

    Attributes
    ----------
    vocabulary : Vocabulary
        Its temporary relations are gone; `again` makes them anew.
    """

    database: Database
    vocabulary: Vocabulary
    numbering: Numbering


@dataclass(frozen=True)
class Grounding:
    """A ground network, its weights' templates, its atoms and what each rule became.

    Attributes
    ----------
    truth : float64 array, shape (n_atoms,)
        Labels, NaN where there is none; see `grounding.labels`.
    listed : float64 array, shape (n_atoms,), or None
        Values that data list beside targets (PSL).
    labelled : tuple of str
        The predicates asked about of which the data state some label.
    memory : int or None
        Where the rows lie in files: how many bytes of them may stay in memory while they are passed
        over.
    left : LazyRows or None
        Rows that are not in the network: those of rules with very many groundings. Whoever asks it
        closes it.
    """

    network: GroundNetwork
    templates: Templates
    atoms: AtomTable
    rules: tuple[RuleCount, ...]
    warnings: tuple[Diagnostic, ...]
    truth: Float
    listed: Float | None
    labelled: tuple[str, ...]
    origin: Origin
    memory: int | None = None
    left: LazyRows | None = None

    def __repr__(self) -> str:
        return (
            f"Grounding({self.network.A.shape[0]:,} ground rows over {self.atoms.n_atoms:,} "
            "open atoms)"
        )

    @property
    def untouched(self) -> Float | float:
        """Truth values (PSL) of atoms in no ground row: those listed with them, else 1/2."""
        return 0.5 if self.listed is None else np.where(np.isnan(self.listed), 0.5, self.listed)
