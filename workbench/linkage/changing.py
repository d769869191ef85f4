"""Codes that change: a telephone number of which one has two beside a serial number that names.

Things that a code tells apart differ in more than the code: the other editions of a book have other
years. Where pairs that differ in it are as often equal elsewhere as those that share it, and so in
a field that hardly two things share, such as an address of mail, it is the code that changed.
"""

from __future__ import annotations

import numpy as np

from workbench.arrays import Float
from workbench.linkage.comparison import MISSING, first_equal
from workbench.linkage.problem import OF_ONE, LinkProblem

KEPT = 0.6
"""Of the share of equal pairs, by those that differ in the code; else things differ, too."""
ENOUGH = 15.0
"""Pairs of either kind, to tell."""
SEEN = 0.1
"""Of the pairs that share the code, those that are equal in a field that is asked."""
NEARLY_UNIQUE = 0.06
"""Of random pairs, those that are equal in a field that is asked."""


def changes_alone(place: int, alike: Float, random: Float, problem: LinkProblem) -> bool:
    """Whether nothing else changes where a code does, and a field that names things stays.

    Parameters
    ----------
    alike : float64 array, shape (n_patterns,)
        Pairs that match by the other fields.
    random : float64 array, shape (n_patterns,)
        Of these, those that chance explains in the code.
    """
    names = False
    there = problem.levels[:, place] != MISSING
    for other, (comparison, chance) in enumerate(zip(problem.comparisons, problem.chances)):
        first = first_equal(comparison)
        by_chance = float(chance[first:].sum())
        if other == place or by_chance > NEARLY_UNIQUE:
            continue
        level = problem.levels[:, other]
        both = alike * (there & (level != MISSING))
        shares = [_share(both * of, level >= first) for of in (1.0 - random, random)]
        if np.isnan(shares).any() or shares[0] < SEEN:
            continue
        if shares[1] < KEPT * shares[0]:
            return False
        names = names or by_chance * problem.records <= OF_ONE
    return names


def _share(weight: Float, equal: np.ndarray) -> float:
    total = float(weight.sum())
    return float(weight @ equal) / total if total >= ENOUGH else np.nan
