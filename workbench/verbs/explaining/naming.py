"""Ground rows in words: atoms by name, as the rules language writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from workbench.network import Relation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workbench.grounding import Grounding


def row_texts(grounding: Grounding, rows: Sequence[int]) -> list[str]:
    """Each row as a ground clause over its open atoms, or a linear inequality if it is none."""
    network = grounding.network
    matrix = network.A
    spans = [(int(matrix.indptr[row]), int(matrix.indptr[row + 1])) for row in rows]
    ids = np.unique(
        np.concatenate(
            [matrix.indices[start:stop] for start, stop in spans] or [np.zeros(0, np.int64)]
        )
    )
    names = dict(zip(ids.tolist(), grounding.atoms.names(ids)))
    clausal = network.clausal
    texts = []
    for row, (start, stop) in zip(rows, spans):
        coefficients = matrix.data[start:stop].tolist()
        atoms = [names[int(atom)] for atom in matrix.indices[start:stop]]
        relation = Relation(int(network.relation[row]))
        if clausal[row]:
            texts.append(
                " v ".join(("!" if c > 0 else "") + atom for c, atom in zip(coefficients, atoms))
            )
            continue
        sign = "=" if relation is Relation.EQUAL else "<="
        texts.append(f"{_sum(coefficients, atoms)} {sign} {0.0 - float(network.b[row]):g}")
    return texts


def _sum(coefficients: Sequence[float], atoms: Sequence[str]) -> str:
    """`A - 0.5 * B + C`."""
    text = ""
    for coefficient, atom in zip(coefficients, atoms):
        sign = ("-" if coefficient < 0 else "") if not text else " - " if coefficient < 0 else " + "
        size = abs(coefficient)
        text += sign + (atom if size == 1 else f"{size:g} * {atom}")
    return text
