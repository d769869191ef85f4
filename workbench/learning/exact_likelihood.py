"""Exact conditional likelihood of clauses with one target literal (Huynh and Mooney 2008, 3.2).

When no ground clause holds two open atoms, the atoms are independent given the evidence and P(y =
1) = sigmoid(unit w): the conditional log likelihood, its gradient and its optimum are exact, and
learning is penalised logistic regression whose features are counts of satisfying substitutions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.sparse import csc_array, csr_array, vstack

from workbench.arrays import Bool, Float
from workbench.errors import UsageError
from workbench.learning.choice import Choice, choose
from workbench.learning.learner import LOGIC, Declaration, LearnedWeights, Learner
from workbench.learning.logistic import fit_logistic
from workbench.learning.logistic_objective import Penalty, loss
from workbench.learning.training import Example, TrainingSet
from workbench.progress import PLAIN, Conduct


@dataclass(frozen=True)
class ExactLikelihood(Learner):
    """Weights of greatest exact conditional likelihood under a Laplace and/or Gaussian prior.

    There is no hidden bias: an intercept is the unit clause of the target in the program, penalised
    like any other.

    Parameters
    ----------
    l1, l2 : float
        `l1 * sum |w| + l2 / 2 * sum w^2` is subtracted from the log likelihood. l1 alone sets many
        weights to exactly zero; both together are the elastic net.
    group : float
        Group lasso instead: the templates of one rule (`+` constants) leave or stay together.
    binary : bool
        Features 0/1 instead of counts of satisfying substitutions.
    folds : int
        Above 1: the penalties are multiplied by the factor, out of 16 to 1/64, that has the best
        log likelihood in cross-validation over so many folds of the training atoms.
    tolerance : float
        Relative duality gap at which the answer counts as optimal.
    """

    name: ClassVar[str] = "exact"
    declares: ClassVar[Declaration] = Declaration(
        maximises="the exact conditional likelihood, with a proven gap, under Laplace (`l1`), "
        "Gaussian (`l2`) or group priors",
        iteration="penalised logistic regression",
        when="no ground clause holds two open atoms",
        domains=LOGIC,
        hidden="left out",
        objective=True,
        joint=False,
    )
    l1: float = 0.0
    l2: float = 1.0
    group: float = 0.0
    binary: bool = False
    folds: int = 0
    tolerance: float = 1e-6

    def learn(self, training: TrainingSet, conduct: Conduct) -> LearnedWeights:
        """See `Learner.fit`.

        Raises E0510 when a soft ground clause holds two open atoms; E0503 when no atom is labelled.
        """
        templates = training.templates
        features, target = _training_matrix(training.examples)
        if self.binary:
            features = csr_array(
                (features > 0).astype(np.float64) - (features < 0).astype(np.float64)
            )
        learned = np.flatnonzero(~np.asarray(templates.fixed, np.bool_))
        weights = np.nan_to_num(templates.weight, nan=0.0)
        weights[learned] = 0.0
        offset = features @ weights
        X = csc_array(csc_array(features)[:, learned])
        penalty = Penalty(
            self.l1, self.l2, self.group, np.unique(templates.rule[learned], return_inverse=True)[1]
        )
        factor = 1.0
        if self.folds > 1:
            choice = choose_penalty(X, target, _scaled(penalty), folds=self.folds, conduct=conduct)
            factor, penalty = choice.best
        conduct.progress.step("exact likelihood", 0)
        fit = fit_logistic(
            X, target, penalty, offset=offset, tolerance=self.tolerance, conduct=conduct
        )
        weights[learned] = fit.weights
        columns = {"iteration": np.arange(1.0, len(fit.trace) + 1)}
        if len(fit.trace):
            columns |= {"objective": fit.trace[:, 0], "gap": fit.trace[:, 1]}
        return LearnedWeights(
            weights,
            columns,
            fit.status,
            self.name,
            {
                "objective": fit.objective,
                "bound": fit.bound,
                "gap": fit.gap,
                "nonzero": int(np.count_nonzero(fit.weights)),
                "penalty_factor": factor,
            },
        )


def _training_matrix(examples: Sequence[Example]) -> tuple[csr_array, Float]:
    rows: list[csr_array] = []
    labels: list[Float] = []
    for example in examples:
        kept = example.counted
        rows.append(csr_array(example.network.unit)[np.flatnonzero(kept)])
        labels.append(np.asarray(example.truth, np.float64)[kept])
    target = np.concatenate(labels)
    if not target.size:
        raise UsageError.of(
            "E0503", "no open atom is labelled", help="load the truth of the query predicates"
        )
    return csr_array(vstack(rows)), target


def _scaled(penalty: Penalty) -> list[tuple[float, Penalty]]:
    factors = [2.0**power for power in range(4, -7, -1)]
    return [
        (f, Penalty(penalty.l1 * f, penalty.l2 * f, penalty.group * f, penalty.groups))
        for f in factors
    ]


def choose_penalty(
    X: csc_array,
    target: Float,
    candidates: Sequence[tuple[float, Penalty]],
    *,
    folds: int = 5,
    conduct: Conduct = PLAIN,
) -> Choice[tuple[float, Penalty]]:
    """The candidates, from strong to weak, by held-out log likelihood; warm-started.

    Parameters
    ----------
    candidates : sequence of (factor, Penalty)
    folds : int
        Stratified by label; drawn with the seed.
    """
    rng = np.random.default_rng(conduct.seed)
    member = np.empty(len(target), np.int64)
    for label in (0.0, 1.0):
        chosen = np.flatnonzero(target == label)
        member[rng.permutation(chosen)] = np.arange(len(chosen)) % folds
    rows = csr_array(X)

    def fits(train: Bool) -> Iterator[Float]:
        columns, start = csc_array(rows[train]), None
        for _, penalty in candidates:
            fit = fit_logistic(
                columns,
                target[train],
                penalty,
                start=start,
                tolerance=1e-3,
                conduct=conduct,
            )
            start = fit.weights
            yield start

    def score(weights: Float, held: Bool) -> float:
        return -loss(rows[held] @ weights, target[held])

    return choose(
        candidates, [(member != fold, member == fold) for fold in range(folds)], fits, score
    )
