"""What comes before rows of one thing, against one loop over all pairs."""

from __future__ import annotations

import numpy as np
import pytest

from workbench.structure.sequences import Moments


@pytest.mark.parametrize("directly", [True, False])
def test_after_says_what_pairs_say(directly: bool) -> None:
    rng = np.random.default_rng(1)
    for _ in range(40):
        n = int(rng.integers(0, 40))
        things = np.where(rng.random(n) < 0.9, rng.integers(0, 4, n), np.nan)
        times = np.where(rng.random(n) < 0.9, rng.integers(0, 12, n) / 4, np.nan)
        told = rng.random(n) < 0.4
        expected = np.zeros(n)
        for row in range(n):
            earlier = [
                at for at in range(n) if things[at] == things[row] and times[at] < times[row]
            ]
            if directly and earlier:
                last = max(times[at] for at in earlier)
                earlier = [at for at in earlier if times[at] == last]
            expected[row] = any(told[at] for at in earlier)
        said = Moments.of(things, times).after(told, directly=directly)
        np.testing.assert_array_equal(said, expected)


def test_since_says_how_long_after_the_moment_before() -> None:
    rng = np.random.default_rng(2)
    for _ in range(40):
        n = int(rng.integers(0, 40))
        things = np.where(rng.random(n) < 0.9, rng.integers(0, 4, n), np.nan)
        times = np.where(rng.random(n) < 0.9, rng.integers(0, 12, n) / 4, np.nan)
        expected = np.full(n, np.nan)
        for row in range(n):
            of = things == things[row]
            if (earlier := times[of & (times < times[row])]).size:
                expected[row] = times[row] - earlier.max()
        np.testing.assert_array_equal(Moments.of(things, times).since(), expected)
