"""Covers and counts against a nested-loop interpreter, on random bodies over random facts."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from workbench.arrays import Int32, Int64, UInt64
from workbench.structure.background import ABSENT, Background, Examples
from workbench.structure.clauses import Interning, component_keys
from workbench.structure.coverage import IndexedCoverage, pack, unpack
from workbench.structure.covers import CoverCache


def random_world(seed: int) -> tuple[Background, Examples]:
    rng = np.random.default_rng(seed)
    constants = {"a": ("a0", "a1", "a2", "a3"), "b": ("b0", "b1", "b2")}
    types = (("a", "b"), ("a", "a"), ("b",), ("b", "a", "b"))
    facts = tuple(
        np.unique(
            np.stack([rng.integers(0, len(constants[name]), 7) for name in row], axis=1).astype(
                np.int32
            ),
            axis=0,
        )
        for row in types
    )
    background = Background(("p", "q", "r", "s"), types, facts, constants)
    pairs = np.array(list(product(range(4), range(4))), np.int32)
    return background, Examples("t", ("a", "a"), pairs, np.full(len(pairs), np.nan))


def random_body(background: Background, rng: np.random.Generator, size: int) -> Int32:
    """Literals whose variables are typed: head variables 0, 1 are of type a,
    then some more of each type.
    """
    variables = {"a": [-1, -2, -3, -4], "b": [-5, -6]}
    body = np.full((size, 1 + background.max_arity), ABSENT, np.int32)
    for row in body:
        predicate = int(rng.integers(len(background.predicates)))
        row[0] = predicate
        for place, name in enumerate(background.argument_types[predicate]):
            constant = rng.random() < 0.2
            row[1 + place] = (
                rng.integers(len(background.constants[name]))
                if constant
                else rng.choice(variables[name])
            )
    return body


def naive_counts(background: Background, examples: Examples, body: Int32) -> Int64:
    """Count substitutions by trying every assignment of the body's variables."""
    type_of: dict[int, str] = {}
    for row in body:
        for place, name in enumerate(background.argument_types[row[0]]):
            if row[1 + place] < 0:
                type_of[int(-row[1 + place] - 1)] = name
    free = sorted(variable for variable in type_of if variable >= 2)
    known = [set(map(tuple, rows.tolist())) for rows in background.facts]
    counts = np.zeros(len(examples), np.int64)
    for example, head in enumerate(examples.arguments.tolist()):
        for values in product(
            *(range(len(background.constants[type_of[variable]])) for variable in free)
        ):
            binding = dict(zip([0, 1, *free], [*head, *values]))
            counts[example] += all(
                tuple(
                    int(t) if t >= 0 else binding[int(-t - 1)]
                    for t in row[1 : 1 + len(background.argument_types[row[0]])]
                )
                in known[row[0]]
                for row in body
            )
    return counts


@pytest.mark.parametrize("seed", range(4))
def test_covers_and_counts_equal_the_nested_loops(seed: int) -> None:
    background, examples = random_world(seed)
    rng = np.random.default_rng(100 + seed)
    bodies = np.stack([random_body(background, rng, 3) for _ in range(60)])
    expected = np.stack([naive_counts(background, examples, body) for body in bodies])
    coverage = IndexedCoverage(background, examples)
    assert np.array_equal(coverage.counts(bodies), expected)
    assert np.array_equal(unpack(coverage.covers(bodies), len(examples)), expected > 0)
    cache = CoverCache(coverage, 4, 1 + background.max_arity)
    parts = cache.parts(bodies)
    assert np.array_equal(unpack(cache.bits(parts), len(examples)), expected > 0)
    masks = pack(rng.random((2, len(examples))) < 0.5)
    assert np.array_equal(
        cache.tally(parts, masks),
        ((expected > 0)[:, None, :] & unpack(masks, len(examples))[None]).sum(axis=2),
    )
    for body, joined in zip(bodies, cache.body_literals(parts)):
        assert np.array_equal(
            naive_counts(background, examples, joined) > 0,
            naive_counts(background, examples, body) > 0,
        )


def test_counts_are_products_over_components_for_bodies_without_repetition() -> None:
    background, examples = random_world(9)
    rng = np.random.default_rng(9)
    bodies = np.stack([random_body(background, rng, 3) for _ in range(40)])
    cache = CoverCache(IndexedCoverage(background, examples), 3, 1 + background.max_arity)
    parts = cache.parts(bodies)
    _, _, start = component_keys(bodies, 2)
    whole = (parts >= 0).sum(axis=1) == np.diff(start)
    expected = np.stack([naive_counts(background, examples, body) for body in bodies])
    assert whole.any()
    assert np.array_equal(cache.counts(parts)[whole], expected[whole])


@pytest.mark.parametrize("seed", range(3))
def test_canonical_form_forgets_names_and_order(seed: int) -> None:
    background, _ = random_world(seed)
    rng = np.random.default_rng(seed)
    bodies = np.stack([random_body(background, rng, 4) for _ in range(50)])
    renamed = bodies[:, rng.permutation(4)].copy()
    for old, new in {-3: -14, -4: -13, -5: -16, -6: -15}.items():
        renamed[renamed == old] = new
    cache = CoverCache(_Nothing(), 4, 1 + background.max_arity)
    assert np.array_equal(cache.number(cache.parts(bodies)), cache.number(cache.parts(renamed)))


class _Nothing:
    n_examples, n_head = 1, 2

    def covers(self, bodies: Int32) -> UInt64:
        return np.zeros((len(bodies), 1), np.uint64)

    def counts(self, bodies: Int32) -> Int64:
        return np.zeros((len(bodies), 1), np.int64)


def test_interning_numbers_rows_in_order_of_first_sight() -> None:
    rng = np.random.default_rng(0)
    interning = Interning(3)
    seen: dict[tuple[int, ...], int] = {}
    for _ in range(5):
        rows = rng.integers(0, 12, (2000, 3)).astype(np.int32)
        expected = [seen.setdefault(tuple(row), len(seen)) for row in rows.tolist()]
        assert interning.number(rows).tolist() == expected
    assert len(interning) == len(seen)
    assert interning.rows.tolist() == [list(row) for row in seen]
