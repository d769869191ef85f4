"""What labels say of log odds: whether others tell them clearly better, and how far all are off.

Labels move what is known without them as far as they clearly tell better. Where they are one-sided,
for pairs that come to mind as different hardly look like matches, only the matches among them say
whether more pairs may be taken: the square of recall by the number of pairs taken is as F1 is (Lee
& Liu 2003).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.arrays import Bool, Float, Int64

SURE = 6.0
"""Log odds beyond which it does not count how wrong a label finds them: it may be a slip."""
GAIN = 2.0
"""Of log likelihood, beside its chance, from which on labels tell something better."""
CLEAR = 2.0
"""Log odds beyond which a label that says otherwise is a surprise."""
SHIFT = 1.0
"""The standard deviation of what all log odds are off by, before labels are seen."""
SURELY = 2.0
"""Standard deviations of the number of matches that come to be found."""
SIDED = 0.25
"""Of the pairs that may be either, and are expected to differ, so many are labelled so at least."""


@dataclass(frozen=True)
class LabelEvidence:
    """Labels of some pairs.

    Attributes
    ----------
    places : int64 array, shape (n_labels,)
        Where these are among all.
    match : bool array, shape (n_labels,)
    """

    places: Int64
    match: Bool

    def likelihoods(self, told: Float) -> Float:
        """Log likelihoods, by the log odds that labelled pairs have."""
        wrong = np.where(self.match, -1.0, 1.0) * np.clip(told, -SURE, SURE)
        return np.asarray(-np.logaddexp(0.0, wrong))

    def surprises(self, scores: Float) -> tuple[int, int]:
        """How many labels say the contrary of clear log odds, and how many clear ones there are."""
        told = scores[self.places]
        clear = np.abs(told) > CLEAR
        return int((clear & ((told > 0) != self.match)).sum()), int(clear.sum())

    def may_gain(self, scores: Float) -> bool:
        """Whether other log odds than these, of all pairs, could tell the labels clearly better."""
        return bool(-self.likelihoods(scores[self.places]).sum() > GAIN)

    def speaks_for(self, scores: Float, before: Float, held_out: Float | None = None) -> bool:
        """Whether log odds tell the labels better than those before, by more than a few of the
        labels make of it, and take no more pairs than the labelled matches allow.

        Parameters
        ----------
        scores, before : float64 arrays, shape (n_pairs,)
        held_out : float64 array, shape (n_labels,), optional
            What labelled pairs have where they were held out, for `scores`.
        """
        told = scores[self.places] if held_out is None else held_out
        gains = self.likelihoods(told) - self.likelihoods(before[self.places])
        clearly = gains.sum() > GAIN + np.sqrt(gains @ gains)
        return bool(clearly) and not self._take_too_many(scores, before, told)

    def shift(self, scores: Float) -> float:
        """What labels add to all log odds: most likely where none is likeliest before."""
        from scipy.optimize import minimize_scalar

        told = scores[self.places]

        def cost(shift: float) -> float:
            return 0.5 * (shift / SHIFT) ** 2 - float(self.likelihoods(told + shift).sum())

        found = float(minimize_scalar(cost, bounds=(-SURE, SURE), method="bounded").x)
        return 0.0 if self._take_too_many(scores + found, scores, told + found) else found

    def _take_too_many(self, scores: Float, before: Float, told: Float) -> bool:
        taken, fewer = (1.0 + (one > 0).sum() for one in (scores, before))
        said = before[self.places]
        found, less = (1.0 + (one[self.match] > 0).sum() for one in (told, said))
        surely = found - SURELY * np.sqrt(max(0.0, found - less))
        return self.is_one_sided(before) and bool(
            taken > fewer and (surely / less) ** 2 < taken / fewer
        )

    def is_one_sided(self, scores: Float) -> bool:
        """Whether of the pairs that may be either more are labelled as matches than are so."""
        said = scores[self.places]
        unclear = np.abs(said) < SURE
        differ = 1.0 / (1.0 + np.exp(said[unclear]))
        return bool((~self.match[unclear]).sum() < SIDED * differ.sum())
