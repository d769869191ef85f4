"""A predicate's ground atoms as examples: all, or a weighted sample of the false ones."""

from __future__ import annotations

from itertools import product

import numpy as np

from workbench.arrays import Float, Int32
from workbench.structure.background import Background, Examples


def all_atoms(
    background: Background,
    predicate: str,
    *,
    limit: int = 5000,
    seed: int = 0,
    false: Int32 | None = None,
) -> tuple[Examples, Float]:
    """Ground atoms of a predicate with their truth, and a weight for each.

    Every true atom, and every false one where there are at most `limit` atoms; otherwise a sample
    of false ones, each weighted by how many it stands for.

    Parameters
    ----------
    false : int32 array, shape (n_false, arity), or None
        The atoms that the data call false, where they do: then no other atom is labelled.
    """
    number = background.number[predicate]
    types = background.argument_types[number]
    if false is not None and len(false):
        true = background.facts[number]
        label = np.concatenate([np.ones(len(true)), np.zeros(len(false))])
        return Examples(predicate, types, np.concatenate([true, false]), label), np.ones(len(label))
    domains = [background.domain(name) for name in types]
    true = background.facts[number]
    total = int(np.prod([len(domain) for domain in domains], dtype=np.float64))
    known = {tuple(row) for row in true.tolist()}
    if total <= limit:
        false = np.array(
            [row for row in product(*(d.tolist() for d in domains)) if row not in known], np.int32
        )
    else:
        rng = np.random.default_rng(seed)
        drawn = np.stack([rng.choice(domain, limit) for domain in domains], axis=1).astype(np.int32)
        false = np.array(
            [row for row in np.unique(drawn, axis=0).tolist() if tuple(row) not in known], np.int32
        )
    false = false.reshape(-1, len(types))
    arguments = np.concatenate([true, false])
    label = np.concatenate([np.ones(len(true)), np.zeros(len(false))])
    weight = np.ones(len(arguments))
    if len(false):
        weight[len(true) :] = (total - len(true)) / len(false)
    return Examples(predicate, types, arguments, label), weight
