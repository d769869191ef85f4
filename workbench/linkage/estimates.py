"""How good a clustering is by the model's own account: expected precision and recall of its pairs,
without labels.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from workbench.arrays import Array, Float, Int32, Int64
from workbench.linkage.blocking import Pairs
from workbench.linkage.clustering import Clustering
from workbench.linkage.components import CLIP
from workbench.linkage.mixture import sigmoid
from workbench.linkage.repeated import Repeated
from workbench.linkage.sorting import are_among, grouped

FEWEST = 5
AS_PRECISION, AS_RECALL = 15, 10
"""What is estimated is as sure as if so many pairs had been looked at, told by made-up data of many
kinds (`benchmarks.linkage_said`): of how many pairs there are it depends less.
"""
OFF = 0.05
"""By how much log odds alone are off the precision, of such data."""
SURE = 0.9
"""Of intervals, those that hold."""
THRESHOLDS = np.array([0.01, *(np.arange(1, 20) / 20), 0.99, 0.999])


@dataclass(frozen=True)
class Estimates:
    """Shares of pairs.

    Attributes
    ----------
    precision : float
        Of the pairs that are together, how many are the same.
    recall : float
        Of the pairs that are the same, how many are together.
    candidate_recall : float
        Of the pairs that are the same, how many some blocking statement found.
    precision_interval, recall_interval : pairs of float
        What holds the true share in nine of ten data sets.

    All are NaN where fewer than FEWEST pairs are together: so few may be so by chance.
    """

    precision: float
    recall: float
    candidate_recall: float
    precision_interval: tuple[float, float] = (np.nan, np.nan)
    recall_interval: tuple[float, float] = (np.nan, np.nan)

    def words(self) -> str:
        """Precision and recall with their intervals."""
        if np.isnan(self.precision):
            return "precision and recall are unknown"
        shares = [
            f"{name} {share:.3f} ({least:.2f} to {most:.2f})"
            for name, share, (least, most) in (
                ("precision", self.precision, self.precision_interval),
                ("recall", self.recall, self.recall_interval),
            )
        ]
        return f"estimated {', '.join(shares)}; nine of ten such ranges hold"


def estimate(
    clustering: Clustering,
    candidates: Pairs,
    scores: Float,
    *,
    captured: float = 1.0,
    at_most: float = 1.0,
    scale: float = 1.0,
    has: float = 1.0,
    wrong: float = 0.0,
    false: tuple[float, float] | None = None,
    repeated: Repeated | None = None,
) -> Estimates:
    """Sum up probabilities.

    Parameters
    ----------
    captured : float
        The share of the pairs that are the same which is among the candidates.
    at_most : float
        The precision, where a field tells it.
    scale : float
        What log odds are multiplied by.
    has : float
        The share of the pairs that are the same among candidates that the model takes for such.
    wrong : float
        The share of pairs that may be wrong at worst, where a field tells things apart.
    false : pair of float, optional
        How many of the pairs together are none, where pairs that are known not to match tell it,
        and the variance of that.
    repeated : Repeated, optional
        Pairs within two sources that repeat things, which are apart.

    Notes
    -----
    A pair that is together is as likely as the worse supported of its records, by the mean log odds
    of each with the others of the cluster. A pair that is apart is as likely as the mean log odds
    between the two clusters say: single pairs that look alike are contradicted by the rest of
    theirs.
    """
    label, inside = clustering.label, clustering.pairs
    n = len(label)
    log_odds = np.clip(scale * clustering.scores, -CLIP, CLIP)
    together = label[inside.left] == label[inside.right]
    if int(together.sum()) < FEWEST:
        return Estimates(np.nan, np.nan, np.nan)
    supported = _support(n, inside.left[together], inside.right[together], log_odds[together])
    known, asked = inside.keys(n), candidates.keys(n)
    beyond = (label[candidates.left] != label[candidates.right]) & ~are_among(
        asked, known[~together]
    )
    left = np.concatenate((inside.left[~together], candidates.left[beyond]))
    right = np.concatenate((inside.right[~together], candidates.right[beyond]))
    apart = np.concatenate((log_odds[~together], np.clip(scale * scores[beyond], -CLIP, CLIP)))
    missed = float(sigmoid(_between(label[left], label[right], apart)).sum())
    if repeated is not None:
        missed += _missed_within(label, repeated, known)
    found = float(supported.sum())
    hit = are_among(known[together], asked)
    missed += float(supported[hit].sum()) * (1.0 - has) / has
    among = float(supported[hit].sum()) + missed
    every = max(found + missed, among / captured)
    number = int(together.sum())
    true = found if false is None else _right(found, number, *false)
    precision, recall = min(true / number, at_most), found / every
    joined = n - int(label.max()) - 1
    at_worst = interval(min(precision, 1.0 - wrong), min(joined, AS_PRECISION))
    return Estimates(
        precision,
        recall,
        among / every,
        (at_worst[0], interval(precision, min(joined, AS_PRECISION))[1]),
        interval(recall, min(joined, AS_RECALL)),
    )


def _missed_within(label: Int64, repeated: Repeated, known: Int64) -> float:
    """How many pairs within two sources are the same and apart, beside those that are known."""
    pairs = repeated.pairs
    log_odds = _between(label[pairs.left], label[pairs.right], repeated.scores)
    other = ~are_among(pairs.keys(len(label)), known)
    return float((sigmoid(log_odds) * repeated.times) @ other)


def _right(expected: float, pairs: int, false: float, variance: float) -> float:
    """How many pairs are right by log odds and by the pairs that are known not to match, each as
    sure as it is.
    """
    sure = (OFF * pairs) ** 2
    more = sure / (sure + variance) * (pairs - false - expected)
    return float(np.clip(expected + more, 0.0, pairs))


def interval(share: float, looked_at: int) -> tuple[float, float]:
    """What holds a share of which so many cases told: Jeffreys' interval (Brown, Cai & DasGupta
    2001), closed at 0 and 1.
    """
    from scipy.special import betaincinv

    right, wrong = share * looked_at, (1.0 - share) * looked_at
    tail = (1.0 - SURE) / 2
    least, most = betaincinv(right + 0.5, wrong + 0.5, [tail, 1.0 - tail]).tolist()
    return 0.0 if right < 0.5 else least, 1.0 if wrong < 0.5 else most


def _support(n: int, left: Int32, right: Int32, log_odds: Float) -> Float:
    """Of each pair, the probability of the one record that agrees less with its cluster."""
    sums = np.bincount(left, log_odds, minlength=n) + np.bincount(right, log_odds, minlength=n)
    counts = np.bincount(left, minlength=n) + np.bincount(right, minlength=n)
    mean = sums / np.maximum(counts, 1)
    return sigmoid(np.minimum(mean[left], mean[right]))


def _between(one: Int64, other: Int64, log_odds: Float) -> Float:
    """Of each pair the mean log odds of the pairs between the same two clusters."""
    if not len(one):
        return np.zeros(0)
    _, pair, counts = grouped(
        np.minimum(one, other) * (int(max(one.max(), other.max())) + 1) + np.maximum(one, other)
    )
    return np.asarray((np.bincount(pair, log_odds) / counts)[pair])


def threshold_curve(
    scores: Float,
    *,
    captured: float = 1.0,
    at_most: float = 1.0,
    scale: float = 1.0,
    has: float = 1.0,
    false: Callable[[float], tuple[float, float]] | None = None,
) -> dict[str, Array]:
    """What is expected where candidates count as the same from a probability on, before clusters.

    Parameters
    ----------
    scores : float64 array, shape (n_candidates,)
    captured, at_most, scale, has
        As in `estimate`.
    false : callable, optional
        From log odds to how many of the pairs beyond are none, and the variance of that.

    Returns
    -------
    dict of str to array, shape (n_thresholds,)
        threshold, pairs, precision (NaN where there is no pair), recall.
    """
    order = np.sort(scores)[::-1]
    right = sigmoid(np.clip(scale * order, -CLIP, CLIP))
    known = np.concatenate(([0.0], np.cumsum(right)))
    cuts = np.log(THRESHOLDS) - np.log1p(-THRESHOLDS)
    pairs = np.searchsorted(-order, -cuts, side="right")
    every = max(known[-1] / has / captured, np.finfo(float).tiny)
    right = known[pairs]
    if false is not None:
        told = zip(right.tolist(), pairs.tolist(), map(false, cuts))
        right = np.array([_right(one, number, *wrong) for one, number, wrong in told])
    with np.errstate(invalid="ignore"):
        precision = np.minimum(right / pairs, at_most)
    return {
        "threshold": THRESHOLDS,
        "pairs": pairs,
        "precision": precision,
        "recall": known[pairs] / every,
    }


def best_threshold(scores: Float) -> float:
    """The threshold of the best F1 that is expected of candidates; of equal ones the highest.

    Where probabilities hold it is half of that F1 (Lipton, Elkan & Naryanaswamy 2014): .5 at most.
    Matches that are no candidates are missed at every threshold and count for none.
    """
    curve = threshold_curve(scores)
    precision, recall = (np.nan_to_num(curve[name]) for name in ("precision", "recall"))
    f1 = 2 * precision * recall / np.maximum(precision + recall, np.finfo(float).tiny)
    at_most = int(np.searchsorted(THRESHOLDS, 0.5))
    return float(THRESHOLDS[at_most - int(np.argmax(f1[at_most::-1]))])
