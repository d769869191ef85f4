"""Mined rules' measures against brute force over all substitutions, in one world and in two."""

from __future__ import annotations

import re
from itertools import product

import numpy as np
import pytest

from workbench.structure.background import Background
from workbench.structure.beam import BeamSearch
from workbench.structure.ground_atoms import all_atoms
from workbench.structure.mining import MinedRule, RuleMiner
from workbench.structure.pseudo_likelihood import PseudoLikelihoodScore

TYPES = (("thing", "thing"), ("thing", "thing"), ("thing",))
NAMES = ("p", "q", "r")
N = 8


def world(seed: int, constants: range) -> Background:
    """Random facts over some of the constants;
    `p` holds more often where `q` leads from a thing with `r`.
    """
    rng = np.random.default_rng(seed)
    own = np.array(constants)
    q = [(a, b) for a, b in product(own, own) if rng.random() < 0.2]
    r = [(a,) for a in own if rng.random() < 0.5]
    p = [
        (a, b)
        for a, b in product(own, own)
        if rng.random() < (0.6 if (a, b) in q and (a,) in r else 0.1)
    ]
    facts = tuple(
        np.array(rows, np.int32).reshape(-1, len(types)) for rows, types in zip((p, q, r), TYPES)
    )
    names = tuple(f"C{k}" for k in range(2 * N))
    return Background(NAMES, TYPES, facts, {"thing": names}, {"thing": own.astype(np.int32)})


def atoms_of(text: str) -> list[tuple[str, tuple[str, ...]]]:
    return [(name, tuple(args.split(", "))) for name, args in re.findall(r"(\w+)\(([^)]*)\)", text)]


def measures(rule: MinedRule, worlds: list[Background]) -> tuple[int, int, int, int, int]:
    """Facts predicted, facts, predictions, predictions of known subjects, pairs:
    by trying every substitution.
    """
    body, head = (atoms_of(part) for part in rule.text.split(" => "))
    name, head_args = head[0]
    variables = sorted({v for _, args in body + head for v in args})
    totals = np.zeros(5, np.int64)
    for facts in worlds:
        known = {
            predicate: set(map(tuple, facts.facts[facts.number[predicate]].tolist()))
            for predicate in facts.predicates
        }
        domain = facts.domain("thing").tolist()
        predicted = set()
        for values in product(domain, repeat=len(variables)):
            at = dict(zip(variables, values))
            if all(tuple(at[v] for v in args) in known[predicate] for predicate, args in body):
                predicted.add(tuple(at[v] for v in head_args))
        subjects = {row[0] for row in known[name]}
        partial = sum(row[0] in subjects for row in predicted)
        totals += [
            len(predicted & known[name]), len(known[name]), len(predicted), partial,
            len(domain) ** len(head_args)
        ]  # fmt: skip
    return tuple(int(value) for value in totals)  # type: ignore[return-value]


@pytest.mark.parametrize("n_worlds", [1, 2])
def test_measures_are_what_their_definitions_say(n_worlds: int) -> None:
    worlds = [world(seed, range(seed * N, seed * N + N)) for seed in range(n_worlds)]
    miner = RuleMiner(max_length=3, min_support=2, min_confidence=0.0, min_pca_confidence=0.0)
    rules = miner.learn(worlds)
    assert len(rules) > 20
    for rule in rules:
        support, facts, predictions, partial, pairs = measures(rule, worlds)
        assert rule.positives == support, rule.text
        assert rule.negatives == predictions - support
        assert rule.precision == pytest.approx(support / predictions)
        assert rule.pca_confidence == pytest.approx(support / partial)
        assert rule.head_coverage == pytest.approx(support / facts)
        assert rule.gain == pytest.approx(support / partial - facts / pairs)


def test_scores_over_worlds_are_those_of_the_worlds_apart() -> None:
    worlds = [world(seed, range(seed * N, seed * N + N)) for seed in range(2)]
    atoms = [{"p": all_atoms(each, "p")} for each in worlds]
    assert [len(each["p"][0]) for each in atoms] == [N * N, N * N]
    together = PseudoLikelihoodScore(worlds[0], atoms[0], others=[(worlds[1], atoms[1])])
    clauses = [
        ((0, (0, 1), True), (1, (0, 1), False), (2, (0,), False)),
        ((0, (0, 1), True), (0, (1, 2), True), (1, (0, 2), True)),
    ]
    apart = [
        PseudoLikelihoodScore(each, scored).flip_counts(clauses)
        for each, scored in zip(worlds, atoms)
    ]
    assert np.array_equal(together.flip_counts(clauses), np.concatenate(apart, axis=1))
    assert together.weight.sum() == pytest.approx(1.0)


def test_clauses_of_one_target_literal_only_on_request() -> None:
    worlds = [world(seed, range(seed * N, seed * N + N)) for seed in range(2)]
    atoms = [{"p": all_atoms(each, "p")} for each in worlds]
    score = PseudoLikelihoodScore(worlds[0], atoms[0], others=[(worlds[1], atoms[1])])
    learned = BeamSearch(max_length=3, max_clauses=3, min_gain=1e-3, recursive=False).learn(score)
    assert len(learned.clauses) > 1
    assert all(sum(predicate == 0 for predicate, _, _ in clause) == 1 for clause in learned.clauses)
    assert any(
        "q(" in rule.text and "r(" in rule.text for rule in (*learned.rules, *learned.candidates)
    )
