"""What estimates of a linkage are told by its model, and by pairs known not to match."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from workbench.arrays import Float, Int32
from workbench.linkage.link_model import LinkModel, Scoring
from workbench.linkage.matching import Rivals, best_of_each


def what_is_told(model: Scoring, captured: float) -> dict[str, float]:
    """What estimates are told: what candidates miss, the precision that a field against the matches
    leaves, how much too large log odds are, and which share of matches the model has.
    """
    if not isinstance(model, LinkModel):
        return {"captured": captured}
    at_most = 1.0 if model.against is None else model.against[1]
    return {"captured": captured, "at_most": at_most, "scale": model.scale, "has": model.has}


def false_beyond(
    model: Scoring, scores: Float, source: Int32, rivals: Rivals | None
) -> Callable[[float], tuple[float, float]] | None:
    """From log odds to how many of the pairs beyond are none, and its variance, where pairs within
    two files tell it: these are scored as those across, and weighed against their rivals.

    Parameters
    ----------
    scores : float64 array, shape (n_candidates,)
    source : int32 array, shape (n_records,)
    """
    if not isinstance(model, LinkModel) or model.within is None:
        return None
    within = model.within
    alike = model.tree.scores(within.levels)
    if rivals is not None:
        top = best_of_each(len(source), within.pairs, alike)
        alike = rivals.applied(within.pairs, alike, top)
    smaller = int(np.bincount(source).min())
    return lambda cut: within.false(int((alike > cut).sum()), int((scores > cut).sum()), smaller)
