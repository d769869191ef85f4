"""What every weight learner takes and gives back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import ClassVar

import numpy as np

from workbench.arrays import Bool, Float
from workbench.errors import Cancelled
from workbench.inference.row_store import RowStore
from workbench.learning.declaration import Declaration
from workbench.learning.flip_counts import FlipCountSource
from workbench.leaving import in_time
from workbench.network.ground_network import GroundNetwork, Templates
from workbench.progress import SILENT, BestSoFar, Conduct, Progress


@dataclass(frozen=True)
class Example:
    """One training database, grounded.

    Attributes
    ----------
    truth : float64 array, shape (n_atoms,)
        The label of each open atom; NaN where hidden.
    scored : bool array, shape (n_atoms,), or None for all
        Atoms that losses count (hidden predicates inferred jointly are not scored).
    source : RowStore or None
        Where the rows of rules that were not grounded come from, for learners that can do with the
        violated ones.
    counts : FlipCountSource or None
        Counts of all predicates' atoms in the database, for learners that declare to learn from
        them.
    """

    network: GroundNetwork
    truth: Float
    scored: Bool | None = None
    source: RowStore | None = None
    counts: FlipCountSource | None = None

    @property
    def counted(self) -> Bool:
        """The atoms that a loss or a score counts: labelled, and scored; shape (n_atoms,)."""
        labelled = ~np.isnan(self.truth)
        return labelled if self.scored is None else labelled & self.scored


@dataclass(frozen=True)
class LearnedWeights:
    """A learner's answer.

    Attributes
    ----------
    weights : float64 array, shape (n_templates,)
    trace : mapping of str to array
        Columns of equal length, such as `iteration`, `objective`, `gradient_norm`.
    status : str
        Why it stopped: `converged`, `iterations`, `limit`, `cancelled`, `oracle_limited`, ...
    diagnostics : mapping
    """

    weights: Float
    trace: Mapping[str, Float]
    status: str
    learner: str
    diagnostics: Mapping[str, object] = field(default_factory=dict)


class Learner(ABC):
    """A weight learner: a frozen dataclass of its parameters with these members."""

    name: ClassVar[str]
    declares: ClassVar[Declaration]

    def fit(
        self,
        examples: Sequence[Example],
        templates: Templates,
        *,
        seed: int = 0,
        deadline: float | None = None,
        progress: Progress = SILENT,
        judge: Callable[[Float], float] | None = None,
    ) -> LearnedWeights:
        """Learn all templates that are not fixed, or the best so far; `judge`: see `Conduct`."""
        conduct = Conduct(seed, deadline, progress, BestSoFar(templates), judge)
        asks = any(one.source is not None or one.counts is not None for one in examples)
        try:
            if asks:  # of a connection, which one thread at a time may use
                return self.learn(examples, templates, conduct)
            return in_time(conduct, partial(self.learn, examples, templates))
        except Cancelled:
            offered = conduct.best.answer
        given = np.nan_to_num(templates.weight, nan=0.0)
        return LearnedWeights(offered() if offered else given, {}, conduct.stopped, self.name)

    @abstractmethod
    def learn(
        self, examples: Sequence[Example], templates: Templates, conduct: Conduct
    ) -> LearnedWeights:
        """What `fit` does, as each learner does it."""
