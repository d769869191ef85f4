"""Friends and smokers of any size, as a ground network: the same people for the same seed."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from workbench.arrays import Float
from workbench.network import GroundNetwork, network_from_rows

WEIGHTS = np.array([1.4, 2.3, 1.5, 1.1, 1.1])
"""!Smokes(x); !Cancer(x); Smokes(x) => Cancer(x); Friends(x,y) => (Smokes(x) <=> Smokes(y))."""


def smokers(
    people: int, *, degree: int = 8, known: float = 0.3, smoking: float = 0.4, seed: int = 0
) -> tuple[GroundNetwork, Float]:
    """The network and its weights.

    Parameters
    ----------
    people : int
    degree : int
        Mean number of friends; each pair is one fact.
    known : float
        Share of the people of whom it is known whether they smoke.
    smoking : float
        Share of smokers among those.

    Returns
    -------
    network : GroundNetwork
        Open atoms are the unknown Smokes, then Cancer of everybody.
    weights : float64 array, shape (5,)
    """
    rng = np.random.default_rng(seed)
    wanted = people * degree // 2
    pairs = rng.integers(0, people, (3 * wanted, 2))
    pairs = np.sort(pairs[pairs[:, 0] != pairs[:, 1]], axis=1)
    _, first = np.unique(pairs, axis=0, return_index=True)
    pairs = pairs[np.sort(first)[:wanted]]
    is_known = rng.random(people) < known
    value = (rng.random(people) < smoking).astype(np.int64)
    n_open = int((~is_known).sum())
    smokes = np.where(is_known, -1, np.cumsum(~is_known) - 1)
    cancer = n_open + np.arange(people)
    nobody = np.full(people, -1)
    # Two signed slots a clause: +1 positive, -1 negated, with the atom, or -1 and the known value.
    groups = [
        (0, smokes, value, nobody, nobody, -1, 0),
        (1, cancer, value, nobody, nobody, -1, 0),
        (2, smokes, value, cancer, value, -1, 1),
        (
            3,
            smokes[pairs[:, 0]],
            value[pairs[:, 0]],
            smokes[pairs[:, 1]],
            value[pairs[:, 1]],
            -1,
            1,
        ),
        (
            4,
            smokes[pairs[:, 1]],
            value[pairs[:, 1]],
            smokes[pairs[:, 0]],
            value[pairs[:, 0]],
            -1,
            1,
        ),
    ]
    rows, columns, data, b, template = [], [], [], [], []
    n_rows = 0
    for number, atom_1, value_1, atom_2, value_2, sign_1, sign_2 in groups:
        offset = np.ones(atom_1.size)
        entries = []
        for atom, known_value, sign in ((atom_1, value_1, sign_1), (atom_2, value_2, sign_2)):
            if sign == 0:
                continue
            offset -= sign < 0
            offset -= np.where(atom < 0, sign * known_value, 0)
            entries.append((atom, -sign))
        is_open = np.any([atom >= 0 for atom, _ in entries], axis=0)
        reach = offset + np.sum([np.where(atom >= 0, max(c, 0), 0) for atom, c in entries], axis=0)
        kept = is_open & (reach > 0)
        index = np.cumsum(kept) - 1 + n_rows
        for atom, coefficient in entries:
            present = kept & (atom >= 0)
            rows.append(index[present])
            columns.append(atom[present])
            data.append(np.full(present.sum(), coefficient))
        b.append(offset[kept])
        template.append(np.full(kept.sum(), number))
        n_rows += int(kept.sum())
    A = csr_array(
        (np.concatenate(data).astype(np.int8), (np.concatenate(rows), np.concatenate(columns))),
        shape=(n_rows, n_open + people),
    )
    return network_from_rows(
        A, np.concatenate(b).astype(np.int8), np.concatenate(template), n_templates=5
    ), WEIGHTS
