"""A ground network read back as plain rows, for comparison with the nested-loop grounder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest

from workbench.grounding import Grounding, small_queries


@contextmanager
def statements_only(when: bool = True) -> Iterator[None]:
    """Rules grounded by the database alone, those over small relations, too."""
    with pytest.MonkeyPatch.context() as patch:
        if when:
            patch.setattr(small_queries, "MOST_ROWS", -1)
        yield


def atom_names(grounding: Grounding) -> list[str]:
    """Names with the world's place among the worlds before them."""
    worlds = {world: place for place, world in enumerate(grounding.atoms.worlds)}
    return [
        f"{worlds[w]}:{name}"
        for w, name in zip(grounding.network.world.tolist(), grounding.atoms.names())
    ]


def rows_of(grounding: Grounding) -> Counter[tuple[str | None, frozenset[tuple[str, bool]]]]:
    """Clauses of an MLN's network, rows and unit groundings alike,
    with their summed scale (1 for hard rows).
    """
    network, names = grounding.network, atom_names(grounding)
    found: Counter[tuple[str | None, frozenset[tuple[str, bool]]]] = Counter()
    scale = np.ones(network.n_rows) if network.scale is None else network.scale
    for row in range(network.n_rows):
        entries = slice(network.A.indptr[row], network.A.indptr[row + 1])
        indices, data = network.A.indices[entries], network.A.data[entries]
        assert np.all(np.diff(indices) > 0)
        assert network.b[row] == 1 - np.sum(data > 0)
        literals = frozenset((names[i], bool(value < 0)) for i, value in zip(indices, data))
        template = int(network.template[row])
        label = None if template < 0 else grounding.templates.label[template]
        assert (network.relation[row] == 0) == (template >= 0)
        found[(label, literals)] = (
            1.0 if label is None else found[(label, literals)] + float(scale[row])
        )
    return found


def unit_of(grounding: Grounding) -> dict[tuple[str, str], float]:
    """`unit` by (template label, atom)."""
    names = atom_names(grounding)
    unit = grounding.network.unit.tocoo()
    return {
        (grounding.templates.label[t], names[a]): float(v)
        for a, t, v in zip(unit.row, unit.col, unit.data)
        if v
    }
