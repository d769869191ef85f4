"""How two sources write the values of a column: alike, or each in its own way.

Where authors are `Smith, John` in one source and `John Smith` in the other, pairs within a source
are equal that would be nearly so across. Taken as they are they would tell that equal authors are
no match, and nearly equal ones are.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

import numpy as np

from workbench.arrays import Float, Int8, Int32
from workbench.linkage.comparison import MISSING, FieldComparison, first_equal
from workbench.linkage.fields import Field
from workbench.linkage.mixture import Mixture, sigmoid

MORE = 2.0
"""So many times as often values are equal within as across, and sources write them otherwise."""
OF_RARE = 1e-3
"""And so much more often, where values of which each says much are."""
OF_KINDS = 0.1
"""Of random pairs, those that are equal in a column of kinds, at least."""
FEWEST = 20
"""Pairs that are equal within, at least; fewer are so by chance."""


class Ways(Enum):
    """One way in both sources; one in each; or other values, of which each says much: venues."""

    ONE, TWO, OTHERS = range(3)


def ways_of(field: Field, second: Int32) -> Ways:
    """How two sources write a field, told by how often values are equal.

    Parameters
    ----------
    second : int32 array, shape (n_records,)
        0 and 1: the source of each record.
    """
    sides = [field.codes[(second == side) & (field.codes >= 0)] for side in (0, 1)]
    one, other = (np.bincount(side, minlength=len(field.texts)).astype(float) for side in sides)
    pairs = float(one @ (one - 1) + other @ (other - 1))
    across = float(one @ other) / max(1.0, float(one.sum() * other.sum()))
    within = pairs / max(1.0, float(one.sum() ** 2 + other.sum() ** 2))
    if within <= MORE * across or pairs < 2 * FEWEST:
        return Ways.ONE
    both = one + other
    of_kinds = float(both @ both) >= OF_KINDS * float(both.sum()) ** 2
    return Ways.TWO if of_kinds or within <= MORE * across + OF_RARE else Ways.OTHERS


def as_if_across(
    within: Int8,
    across: Int8,
    comparisons: Sequence[FieldComparison],
    two_ways: Sequence[int],
    assumed: Mixture,
    random: np.random.Generator,
) -> Int8:
    """Levels of pairs within sources as they would be across: values equal in a field that is
    written in two ways have a level that likely matches across have.

    Parameters
    ----------
    within, across : int8 arrays, shape (n_pairs, n_comparisons)
    two_ways : sequence of int
        Places of the fields.
    """
    found, likely = within.copy(), sigmoid(assumed.scores(across))
    for place in two_ways:
        equal = np.flatnonzero(within[:, place] >= first_equal(comparisons[place]))
        shares = _shares(across[:, place], likely, comparisons[place].n_levels)
        found[equal, place] = random.choice(len(shares), len(equal), p=shares)
    return found


def _shares(levels: Int8, likely: Float, n_levels: int) -> Float:
    """How often likely matches with a value have each level."""
    held = np.bincount(levels, likely, minlength=n_levels)
    held[MISSING] = 0.0
    return np.asarray(held / held.sum()) if held.sum() > 0 else np.eye(n_levels)[MISSING]
