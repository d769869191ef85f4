"""How far what labels teach counts beside what is known without them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.arrays import Bool, Float

CLEAR = 12.0
"""Log odds from which on pairs are clear without labels."""
SURELY = 1e-3
"""No probability that labels teach is nearer to 0 or 1."""
SPREAD = np.array([1.0, 0.5, 0.25])
"""Standard deviations of the three numbers, before labels are seen."""


@dataclass(frozen=True)
class Blend:
    """Log odds `start + taught * logit(p) + without * score`: `p` as labels teach it, `score` the
    log odds without them, which `p` has seen as a column, too.
    """

    start: float = 0.0
    taught: float = 1.0
    without: float = 0.25

    @classmethod
    def likeliest(cls, held_out: Float, scores: Float, match: Bool) -> Blend:
        """What labelled pairs that were held out make likeliest, and what holds before any is seen.

        Trees are surer of unlike pairs than they should be, or less sure; their logit is put right
        as Platt (1999) does it, together with the weight of the other log odds.

        Parameters
        ----------
        held_out : float64 array, shape (n_labels,)
            Probabilities of labelled pairs, each by what has not seen its label.
        scores : float64 array, shape (n_labels,)
        match : bool array, shape (n_labels,)
        """
        from scipy.optimize import minimize

        X, sign = _columns(held_out, scores), np.where(match, 1.0, -1.0)
        before = np.array([cls.start, cls.taught, cls.without])

        def cost(weights: Float) -> tuple[float, Float]:
            wrong, off = -sign * (X @ weights), (weights - before) / SPREAD
            value = float(np.logaddexp(0.0, wrong).sum() + off @ off / 2)
            return value, -(sign / (1.0 + np.exp(-wrong))) @ X + off / SPREAD

        start, taught, without = minimize(cost, before, jac=True, method="BFGS").x.tolist()
        return cls(start, taught, without)

    def log_odds(self, probabilities: Float, scores: Float) -> Float:
        """Of pairs, by what labels teach and by the log odds without them."""
        weights = np.array([self.start, self.taught, self.without])
        return np.asarray(_columns(probabilities, scores) @ weights)


def _columns(probabilities: Float, scores: Float) -> Float:
    known = np.clip(probabilities, SURELY, 1.0 - SURELY)
    logit = np.log(known) - np.log1p(-known)
    return np.column_stack((np.ones(len(logit)), logit, np.clip(scores, -CLEAR, CLEAR)))
