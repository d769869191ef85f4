"""Reduction under theta-subsumption, against a search over all substitutions."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np

from workbench.structure.clauses import component_keys
from workbench.structure.subsumption import reduced_bodies

N_HEAD = 2
Literals = frozenset[tuple[int, ...]]


def literals(body: np.ndarray) -> Literals:
    return frozenset(tuple(row) for row in body.tolist() if row[0] >= 0)


def subsumes(general: Literals, special: Literals) -> bool:
    """By trying every image of every body variable."""
    variables = sorted({term for literal in general for term in literal[1:] if term < -N_HEAD})
    terms = sorted({term for literal in special for term in literal[1:]})
    for images in product(terms, repeat=len(variables)):
        theta = dict(zip(variables, images))
        if {(row[0], *(theta.get(term, term) for term in row[1:])) for row in general} <= special:
            return True
    return not variables and general <= special


def random_bodies(n: int, size: int) -> np.ndarray:
    """Two predicates of two arguments over the head's variables, three others and two constants."""
    rng = np.random.default_rng(3)
    bodies = np.empty((n, size, 3), np.int32)
    bodies[:, :, 0] = rng.integers(0, 2, (n, size))
    bodies[:, :, 1:] = rng.choice(
        [-1, -2, -3, -4, -5, 0, 1], (n, size, 2), p=[0.1, 0.1, 0.2, 0.2, 0.2, 0.1, 0.1]
    )
    bodies[rng.random((n, size)) < 0.2] = -1
    return bodies


def canonical(bodies: np.ndarray) -> list[tuple[tuple[int, ...], ...]]:
    keys, _, start = component_keys(bodies, N_HEAD)
    return [tuple(sorted(set(map(tuple, keys[a:b].tolist())))) for a, b in pairwise(start)]


def test_reduced_bodies_are_equivalent_and_least() -> None:
    bodies = random_bodies(300, 4)
    reduced, changed = reduced_bodies(bodies, N_HEAD)
    assert len(changed) > 50
    for before, after in zip(map(literals, bodies), map(literals, reduced)):
        assert after <= before
        assert subsumes(before, after)
        assert not any(subsumes(after, after - {literal}) for literal in after)
    left = np.setdiff1d(np.arange(300), changed)
    assert np.array_equal(reduced[left], bodies[left])


def test_equivalent_bodies_get_one_canonical_form() -> None:
    bodies = random_bodies(90, 3)
    forms = canonical(reduced_bodies(bodies, N_HEAD)[0])
    sets = [literals(body) for body in bodies]
    for i, j in product(range(90), repeat=2):
        assert (forms[i] == forms[j]) == (subsumes(sets[i], sets[j]) and subsumes(sets[j], sets[i]))


def test_head_variables_and_constants_stay() -> None:
    open_and_bound = np.array([[[0, -1, -3], [0, -1, -2], [0, -1, 5]]], np.int32)
    reduced, _ = reduced_bodies(open_and_bound, N_HEAD)
    assert literals(reduced[0]) == {(0, -1, -2), (0, -1, 5)}
