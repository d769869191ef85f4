"""Generative pseudo-likelihood through the database against a
computation of its own by nested loops.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.optimize import minimize

from workbench.database import Database, load_alchemy_text
from workbench.grounding import GroundRequest
from workbench.language import parse_mln
from workbench.verbs.learn import learn

RULES = """
Smokes(person)
Friends(person, person)
Cancer(person)
!Smokes(x) v Cancer(x)
!Friends(x, y) v !Smokes(x) v Smokes(y)
Friends(x, y)
!Friends(x, y) v !Friends(y, z) v Friends(x, z)
"""
FACTS = (
    "Smokes(A)\nSmokes(B)\nCancer(A)\nFriends(A, B)\nFriends(B, A)\nFriends(B, C)\nFriends(C, D)\n"
)
PEOPLE = "ABCD"


def counts(smokes: set, friends: set, cancer: set) -> np.ndarray:
    pairs, triples = list(product(PEOPLE, repeat=2)), list(product(PEOPLE, repeat=3))
    return np.array(
        [
            sum(x not in smokes or x in cancer for x in PEOPLE),
            sum((x, y) not in friends or x not in smokes or y in smokes for x, y in pairs),
            sum(pair in friends for pair in pairs),
            sum(
                (x, y) not in friends or (y, z) not in friends or (x, z) in friends
                for x, y, z in triples
            ),
        ],
        float,
    )


def naive_weights(prior_sd: float, shares: np.ndarray) -> np.ndarray:
    """Weights of formulas, `shares` of which (clause, formula) their clauses have."""
    world = [{"A", "B"}, {("A", "B"), ("B", "A"), ("B", "C"), ("C", "D")}, {"A"}]
    differences = []
    for index, atoms in enumerate([list(PEOPLE), list(product(PEOPLE, repeat=2)), list(PEOPLE)]):
        for atom in atoms:
            flipped = [set(part) for part in world]
            flipped[index] ^= {atom}
            differences.append(counts(*world) - counts(*flipped))
    gains = np.array(differences) @ shares

    def loss(weights: np.ndarray) -> float:
        return np.logaddexp(0, -gains @ weights).sum() + weights @ weights / (2 * prior_sd**2)

    return minimize(loss, np.zeros(shares.shape[1]), method="BFGS", options={"gtol": 1e-8}).x


def test_agrees_with_nested_loops_to_three_digits() -> None:
    program = parse_mln(RULES)
    with Database.open() as database:
        database.declare(program)
        load_alchemy_text(database, FACTS)
        result = learn(
            database,
            program,
            GroundRequest(query=("Cancer",)),
            learner="generative_pseudo_likelihood",
            options={"prior_sd": 2.0},
        )
    assert result.weights == pytest.approx(naive_weights(2.0, np.eye(4)), abs=5e-4)
    assert result.learned.status == "converged"


def test_clauses_of_one_weight_are_counted_together() -> None:
    first, second, _ = (rule for rule in RULES.splitlines() if " v " in rule)
    program = parse_mln(RULES.replace(f"{first}\n{second}", f"({first}) ^ ({second})"))
    with Database.open() as database:
        database.declare(program)
        load_alchemy_text(database, FACTS)
        request = GroundRequest(query=("Cancer",), tie=True)
        result = learn(database, program, request, learner="generative_pseudo_likelihood")
    shares = np.array([[0.5, 0, 0], [0.5, 0, 0], [0, 1, 0], [0, 0, 1]])
    assert result.weights == pytest.approx(naive_weights(2.0, shares), abs=5e-4)


def test_what_definitions_are_made_of_is_known() -> None:
    """Friends are evidence as soon as a definition reads them: their own clauses weigh nothing."""
    rules = (
        "Age(person, number)\n"
        + RULES
        + "Tied(x, y) := Friends(x, y).\nTied(y, x) := Friends(x, y).\n"
    )
    program = parse_mln(
        rules + "Tied(x, y) ^ Smokes(x) => Smokes(y)\nAge(x, a) ^ a > 20 => Smokes(x)\n"
    )
    with Database.open() as database:
        database.declare(program)
        load_alchemy_text(database, FACTS + "Age(A, 30)\nAge(D, 19)\n")
        request = GroundRequest(query=("Cancer",))
        result = learn(database, program, request, learner="generative_pseudo_likelihood")
    friends = {("A", "B"), ("B", "A"), ("B", "C"), ("C", "D")}
    tied = friends | {(y, x) for x, y in friends}

    def clauses(smokes: set[str], cancer: set[str]) -> np.ndarray:
        own = counts(smokes, friends, cancer)
        return np.append(
            own,
            [
                sum(x not in smokes or y in smokes for x, y in tied),
                "A" in smokes,
            ],
        )

    world = {"A", "B"}, {"A"}
    gains = np.array(
        [
            clauses(*world)
            - clauses(*(part ^ {atom} if n == index else part for n, part in enumerate(world)))
            for index in (0, 1)
            for atom in PEOPLE
        ]
    )

    def loss(weights: np.ndarray) -> float:
        return np.logaddexp(0, -gains @ weights).sum() + weights @ weights / 8

    best = minimize(loss, np.zeros(6), method="BFGS", options={"gtol": 1e-8}).x
    assert result.weights == pytest.approx(best, abs=5e-4)
