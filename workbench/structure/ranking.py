"""What a rule alone is worth: log likelihood gained on atoms its weight did not learn from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from workbench.arrays import Float
from workbench.progress import PLAIN, Conduct
from workbench.structure.disjunctions import Disjunction
from workbench.structure.growth import held_out_folds
from workbench.structure.pseudo_likelihood import PseudoLikelihoodScore

_STEPS = 12
_RIDGE = 1e-3
_BATCH = 64


@dataclass(frozen=True)
class Worth:
    """What one clause says of its target.

    Attributes
    ----------
    gain : float
        Held-out log likelihood gained, in nats an atom.
    agreeing, disagreeing : int
        Labelled atoms of which some body holds, as the clause concludes, and otherwise; estimated
        where false atoms are a sample.
    coverage : float
        `agreeing`, as a share of the labelled atoms that are as the clause concludes.
    """

    gain: float
    agreeing: int
    disagreeing: int
    coverage: float

    @property
    def precision(self) -> float:
        """`agreeing`, as a share of the atoms that the clause speaks of."""
        return self.agreeing / max(self.agreeing + self.disagreeing, 1)


def held_out_worth(
    score: PseudoLikelihoodScore,
    clauses: Sequence[Disjunction],
    *,
    conduct: Conduct = PLAIN,
) -> dict[Disjunction, Worth]:
    """The mean gain in nats an atom of each clause beside the target's unit clause.

    The atoms are dealt into folds (their worlds, or four parts of one world); the weights of clause
    and unit clause are learned on the others. A clause that says nothing, or that held for the
    training atoms alone, has no gain.

    Parameters
    ----------
    score : PseudoLikelihoodScore
        Of one predicate (`PseudoLikelihoodScore.restricted`).

    Returns
    -------
    dict
        Of the clauses that could be counted before the deadline.
    """
    counted, counts = score.flip_counts_until(clauses, conduct)
    fold = held_out_folds(score)
    folds = np.unique(fold).tolist()
    total = np.zeros(len(counted))
    for number in folds:
        held = np.where(fold == number, score.weight, 0.0)
        learned = np.where(fold == number, 0.0, score.weight)
        held, learned = held / max(held.sum(), 1e-300), learned / max(learned.sum(), 1e-300)
        for start in range(0, len(counted), _BATCH):
            chosen = slice(start, start + _BATCH)
            total[chosen] += _gains(counts[chosen], score.target, learned, held)
    says = score.flip_counts(counted, concluded=True) if counted else counts
    true = score.target == 1
    agreeing = (
        np.rint(((says > 0) & true | (says < 0) & ~true) @ score.stands_for).astype(int).tolist()
    )
    spoken = np.rint((says != 0) @ score.stands_for).astype(int).tolist()
    alike = [float(score.stands_for[true if (row > 0).any() else ~true].sum()) for row in says]
    return {
        clause: Worth(gain, right, of - right, right / max(all_alike, 1.0))
        for clause, gain, right, of, all_alike in zip(
            counted, (total / len(folds)).tolist(), agreeing, spoken, alike
        )
    }


def _gains(counts: Float, target: Float, learned: Float, held: Float) -> Float:
    """Held-out gain of each clause: Newton in its weight and the unit clause's, all at once."""
    rate = np.clip(learned @ target, 1e-6, 1 - 1e-6)
    base = float(np.log(rate / (1 - rate)))
    unit, weight = np.full(len(counts), base), np.zeros(len(counts))
    for _ in range(_STEPS):
        z = unit[:, None] + weight[:, None] * counts
        p = 0.5 * (1 + np.tanh(0.5 * z))
        residual, curve = learned * (p - target), learned * p * (1 - p)
        g0, g1 = residual.sum(axis=1), (residual * counts).sum(axis=1) + _RIDGE * weight
        h00, h01 = curve.sum(axis=1) + 1e-9, (curve * counts).sum(axis=1)
        h11 = (curve * counts**2).sum(axis=1) + _RIDGE
        determinant = np.maximum(h00 * h11 - h01**2, 1e-12)
        unit -= np.clip((h11 * g0 - h01 * g1) / determinant, -2, 2)
        weight = np.maximum(weight - np.clip((h00 * g1 - h01 * g0) / determinant, -2, 2), 0.0)
    z = unit[:, None] + weight[:, None] * counts
    with_clause = (held * (target * z - np.logaddexp(0, z))).sum(axis=1)
    without = float(held @ (target * base - np.logaddexp(0, base)))
    return np.asarray(np.where(weight > 0, with_clause - without, 0.0))
