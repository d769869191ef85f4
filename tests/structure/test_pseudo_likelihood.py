"""Flip counts against brute force, the pseudo-likelihood's fit,
and the rules that beam and path search find.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from workbench.arrays import Float
from workbench.structure import pseudo_likelihood
from workbench.structure.background import Background
from workbench.structure.beam import BeamSearch, refinements
from workbench.structure.disjunctions import Disjunction, canonical_disjunction, disjunction_text
from workbench.structure.ground_atoms import all_atoms
from workbench.structure.pseudo_likelihood import PseudoLikelihoodScore

N = 12


def friends(seed: int = 0) -> Background:
    """Friends smoke alike: a planted pattern over symmetric friendships."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 2, N)
    pairs = [
        (a, b)
        for a, b in product(range(N), range(N))
        if a < b and rng.random() < (0.7 if group[a] == group[b] else 0.05)
    ]
    friend = np.array([*pairs, *((b, a) for a, b in pairs)], np.int32)
    smokes = np.flatnonzero(group)[:, None].astype(np.int32)
    names = tuple(f"P{k}" for k in range(N))
    return Background(
        ("friend", "smokes"),
        (("person", "person"), ("person",)),
        (friend, smokes),
        {"person": names},
    )


def naive_flip_counts(background: Background, clause: Disjunction, predicate: int) -> Float:
    """For every atom: satisfied groundings of the clause with it true, less those with it false."""
    facts = [set(map(tuple, rows.tolist())) for rows in background.facts]
    examples, _ = all_atoms(background, background.predicates[predicate])
    n_variables = 1 + max(v for _, args, _ in clause for v in args)
    result = np.zeros(len(examples))
    for row, atom in enumerate(map(tuple, examples.arguments.tolist())):
        for truth in (True, False):
            world = [set(known) for known in facts]
            (world[predicate].add if truth else world[predicate].discard)(atom)
            satisfied = 0
            for values in product(range(N), repeat=n_variables):
                satisfied += any(
                    (tuple(values[v] for v in args) in world[p]) == sign for p, args, sign in clause
                )
            result[row] += satisfied if truth else -satisfied
    return result


@pytest.mark.parametrize(
    "clause",
    [
        ((1, (0,), True),),
        ((0, (0, 1), False), (1, (0,), False), (1, (1,), True)),
        ((0, (0, 1), False), (1, (0,), True), (1, (1,), True)),
        ((0, (0, 1), True), (1, (0,), False)),
        ((0, (0, 1), False), (1, (0,), True), (1, (1,), False), (0, (1, 0), False)),
        ((0, (0, 1), False), (1, (0,), False), (1, (1,), False)),
        ((1, (0,), True), (1, (1,), True), (1, (2,), False), (0, (0, 2), False)),
        ((1, (0,), False), (1, (1,), False), (1, (2,), False)),
    ],
)
def test_flip_counts_equal_brute_force(clause: Disjunction) -> None:
    """Also where a grounding holds one atom twice: of both signs it is a tautology,
    of one sign one literal.
    """
    background = friends()
    alone = np.repeat(np.arange(0, N, 2, dtype=np.int32)[:, None], 2, axis=1)
    friend = np.concatenate([background.facts[0], alone])
    background = replace(background, facts=(friend, background.facts[1]))
    score = PseudoLikelihoodScore(background, {"smokes": all_atoms(background, "smokes")})
    (counts,) = score.flip_counts([clause])
    assert np.array_equal(counts, naive_flip_counts(background, clause, 1))


def test_gains_are_what_refitting_one_weight_gives() -> None:
    background = friends()
    score = PseudoLikelihoodScore(background, {"smokes": all_atoms(background, "smokes")})
    unit: Disjunction = ((1, (0,), True),)
    candidates = refinements(background, unit, 3)
    base = score.flip_counts([unit])
    weights, _ = score.fit(base)
    log_odds = weights @ base
    counts = score.flip_counts(candidates)
    gains = score.gains(counts, log_odds, steps=50)
    for row, gain in zip(counts, gains):
        grid = np.linspace(-3, 3, 1201)[:, None]
        z = log_odds + grid * row
        value = (
            -(score.weight * (np.logaddexp(0, z) - score.target * z)).sum(axis=1)
            - 0.5 * score.l2 * grid[:, 0] ** 2
        )
        base_value = -(score.weight * (np.logaddexp(0, log_odds) - score.target * log_odds)).sum()
        assert gain >= value.max() - base_value - 1e-3


def test_beam_finds_that_friends_smoke_alike() -> None:
    background = friends()
    score = PseudoLikelihoodScore(background, {"smokes": all_atoms(background, "smokes")})
    learned = BeamSearch(max_length=3, max_variables=2, max_clauses=3).learn(score)
    assert learned.status in ("converged", "clauses")
    assert np.all(np.diff(learned.trace) > 0)
    planted = {
        canonical_disjunction(((0, (0, 1), False), (1, (0,), False), (1, (1,), True))),
        canonical_disjunction(((0, (1, 0), False), (1, (0,), False), (1, (1,), True))),
        canonical_disjunction(((0, (0, 1), True), (1, (0,), False), (1, (1,), True))),
        canonical_disjunction(((0, (0, 1), True), (1, (0,), True), (1, (1,), False))),
        canonical_disjunction(((0, (0, 1), False), (1, (0,), True), (1, (1,), True))),
    }
    assert planted & set(learned.clauses)
    assert all(rule.weight is not None for rule in learned.rules)


def test_a_given_theory_is_kept_and_revised() -> None:
    background = friends()
    score = PseudoLikelihoodScore(background, {"smokes": all_atoms(background, "smokes")})
    given: Disjunction = ((0, (0, 1), False), (1, (0,), False), (1, (1,), True))
    learned = BeamSearch(max_length=2, max_clauses=1).learn(score, start=[given])
    assert canonical_disjunction(given) in learned.clauses


def test_flip_counts_of_pairs_equal_brute_force() -> None:
    background = friends()
    score = PseudoLikelihoodScore(background, {"friend": all_atoms(background, "friend")})
    symmetric: Disjunction = ((0, (0, 1), False), (0, (1, 0), True))
    transitive: Disjunction = ((0, (0, 1), False), (0, (1, 2), False), (0, (0, 2), True))
    for clause in (symmetric, transitive):
        (counts,) = score.flip_counts([clause])
        assert np.array_equal(counts, naive_flip_counts(background, clause, 0))


def test_a_clause_of_too_many_groundings_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pseudo_likelihood, "_MOST_STEPS", 300)
    background = friends()
    score = PseudoLikelihoodScore(background, {"smokes": all_atoms(background, "smokes")})
    short: Disjunction = ((0, (0, 1), False), (1, (0,), True))
    long: Disjunction = (
        (0, (0, 1), False),
        (0, (1, 2), False),
        (0, (2, 3), False),
        (1, (0,), True),
    )
    counted, counts = score.flip_counts_until([short, long])
    assert counted == [short]
    assert np.isfinite(counts).all()


def test_a_recursive_clause_joins_only_if_the_own_mode_is_no_worse() -> None:
    background = friends()
    score = PseudoLikelihoodScore(background, {"smokes": all_atoms(background, "smokes")})
    asked: list[int] = []

    def errors(clauses: Sequence[Disjunction], by_world: Mapping[int, Float]) -> float:
        asked.append(len(clauses))
        assert all(len(weights) == len(clauses) for weights in by_world.values())
        return float(len(clauses))

    refused = BeamSearch(max_length=3, max_variables=2, max_clauses=3).learn(
        score, mode_errors=errors
    )
    assert asked
    assert all(sum(p == 1 for p, _, _ in clause) < 2 for clause in refused.clauses)
    kept = BeamSearch(max_length=3, max_variables=2, max_clauses=3).learn(
        score, mode_errors=lambda *_: 0.1
    )
    assert any(sum(p == 1 for p, _, _ in clause) == 2 for clause in kept.clauses)


def test_implications_have_one_conclusion_and_weights_of_at_least_zero() -> None:
    background = friends()
    score = PseudoLikelihoodScore(background, {"smokes": all_atoms(background, "smokes")})
    learned = BeamSearch(max_length=3, max_variables=3).learn(score)
    for clause, weight in list(zip(learned.clauses, learned.weights))[1:]:
        assert sum(sign for _, _, sign in clause) <= 1
        assert weight >= 0


def test_canonical_disjunction_and_text() -> None:
    background = friends()
    left: Disjunction = ((1, (5,), False), (0, (7, 5), False), (1, (7,), True))
    right: Disjunction = ((1, (2,), True), (0, (2, 0), False), (1, (0,), False))
    assert canonical_disjunction(left) == canonical_disjunction(right)
    text = disjunction_text(background, canonical_disjunction(left))
    assert "=>" in text
    assert text.count("smokes") == 2
    assert disjunction_text(background, left, 1) == "friend(x, y) ^ smokes(y) => smokes(x)"
    against: Disjunction = ((1, (4,), False), (0, (4, 2), False))
    assert disjunction_text(background, against, 1) == "friend(x, y) => !smokes(x)"
