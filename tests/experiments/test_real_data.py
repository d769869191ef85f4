"""The experiments' data: counts as documented, and no label in what the network is made from."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from experiments import cora, uw_cse
from experiments.facts import relations_of
from experiments.grounded import GroundedWorld, ground_worlds
from experiments.relational_attributes import TrueFacts
from experiments.similarity import similarity_bins
from tests.kits.datasets import dataset
from workbench.database import Database


def same_network(one: GroundedWorld, other: GroundedWorld) -> bool:
    first, second = one.network, other.network
    pairs = [(first.A, second.A), (first.unit, second.unit)]
    return all(a.shape == b.shape and (a != b).nnz == 0 for a, b in pairs) and np.array_equal(
        first.b, second.b
    )


def without_labels(source: Path, target: Path, predicates: tuple[str, ...]) -> None:
    """Copy a `.db` file without the facts of some predicates."""
    lines = source.read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [line for line in lines if line.strip().lstrip("!?").split("(")[0] not in predicates]
    assert len(kept) < len(lines)
    target.write_text("".join(kept), encoding="utf-8")


def test_uw_cse_counts_and_labels(tmp_path: Path) -> None:
    data = dataset("uw-cse")
    (tmp_path / "uw.mln").write_text(
        (data / "uw.mln").read_text(encoding="utf-8"), encoding="utf-8"
    )
    without_labels(data / "language.db", tmp_path / "language.db", uw_cse.OPEN)
    with Database.open() as database, Database.open() as blind:
        program = uw_cse.load(database, data, ["language"])
        facts = relations_of(database, "language", program.predicates, shared=uw_cse.SMALL_TYPES)
        same = {name for name in program.predicates if name.startswith("same")}
        assert len(program.rules) == 94
        assert (
            sum(len(relation.facts) for name, relation in facts.items() if name not in same) == 141
        )
        assert len(facts["samePerson"].facts) == 28
        (world,), templates = ground_worlds(database, program, ["language"], query=uw_cse.OPEN)
        (unlabelled,), _ = ground_worlds(
            blind, uw_cse.load(blind, tmp_path, ["language"]), ["language"], query=uw_cse.OPEN
        )
    assert templates.n_templates == 94
    assert world.atoms["advisedBy"].size == 28 * 28
    assert world.example.truth[world.atoms["advisedBy"]].sum() == 9
    assert unlabelled.example.truth.sum() == 0
    assert same_network(world, unlabelled)


def test_no_label_of_cora_reaches_the_network(tmp_path: Path) -> None:
    data = dataset("cora-er")
    knowledge = tmp_path / "singla-domingos-mln"
    knowledge.mkdir()
    name = "bibserv.withneg.mln"
    (knowledge / name).write_text(
        (data / knowledge.name / name).read_text(encoding="utf-8"), encoding="utf-8"
    )
    without_labels(
        data / "coraSepFixedhwng.5.db", tmp_path / "coraSepFixedhwng.5.db", tuple(cora.COLUMNS)
    )
    with Database.open() as database, Database.open() as blind:
        program = cora.load(database, data, ["5"])
        assert len(program.rules) == 46
        assert not any(rule.weight.kind == "hard" for rule in program.rules)
        (world,), _ = ground_worlds(database, program, ["5"], query=tuple(cora.COLUMNS))
        (unlabelled,), _ = ground_worlds(
            blind, cora.load(blind, tmp_path, ["5"]), ["5"], query=tuple(cora.COLUMNS)
        )
        assert relations_of(blind, "5", ["SameBib"])["SameBib"].facts.size == 0
    assert world.example.truth[world.atoms["SameBib"]].sum() == 6442
    assert world.atoms["SameBib"].size == 244**2
    assert same_network(world, unlabelled)


def test_similarity_bins() -> None:
    words = TrueFacts(("author", "word"), np.array([[0, 0], [0, 1], [1, 0], [1, 1], [2, 2]]))
    bins = similarity_bins(words, 4, 3)
    assert bins.tolist() == [[5, 5, 0, 0], [5, 5, 0, 0], [0, 0, 5, 0], [0, 0, 0, 5]]
