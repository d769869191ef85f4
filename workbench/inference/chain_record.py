"""What several Markov chains saw: means, errors by batches, and how well the chains agree."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.arrays import Float, Int64
from workbench.network.layout import Layout

BATCHES = 16


@dataclass(frozen=True)
class Record:
    """What the chains saw.

    Attributes
    ----------
    soft, raw : float64 arrays, shape (n_atoms,)
        Mean conditional probabilities (Rao-Blackwell), and `(count + 1/2) / (samples + 1)`, in the
        network's order.
    effective : float64 array, shape (n_atoms,)
        Effective number of samples behind `soft`, by batch means; infinite where it never varied.
    error : float64 array, shape (n_atoms,)
        Standard error of `soft`, by batch means.
    r_hat : float64 array, shape (n_atoms,)
        Gelman and Rubin's ratio over half chains; 1 where nothing varied, NaN where half a chain is
        one sample or none.
    stopped : {'', 'limit', 'cancelled'}
    """

    soft: Float
    raw: Float
    samples: int
    effective: Float
    error: Float
    r_hat: Float
    stopped: str

    def diagnostics(self) -> dict[str, object]:
        """The figures that a `Solution` reports.

        R-hat is infinite where chains stand still at different values. JSON has no such number:
        there it is null, as where it is not known, and `r_hat_infinite`, a number of atoms, tells
        which.
        """
        finite = self.effective[np.isfinite(self.effective)]
        return {
            "samples": self.samples,
            "raw_probability": self.raw,
            "effective_samples": float(finite.min()) if finite.size else float(self.samples),
            "effective_samples_median": float(np.median(finite))
            if finite.size
            else float(self.samples),
            "standard_error": float(self.error.max(initial=0.0)),
            "r_hat": float(self.r_hat.max(initial=1.0)),
            "r_hat_median": float(np.median(self.r_hat)) if self.r_hat.size else 1.0,
            "r_hat_infinite": int(np.isinf(self.r_hat).sum()),
        }


def summarised(
    layout: Layout, soft: Float, hits: Float, squares: Float, sizes: Int64, stopped: str
) -> Record:
    """The record of the chains' sums by batch, each with a chain a row."""
    total = int(sizes.sum())
    if not total:
        nothing = np.full(layout.n_atoms, np.nan)
        endless = np.full(layout.n_atoms, np.inf)
        return Record(nothing, nothing, 0, np.zeros(layout.n_atoms), endless, endless, stopped)
    mean = soft.sum(axis=(0, 1)) / total
    used = sizes > 0
    size = sizes[used][:, None]
    batch_means = soft[used] / size
    # The variance of one conditional probability is at most p(1 - p); batch means tell what is left
    # after correlation.
    spread = np.maximum(mean * (1 - mean), 0.0)
    of_mean = ((batch_means - mean) ** 2 * size).sum(axis=0) / max(1, len(size) - 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        effective = np.where(
            of_mean > 1e-12, np.minimum(total * spread / of_mean, 10.0 * total), np.inf
        )
    order = layout.lift
    raw = (hits.sum(axis=(0, 1)) + 0.5) / (total + 1)
    error, r_hat = np.sqrt(of_mean / total), _r_hat(soft, squares, sizes)
    return Record(
        order(mean), order(raw), total, order(effective), order(error), order(r_hat), stopped
    )


def _r_hat(soft: Float, squares: Float, sizes: Int64) -> Float:
    """Split R-hat of each atom's conditional probability, from the halves of every chain."""
    half = BATCHES // 2
    sums = np.concatenate((soft[:, :half].sum(axis=1), soft[:, half:].sum(axis=1)))
    n = np.concatenate((sizes[:, :half].sum(axis=1), sizes[:, half:].sum(axis=1)))
    squared = np.concatenate((squares[:, 0], squares[:, 1]))
    sums, squared, n = sums[n > 1], squared[n > 1], n[n > 1]
    if len(n) < 2:
        return np.full(soft.shape[2], np.nan)
    means = sums / n[:, None]
    length = float(n.mean())
    within = ((squared / n[:, None] - means**2) * (n / (n - 1))[:, None]).mean(axis=0)
    between = means.var(axis=0, ddof=1)
    # Differences in single precision's last digits are none.
    within, between = np.where(within > 1e-12, within, 0.0), np.where(between > 1e-12, between, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.sqrt((length - 1) / length + between / within)
    return np.where(within > 0, ratio, np.where(between > 0, np.inf, 1.0))
