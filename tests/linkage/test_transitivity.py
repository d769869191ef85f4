"""Lazily grounded transitivity gives exactly the violated triples, each once."""

from __future__ import annotations

from itertools import product

import numpy as np

from workbench.linkage.exact import Transitivity


def test_gives_the_violated_triples_once() -> None:
    n = 5
    atoms = np.arange(n * n).reshape(n, n) + 2
    values = np.zeros(n * n + 2)
    values[2:] = np.random.default_rng(0).random(n * n) < 0.4
    holds = values[atoms] > 0.5
    source = Transitivity(atoms, values.size)
    rows = source.violated(values)
    expected = [
        t
        for t in product(range(n), repeat=3)
        if holds[t[0], t[1]] and holds[t[1], t[2]] and not holds[t[0], t[2]]
    ]
    assert rows.A.shape == (len(expected), values.size)
    assert (rows.A @ values + rows.b > 0).all()
    assert len(
        {tuple(np.sort(rows.A.indices[i * 3 : i * 3 + 3])) for i in range(len(expected))}
    ) == len(expected)
    assert source.violated(values).A.shape[0] == 0
    limited = Transitivity(atoms, values.size, most=2)
    assert [limited.violated(values).A.shape[0] for _ in range(2)] == [2, 2]
