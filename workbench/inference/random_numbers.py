"""A small random number generator for kernels: xorshift128+ over two words held by the caller.

Its own state, rather than Numba's per thread, makes a result depend on the seed alone, whatever the
threads.
"""

from __future__ import annotations

import numpy as np

from workbench.arrays import UInt64
from workbench.network.compiled import compiled


def stream(seed: int, *numbers: int) -> UInt64:
    """The state of an independent stream for `seed` and, say, the number of a chain; shape (2,)."""
    words = (
        np.random.SeedSequence([seed % 2**63, *numbers])
        .generate_state(2, np.uint64)
        .astype(np.uint64)
    )
    words[0] |= np.uint64(1)
    return words


@compiled
def uniform(state: UInt64) -> float:
    """The next number in [0, 1)."""
    x = state[0]
    y = state[1]
    state[0] = y
    x ^= x << np.uint64(23)
    x = x ^ y ^ (x >> np.uint64(17)) ^ (y >> np.uint64(26))
    state[1] = x
    return float((x + y) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@compiled
def below(state: UInt64, n: int) -> int:
    """The next integer in 0 .. n - 1."""
    return int(uniform(state) * n)
