"""What every weight learner takes and gives back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from workbench.arrays import Float
from workbench.errors import Cancelled, UsageError
from workbench.learning.declaration import Declaration
from workbench.learning.training import Example, TrainingSet, prepare
from workbench.leaving import in_time
from workbench.network.ground_network import Domain, GroundNetwork, Relation, Templates
from workbench.progress import SILENT, BestSoFar, Conduct, Progress
from workbench.threads import one_blas_thread


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

        def learn(conduct: Conduct) -> LearnedWeights:
            return self.learn(self.prepared(examples, templates), conduct)

        try:
            with one_blas_thread():
                # What asks a connection stays in this thread: one at a time may use it.
                return learn(conduct) if asks else in_time(conduct, learn)
        except Cancelled:
            offered = conduct.best.answer
        given = np.nan_to_num(templates.weight, nan=0.0)
        return LearnedWeights(offered() if offered else given, {}, conduct.stopped, self.name)

    def prepared(self, examples: Sequence[Example], templates: Templates) -> TrainingSet:
        """The examples made ready; E0522 and E0510 where the learner does not take such networks,
        and the errors of `prepare`.
        """
        for example in examples:
            self._check_declared(example.network)
        return prepare(examples, templates)

    def _check_declared(self, network: GroundNetwork) -> None:
        """Refuse a network that the learner declares not to take."""
        if network.domain not in self.declares.domains:
            of = {Domain.BOOLEAN: "Markov logic", Domain.UNIT: "soft logic"}[network.domain]
            raise UsageError.of(
                "E0522",
                f"the learner {self.name} does not learn weights of {of}",
                help=f"it is for {self.declares.languages}; `auto` takes a learner that fits",
            )
        soft = network.relation == Relation.HINGE
        if not self.declares.joint and soft.any():
            raise UsageError.of(
                "E0510",
                f"{self.name} needs ground clauses with one open atom; {int(soft.sum())} ground "
                f"clauses of template {int(network.template[soft].min())} have more",
                help="keep clauses that join target atoms hard, or take another learner, such as "
                "pseudo-likelihood",
            )

    @abstractmethod
    def learn(self, training: TrainingSet, conduct: Conduct) -> LearnedWeights:
        """What `fit` does, as each learner does it."""
