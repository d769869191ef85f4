"""What every weight learner takes and gives back, and what it says of itself, as data:
chooser, help, docs/learning.md and tests read it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal

import numpy as np

from workbench.arrays import Float
from workbench.errors import Cancelled, UsageError
from workbench.learning.training import Example, TrainingSet, prepare
from workbench.leaving import in_time
from workbench.network.ground_network import Domain, GroundNetwork, Relation, Templates
from workbench.progress import SILENT, BestSoFar, Conduct, Progress
from workbench.threads import one_blas_thread

BOTH = frozenset(Domain)
LOGIC = frozenset((Domain.BOOLEAN,))
SOFT = frozenset((Domain.UNIT,))


@dataclass(frozen=True)
class Declaration:
    """What a learner takes and gives.

    Attributes
    ----------
    maximises, iteration, when : str
        What is maximised, what an iteration costs, and when to take it, in a few words of Markdown.
    domains : frozenset of Domain
        Markov logic, soft logic, or both.
    hidden : {'summed out', 'completed', 'left out'}
        What becomes of atoms without a label: expected by a second chain, completed by the most
        likely state given the labels, or without a part in learning.
    objective : bool
        Whether the trace has the value of what is maximised (or minimised) in the column
        `objective`.
    joint : bool
        Whether ground clauses may hold several open atoms.
    by_world : bool
        Whether training databases should come apart (slacks of their own, one at a time) rather
        than as one network.
    lazy : bool
        Whether rules may be left ungrounded until a state violates them.
    counts : bool
        Whether it learns from the database's counts of all predicates' atoms (`Example.counts`),
        not from networks.
    passes : bool
        Whether it reads ground rows a run at a time, where all atoms have labels, so that they may
        lie on disk.
    default : (Domain, bool) or None
        `auto` takes it in that domain, where labels are hidden (True) or not.
    """

    maximises: str
    iteration: str
    when: str
    domains: frozenset[Domain] = BOTH
    hidden: Literal["summed out", "completed", "left out"] = "summed out"
    objective: bool = False
    joint: bool = True
    by_world: bool = False
    lazy: bool = False
    counts: bool = False
    passes: bool = False
    default: tuple[tuple[Domain, bool], ...] = ()

    @property
    def languages(self) -> str:
        """`MLN`, `PSL`, or both."""
        return ", ".join(word for domain, word in _LANGUAGES.items() if domain in self.domains)


_LANGUAGES = {Domain.BOOLEAN: "MLN", Domain.UNIT: "PSL"}


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
