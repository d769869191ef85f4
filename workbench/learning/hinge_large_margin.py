"""Large-margin learning for hinge-loss MRFs by the name and the parameters of their paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from workbench.inference.solution import Engine
from workbench.learning.declaration import SOFT, Declaration
from workbench.learning.learner import Example, LearnedWeights, Learner
from workbench.learning.max_margin import MaxMargin
from workbench.learning.training import prepare
from workbench.network.ground_network import Templates
from workbench.progress import Conduct

__all__ = ["HingeLargeMargin"]


@dataclass(frozen=True)
class HingeLargeMargin(Learner):
    """Weights whose energy at the labels lies below every other state's by that state's L1 loss.

    `min 1/2 |w|^2 + C xi` subject to `w . (Phi(y) - Phi(labels)) >= |y - labels|_1 - xi` for all states y and w >= 0
    (Bach et al. 2017, section 6.3; one slack: Joachims et al. 2009): max margin with the loss stopped at a share of the
    labelled atoms.

    Parameters
    ----------
    C : float
        Penalty of the slack.
    precision : float
        Stop when the worst violation exceeds the slack by at most this share of the labelled atoms.
    max_planes : int
    scale_by_groundings : bool
        Measure weights per grounding in the norm, so that frequent rules are not favoured.
    tolerance : float
        Relative gap of the MAP states.
    engine : Engine or None
    """

    name: ClassVar[str] = "hinge_large_margin"
    declares: ClassVar[Declaration] = Declaration(
        maximises="the margin in L1 loss between the labels and every other state; `C=`",
        iteration="a few loss-augmented MAP inferences a cutting plane",
        when="the error of the MAP state is the goal",
        domains=SOFT,
        hidden="completed",
    )
    C: float = 0.1
    precision: float = 1e-3
    max_planes: int = 100
    scale_by_groundings: bool = False
    tolerance: float = 1e-3
    engine: Engine | None = None

    def learn(self, examples: Sequence[Example], templates: Templates, conduct: Conduct) -> LearnedWeights:
        """Learn. One or a few MAP inferences per example and cutting plane."""
        labelled = sum(int((~world.hidden).sum()) for world in prepare(examples, templates, self).worlds)
        learner = MaxMargin(
            penalty=self.C,
            epsilon=self.precision * max(1, labelled),
            max_iterations=self.max_planes,
            scale_by_groundings=self.scale_by_groundings,
            tolerance=self.tolerance,
            engine=self.engine,
        )
        learned = learner.learn(examples, templates, conduct)
        return replace(learned, learner=self.name)
