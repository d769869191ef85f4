"""Path-based learning and rule mining: no modes, no labels of one target."""

from __future__ import annotations

from itertools import product

import numpy as np

from tests.structure.test_pseudo_likelihood import friends
from workbench.language import parse_mln
from workbench.structure.background import Background
from workbench.structure.ground_atoms import all_atoms
from workbench.structure.mining import RuleMiner
from workbench.structure.paths import PathLearner
from workbench.structure.pseudo_likelihood import PseudoLikelihoodScore
from workbench.structure.relational_paths import relational_paths
from workbench.structure.rules import format_theory


def family() -> Background:
    """A forest of parents; grandparents of all but the last family are known."""
    parent = np.array(
        [(3 * k, 3 * k + 1) for k in range(8)] + [(3 * k + 1, 3 * k + 2) for k in range(8)],
        np.int32,
    )
    grand = np.array([(3 * k, 3 * k + 2) for k in range(7)], np.int32)
    names = tuple(f"P{k}" for k in range(24))
    types = (("person", "person"), ("person", "person"))
    return Background(("parent", "grandparent"), types, (parent, grand), {"person": names})


def test_paths_lead_from_arguments_and_leave_the_atom_out() -> None:
    background = family()
    paths = relational_paths(background, "grandparent", max_length=2)
    chain = ((0, (0, 2)), (0, (2, 1)))
    assert paths[chain] == 7
    assert all(path[0][1] != (0, 1) or path[0][0] != 1 for path in paths)


def test_path_learner_finds_the_chain() -> None:
    background = family()
    score = PseudoLikelihoodScore(background, {"grandparent": all_atoms(background, "grandparent")})
    learned = PathLearner(max_clauses=2).learn(score)
    texts = [rule.text for rule in learned.rules]
    assert any(text.count("parent(") == 3 and "=> grandparent" in text for text in texts)
    again = PathLearner(max_clauses=2).learn(score)
    assert [rule.text for rule in again.rules] == texts


def test_path_learner_finds_that_friends_smoke_alike() -> None:
    background = friends()
    score = PseudoLikelihoodScore(background, {"smokes": all_atoms(background, "smokes")})
    learned = PathLearner(max_clauses=3).learn(score)
    assert learned.trace[-1] > learned.trace[0] + 0.05
    assert any(rule.text.count("smokes") == 2 and "friend" in rule.text for rule in learned.rules)


def test_mining_measures_what_their_definitions_say() -> None:
    background = family()
    rules = RuleMiner(max_length=3, min_support=3, min_confidence=0.5).learn(background)
    by_text = {rule.text: rule for rule in rules}
    rule = by_text["parent(a, v1) ^ parent(v1, b) => grandparent(a, b)"]
    parents = {tuple(row) for row in background.facts[0].tolist()}
    known = {tuple(row) for row in background.facts[1].tolist()}
    predicted = {(a, c) for (a, b), (d, c) in product(parents, parents) if b == d}
    subjects = {a for a, _ in known}
    assert rule.positives == len(predicted & known) == 7
    assert rule.precision == 7 / len(predicted)
    assert (
        rule.pca_confidence == 7 / len({pair for pair in predicted if pair[0] in subjects}) == 1.0
    )
    assert rule.head_coverage == 1.0
    texts = [rule.text for rule in rules]
    assert len(texts) == len(set(texts))
    assert [rule.pca_confidence for rule in rules] == sorted(
        (rule.pca_confidence for rule in rules), reverse=True
    )


def test_rules_print_as_a_program() -> None:
    background = family()
    rules = RuleMiner(max_length=3, min_support=3).learn(background, ["grandparent"])
    examples, _ = all_atoms(background, "grandparent")
    program = parse_mln(format_theory(rules, background, examples))
    assert len(program.rules) == len(rules)
