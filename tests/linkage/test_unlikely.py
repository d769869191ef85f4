"""A linkage that takes next to nothing says so, and how likely the rest is."""

from __future__ import annotations

import re
from typing import cast

import numpy as np
import pytest

from workbench.linkage.link_model import Scoring
from workbench.verbs.linking.notes import about_unlikely

MODEL = cast(Scoring, None)


@pytest.mark.parametrize(
    ("scores", "said"),
    [
        ([-0.3] * 372 + [-6.0] * 900, "no duplicates were found: 372 pairs .* of 0.43 at most"),
        ([0.01] + [-0.3] * 372, "hardly any duplicates were found: 372 pairs"),
        ([-5.0] * 10, "no duplicates were found: all 10 pairs .* of 0.0067 at most"),
        ([2.0] + [-0.3] * 19, None),
        ([2.0] * 10 + [-0.3] * 5 + [-6.0] * 900, None),
        ([], None),
    ],
)
def test_pairs_below_the_threshold_are_told_of_where_they_are_most(
    scores: list[float], said: str | None
) -> None:
    found = about_unlikely(MODEL, np.array(scores), 0.0)
    assert [one.code for one in found] == (["E0681"] if said else [])
    assert all(re.match(said or "", one.message) for one in found)
